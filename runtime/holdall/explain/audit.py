"""The audit: every entry of every property bag of an object, and why it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from holdall.carriers.annotations import ANNOTATIONS, read_annotation, read_field
from holdall.carriers.envelope import COMPARTMENTS, Carrier, Contents, entries_of
from holdall.errors import DecodeError
from holdall.explain.audit_reasons import OLDER_PLAN, Reasons, Told
from holdall.objects.bag import BAG_MEMBER, GONE_KEY, UNUSED_KEY
from holdall.objects.base import Object
from holdall.scheme.scheme import Scheme
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, json_kind, members


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry of a property bag.

    `path` is where the bag's object is: a JSON Pointer in a stored document; in an API document
    the carrier's address, which names list elements by their keys (`/spec/pools/[name="p1"]`).
    `size` is in bytes of canonical JSON. `why` is the plan's decision; "" without a scheme,
    "unknown origin" or "unknown property" if the plan has none. A carrier that cannot be read is a
    finding without property and origin.
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
    """Return every bag entry of an object, by path, origin and property.

    Takes an API document or a stored document, an API type or a storage twin; shares values with
    it. The scheme explains the entries; typed objects know theirs. Raises DecodeError for anything
    else.
    """
    if isinstance(obj, Object):
        reasons = Reasons.of_type(type(obj), scheme)
        document: Any = obj.to_dict()
    else:
        document = obj
        reasons = Reasons.of_document(obj, scheme)
    if not is_json_object(document):
        raise DecodeError(f"expected object, found {json_kind(document)}")
    carriers = [*_carriers(document)]
    findings = [
        Finding(path, key, origin, _size(value), value, why)
        for path, origin, key, value, why in _entries(document, carriers, reasons)
    ]
    findings += (
        Finding(it.place, "", "", _size(it.value), it.value, reasons.why_unread(it.sort, it.held))
        for it in carriers
        if isinstance(it.held, str)
    )
    return sorted(findings, key=lambda finding: (finding.path, finding.origin, finding.property))


def waits_for_a_conversion(obj: JsonObject, scheme: Scheme) -> bool:
    """Return whether an object has entries of an older plan that a conversion would use now."""
    return any(finding.why.startswith(OLDER_PLAN) for finding in audit(obj, scheme))


class _Carried(NamedTuple):
    """A carrier with an envelope: its JSON Pointer, and its contents, or why they are not read."""

    sort: Carrier
    place: str
    value: JsonValue
    held: Contents | str


def _entries(
    document: JsonObject, carriers: Sequence[_Carried], reasons: Reasons
) -> Iterator[tuple[str, str, str, JsonValue, str]]:
    """Yield holder, origin, key, value and reason of the entries in carriers and stored bags."""
    for carrier in carriers:
        if isinstance(contents := carrier.held, str):
            continue
        unread = reasons.why_unread(carrier.sort, contents)
        for (path, origin), found in groupby(entries_of(contents.cargo.bags), itemgetter(0, 1)):
            told = Told.by(contents, path, origin)
            for _, _, key, value in found:
                for name, item, aside in _set_aside(key, value):
                    why = unread or reasons.why(path, origin, name, item, told)
                    yield path, origin, name, item, f"{aside}{why}"
    taken = {carrier.place.removesuffix(f"/{BAG_MEMBER}") for carrier in carriers}
    # Its own stack, because the interpreter's depth is limited.
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
    """Yield an entry, or entries that were set aside, with the start of their reason."""
    versions = members(value) if key == UNUSED_KEY else {}
    for version, entries in versions.items():
        for name, item in members(entries).items():
            when = f"at {version or 'every version'}"
            when = "until there is another plan" if version == GONE_KEY else when
            yield name, item, f"set aside {when}: "
    if not versions:
        yield key, value, ""


def _carriers(document: JsonObject) -> Iterator[_Carried]:
    """Yield the envelopes of a document; skips stored bags in the same places."""
    annotations = members(document, "metadata", "annotations")
    for key in ANNOTATIONS.values():
        if key in annotations:
            place = join("/metadata/annotations", key)
            yield from _read(
                "annotation", place, annotations[key], lambda it: [read_annotation(it)]
            )
    bag = document.get(BAG_MEMBER)
    if is_json_object(bag) and bag and bag.keys() <= {*COMPARTMENTS}:
        yield from _read("field", join("", BAG_MEMBER), bag, lambda it: read_field(it).values())
    bag = get(document, "status", BAG_MEMBER)
    if is_json_object(bag) and not is_json_object(bag.get("v", {})):
        yield from _read(
            "annotation", join("", "status", BAG_MEMBER), bag, lambda it: [Contents.read(it)]
        )


def _read(
    sort: Carrier, place: str, value: JsonValue, read: Callable[[JsonValue], Iterable[Contents]]
) -> list[_Carried]:
    try:
        return [_Carried(sort, place, value, contents) for contents in read(value)]
    except DecodeError as error:
        return [_Carried(sort, place, value, str(error))]


def _stored(bag: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    if is_json_object(bag):
        for origin, entries in bag.items():
            if is_json_object(entries):
                for key, value in entries.items():
                    yield origin, key, value


def _size(value: JsonValue) -> int:
    return len(_json.encode_sorted(value))
