"""Structural schemas as an API server applies them: validation, pruning, defaults, storage.

Source: apiextensions v1, JSONSchemaProps; strfmt for formats; rules in CEL.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from holdall.kubernetes.conform.rules import NotJudged, broken_rules, matches
from holdall.kubernetes.crds.access import (
    EMBEDDED,
    INT_OR_STRING,
    LIST_TYPE,
    MAP_KEYS,
    MAP_TYPE,
    PRESERVE,
    RULES,
)
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, items, json_kind, members

SECTIONS: Final = ("apiVersion", "kind", "metadata")
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
# Most schemas in real CRDs restrict only a value's type.
_SILENT: Final = frozenset(
    {
        "additionalProperties",
        "default",
        "description",
        "example",
        "items",
        "nullable",
        "properties",
        "title",
        "type",
        MAP_TYPE,
        PRESERVE,
        MAP_KEYS,
    }
)
_FEW: Final = 5
_BITS: Final = {"int32": 31, "int64": 63}
_DATE_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_DURATION: Final = re.compile(r"([-+]?\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+|0")
_CIDR: Final = re.compile(r"[^%/]+/[0-9]+")
_HOST: Final = re.compile(r"([a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z][-a-zA-Z0-9]*")


class Flaw(NamedTuple):
    """What an API server refuses at a JSON Pointer, or what cannot be judged here."""

    pointer: str
    what: str
    is_judged: bool = True

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {'' if self.is_judged else 'not judged: '}{self.what}"


def flaws(
    value: JsonValue, schema: JsonValue, path: tuple[str | int, ...] = (), *, deep: bool = True
) -> Iterator[Flaw]:
    """Yield what an API server refuses in a value, and what cannot be judged here.

    With `deep=False` only for the value itself, not for its members and elements.
    """
    if not is_json_object(schema):
        return
    if value is None and (schema.get("nullable") is True or not _is_typed(schema)):
        return
    unknown: list[str] = []
    for text in _own_flaws(value, schema, unknown):
        yield Flaw(join("", *path), text)
    for text in unknown:
        yield Flaw(join("", *path), text, is_judged=False)
    if deep:
        for step, item, inner in parts_of(value, schema):
            yield from flaws(item, inner, (*path, step))


def is_valid(value: JsonValue, schema: JsonValue, *, deep: bool = True) -> bool:
    """Return whether an API server accepts a value, as far as can be judged here."""
    return next(flaws(value, schema, deep=deep), None) is None


def prune(value: JsonValue, schema: JsonValue, *, is_root: bool = False) -> JsonValue:
    """Return a copy of a value without the members that its schema does not declare.

    At the root and in embedded resources apiVersion, kind and metadata always stay.
    """
    rules = members(schema)
    if isinstance(value, list):
        element = rules.get("items")
        return [prune(item, element) for item in value] if is_json_object(element) else value
    if not is_json_object(value):
        return value
    keeps_meta = is_root or rules.get(EMBEDDED) is True
    declared = members(rules, "properties")
    others = rules.get("additionalProperties")
    kept: JsonObject = {}
    for name, member in value.items():
        if keeps_meta and name in SECTIONS:
            kept[name] = member
        elif name in declared:
            kept[name] = prune(member, declared[name])
        elif is_json_object(others):
            kept[name] = prune(member, others)
        elif others is True or rules.get(PRESERVE) is True:
            kept[name] = member
    return kept


def defaulted(value: JsonValue, schema: JsonValue) -> JsonValue:
    """Return a value with the defaults of its schema, as an API server fills them in."""
    if not is_json_object(schema):
        return value
    if isinstance(value, list):
        return [defaulted(item, schema.get("items")) for item in value]
    if not is_json_object(value):
        return value
    filled: JsonObject = {}
    for key, item, own in parts_of(value, schema):
        if item is None and is_json_object(own) and "default" in own and not own.get("nullable"):
            item = _json.copy(own["default"])
        filled[key] = defaulted(item, own) if isinstance(item, dict | list) else item
    for key, own in members(schema, "properties").items():
        if key not in filled and is_json_object(own) and "default" in own:
            filled[key] = defaulted(_json.copy(own["default"]), own)
    return filled


def stored(value: JsonObject, schema: JsonObject) -> JsonValue:
    """Return an object as an API server stores it: pruned, with defaults, without nulls that its
    schema does not allow."""
    kept = defaulted(prune(value, schema, is_root=True), schema)
    return _without_nulls(kept, schema)


def _without_nulls(value: JsonValue, schema: JsonValue) -> JsonValue:
    if not is_json_object(schema):
        return value
    parts = parts_of(value, schema)
    if isinstance(value, list):
        return [_without_nulls(item, inner) for _, item, inner in parts]
    if not is_json_object(value):
        return value
    return {
        step: _without_nulls(item, inner)
        for step, item, inner in parts
        if item is not None
        or not is_json_object(inner)
        or inner.get("nullable") is True
        or not _is_typed(inner)
    }


def _is_typed(schema: JsonObject) -> bool:
    return "type" in schema or schema.get(INT_OR_STRING) is True


def parts_of(value: JsonValue, schema: JsonObject) -> Iterator[tuple[Any, JsonValue, JsonValue]]:
    """Yield members and elements, each with its step and schema."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield index, item, schema.get("items")
    elif is_json_object(value):
        properties = members(schema, "properties")
        others = schema.get("additionalProperties")
        for key, item in value.items():
            own = properties.get(key)
            yield key, item, others if own is None else own


def _own_flaws(value: JsonValue, schema: JsonObject, unknown: list[str]) -> Iterator[str]:
    if not _has_type(value, schema):
        found = "array" if isinstance(value, list) else json_kind(value)
        yield f"{found} instead of {schema.get('type') or 'integer or string'}"
        return
    if isinstance(value, str | list | dict) and schema.keys() <= _SILENT:
        return
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(_equal(value, item) for item in choices):
        shown = ", ".join(map(_shown, choices[:_FEW])) + (", …" if choices[_FEW:] else "")
        yield f"{_shown(value)} is not one of {shown}"
    if isinstance(value, str):
        yield from _text_flaws(value, schema, unknown)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number_flaws(value, schema)
    elif isinstance(value, list):
        yield from _list_flaws(value, schema)
    elif is_json_object(value):
        yield from _object_flaws(value, schema)
    if not schema.keys().isdisjoint(_JUNCTORS):
        yield from _junctor_flaws(value, schema)
    if RULES not in schema:
        return
    try:
        yield from (f"breaks the rule `{rule}`" for rule in broken_rules(value, schema))
    except NotJudged as error:
        unknown.append(str(error))


def _has_type(value: JsonValue, schema: JsonObject) -> bool:
    declared = schema.get("type")
    if schema.get(INT_OR_STRING) is True:
        return isinstance(value, int | str) and not isinstance(value, bool)
    if not isinstance(declared, str):
        return True
    kind = _TYPES.get(declared)
    if kind is None or (isinstance(value, bool) and declared != "boolean"):
        return False
    is_whole = declared == "integer" and isinstance(value, float) and value.is_integer()
    return is_whole or isinstance(value, kind)


def _text_flaws(value: str, schema: JsonObject, unknown: list[str]) -> Iterator[str]:
    yield from _size_flaws(len(value), schema, "Length")
    pattern = schema.get("pattern")
    try:
        if isinstance(pattern, str) and not matches(pattern, value):
            yield f"does not match {pattern}"
    except NotJudged as error:
        unknown.append(str(error))
    form = schema.get("format")
    check = _FORMATS.get(form) if isinstance(form, str) else None
    if check is not None and not check(value):
        yield f"is not a valid {form}"


def _number_flaws(value: int | float, schema: JsonObject) -> Iterator[str]:
    least, most, step = (schema.get(name) for name in ("minimum", "maximum", "multipleOf"))
    if isinstance(least, int | float) and (
        value < least or (schema.get("exclusiveMinimum") is True and value == least)
    ):
        yield f"less than {least}"
    if isinstance(most, int | float) and (
        value > most or (schema.get("exclusiveMaximum") is True and value == most)
    ):
        yield f"more than {most}"
    if isinstance(step, int | float) and step and not _is_multiple(value, step):
        yield f"is not a multiple of {step}"
    bits = _BITS.get(str(schema.get("format"))) or (63 if isinstance(value, int) else None)
    if bits and not -(2**bits) <= value < 2**bits:
        yield f"beyond {schema.get('format') or 'int64'}"


def _is_multiple(value: int | float, step: int | float) -> bool:
    try:
        ratio = value / step
        return abs(ratio - round(ratio)) <= 1e-9
    except OverflowError:  # beyond what a float holds
        return False


def _list_flaws(value: list[JsonValue], schema: JsonObject) -> Iterator[str]:
    yield from _size_flaws(len(value), schema, "Items")
    if schema.get("uniqueItems") is True or schema.get(LIST_TYPE) == "set":
        texts = [_json.canonical(item) for item in value]
        if len({*texts}) < len(texts):
            yield "has equal elements"
    elif schema.get(LIST_TYPE) == "map":
        keys = keys_of(value, schema)
        if len({*keys}) < len(keys):
            yield "has elements with equal keys"


def keys_of(elements: list[JsonValue], schema: JsonObject) -> list[bytes]:
    """Return the keys of the elements of a list of type map."""
    names = [str(name) for name in items(schema, MAP_KEYS)]
    return [
        _json.canonical([item.get(name) for name in names] if is_json_object(item) else item)
        for item in elements
    ]


def _object_flaws(value: JsonObject, schema: JsonObject) -> Iterator[str]:
    yield from _size_flaws(len(value), schema, "Properties")
    for name in items(schema, "required"):
        if isinstance(name, str) and name not in value:
            yield f"lacks {name}"
    if schema.get(EMBEDDED) is True:
        yield from (f"lacks {name}" for name in ("apiVersion", "kind") if not value.get(name))


def _junctor_flaws(value: JsonValue, schema: JsonObject) -> Iterator[str]:
    for name in _JUNCTORS[:3]:
        branches = schema.get(name)
        if isinstance(branches, list):
            good = sum(is_valid(value, item) for item in branches)
            wanted = {"allOf": good == len(branches), "anyOf": good > 0, "oneOf": good == 1}[name]
            if not wanted:
                yield f"{good} of {len(branches)} in {name} hold"
    refused = schema.get("not")
    if is_json_object(refused) and is_valid(value, refused):
        yield "is what `not` forbids"


def _size_flaws(size: int, schema: JsonObject, what: str) -> Iterator[str]:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if isinstance(least, int | float) and size < least:
        yield f"{size} is less than min{what} {least}"
    if isinstance(most, int | float) and size > most:
        yield f"{size} is more than max{what} {most}"


def _shown(value: JsonValue) -> str:
    return _json.encode(value).decode()


def _equal(one: JsonValue, other: JsonValue) -> bool:
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def _parses(read: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return check


def _date_time(text: str) -> datetime:
    if not _DATE_TIME.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(re.sub(r"\.\d+", "", text.upper()))


def _uuid(version: str = "0-9a-f", variant: str = "0-9a-f") -> Callable[[str], bool]:
    third, fourth = f"[{version}][0-9a-f]{{3}}", f"[{variant}][0-9a-f]{{3}}"
    pattern = re.compile(rf"[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{third}-?{fourth}-?[0-9a-f]{{12}}", re.I)
    return lambda text: pattern.fullmatch(text) is not None


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "date-time": _parses(_date_time),
    "datetime": _parses(_date_time),
    "date": _parses(lambda text: _date_time(f"{text}T00:00:00Z")),
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None,
    "hostname": lambda text: len(text) < 256 and _HOST.fullmatch(text) is not None,
    "ipv4": _parses(ipaddress.IPv4Address),
    "ipv6": lambda text: "%" not in text and _parses(ipaddress.IPv6Address)(text),
    "cidr": lambda text: (
        _CIDR.fullmatch(text) is not None and _parses(ipaddress.ip_interface)(text)
    ),
    "mac": lambda text: re.fullmatch(r"([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}", text) is not None,
    "uri": lambda text: re.fullmatch(r"([a-zA-Z][-+.a-zA-Z0-9]*:|/)\S*", text) is not None,
    "uuid": _uuid(),
    "uuid3": _uuid("3"),
    "uuid4": _uuid("4", "89ab"),
    "uuid5": _uuid("5", "89ab"),
    "byte": _parses(lambda text: base64.b64decode(text, validate=True)),
    "hexcolor": lambda text: re.fullmatch(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", text) is not None,
}
