"""The audit: every entry of every property bag of an object, and why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.envelope import COMPARTMENTS, Carrier, Contents, entries_of
from holdall.carriers.text import decode_annotation
from holdall.errors import DecodeError
from holdall.explain.audit_reasons import OLDER_PLAN, Reasons
from holdall.objects.bag import BAG_MEMBER, GONE_KEY, UNUSED_KEY
from holdall.objects.base import Object
from holdall.scheme.scheme import Scheme
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, json_kind, members

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
        return asdict(self)


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
        Finding(path, key, origin, len(_json.canonical(value)), value, why)
        for path, origin, key, value, why in _entries(document, reasons)
    ]
    findings.extend(_unreadable(document))
    return sorted(findings, key=lambda finding: (finding.path, finding.origin, finding.property))


def waits_for_a_conversion(obj: JsonObject, scheme: Scheme) -> bool:
    """Tell whether an object has entries of an older plan, which conversions use by now."""
    return any(finding.why.startswith(OLDER_PLAN) for finding in audit(obj, scheme))


def _entries(
    document: JsonObject, reasons: Reasons
) -> Iterator[tuple[str, str, str, JsonValue, str]]:
    """Yield holder, origin, key, value and reason of the entries in carriers and stored bags."""
    carried = _carried(document)
    for carrier, contents, _ in carried:
        unread = reasons.why_unread(carrier, contents)
        for path, origin, key, value in entries_of(contents.cargo.bags):
            for name, item, aside in _set_aside(key, value):
                why = unread or reasons.why(path, origin, name, item, contents)
                yield path, origin, name, item, f"{aside}{why}"
    taken = {place for _, _, place in carried}
    # A stack of its own: depth must not reach the interpreter's limit.
    work: list[tuple[str, JsonValue]] = [("", document)]
    while work:
        path, value = work.pop()
        if is_json_object(value):
            bag = value.get(BAG_MEMBER)
            for origin, key, held in _stored(None if path in taken else bag):
                for name, item, aside in _set_aside(key, held):
                    why = reasons.why(path, origin, name, item)
                    yield path, origin, name, item, f"{aside}{why}"
            work.extend((join(path, key), item) for key, item in value.items() if key != BAG_MEMBER)
        elif isinstance(value, list):
            work.extend((join(path, index), item) for index, item in enumerate(value))


def _set_aside(key: str, value: JsonValue) -> Iterator[tuple[str, JsonValue, str]]:
    """Yield an entry, or those that were set aside, and since when they are, for their reason."""
    versions = members(value) if key == UNUSED_KEY else {}
    for version, entries in versions.items():
        for name, item in members(entries).items():
            when = f"at {version or 'every version'}"
            when = "until there is another plan" if version == GONE_KEY else when
            yield name, item, f"set aside {when}: "
    if not versions:
        yield key, value, ""


def _carried(document: JsonObject) -> list[tuple[Carrier, Contents, str | None]]:
    """Return the envelopes of a document, each with the object whose `$propertyBag` holds it."""
    found: list[tuple[Carrier, Contents, str | None]] = []
    for _, text in _annotations(document):
        contents = _envelope(text)
        if not isinstance(contents, str):
            found.append(("annotation", contents, None))
    found.extend(("field", contents, "") for contents in _field(document.get(BAG_MEMBER)))
    in_slot = _envelope_in(get(document, "status", BAG_MEMBER))
    if in_slot is not None:
        found.append(("annotation", in_slot, "/status"))
    return found


def _stored(bag: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    if is_json_object(bag):
        for origin, entries in bag.items():
            if is_json_object(entries):
                for key, value in entries.items():
                    yield origin, key, value


def _unreadable(document: JsonObject) -> Iterator[Finding]:
    for key, text in _annotations(document):
        contents = _envelope(text)
        if isinstance(contents, str):
            why = f"the carrier cannot be read: {contents}"
            size = len(_json.canonical(text))
            yield Finding(join(_ANNOTATIONS, key), "", "", size, text, why)


def _annotations(document: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    annotations = members(document, "metadata", "annotations")
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


def _field(value: JsonValue) -> list[Contents]:
    """Return the envelopes of a field carrier; none for anything else, such as a stored bag."""
    if not is_json_object(value) or not value.keys() <= set(COMPARTMENTS):
        return []
    try:
        return [Contents.read(envelope) for envelope in value.values()]
    except DecodeError:
        return []
