"""WC-40 to WC-49: numbers, strings and the JSON text of objects."""

from __future__ import annotations

import json as _stdlib
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from holdall.kubernetes.conform.listing import check, check_tries
from holdall.kubernetes.conform.specimens import make_bare
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.trial import FAILURE, Reply, Trial, annotations_of, review_body
from holdall.kubernetes.conform.values import (
    Path,
    compare,
    data_of,
    find_leaves,
    get,
    leaves_of,
    pointer,
    replaced,
    schema_at,
    with_metadata,
)
from holdall.kubernetes.conform.verdicts import demand
from holdall.kubernetes.crds.access import PRESERVE
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object

_BIG: Final = 1_500_000
_DEPTH: Final = 250
_MOST: Final = 4
_MARK: Final = "the-place-of-the-value"
_WHOLE: Final = (2**63 - 1, -(2**63), 2**53 + 1, 0, -1)
_FLOATS: Final = (0.1, 1e-7, 1.5, 1.7976931348623157e308, 5e-324, 123456789.12345679)
_NARROWING: Final = frozenset({"enum", "format", "pattern", "maxLength"})
_NO_NUMBER: Final = "no schema has a property of type number without limits"


@check_tries(
    40,
    "lossless",
    "integers are exact to 2^63-1",
    "round trip",
    "no schema has an integer of 64 bits without limits",
)
def integers_are_exact(trial: Trial) -> Iterator[str]:
    """Put large integers into properties of 64 bits, to every version and back."""
    for kind, target, obj, path in _with_numbers(trial, "integer", _WHOLE):
        number, found = get(obj, path), get(trial.there_and_back(kind, obj, target), path)
        exact = found == number and type(found) is int
        yield "" if exact else f"{pointer(path)}: {number} came back as {found!r}"


@check_tries(41, "lossless", "1.0 counts as 1, and -0.0 as 0", "round trip", _NO_NUMBER)
def whole_floats_are_numbers(trial: Trial) -> Iterator[str]:
    """Put them into properties of type number."""
    for kind, target, obj, path in _with_numbers(trial, "number", (1.0, -0.0, 2.0, 1e3)):
        number, found = get(obj, path), get(trial.there_and_back(kind, obj, target), path)
        yield "" if found == number else f"{pointer(path)}: {number} came back as {found!r}"


@check_tries(
    42, "lossless", "floats keep their value, in their shortest form", "round trip", _NO_NUMBER
)
def floats_are_short(trial: Trial) -> Iterator[str]:
    """Put them into properties of type number, and compare the digits that come back."""
    for kind, target, obj, path in _with_numbers(trial, "number", _FLOATS):
        number = get(obj, path)
        trial.begin()
        there = trial.convert(obj, kind.api_version(target))
        reply = trial.review([there], str(obj["apiVersion"]))
        demand(reply.objects, "nothing came back")
        text = _stdlib.loads(reply.response.body, parse_float=_Written)
        found = get(text["response"]["convertedObjects"][0], path)
        written = found.text if isinstance(found, _Written) else str(found)
        digits = Decimal(written).normalize().as_tuple().digits
        best = Decimal(repr(number)).normalize().as_tuple().digits
        demand(float(written) == number, f"{pointer(path)}: {number} came back as {written}")
        longer = f"{pointer(path)}: {number!r} is written as {written}"
        demand(digits == best, longer, "polite")
        yield ""


@check(43, "polite", "NaN and infinities are never accepted and never written")
def no_number_is_refused(trial: Trial) -> None:
    """Send them where any value is allowed; every reply of the trial is also read strictly."""
    for text in (b"NaN", b"Infinity", b"-Infinity", b"1e999"):
        reply = _post_with(trial, text)
        demand(reply.is_refused, f"{text.decode()} was accepted")


@check(44, "polite", "lone surrogates are rejected, with their path")
def surrogates_are_rejected(trial: Trial) -> None:
    """Send them as escapes in a string of the spec; an API server would replace them silently."""
    kind, source, _ = trial.first_pair()
    for text in (rb'"x\ud800"', rb'"\udc00y"', rb'"\ud800\ud800"'):
        reply = _post_with(trial, text)
        demand(reply.is_refused, f"{text.decode()} was accepted")
        path = _text_place(trial, kind, source)
        if reply.status_or_none == FAILURE and path:
            last = str(path[-1])
            demand(last in reply.message, f"no path in {reply.message[:200]!r}")


@check(45, "lossless", "<, > and & mean the same whether they are escaped or not")
def escapes_are_equal(trial: Trial) -> None:
    """Send one object in both spellings."""
    obj, desired = trial.sample()
    text = "<a href='x'>&amp;</a>"
    obj = with_metadata(obj, {"annotations": {"example.com/html": text}})
    plain = review_body([obj], desired)
    escaped = plain
    for char in b"<>&":
        escaped = escaped.replace(bytes([char]), b"\\u%04x" % char)
    one, other = trial.post(plain).objects[0], trial.post(escaped).objects[0]
    wrong = compare(one, other)
    demand(not wrong, wrong)
    found = annotations_of(one).get("example.com/html")
    demand(found == text, f"it came back as {found!r}")


@check(46, "polite", "duplicate keys do not crash it, and the last one wins")
def duplicates_are_survived(trial: Trial) -> str:
    """Write a label twice; refusing the review is fine, too."""
    obj, desired = trial.sample()
    obj = with_metadata(obj, {"labels": {"twice": "last"}})
    body = review_body([obj], desired).replace(b'"twice":"last"', b'"twice":"first","twice":"last"')
    reply = trial.post(body)
    if reply.response.status != 200 or reply.status == FAILURE:
        return "the review is refused"
    [found] = reply.objects
    labels = get(found, ("metadata", "labels"))
    if is_json_object(labels):
        demand(labels == {"twice": "last"}, f"labels came back as {labels!r}")
    return "the last one wins"


@check(47, "must", "two hundred levels of nesting are converted")
def depth_is_survived(trial: Trial) -> str:
    """Nest lists in managedFields, and in properties that may hold anything."""
    deep: JsonValue = "bottom"
    for _ in range(_DEPTH):
        deep = [deep]
    places = 0
    for kind, source, target in trial.pairs():
        bare = make_bare(kind, source)
        fields: JsonValue = [{"manager": "conform", "fieldsV1": {"f:deep": deep}}]
        obj = with_metadata(bare, {"managedFields": fields})
        trial.convert(obj, kind.api_version(target))
        full = trial.object(kind, source)
        whole = trial.there_and_back(kind, full, target)
        for path in _open_places(full, source):
            obj = replaced(full, path, {"deep": deep})
            if get(whole, path) != get(full, path) or trial.admitted(source, obj) != obj:
                continue
            found = get(trial.there_and_back(kind, obj, target), path)
            demand(found == {"deep": deep}, f"{pointer(path)} is not what it was")
            places += 1
    return f"{_DEPTH} levels, in managedFields and {places} open properties"


@check(48, "must", "an object of 1.5 MB is converted")
def large_objects_are_converted(trial: Trial) -> str:
    """Make a string of the spec long, else managedFields."""
    kind, source, target = trial.first_pair()
    obj = trial.object(kind, source)
    path = _text_place(trial, kind, source)
    if path and get(trial.there_and_back(kind, obj, target), path) == get(obj, path):
        large = replaced(obj, path, "x" * _BIG)
        if trial.admitted(source, large) == large:
            found = get(trial.there_and_back(kind, large, target), path)
            demand(found == "x" * _BIG, f"{pointer(path)} is not what it was")
            return f"{pointer(path)} of {_BIG:,} bytes, there and back"
    entry: JsonValue = {"manager": "conform", "fieldsV1": {"f:x": "x" * _BIG}}
    trial.convert(with_metadata(obj, {"managedFields": [entry]}), kind.api_version(target))
    return f"managedFields of {_BIG:,} bytes"


@check(49, "polite", "the order of keys is irrelevant")
def key_order_is_irrelevant(trial: Trial) -> None:
    """Send objects, and the review itself, with all keys in reverse."""
    for kind, source, target in trial.pairs():
        desired = kind.api_version(target)
        for obj in trial.objects(kind, source):
            plain = _json.decode(review_body([obj], desired))
            found = trial.post(_json.encode(_reversed(plain))).objects[0]
            wrong = compare(trial.convert(obj, desired), found)
            demand(not wrong, f"{kind.name} {source.name} to {target.name}: {wrong}")


class _Written(float):
    """A float that remembers how it was written."""

    def __init__(self, text: str) -> None:
        self.text = text


def _with_numbers(
    trial: Trial, type_: str, numbers: Iterable[float]
) -> Iterator[tuple[Kind, Version, JsonObject, Path]]:
    """Yield full objects with a number at a place of its type that survives round trips.

    Only objects that an API server accepts; each with a version to convert it to.
    """

    def wanted(schema: JsonObject, _: JsonValue) -> bool:
        limited = schema.keys() & {"minimum", "maximum", "enum", "multipleOf"}
        narrow = schema.get("format") in ("int32", "float")
        return schema.get("type") == type_ and not narrow and not limited

    for kind, source, target in trial.pairs():
        full = trial.object(kind, source)
        whole = trial.there_and_back(kind, full, target)
        for path in find_leaves(full, source, wanted)[:_MOST]:
            if get(full, path) == get(whole, path):
                found = [replaced(full, path, number) for number in numbers]
                found = [obj for obj in found if trial.admitted(source, obj) == obj]
                trial.look_ahead_and_back(kind, found, target)
                for obj in found:
                    yield kind, target, obj, path


def _open_places(obj: JsonObject, version: Version) -> list[Path]:
    """Return the paths of values that may be any object."""
    return [
        path[:-1]
        for path, _ in leaves_of(data_of(obj))
        if path[-1:] == ("free",) and schema_at(version.schema, path[:-1]).get(PRESERVE) is True
    ][:_MOST]


def _text_place(trial: Trial, kind: Kind, version: Version) -> Path:
    """Return the path of a free text in a full object; empty if there is none."""

    def is_free(schema: JsonObject, _: JsonValue) -> bool:
        return schema.get("type") == "string" and _NARROWING.isdisjoint(schema)

    places = find_leaves(trial.object(kind, version), version, is_free)
    return next((path for path in places if len(path) > 1), places[0] if places else ())


def _post_with(trial: Trial, text: bytes) -> Reply:
    """Send an object with a piece of text instead of one of its values."""
    kind, source, target = trial.first_pair()
    obj = trial.object(kind, source)
    path = _text_place(trial, kind, source)
    obj = replaced(obj, path, _MARK) if path else {**obj, "spec": {"text": _MARK}}
    body = review_body([obj], kind.api_version(target)).replace(b'"%b"' % _MARK.encode(), text)
    return trial.post(body)


def _reversed(value: JsonValue) -> JsonValue:
    if is_json_object(value):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value
