"""The text that a converted inner document had, kept in an annotation of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from holdall.carriers.annotations import earlier_state, restore_metadata
from holdall.carriers.text import annotation_text, decode_annotation
from holdall.errors import DecodeError
from holdall.objects.bag import ANNOTATION_DOMAIN
from holdall.types import JsonObject, get, is_json_object, members

TEXT_ANNOTATION: Final = f"{ANNOTATION_DOMAIN}/text"


class KeptText(NamedTuple):
    """What a document was: its text, while documents beside it had the version `at`."""

    at: str
    text: str


def with_kept_text(document: JsonObject, at: str, text: str) -> JsonObject | None:
    """Return a document with its text kept in it; None if it has no place for annotations."""
    metadata, annotations = document.get("metadata"), get(document, "metadata", "annotations")
    if not all(value is None or is_json_object(value) for value in (metadata, annotations)):
        return None
    kept: JsonObject = {"at": at, "text": text}
    if before := earlier_state(document):
        kept["before"] = before
    added = {**members(annotations), TEXT_ANNOTATION: annotation_text(kept)}
    return {**document, "metadata": {**members(metadata), "annotations": added}}


def take_kept_text(document: JsonObject) -> tuple[JsonObject, KeptText | None]:
    """Return a document without its kept text, and that text, if it has one that can be read."""
    metadata = members(document, "metadata")
    annotations = members(metadata, "annotations")
    held = annotations.get(TEXT_ANNOTATION)
    try:
        value = decode_annotation(held) if isinstance(held, str) else None
    except DecodeError:
        return document, None
    found = members(value)
    at, text, before = found.get("at"), found.get("text"), found.get("before", "")
    if not (isinstance(at, str) and isinstance(text, str) and isinstance(before, str)):
        return document, None
    rest = {key: item for key, item in annotations.items() if key != TEXT_ANNOTATION}
    without = {**document}
    restore_metadata(without, {**metadata, "annotations": rest}, before)
    return without, KeptText(at, text)
