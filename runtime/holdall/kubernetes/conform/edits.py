"""Edits of objects that a client of one version may make: leaves changed, lists with keys."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from holdall.kubernetes.conform.drawing import another
from holdall.kubernetes.conform.subjects import Version
from holdall.kubernetes.conform.validity import is_valid
from holdall.kubernetes.conform.values import (
    Path,
    data_of,
    get,
    leaves_of,
    pointer,
    replaced,
    schema_at,
)
from holdall.kubernetes.crds.access import MAP_KEYS
from holdall.types import JsonObject, JsonValue, is_json_object

_USUAL_KEYS: Final = frozenset({"name", "key", "id"})


def represented(obj: JsonObject, version: Version) -> list[Path]:
    """Return the paths of leaves that a client of a version can edit; no keys of lists.

    Without a schema all leaves count.
    """
    return [
        path
        for path, value in leaves_of(data_of(obj))
        if path
        and value is not None
        and not isinstance(value, dict | list)
        and not is_key(version, path)
        and (not version.schema or _is_editable(schema_at(version.schema, path)))
    ]


def is_key(version: Version, path: Path) -> bool:
    """Tell whether a path leads to what tells list elements apart, or into a set."""
    if isinstance(path[-1], int):
        return True
    if len(path) < 2 or not isinstance(path[-2], int):
        return False
    keys = schema_at(version.schema, path[:-2]).get(MAP_KEYS)
    return path[-1] in (keys if isinstance(keys, list) else _USUAL_KEYS)


def edited(obj: JsonObject, version: Version, path: Path) -> JsonObject:
    """Return an object with another value of the same type at a path."""
    value, schema = get(obj, path), schema_at(version.schema, path)
    other = _other(value)
    if not is_valid(other, schema):
        other = another(value, schema, Random(pointer(path)))
    return replaced(obj, path, other)


def list_maps(obj: JsonObject, version: Version) -> list[tuple[Path, tuple[str, ...]]]:
    """Return the paths of lists of type map with at least two elements, and their keys."""
    found: dict[Path, tuple[str, ...]] = {}
    for path, _ in leaves_of(data_of(obj)):
        for end in range(1, len(path)):
            keys = schema_at(version.schema, path[:end]).get(MAP_KEYS)
            items = get(obj, path[:end])
            if isinstance(keys, list) and isinstance(items, list) and len(items) > 1:
                found[path[:end]] = tuple(str(key) for key in keys)
    return [
        (path, keys)
        for path, keys in found.items()
        if schema_at(version.schema, (*path, 0, keys[0])).get("type") == "string"
        and "enum" not in schema_at(version.schema, (*path, 0, keys[0]))
    ]


def key_of(item: JsonValue, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """Return what tells an element apart."""
    return tuple(item.get(key) for key in keys) if is_json_object(item) else ()


def _is_editable(schema: JsonObject) -> bool:
    return schema.get("type") in ("string", "integer", "number", "boolean")


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}-edited"
    return value - 1 if value > 1 else value + 1
