"""Other processes, with other hash seeds, give equal bytes (L6), or the laws say so."""

from __future__ import annotations

import pytest

from holdall.testing.laws import processes
from holdall.testing.laws.processes import check_processes
from holdall.testing.laws.subjects import Subject
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of, written_hook

HASHED = written_hook('destination.shade = hash("shade") % 1000', reads="color", writes="shade")


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> list[Subject]:
    """A group whose hook depends on the hash seed, and one without hooks."""
    hooked = {"hooks/things.py": HASHED}
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
