"""Where `changedValues` stands in a document: in the status, or in an annotation."""

from __future__ import annotations

from typing import Any

from holdall import json as _json
from holdall.errors import DecodeError
from holdall.tracking.entries import CHANGED_VALUES, SECTIONS, Sections, read_sections
from holdall.tracking.settings import Tracking
from holdall.types import JsonValue


def annotation_key(group: str) -> str:
    """Return the annotation that carries entries of a group's objects."""
    return f"{group}/changed-values"


def take_sections(group: str, document: dict[str, Any]) -> tuple[Sections, list[str]]:
    """Take the entries out of a document, wherever they stand, with what cannot be read.

    `document` is changed, but nothing that is nested in it. A status that held nothing else is
    removed, as one that is empty equals none, unless there are entries of a status to be placed.
    """
    sections = Sections()
    wrong: list[str] = []
    status = document.get("status")
    if type(status) is dict and CHANGED_VALUES in status:
        rest = {name: value for name, value in status.items() if name != CHANGED_VALUES}
        problems = read_sections(status[CHANGED_VALUES], sections)
        wrong.extend(f"/status/{CHANGED_VALUES}: {text}" for text in problems)
        if rest or any(map(_is_of_status, sections.all())):
            document["status"] = rest
        else:
            del document["status"]
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    key = annotation_key(group)
    if type(metadata) is dict and type(annotations) is dict and key in annotations:
        try:
            value = _json.decode(annotations[key])
        except (DecodeError, TypeError) as error:
            wrong.append(f"/metadata/annotations/{key}: {error}")
        else:
            problems = read_sections(value, sections)
            wrong.extend(f"/metadata/annotations/{key}: {text}" for text in problems)
        _set_annotations(document, metadata, annotations, key, None)
    return sections, wrong


def put_sections(
    tracking: Tracking, group: str, document: dict[str, Any], sections: Sections
) -> list[str]:
    """Write the entries into a document, and say what it cannot hold.

    `document` is changed, but nothing that is nested in it. Nothing is written for no entries.
    """
    in_status = sections
    if tracking.carrier == "annotation":
        in_status, in_annotation = _parted(sections)
        value = in_annotation.write()
        if value:
            metadata = document.get("metadata")
            annotations = metadata.get("annotations") if type(metadata) is dict else None
            if metadata is not None and type(metadata) is not dict:
                return ["metadata is no object and cannot carry annotations"]
            key = annotation_key(group)
            text = _json.canonical(value).decode()
            _set_annotations(document, metadata or {}, annotations or {}, key, text)
    value = in_status.write()
    if value:
        status = document.get("status")
        if status is not None and type(status) is not dict:
            return ["the status is no object and cannot carry changedValues"]
        document["status"] = {**(status or {}), CHANGED_VALUES: value}
    return []


def _parted(sections: Sections) -> tuple[Sections, Sections]:
    """Return the entries of the status, and all others."""
    status, others = Sections(), Sections(rest=sections.rest)
    for section in SECTIONS:
        for version, entries in sections.lists[section].items():
            for entry in entries:
                target = status if _is_of_status(entry) else others
                target.lists[section].setdefault(version, []).append(entry)
    return status, others


def _is_of_status(entry: JsonValue) -> bool:
    return isinstance(entry, dict) and entry.get("root") == "status"


def _set_annotations(
    document: dict[str, Any],
    metadata: dict[str, Any],
    annotations: dict[str, Any],
    key: str,
    text: str | None,
) -> None:
    rest = {name: value for name, value in annotations.items() if name != key}
    if text is not None:
        rest[key] = text
    kept = {name: value for name, value in metadata.items() if name != "annotations"}
    if rest:
        kept["annotations"] = rest
    document["metadata"] = kept
