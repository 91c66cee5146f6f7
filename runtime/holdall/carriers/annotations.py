"""The places in a document where envelopes travel: annotations, or one top-level member."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, Literal

from holdall.carriers.envelope import (
    COMPARTMENTS,
    Cargo,
    Compartment,
    Contents,
    EarlierState,
    Entry,
    Envelope,
)
from holdall.carriers.text import FEW, READABLE_BYTES, fit, inflated
from holdall.errors import DecodeError
from holdall.objects.bag import ANNOTATION_DOMAIN, BAG_MEMBER
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object, json_kind
from holdall.words import with_article

SPEC_ANNOTATION: Final = f"{ANNOTATION_DOMAIN}/bag"
STATUS_ANNOTATION: Final = f"{ANNOTATION_DOMAIN}/status-bag"
ANNOTATIONS: Final[dict[Compartment, str]] = {
    "spec": SPEC_ANNOTATION,
    "status": STATUS_ANNOTATION,
}
ANNOTATIONS_LIMIT: Final = 262144
"""Maximum bytes of all annotations, keys and values, that an API server accepts."""

Omitted = list[tuple[Collection[Entry], str]]
"""Entries that were not written, with the reason."""
Found = dict[Compartment, Contents]
Unread = list[tuple[str, str]]
"""JSON Pointers of carriers that cannot be read, each with the reason."""


def put_annotations(
    envelope: Envelope,
    version: str,
    compartments: Mapping[Compartment, Cargo],
    document: dict[str, Any],
) -> Omitted:
    """Write each compartment into its annotation; nested parts of the document are not changed.

    That of the status is written to its slot if the version has one. Entries over budget are left
    out, which is never an error.
    """
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    if type(annotations) is not dict and (reason := cannot_carry(metadata)):
        return [(cargo.names(), reason) for cargo in compartments.values()]
    written: dict[str, Any] = {**annotations} if annotations else {}
    before = "" if annotations else earlier_state(document)
    limits = envelope.limits
    room, size = limits.budget, annotations_size(written)
    is_written = False
    omitted: Omitted = []
    for compartment, cargo in compartments.items():
        if compartment == "status" and version in limits.status_slots:
            room -= put_slot(envelope, version, cargo, document, room, omitted)
            continue
        key = ANNOTATIONS[compartment]
        kept: tuple[JsonValue, ...] = ()
        left_out: Collection[Entry] = ()
        if key in written:
            kept = (written.pop(key),)
            size = annotations_size(written)
        free = ANNOTATIONS_LIMIT - size - len(key)
        text: str | None = None
        taken = 0
        if len(cargo.bags) <= FEW and None not in cargo.lists.values():
            data = envelope.text(version, cargo, before, kept)
            taken = len(data)
            if taken <= READABLE_BYTES and taken <= room and taken <= free:
                text = data.decode()
        if text is None:
            contents = envelope.contents(version, cargo, before, kept)
            text, left_out = fit(contents, min(room, free), limits.drop_first)
            taken = _bytes(text)
        if text is not None:
            written[key] = text
            room -= taken
            size += len(key) + taken
            is_written = True
        elif kept:
            written[key] = kept[0]
        left_out = left_out or cargo.hopeless
        if left_out:
            why = "the annotations are full" if free < room else "the bags are over their budget"
            omitted.append((left_out, why))
    if is_written:
        document["metadata"] = {**(metadata or {}), "annotations": written}
    return omitted


def cannot_carry(metadata: JsonValue) -> str:
    """Return why a document with such metadata cannot have further annotations; "" if it can."""
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    for value, name in ((metadata, "metadata"), (annotations, "metadata.annotations")):
        if value is not None and type(value) is not dict:
            return f"{name} is {with_article(json_kind(value))} and cannot carry annotations"
    return ""


def put_slot(
    envelope: Envelope,
    version: str,
    cargo: Cargo,
    document: dict[str, Any],
    room: int,
    omitted: Omitted,
) -> int:
    """Write the bags of the status into its member `$propertyBag`; return its bytes.

    `document["status"]` is replaced, never changed. `omitted` gets what had no room.
    """
    status = _json.unseal(document["status"])
    kept = (status[BAG_MEMBER],) if BAG_MEMBER in status else ()
    contents = envelope.contents(version, cargo, kept=kept)
    text, left_out = fit(contents, room, envelope.limits.drop_first, packed=False)
    omitted.append((left_out or cargo.hopeless, "the bags are over their budget"))
    if text is None:
        return 0
    document["status"] = {**status, BAG_MEMBER: _json.decode(text)}
    return len(text)


def take_slot(envelope: Envelope, document: dict[str, Any]) -> tuple[Found, Unread]:
    """Remove the slot of the status; an unreadable one stays.

    A kind without slots may have them from another release, before a rollback or while replicas of
    both answer. Then anything but an envelope of the kind is user data.
    """
    status = document["status"]
    has_slots = bool(envelope.limits.status_slots)
    try:
        contents = Contents.read(status[BAG_MEMBER])
    except DecodeError as error:
        return Found(), [(f"/status/{BAG_MEMBER}", str(error))] if has_slots else []
    if not has_slots and not _is_for(envelope, contents):
        return Found(), []
    rest = {name: value for name, value in status.items() if name != BAG_MEMBER}
    if contents.kept and _is_for(envelope, contents):
        rest[BAG_MEMBER] = contents.kept[0]
    document["status"] = rest
    return {"status": contents}, []


def take_annotations(envelope: Envelope, document: dict[str, Any]) -> tuple[Found, Unread]:
    """Remove holdall's annotations and restore the former state of metadata.

    An unreadable annotation stays. `document["metadata"]` is replaced, never changed.
    """
    metadata = document["metadata"]
    rest: dict[str, Any] = {**metadata["annotations"]}
    found, unread = Found(), Unread()
    for compartment, key in ANNOTATIONS.items():
        if key not in rest:
            continue
        try:
            contents = read_annotation(rest[key])
        except DecodeError as error:
            unread.append((join("/metadata/annotations", key), str(error)))
            continue
        found[compartment] = contents
        del rest[key]
        if contents.kept and _is_for(envelope, contents):
            rest[key] = contents.kept[0]
    if found:
        before = next(
            (item.before for item in found.values() if item.before and _is_for(envelope, item)), ""
        )
        restore_metadata(document, {**metadata, "annotations": rest}, before)
    return found, unread


def put_field(
    envelope: Envelope,
    version: str,
    compartments: Mapping[Compartment, Cargo],
    document: dict[str, Any],
) -> None:
    """Write the compartments into the top-level `$propertyBag`: `{compartment: envelope}`."""
    kept = (document[BAG_MEMBER],) if BAG_MEMBER in document else ()
    value: dict[str, JsonValue] = {}
    for compartment, cargo in compartments.items():
        contents = envelope.contents(version, cargo, kept=kept)
        value[compartment] = contents.write()
        kept = ()
    document[BAG_MEMBER] = value


def take_field(envelope: Envelope, document: dict[str, Any]) -> tuple[Found, Unread]:
    """Remove the top-level `$propertyBag`; an unreadable one stays."""
    try:
        found = read_field(document[BAG_MEMBER])
    except DecodeError as error:
        return Found(), [(f"/{BAG_MEMBER}", str(error))]
    del document[BAG_MEMBER]
    for contents in found.values():
        if contents.kept and _is_for(envelope, contents):
            document[BAG_MEMBER] = contents.kept[0]
    return found, []


def _is_for(envelope: Envelope, contents: Contents) -> bool:
    return (contents.group, contents.kind) == (envelope.group, envelope.kind)


def read_annotation(text: object) -> Contents:
    """Return the envelope in an annotation. Raises DecodeError."""
    return Contents.read_text(inflated(text_of(text)))


def text_of(annotation: object) -> str:
    """Return the text of an annotation. Raises DecodeError if it is not a string."""
    if type(annotation) is not str:
        raise DecodeError(f"expected string, found {json_kind(annotation)}")
    return annotation


def read_field(value: JsonValue) -> Found:
    """Return the envelopes in the top-level `$propertyBag`. Raises DecodeError."""
    if not is_json_object(value) or not value or not value.keys() <= set(COMPARTMENTS):
        raise DecodeError("expected an object of envelopes")
    found = Found()
    for compartment in COMPARTMENTS:
        if compartment in value:
            try:
                found[compartment] = Contents.read(value[compartment])
            except DecodeError as error:
                raise DecodeError(error.message, f"/{compartment}{error.path}") from error
    return found


def annotations_size(annotations: dict[str, Any]) -> int:
    """Return the bytes of annotations as an API server counts them."""
    total = 0
    for key, value in annotations.items():
        if key.isascii() and type(value) is str and value.isascii():
            total += len(key) + len(value)  # nearly all are ASCII
        else:
            total += _bytes(key) + _bytes(value)
    return total


def _bytes(text: object) -> int:
    if type(text) is not str:
        return 0
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def earlier_state(document: dict[str, Any]) -> Literal[""] | EarlierState:
    """Return the state that removing an annotation would not restore; "" if it restores all."""
    if "metadata" not in document:
        return "metadata absent"
    metadata = document["metadata"]
    if metadata is None:
        return "metadata null"
    if "annotations" not in metadata or metadata["annotations"]:
        return ""
    return "annotations null" if metadata["annotations"] is None else "annotations {}"


def restore_metadata(document: dict[str, Any], metadata: dict[str, Any], before: str) -> None:
    """Set the metadata of a document without the annotation, in its earlier state."""
    # What a client added since then stays: only empty values get their earlier state.
    if not metadata["annotations"]:
        if before == "annotations null":
            metadata["annotations"] = None
        elif before != "annotations {}":
            del metadata["annotations"]
    document["metadata"] = metadata
    if not metadata:
        if before == "metadata absent":
            del document["metadata"]
        elif before == "metadata null":
            document["metadata"] = None


def carried_bytes(document: dict[str, Any]) -> int:
    """Return the bytes of holdall's annotations in an API document, and of the status's slot."""
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if type(metadata) is dict else None
    texts = () if type(annotations) is not dict else map(annotations.get, ANNOTATIONS.values())
    size = sum(map(_bytes, texts))
    status = document.get("status")
    if type(status) is dict and BAG_MEMBER in status:
        size += len(_json.encode(status[BAG_MEMBER]))
    return size
