"""Tracked values in an annotation never make an object unreadable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdall.carriers.annotations import ANNOTATIONS_LIMIT, annotations_size
from holdall.carriers.reports import Report
from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring

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
def notes(declared: Declaring) -> Declared:
    return declared(NOTES)


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


def test_whoever_converts_can_ask_what_was_left_out(notes: Declared) -> None:
    """The scheme, for one object and for many, and the kind."""
    obj = note(ANNOTATIONS_LIMIT - 3, short="a", long="b")
    by_scheme, by_kind, of_all = Report(), Report(), Report()
    there = notes.convert(obj, to="v1", report=by_scheme)
    made = notes.kinds.Note.convert(obj, notes.kinds.NoteVersion.V1, report=by_kind)
    counts = [len(of_all) for _ in notes.scheme.convert_each([obj] * 2, to="v1", report=of_all)]
    assert (made, by_kind) == (there, by_scheme)
    assert (of_all, counts) == (by_scheme * 2, [2, 4])


def test_whoever_converts_may_tolerate_entries_that_cannot_be_used(notes: Declared) -> None:
    entries = {"upgrades": {"v2": [{"jsonPath": "$.short", "value": 5}]}}
    old = {**note(0), "apiVersion": "sea.example.com/v1"}
    old["metadata"] = {"annotations": {KEY: json.dumps(entries)}}
    kind, version = notes.kinds.Note, notes.kinds.NoteVersion.V2
    with pytest.raises(ConversionError, match="expected string, found integer"):
        kind.convert(old, version)
    report: Report = []
    new = kind.convert(old, version, tolerant=True, report=report)
    assert [*notes.scheme.convert_each([old], to="v2", tolerant=True)] == [new]
    assert (new["spec"]["short"], len(report)) == ("", 1)
