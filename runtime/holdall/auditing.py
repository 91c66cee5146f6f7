"""The audit: every entry of every property bag of an object, and why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from holdall import json as _json
from holdall.audit_reasons import Reasons
from holdall.bag import BAG_MEMBER
from holdall.carriers import SPEC_ANNOTATION, STATUS_ANNOTATION, decode_annotation
from holdall.carriers.envelope import COMPARTMENTS, Bags, Contents, entries_of
from holdall.errors import DecodeError
from holdall.objects import Object
from holdall.pointer import join
from holdall.scheme import Scheme
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

_ANNOTATIONS: Final = "/metadata/annotations"


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry of a property bag.

    `path` names the object that the bag belongs to: a JSON Pointer in a stored document; in an
    API document the carrier's address, which names list elements by their keys
    (`/spec/pools/[name="p1"]`). `size` is in bytes of canonical JSON. `why` is the plan's
    decision; "" without a scheme, "unknown origin" or "unknown property" where the plan has none.
    A carrier that cannot be read is a finding without property and origin.
    """

    path: str
    property: str
    origin: str
    size: int
    value: JsonValue
    why: str

    def to_json(self) -> JsonObject:
        """Return the finding as JSON."""
        return {
            "path": self.path,
            "property": self.property,
            "origin": self.origin,
            "size": self.size,
            "value": self.value,
            "why": self.why,
        }


def audit(obj: Mapping[str, Any] | Object, scheme: Scheme | None = None) -> list[Finding]:
    """Return every bag entry of an object, by path, origin and property; the object is unchanged.

    Takes an API document or a stored document, an API type or a storage twin; values are shared
    with it. The scheme, which a typed object knows by itself, explains the entries.
    Raises DecodeError if the object is neither.
    """
    if isinstance(obj, Object):
        reasons = Reasons.of_type(type(obj), scheme)
        document: Any = obj.to_dict()
    else:
        document = obj
        reasons = Reasons.of_document(obj, scheme)
    if not is_json_object(document):
        raise DecodeError(f"expected object, found {json_kind(document)}")
    findings = [
        Finding(
            path, key, origin, len(_json.canonical(value)), value, reasons.why(path, origin, key)
        )
        for path, origin, key, value in _entries(document)
    ]
    findings.extend(_unreadable(document))
    return sorted(findings, key=lambda finding: (finding.path, finding.origin, finding.property))


def _entries(document: JsonObject) -> Iterator[tuple[str, str, str, JsonValue]]:
    """Yield holder, origin, key and value of the entries in carriers and in stored bags."""
    for _, text in _annotations(document):
        contents = _envelope(text)
        if not isinstance(contents, str):
            yield from entries_of(contents.cargo.bags)
    carried = _field(document.get(BAG_MEMBER))
    if carried is not None:
        yield from entries_of(carried)
    status = document.get("status")
    in_slot = _envelope_in(status.get(BAG_MEMBER)) if is_json_object(status) else None
    if in_slot is not None:
        yield from entries_of(in_slot.cargo.bags)
    # A stack of its own: depth must not reach the interpreter's limit.
    work: list[tuple[str, JsonValue]] = [("", document)]
    while work:
        path, value = work.pop()
        if is_json_object(value):
            if (path or carried is None) and (path != "/status" or in_slot is None):
                yield from _stored(path, value.get(BAG_MEMBER))
            work.extend((join(path, key), item) for key, item in value.items() if key != BAG_MEMBER)
        elif isinstance(value, list):
            work.extend((join(path, index), item) for index, item in enumerate(value))


def _stored(path: str, bag: JsonValue) -> Iterator[tuple[str, str, str, JsonValue]]:
    if is_json_object(bag):
        for origin, entries in bag.items():
            if is_json_object(entries):
                for key, value in entries.items():
                    yield path, origin, key, value


def _unreadable(document: JsonObject) -> Iterator[Finding]:
    for key, text in _annotations(document):
        contents = _envelope(text)
        if isinstance(contents, str):
            why = f"the carrier cannot be read: {contents}"
            size = len(_json.canonical(text))
            yield Finding(join(_ANNOTATIONS, key), "", "", size, text, why)


def _annotations(document: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if is_json_object(metadata) else None
    if is_json_object(annotations):
        for key in (SPEC_ANNOTATION, STATUS_ANNOTATION):
            if key in annotations:
                yield key, annotations[key]


def _envelope(text: JsonValue) -> Contents | str:
    """Return what an annotation holds, or why it cannot be read."""
    if not isinstance(text, str):
        return f"expected string, found {json_kind(text)}"
    try:
        return Contents.read(decode_annotation(text))
    except DecodeError as error:
        return str(error)


def _envelope_in(value: JsonValue) -> Contents | None:
    """Return what the slot of a status holds; None for anything else, such as a stored bag."""
    try:
        return Contents.read(value)
    except DecodeError:
        return None


def _field(value: JsonValue) -> Bags | None:
    """Return the bags of a field carrier; None for anything else, such as a stored bag."""
    if not is_json_object(value) or not value or not value.keys() <= set(COMPARTMENTS):
        return None
    bags: Bags = {}
    for envelope in value.values():
        try:
            bags.update(Contents.read(envelope).cargo.bags)
        except DecodeError:
            return None
    return bags
