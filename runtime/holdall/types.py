"""The type of JSON values, as the runtime holds them."""

from __future__ import annotations

from typing import TypeAlias

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
