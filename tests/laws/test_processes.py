"""Other processes, with other hash seeds, give equal bytes (L6), or the laws say so."""

from __future__ import annotations

import pytest

from holdall.testing.laws import processes
from holdall.testing.laws.processes import check_processes
from holdall.testing.laws.subjects import Subject
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

HASHED = """
from {generated}.things.v1 import storage as v1
from {generated}.things.v2 import storage as v2
from holdall import BagView, claims


class Hooks(v1.AssignableThingSpec):
    @claims(reads=["color"], writes=["shade"])
    def assign_properties_to(
        self, source: v1.ThingSpec, destination: v2.ThingSpec, bag: BagView
    ) -> None:
        destination.shade = hash("shade") % 1000

    @claims(reads=["shade"], writes=["color"])
    def assign_properties_from(
        self, source: v2.ThingSpec, destination: v1.ThingSpec, bag: BagView
    ) -> None:
        pass
"""


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> list[Subject]:
    """A group whose hook depends on the hash seed, and one without hooks."""
    hooked = {"hooks/__init__.py": "", "hooks/things.py": HASHED}
    return [
        Subject(scheme_of(build_project(tmp_path_factory.mktemp("things"), THING_CONFIG, files)))
        for files in ({**THING_FILES, **hooked}, THING_FILES)
    ]


def test_other_bytes_of_another_process_are_found(
    subjects: list[Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the group and direction that depends on hashes, and in no other."""
    monkeypatch.setattr(processes, "_DRAWN", 1)
    found = [finding.violation for finding in check_processes(subjects, 1)]
    assert {(one.law, one.kind, one.start, one.end) for one in found} == {
        ("L6", "Thing", "v1", "v2")
    }
    assert check_processes(subjects[1:], 1) == []


def test_only_some_kinds(subjects: list[Subject]) -> None:
    """Then no process looks at others."""
    assert check_processes(subjects, 1, ["Other"]) == []
