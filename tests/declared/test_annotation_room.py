"""Tracked values in an annotation never make an object unreadable."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.carriers.annotations import ANNOTATIONS_LIMIT, annotations_size
from holdall.carriers.reports import Report
from tests.support.declared import Declared, declare

NOTES = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), tracking=Tracking(carrier="annotation")
)


@resource(group="sea.example.com")
class NoteSpec:
    title: str
    short: Annotated[str, added("v2")]
    long: Annotated[str, added("v2")]
"""
KEY = "sea.example.com/changed-values"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Declared:
    return declare(tmp_path_factory.mktemp("notes"), NOTES)


def note(padding: int, **spec: Any) -> dict[str, Any]:
    """Return an object with an annotation of a length."""
    return {
        "apiVersion": "sea.example.com/v2",
        "kind": "Note",
        "metadata": {"name": "n", "annotations": {"pad": "x" * padding}},
        "spec": {"title": "t", **spec},
    }


@pytest.mark.parametrize(
    ("padding", "left_out"),
    [
        (ANNOTATIONS_LIMIT - 1100, []),
        (ANNOTATIONS_LIMIT - 900, ["long"]),
        (ANNOTATIONS_LIMIT - 80, ["short", "long"]),
        (ANNOTATIONS_LIMIT - 3, ["short", "long"]),
    ],
)
def test_what_has_no_room_is_left_out(notes: Declared, padding: int, left_out: list[str]) -> None:
    """The largest entries first, one warning for each; the others come back."""
    spec = {"short": "a" * 10, "long": "b" * 850}
    obj = note(padding, **spec)
    report: Report = []
    there = notes.convert(obj, to="v1", report=report)
    annotations = there["metadata"]["annotations"]
    assert annotations_size(annotations) <= ANNOTATIONS_LIMIT
    assert (KEY in annotations) is (len(left_out) < 2)
    assert len(report) == len(left_out)
    assert all("the annotations are full" in str(item) for item in report)
    back = notes.convert(there, to="v2")
    kept = {name: text for name, text in spec.items() if name not in left_out}
    assert {name: back["spec"].get(name) for name in kept} == kept


def test_one_byte_decides(notes: Declared) -> None:
    """The limit itself is no overflow."""
    room = annotations_size(
        notes.convert(note(0, short="a", long="b"), to="v1")["metadata"]["annotations"]
    )
    for more, count in ((0, 0), (1, 1)):
        report: Report = []
        obj = note(ANNOTATIONS_LIMIT - room + more, short="a", long="b")
        notes.convert(obj, to="v1", report=report)
        assert len(report) == count
