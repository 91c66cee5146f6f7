"""`changedValues` in a document: in the status, or in an annotation."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Final

from holdall.carriers.annotations import (
    ANNOTATIONS_LIMIT,
    STATUS_ANNOTATION,
    annotations_size,
    cannot_carry,
    earlier_state,
    restore_metadata,
    text_of,
)
from holdall.carriers.envelope import EARLIER_STATES
from holdall.carriers.reports import Lost
from holdall.carriers.tracking.entries import SECTIONS, Sections, read_sections
from holdall.errors import DecodeError
from holdall.plan.tracking import CHANGED_VALUES, Tracking
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, json_kind, members
from holdall.words import with_article

# The state of metadata that removing the annotation would not restore, as in an envelope.
_BEFORE: Final = "before"
_FULL: Final = "the annotations are full"


def annotation_key(group: str) -> str:
    """Return the annotation that carries entries of a group's objects."""
    return f"{group}/changed-values"


def holds_sections(group: str, document: dict[str, Any]) -> bool:
    """Return whether a document may carry entries anywhere.

    With bags, the status is user data, so only what looks like entries counts there.
    """
    status = document.get("status")
    if type(status) is dict and _are_sections(status.get(CHANGED_VALUES)):
        return True
    metadata = document.get("metadata")
    if _json.is_sealed(metadata):
        return annotation_key(group).encode() in _json.encode(metadata)
    return annotation_key(group) in members(metadata, "annotations")


def _are_sections(value: Any) -> bool:
    return (
        type(value) is dict
        and value != {}
        and value.keys() <= {*SECTIONS}
        and all(type(lists) is dict for lists in value.values())
    )


def take_sections(group: str, document: dict[str, Any]) -> tuple[Sections, list[str]]:
    """Take all entries out of a document; return them, and what cannot be read.

    `document` is changed, but nothing nested in it. A status with nothing else is removed, because
    an empty one equals none, unless there are entries to place in it.
    """
    sections = Sections()
    wrong: list[str] = []
    status = document.get("status")
    if type(status) is dict and CHANGED_VALUES in status:
        rest = {name: value for name, value in status.items() if name != CHANGED_VALUES}
        problems = read_sections(status[CHANGED_VALUES], sections)
        wrong.extend(f"/status/{CHANGED_VALUES}: {text}" for text in problems)
        if rest or any(_is_of_status(entry) for _, entry in sections.places()):
            document["status"] = rest
        else:
            del document["status"]
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    key = annotation_key(group)
    if type(metadata) is dict and type(annotations) is dict and key in annotations:
        before, where = "", join("/metadata/annotations", key)
        try:
            value = _json.decode(text_of(annotations[key]))
        except DecodeError as error:
            wrong.append(f"{where}: {error}")
        else:
            found = value.get(_BEFORE) if isinstance(value, dict) else None
            if isinstance(value, dict) and isinstance(found, str) and found in EARLIER_STATES:
                before = found
                del value[_BEFORE]
            problems = read_sections(value, sections)
            wrong.extend(f"{where}: {text}" for text in problems)
        rest = {name: item for name, item in annotations.items() if name != key}
        restore_metadata(document, {**metadata, "annotations": rest}, before)
    return sections, wrong


def take_empty_status(tracking: Tracking, document: dict[str, Any]) -> dict[str, Any]:
    """Take an empty status out of a document that carries entries there, and return it.

    It equals none, so it must not get defaults, which would leave entries. A status of which bags
    keep something is not empty.
    """
    if tracking.carrier == "bag" or document.get("status") != {}:
        return {}
    has_bag = STATUS_ANNOTATION in members(document, "metadata", "annotations")
    return {} if has_bag else {"status": document.pop("status")}


def with_status(made: dict[str, Any], taken: dict[str, Any]) -> dict[str, Any]:
    """Return members with a status that was taken, unless there is another one now."""
    return {**made, **taken} if taken and "status" not in made else made


def put_sections(
    tracking: Tracking, group: str, document: dict[str, Any], sections: Sections
) -> list[Lost]:
    """Write the entries into a document, and return what it cannot hold.

    `document` is changed, but nothing nested in it. Without entries, nothing is written. If an
    annotation has no room, the largest entries are left out, because a larger object would be
    unreadable. Source: docs/bags.md, "Trust".
    """
    in_status = sections
    lost: list[Lost] = []
    if tracking.carrier == "annotation":
        in_status, in_annotation = _parted(sections)
        if in_annotation.write():
            lost += _put_annotation(annotation_key(group), document, in_annotation)
    value = in_status.write()
    if value:
        status = document.get("status")
        if status is None or type(status) is dict:
            document["status"] = {**(status or {}), CHANGED_VALUES: value}
        else:
            kind = with_article(json_kind(status))
            lost += _all_lost(in_status, f"the status is {kind} and cannot carry changedValues")
    return lost


def _put_annotation(key: str, document: dict[str, Any], sections: Sections) -> list[Lost]:
    metadata = document.get("metadata")
    if why := cannot_carry(metadata):
        return _all_lost(sections, why)
    annotations = members(metadata, "annotations")
    if not annotations and (before := earlier_state(document)):
        sections.rest = {**sections.rest, _BEFORE: before}
    others = {name: item for name, item in annotations.items() if name != key}
    room = ANNOTATIONS_LIMIT - annotations_size(others) - len(key)
    text, lost = _fitting(sections, room)
    if text is not None:
        document["metadata"] = {**(metadata or {}), "annotations": {**others, key: text}}
    return lost


def _fitting(sections: Sections, room: int) -> tuple[str | None, list[Lost]]:
    """Return the text of sections in at most `room` bytes, and what was left out.

    The text is None if there is no room for anything.
    """
    data = _json.encode(sections.write())
    if len(data) <= room:
        return data.decode(), []
    entries = [(len(_json.encode(entry)), place) for place, entry in sections.places()]
    entries.sort(reverse=True)

    def without(count: int) -> dict[str, JsonValue]:
        out = {place for _, place in entries[:count]}
        kept = Sections(rest=sections.rest)
        for (section, version, index), entry in sections.places():
            if (section, version, index) not in out:
                kept.lists[section].setdefault(version, []).append(entry)
        return kept.write()

    def has_room(count: int) -> bool:
        return len(_json.encode(without(count))) <= room

    count = bisect_left(range(len(entries) + 1), True, key=has_room)
    value = without(count) if count <= len(entries) else {}
    if not value.keys() - {_BEFORE}:
        return None, _all_lost(sections, _FULL)
    out = {place for _, place in entries[:count]}
    lost = [_lost(place[1], entry, _FULL) for place, entry in sections.places() if place in out]
    return _json.encode(value).decode(), lost


def _all_lost(sections: Sections, why: str) -> list[Lost]:
    lost = [_lost(version, entry, why) for (_, version, _), entry in sections.places()]
    return lost + [Lost("", "", name, why) for name in sections.rest if name != _BEFORE]


def _lost(version: str, entry: JsonValue, why: str) -> Lost:
    said: Any = entry if isinstance(entry, dict) else {}
    root = said.get("root", "spec")
    path = "" if root == "object" else join("", str(root))
    return Lost(path, version, str(said.get("jsonPath", said.get("fieldName", ""))), why)


def _parted(sections: Sections) -> tuple[Sections, Sections]:
    """Return the entries of the status, and all others."""
    status, others = Sections(), Sections(rest=sections.rest)
    for (section, version, _), entry in sections.places():
        target = status if _is_of_status(entry) else others
        target.lists[section].setdefault(version, []).append(entry)
    return status, others


def _is_of_status(entry: JsonValue) -> bool:
    return isinstance(entry, dict) and entry.get("root") == "status"
