"""Each feature, and features that meet: generated code imports, keeps the laws, and agrees."""

from __future__ import annotations

import pytest

from tests.laws import checks
from tests.laws.projects import built_specimen
from tests.laws.specimens import SPECIMENS
from tests.laws.subjects import Subject


@pytest.fixture(scope="module", params=sorted(SPECIMENS))
def specimen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A specimen, generated and imported."""
    group = built_specimen(SPECIMENS[request.param], tmp_path_factory.mktemp("specimen"))
    return Subject(group.plan, group.scheme)


def test_every_module_imports(specimen: Subject) -> None:
    """Both modules of every version import."""
    checks.import_all(specimen)


def test_every_property_has_a_fate(specimen: Subject) -> None:
    """Each edge decides about each property of both its types."""
    checks.require_fates(specimen.plan)


def test_edges_agree_with_the_interpreter(specimen: Subject) -> None:
    """Generated code does on every edge what an independent reading of the plan does."""
    checks.check_interpreter(specimen, 20)


def test_walks_agree_with_the_interpreter(specimen: Subject) -> None:
    """So does a walk over several edges, and the way back of an edited object."""
    checks.check_chains(specimen, 20)


def test_laws_hold(specimen: Subject) -> None:
    """The laws hold for stored objects and, with carriers, for API objects."""
    checks.check_laws(specimen, 25)
