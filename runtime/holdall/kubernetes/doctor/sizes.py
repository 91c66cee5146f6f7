"""The largest JSON text that a schema allows."""

from __future__ import annotations

from holdall.text import json
from holdall.types import JsonObject, JsonValue, items, members

_SCALARS = {"boolean": 5, "integer": 20, "number": 24}
_CHARACTER = 6
"""Bytes that one character may take, as an escape."""


def largest(schema: JsonValue) -> int | None:
    """Return the bytes of the largest value under a schema, None where there is no bound.

    Metadata is not counted. Alternatives and `allOf` are not looked at: they only narrow.
    """
    node = members(schema)
    if options := items(node, "enum"):
        return max(len(json.encode(option)) for option in options)
    match node.get("type"):
        case "boolean" | "integer" | "number" as scalar:
            return _SCALARS[str(scalar)]
        case "string":
            count = node.get("maxLength")
            return count * _CHARACTER + 2 if isinstance(count, int) else None
        case "array":
            return _repeated(node.get("maxItems"), largest(node.get("items")))
        case "object":
            return _largest_object(node)
        case _:
            return None


def _largest_object(node: JsonObject) -> int | None:
    if node.get("x-kubernetes-preserve-unknown-fields") is True:
        return None
    if "additionalProperties" in node:
        return None  # keys have no bound
    total = 2
    for name, part in members(node, "properties").items():
        if name == "metadata":
            continue
        size = largest(part)
        if name in ("apiVersion", "kind") and size is None:
            size = 256
        if size is None:
            return None
        total += len(json.encode(name)) + 2 + size
    return total


def _repeated(count: JsonValue, size: int | None) -> int | None:
    if not isinstance(count, int) or size is None:
        return None
    return 2 + count * (size + 1)
