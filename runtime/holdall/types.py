"""The type of JSON values, and how to look into them without knowing their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from typing_extensions import TypeIs

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"
Members: TypeAlias = dict[str, Any]
"""JSON values by wire name: an absent member has no key, a null one is None."""


def is_json_object(value: object) -> TypeIs[dict[str, JsonValue]]:
    """Return whether a JSON value is an object."""
    return type(value) is dict


def get(value: JsonValue, *path: str | int) -> JsonValue:
    """Return the value at a path of names and indexes, None if there is none."""
    for step in path:
        if is_json_object(value) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def members(value: JsonValue, *path: str) -> JsonObject:
    """Return the object at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if is_json_object(found) else {}


def items(value: JsonValue, *path: str) -> list[JsonValue]:
    """Return the list at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if isinstance(found, list) else []


def text(value: JsonValue, *path: str) -> str:
    """Return the string at a path, an empty one if there is none."""
    found = get(value, *path)
    return found if isinstance(found, str) else ""


def json_kind(value: object) -> str:
    """Name the JSON kind of a value: object, list, string, integer, number, boolean or null."""
    return _KINDS.get(type(value), type(value).__name__)


_KINDS: dict[type, str] = {
    dict: "object",
    list: "list",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}

RANGES: Final[Mapping[str, tuple[int, int]]] = {
    **{f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)},
    "uint": (0, (1 << 64) - 1),
}
"""Least and greatest value of the integer formats."""
