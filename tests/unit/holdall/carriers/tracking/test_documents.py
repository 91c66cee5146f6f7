"""Where tracked values are in a document, and what an annotation has room for."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.carriers.reports import Lost
from holdall.carriers.tracking.documents import annotation_key, put_sections, take_sections
from holdall.carriers.tracking.entries import Sections
from holdall.plan.tracking import Tracking
from holdall.text import json

GROUP = "sea.example.com"
KEY = annotation_key(GROUP)
BY_ANNOTATION = Tracking(carrier="annotation")


def entry(name: str, size: int = 1, **more: Any) -> dict[str, Any]:
    return {"jsonPath": f"$.{name}", "value": "x" * size, **more}


def sections(*, rest: dict[str, Any] | None = None) -> Sections:
    """Return four entries, each larger than the one before, in three lists."""
    first, second, third, fourth = (entry(name, size) for size, name in enumerate("abcd"))
    return Sections(
        {"upgrades": {"v2": [first, fourth], "v3": [second]}, "downgrades": {"v1": [third]}},
        {} if rest is None else rest,
    )


def in_room(room: int, kept: Sections) -> tuple[dict[str, Any], list[Lost]]:
    """Return what an annotation says that may have so many bytes, and what is told."""
    document: dict[str, Any] = {"metadata": {"annotations": {}}}
    padding = ANNOTATIONS_LIMIT - len("pad") - len(KEY) - room
    document["metadata"]["annotations"] = {"pad": "x" * padding}
    wrong = put_sections(BY_ANNOTATION, GROUP, document, kept)
    text = document["metadata"]["annotations"].get(KEY)
    if text is None:
        return {}, wrong
    assert len(text) <= room
    found: dict[str, Any] = json.decode(text)  # type: ignore[assignment]
    return found, wrong


@pytest.mark.parametrize("rest", [{}, {"other": [1]}])
def test_any_room(rest: dict[str, Any]) -> None:
    """The largest are left out as long as the others have no room; what is no entry stays."""
    smaller = [sections(rest=rest)]
    smaller.append(smaller[-1].copy())
    del smaller[-1].lists["upgrades"]["v2"][1:]
    smaller.append(smaller[-1].copy())
    del smaller[-1].lists["downgrades"]["v1"]
    smaller.append(smaller[-1].copy())
    del smaller[-1].lists["upgrades"]["v3"]
    smaller.append(Sections(rest=rest))
    expected = [one.write() for one in smaller]
    lost = ["v2/$.d", "v1/$.c", "v3/$.b", "v2/$.a", *(f"/{name}" for name in rest)]
    for room in range(len(json.encode(expected[0])) + 2):
        fits = [len(json.encode(value)) <= room for value in expected]
        index = fits.index(True) if any(fits) else len(fits) - 1
        found, wrong = in_room(room, sections(rest=rest))
        assert found == (expected[index] if any(fits) else {})
        count = index if any(fits) else len(lost)
        told = sorted(f"{one.origin}/{one.key}" for one in wrong)
        assert told == sorted(lost[:count])
        assert {one.reason for one in wrong} <= {"the annotations are full"}


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"metadata": None},
        {"metadata": {}},
        *({"metadata": {"annotations": annotations}} for annotations in (None, {}, {"a": "b"})),
    ],
)
def test_metadata_is_what_it_was(document: dict[str, Any]) -> None:
    """Once the entries are taken, nothing tells that they were there."""
    there = {**document}
    assert put_sections(BY_ANNOTATION, GROUP, there, sections()) == []
    assert KEY in there["metadata"]["annotations"]
    found, wrong = take_sections(GROUP, there)
    assert (there, found.write(), wrong) == (document, sections().write(), [])


def test_no_annotation_for_no_entry() -> None:
    """One that has no room leaves nothing behind, not even what metadata was before."""
    document: dict[str, Any] = {}
    large = Sections({"upgrades": {"v2": [entry("a", ANNOTATIONS_LIMIT)]}, "downgrades": {}})
    (lost,) = put_sections(BY_ANNOTATION, GROUP, document, large)
    assert str(lost) == "/spec: v2/$.a is lost: the annotations are full"
    assert document == {}


@pytest.mark.parametrize("rest", [{}, {"other": 1}])
@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"metadata": 5}, "/spec: v2/$.a is lost: metadata is an integer and cannot carry"),
        *(
            ({"metadata": {"annotations": annotations}}, f"metadata.annotations is {kind} and")
            for annotations, kind in (
                ("a", "a string"),
                ("", "a string"),
                (["a"], "a list"),
                ([], "a list"),
                (0, "an integer"),
            )
        ),
        ({"status": [5]}, "/status: v2/$.b is lost: the status is a list and cannot carry"),
    ],
)
def test_what_cannot_carry_entries(
    document: dict[str, Any], told: str, rest: dict[str, Any]
) -> None:
    """It stays as it is, what can carries the others, and what is lost is told one by one."""
    there: dict[str, Any] = {**document}
    kept = sections(rest=rest)
    kept.lists["upgrades"] = {"v2": [entry("a"), entry("b", root="status")]}
    kept.lists["downgrades"] = {}
    lost = put_sections(BY_ANNOTATION, GROUP, there, kept)
    assert told in str(lost[0])
    found, _ = take_sections(GROUP, there)
    assert there.get("metadata") == document.get("metadata")
    carried = [str(entry["jsonPath"]) for _, entry in found.places() if isinstance(entry, dict)]
    assert sorted((*(one.key for one in lost), *carried, *found.rest)) == ["$.a", "$.b", *rest]


@pytest.mark.parametrize("text", [5, None, "{", "[]"])
def test_an_annotation_that_cannot_be_read(text: Any) -> None:
    """The message names it as a JSON Pointer does."""
    document: dict[str, Any] = {"metadata": {"annotations": {KEY: text}}}
    found, (wrong,) = take_sections(GROUP, document)
    assert not found.write()
    assert wrong.startswith("/metadata/annotations/sea.example.com~1changed-values: ")


def test_entries_of_the_status_stay_there() -> None:
    """The owner of the status writes them, whatever carries the others."""
    status = entry("b", root="status")
    document: dict[str, Any] = {"metadata": {}, "status": {"ready": True}}
    kept = Sections({"upgrades": {"v2": [entry("a"), status]}, "downgrades": {}})
    assert put_sections(BY_ANNOTATION, GROUP, document, kept) == []
    assert document["status"] == {
        "ready": True,
        "changedValues": {"upgrades": {"v2": [status]}},
    }
    found, wrong = take_sections(GROUP, document)
    assert not wrong and document == {"metadata": {}, "status": {"ready": True}}
    assert sorted(str(one) for _, one in found.places()) == sorted(map(str, (entry("a"), status)))
