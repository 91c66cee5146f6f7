"""The type of JSON values, as the runtime holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from typing_extensions import TypeIs

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"


def is_json_object(value: object) -> TypeIs[dict[str, JsonValue]]:
    """Tell whether a JSON value is an object."""
    return type(value) is dict


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
