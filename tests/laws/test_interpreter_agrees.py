"""The independent interpreter of the plan agrees with the generated code of the sample groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from holdall_codegen.project import load_project
from tests.laws import checks
from tests.laws.subjects import Subject


@pytest.fixture(scope="module", params=("batch", "fleet"))
def sample(request: pytest.FixtureRequest, project_root: Path) -> Subject:
    """A group of the sample project."""
    scheme = {"batch": BATCH, "fleet": FLEET}[request.param]
    scheme.load()
    return Subject(load_project(project_root).plans[request.param], scheme)


def test_every_property_has_a_fate(sample: Subject) -> None:
    """Each edge decides about each property of both its types."""
    checks.require_fates(sample.plan)


def test_edges_agree(sample: Subject) -> None:
    """Over every edge, in both directions, and back after an edit, without hooks."""
    checks.check_interpreter(sample, 40)


def test_walks_agree(sample: Subject) -> None:
    """Over whole walks of every kind, and back after an edit, without hooks."""
    checks.check_chains(sample, 100)
