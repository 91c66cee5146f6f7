"""Values under a schema as API servers treat them: validated, pruned, and so judged as defaults.

Patterns and formats are not looked at: servers read them with another engine than ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, items, json_kind, members

_OPEN = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"
_META = ("apiVersion", "kind", "metadata")
_KINDS = {
    "array": ("list",),
    "boolean": ("boolean",),
    "integer": ("integer",),
    "number": ("integer", "number"),
    "object": ("object",),
    "string": ("string",),
}


def check_default(schema: JsonObject) -> Iterator[str]:
    """Yield what is wrong with the default of a node of a schema; nothing if it is fine."""
    default = schema["default"]
    if default is None and schema.get("nullable") is not True:
        return  # servers take a null as no default
    for pointer, text in violations(default, schema):
        at = f" at {pointer}" if pointer else ""
        yield f"the default does not fit its schema{at}: {text}"
    if not json.same(prune(default, schema), default):
        yield "the default has members that the schema does not know, which would be pruned"


def prune(value: JsonValue, schema: JsonValue, *, is_root: bool = False) -> JsonValue:
    """Return a value without the members that its schema does not declare; nothing is changed.

    At the root and in embedded resources apiVersion, kind and metadata always stay.
    """
    rules = members(schema)
    if isinstance(value, list):
        element = rules.get("items")
        return [prune(item, element) for item in value] if is_json_object(element) else value
    if not is_json_object(value):
        return value
    keeps_meta = is_root or rules.get(_EMBEDDED) is True
    declared = members(rules, "properties")
    others = rules.get("additionalProperties")
    kept: dict[str, JsonValue] = {}
    for name, member in value.items():
        if keeps_meta and name in _META:
            kept[name] = member
        elif name in declared:
            kept[name] = prune(member, declared[name])
        elif is_json_object(others):
            kept[name] = prune(member, others)
        elif others is True or rules.get(_OPEN) is True:
            kept[name] = member
    return kept


def violations(value: JsonValue, schema: JsonValue, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield where a value does not fit a schema, as JSON Pointer and text."""
    if not is_json_object(schema):
        return
    if value is None:
        if schema.get("nullable") is not True and "type" in schema:
            yield at, "null is not allowed"
        return
    yield from _scalar_violations(value, schema, at)
    if is_json_object(value):
        declared = members(schema, "properties")
        for name in items(schema, "required"):
            if isinstance(name, str) and name not in value:
                yield at, f'the required member "{name}" is missing'
        for name, member in value.items():
            yield from violations(
                member, declared.get(name, schema.get("additionalProperties")), join(at, name)
            )
        yield from _count_violations(len(value), "Properties", schema, at)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from violations(item, schema.get("items"), join(at, index))
        yield from _count_violations(len(value), "Items", schema, at)
    for part in items(schema, "allOf"):
        yield from violations(value, part, at)
    for keyword in ("anyOf", "oneOf"):
        parts = items(schema, keyword)
        fitting = sum(next(violations(value, part, at), None) is None for part in parts)
        if parts and (fitting == 0 or (keyword == "oneOf" and fitting > 1)):
            yield at, f"{fitting} of the alternatives of {keyword} fit"
    if "not" in schema and next(violations(value, schema["not"], at), None) is None:
        yield at, "it is what `not` rules out"


def _scalar_violations(value: JsonValue, schema: JsonObject, at: str) -> Iterator[tuple[str, str]]:
    type_ = schema.get("type")
    kind = json_kind(value)
    if schema.get("x-kubernetes-int-or-string") is True and kind not in ("integer", "string"):
        yield at, f"expected integer or string, found {kind}"
    if isinstance(type_, str) and type_ in _KINDS and kind not in _KINDS[type_]:
        is_whole = type_ == "integer" and isinstance(value, float) and value.is_integer()
        if not is_whole:
            yield at, f"expected {type_}, found {kind}"
    enum = schema.get("enum")
    if isinstance(enum, list) and not any(json.same(value, item) for item in enum):
        yield at, f"{json.encode(value).decode()} is not in the enum"
    if isinstance(value, str):
        yield from _count_violations(len(value), "Length", schema, at)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if isinstance(low, int | float) and (
            value < low or (value == low and schema.get("exclusiveMinimum") is True)
        ):
            yield at, f"{value} is below the minimum {low}"
        if isinstance(high, int | float) and (
            value > high or (value == high and schema.get("exclusiveMaximum") is True)
        ):
            yield at, f"{value} is above the maximum {high}"


def _count_violations(
    count: int, what: str, schema: JsonObject, at: str
) -> Iterator[tuple[str, str]]:
    low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
    if isinstance(low, int) and count < low:
        yield at, f"{count} is below min{what} {low}"
    if isinstance(high, int) and count > high:
        yield at, f"{count} is above max{what} {high}"
