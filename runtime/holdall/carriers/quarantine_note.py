"""The note on a quarantined object: an annotation about the stand-ins in its bag.

Only reviews of an API server convert objects with a note; everything else refuses them.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from holdall.carriers.annotations import (
    ANNOTATIONS_LIMIT,
    annotations_size,
    earlier_state,
    restore_metadata,
)
from holdall.carriers.envelope import EarlierState
from holdall.errors import HoldallError
from holdall.objects.bag import ANNOTATION_DOMAIN, STAND_IN
from holdall.text import json as _json
from holdall.types import JsonObject, get, members

NOTE: Final = f"{ANNOTATION_DOMAIN}/quarantine"

_MARK: Final = re.compile(re.escape(STAND_IN) + r"(:[0-9a-f]{16})?")


class QuarantinedError(HoldallError):
    """A document's bag has values of wrong kinds, which the webhook put there."""

    code = "HA509"

    def __init__(self) -> None:
        super().__init__(
            f"the bag of this object keeps values of a wrong kind (annotation {NOTE}); only the"
            " webhook can convert it"
        )


class Note(_json.Record, forbid_unknown_fields=True):
    """The contents of the annotation.

    `mark` is the name of stand-ins, `version` that of the object. By JSON Pointer into the object,
    `rest` is what has no place beside values of a wrong kind, and `open` are the stand-ins of
    values whose kind is wrong only in another version. `out` are values that no converter accepted,
    by their version and JSON Pointer there. `before` is the state of metadata that removing the
    annotation has to restore.
    """

    mark: str
    version: str
    rest: dict[str, dict[str, Any]]
    open: dict[str, Any]
    out: dict[str, dict[str, Any]]
    before: Literal[""] | EarlierState

    def write(self) -> str:
        """Return the text of the annotation."""
        return _json.encode_sorted(self).decode()


_decode_note: Final = _json.typed_decoder(Note)


def read_note(document: JsonObject) -> Note | None:
    """Return the note of an API document; None without a readable one."""
    text = get(document, "metadata", "annotations", NOTE)
    if not isinstance(text, str):
        return None
    try:
        note = _decode_note(text)
    except _json.SHAPE_ERRORS:
        return None
    return note if _MARK.fullmatch(note.mark) else None


def refuse_quarantined(document: JsonObject) -> None:
    """Raise QuarantinedError if a document has a note. Its annotations must not be sealed."""
    if read_note(document) is not None:
        raise QuarantinedError


def take_note(document: JsonObject) -> Note | None:
    """Take the note out of a document, which is changed, except nested values."""
    note = read_note(document)
    metadata: Any = document.get("metadata")
    if note is not None:
        rest = {key: item for key, item in metadata["annotations"].items() if key != NOTE}
        restore_metadata(document, {**metadata, "annotations": rest}, note.before)
    return note


def put_note(document: JsonObject, note: Note) -> bool:
    """Write the note into a document; return whether its annotations have room for it."""
    note.before = earlier_state(document)
    metadata: Any = document.get("metadata")
    filled = {**members(document, "metadata", "annotations"), NOTE: note.write()}
    document["metadata"] = {**(metadata or {}), "annotations": filled}
    return annotations_size(filled) <= ANNOTATIONS_LIMIT
