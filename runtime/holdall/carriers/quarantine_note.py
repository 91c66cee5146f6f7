"""The note on a quarantined object: an annotation that says what replaces values in its bag.

Only the boundary of an API server converts objects with a note; everything else refuses them.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from holdall.carriers.annotations import (
    ANNOTATIONS_LIMIT,
    annotations_size,
    earlier_state,
    restore_metadata,
)
from holdall.carriers.envelope import EARLIER_STATES
from holdall.errors import DecodeError, HoldallError
from holdall.objects.bag import ANNOTATION_DOMAIN, STAND_IN
from holdall.text import json as _json
from holdall.types import JsonObject, get, is_json_object, members

NOTE: Final = f"{ANNOTATION_DOMAIN}/quarantine"

_MARK: Final = re.compile(re.escape(STAND_IN) + r"(:[0-9a-f]{16})?")


class QuarantinedError(HoldallError):
    """A document has values of wrong kinds in its bag, as the webhook put them there."""

    code = "HA509"

    def __init__(self) -> None:
        super().__init__(
            f"the bag of this object keeps values of a wrong kind (annotation {NOTE}); only the"
            " webhook gives them back"
        )


@dataclass(slots=True)
class Note:
    """What the annotation says.

    `mark` is the name of stand-ins, `version` that of the object. By JSON Pointer into the object,
    `rest` is what has no place beside values of a wrong kind, and `open` are the stand-ins of
    values whose kind is wrong in another version only. `out` are values that no converter took,
    by their version and the JSON Pointer there. `before` is the state of metadata that removing
    the annotation has to restore.
    """

    mark: str
    version: str
    rest: dict[str, JsonObject] = field(default_factory=dict)
    open: JsonObject = field(default_factory=dict)
    out: dict[str, JsonObject] = field(default_factory=dict)
    before: str = ""

    def write(self) -> str:
        """Return the text of the annotation."""
        return _json.canonical(asdict(self)).decode()


def read_note(document: JsonObject) -> Note | None:
    """Return the note of an API document; none if it has none that can be read."""
    text = get(document, "metadata", "annotations", NOTE)
    if not isinstance(text, str):
        return None
    try:
        value: Any = _json.decode(text)
    except DecodeError:
        return None
    return Note(**value) if _is_note(value) else None


def _is_note(value: Any) -> bool:
    return (
        is_json_object(value)
        and value.keys() == _MEMBERS
        and isinstance(value["mark"], str)
        and _MARK.fullmatch(value["mark"]) is not None
        and isinstance(value["version"], str)
        and is_json_object(value["rest"])
        and all(map(is_json_object, value["rest"].values()))
        and is_json_object(value["open"])
        and is_json_object(value["out"])
        and all(map(is_json_object, value["out"].values()))
        and isinstance(value["before"], str)
        and value["before"] in {"", *EARLIER_STATES}
    )


_MEMBERS: Final = frozenset(item.name for item in fields(Note))


def refuse_quarantined(document: JsonObject) -> None:
    """Raise QuarantinedError if a document has a note. Its annotations must not be sealed."""
    if read_note(document) is not None:
        raise QuarantinedError


def take_note(document: JsonObject) -> Note | None:
    """Take the note out of a document, which is changed, but nothing nested in it."""
    note = read_note(document)
    metadata: Any = document.get("metadata")
    if note is not None:
        rest = {key: item for key, item in metadata["annotations"].items() if key != NOTE}
        restore_metadata(document, {**metadata, "annotations": rest}, note.before)
    return note


def put_note(document: JsonObject, note: Note) -> bool:
    """Write the note into a document; tell whether its annotations have room for it."""
    note.before = earlier_state(document)
    metadata: Any = document.get("metadata")
    filled = {**members(document, "metadata", "annotations"), NOTE: note.write()}
    document["metadata"] = {**(metadata or {}), "annotations": filled}
    return annotations_size(filled) <= ANNOTATIONS_LIMIT
