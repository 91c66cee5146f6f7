"""The schemas of a real API group: 14 CRDs with up to three versions, in two spellings.

Without any hook the generated code imports, type-checks, and loses nothing of real objects.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from holdall.errors import UnknownKindError
from holdall.scheme.projects import read_packages
from holdall.testing.laws.differences import differences
from tests.laws import checks
from tests.laws.projects import built
from tests.laws.subjects import Json, Subject
from tests.support.checkers import mypy_says, ruff_says

VERSIONS = ("v1", "v2", "v3alpha1")
TRIPS: dict[str, list[tuple[str, ...]]] = {
    "v1": [("v3alpha1", "v1"), ("v2", "v1"), ("v3alpha1", "v2", "v1")],
    "v2": [("v3alpha1", "v2"), ("v1", "v2")],
    "v3alpha1": [("v2", "v3alpha1"), ("v1", "v3alpha1"), ("v1", "v2", "v3alpha1")],
}


@pytest.fixture(scope="module", params=("internal", "installable"))
def emissary(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Subject, Path]:
    """The group generated from one folder of schemas, with its folder."""
    root: Path = tmp_path_factory.mktemp("emissary")
    (root / "schemas").symlink_to(shared / "emissary" / "schemas" / request.param)
    group = {
        "sources": [{"crds": "schemas/*.yaml", "yaml": "kubernetes"}],
        "versions": list(VERSIONS),
    }
    found = built(root, f"groups: {json.dumps({'emissary': group})}\n", {})
    return Subject(found.plan, found.scheme), root / read_packages(root).output


@pytest.fixture(scope="module")
def objects(shared: Path) -> dict[str, Json]:
    """Real objects by case id."""
    files = sorted((shared / "emissary" / "cases" / "upstream").glob("*.json"))
    cases = [case for file in files for case in json.loads(file.read_text(encoding="utf-8"))]
    return {case["id"]: case["input"] for case in cases}


def test_all_kinds_are_there(emissary: tuple[Subject, Path]) -> None:
    """Generation covers 14 kinds, and every module imports."""
    subject, _ = emissary
    assert len(subject.plan.kinds) == 14
    checks.import_all(subject)


def test_every_property_has_a_fate(emissary: tuple[Subject, Path]) -> None:
    """Each edge decides about each property of both its types, with a reason and a location."""
    subject, _ = emissary
    checks.require_fates(subject.plan)
    for edge in subject.plan.edges:
        for decision in edge.decisions:
            assert decision.reason and decision.location.line, decision


def test_real_objects_lose_nothing(
    emissary: tuple[Subject, Path], objects: dict[str, Json]
) -> None:
    """Every object comes back exactly from every trip, without a hook."""
    subject, _ = emissary
    lost, trips = [], 0
    for name, document in objects.items():
        group, version = document["apiVersion"].split("/")
        assert group == "getambassador.io"
        if version not in subject.kind(document["kind"]).types:
            with pytest.raises(UnknownKindError):
                subject.scheme.convert(document, to="v2")
            continue
        for trip in TRIPS[version]:
            if not set(trip) <= set(subject.kind(document["kind"]).types):
                continue
            current = document
            for stop in trip:
                current = subject.scheme.convert(current, to=stop)
            trips += 1
            lost += [f"{name} {trip}: {line}" for line in differences(document, current)]
    assert not lost, "\n".join(lost[:20])
    assert trips > 400


def test_real_objects_agree_hop_by_hop(
    emissary: tuple[Subject, Path], objects: dict[str, Json]
) -> None:
    """The direct way over several edges ends where single conversions end."""
    subject, _ = emissary
    for document in objects.values():
        kind, version = document["kind"], document["apiVersion"].split("/")[1]
        if version not in subject.kind(kind).types:
            continue
        for end in subject.served(kind):
            path = subject.path(kind, version, end)
            current = document
            for _, stop in pairwise(path):
                current = subject.scheme.convert(current, to=stop)
            direct = subject.scheme.convert(document, to=end)
            assert list(differences(direct, current)) == []


def test_the_interpreter_agrees(emissary: tuple[Subject, Path]) -> None:
    """Generated code does what an independent reading of the plan does, on every edge."""
    subject, _ = emissary
    checks.check_interpreter(subject, 4)
    checks.check_chains(subject, 60)


def test_laws_hold(emissary: tuple[Subject, Path]) -> None:
    """The laws hold for generated documents of all kinds."""
    subject, _ = emissary
    checks.check_laws(subject, 20)


def test_ruff_finds_nothing(emissary: tuple[Subject, Path]) -> None:
    """Generated modules are clean under the project's own rules, format included."""
    _, folder = emissary
    assert ruff_says(folder.parent, folder.name) == ""


@pytest.mark.slow
def test_mypy_finds_nothing(emissary: tuple[Subject, Path]) -> None:
    """Generated modules pass `mypy --strict`."""
    _, folder = emissary
    assert mypy_says(folder.parent, "-p", folder.name, silent=True) == ""
