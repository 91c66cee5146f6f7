"""Values inside objects: leaves with paths, their schemas, and comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from holdall.kubernetes.conform.subjects import Version
from holdall.kubernetes.conform.validity import SECTIONS
from holdall.objects.bag import BAG_MEMBER
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, members
from holdall.words import counted

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the root of an object."""

SLOTS: Final = frozenset({BAG_MEMBER, CHANGED_VALUES})
"""Declared members in which toolkits keep what a version cannot hold."""

ABSENT: Final = object()
"""Stands for the absence of a value at a path."""


def leaves_of(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Yield every scalar and every empty container with its path."""
    if is_json_object(value) and value:
        for key, item in value.items():
            yield from leaves_of(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves_of(item, (*path, index))
    else:
        yield path, value


def data_of(obj: JsonObject) -> JsonObject:
    """Return an object without apiVersion, kind, metadata and slots of bags.

    A status with nothing else equals none, because slots come and go with it. Source: docs/bags.md,
    "Annotations"; docs/declared.md, "Where tracked values travel".
    """
    data = {name: value for name, value in obj.items() if name not in {*SECTIONS, *SLOTS}}
    status = data.get("status")
    if is_json_object(status):
        rest = {name: value for name, value in status.items() if name not in SLOTS}
        data["status"] = rest
        if not rest:
            del data["status"]
    return data


def slots_of(obj: JsonObject) -> list[str]:
    """Return the JSON Pointers of the slots that contain a bag."""
    found = [f"/{name}" for name in sorted(SLOTS & obj.keys())]
    inner = sorted(SLOTS & members(obj, "status").keys())
    return [*found, *(f"/status/{name}" for name in inner)]


def get(value: JsonValue, path: Path) -> Any:
    """Return the value at a path; `ABSENT` if there is none."""
    found: Any = value
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return found


def replaced(obj: JsonObject, path: Path, value: Any) -> JsonObject:
    """Return an object with another value at a path, or none for `ABSENT`; shares the rest."""
    copy: JsonObject = {**obj}
    holder: Any = copy
    for step in path[:-1]:
        holder[step] = holder[step].copy()
        holder = holder[step]
    if value is ABSENT:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def with_metadata(obj: JsonObject, changes: JsonObject) -> JsonObject:
    """Return an object with other members of its metadata."""
    return {**obj, "metadata": {**members(obj, "metadata"), **changes}}


def schema_at(schema: JsonValue, path: Path) -> JsonObject:
    """Return the schema of the value at a path; an empty one if there is none."""
    for step in path:
        if not is_json_object(schema):
            return {}
        properties = schema.get("properties")
        if isinstance(step, int):
            schema = schema.get("items")
        elif is_json_object(properties) and step in properties:
            schema = properties[step]
        else:
            schema = schema.get("additionalProperties")
    return members(schema)


def find_leaves(
    obj: JsonObject, version: Version, wanted: Callable[[JsonObject, JsonValue], bool]
) -> list[Path]:
    """Return the paths of leaves below spec or status for which `wanted` holds."""
    return [
        path
        for path, value in leaves_of(data_of(obj))
        if path and wanted(schema_at(version.schema, path), value)
    ]


def differences(expected: JsonValue, found: JsonValue, path: Path = ()) -> Iterator[str]:
    """Yield each difference of two values as `pointer: what`; numbers compare by value."""
    if is_json_object(expected) and is_json_object(found):
        for key in [*expected, *(key for key in found if key not in expected)]:
            if key not in found:
                yield f"{join('', *path, key)} is gone"
            elif key not in expected:
                yield f"{join('', *path, key)} came up"
            else:
                yield from differences(expected[key], found[key], (*path, key))
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{join('', *path)} has {counted(len(found), 'element')}, not {len(expected)}"
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, (*path, index))
    elif expected != found or isinstance(expected, bool) is not isinstance(found, bool):
        yield f"{join('', *path) or '/'} is {show(found)}, not {show(expected)}"


def losses(obj: JsonObject, found: JsonObject) -> set[str]:
    """Return the differences of an object's data before and after."""
    return {*differences(data_of(obj), data_of(found))}


def spread(places: list[Path], most: int) -> list[Path]:
    """Return at most `most` places, spread evenly and the same every time."""
    return places[:: -(-len(places) // most) or 1]


def show(value: JsonValue) -> str:
    """Return the start of a value's JSON text."""
    text = _json.canonical(value).decode()
    return text if len(text) <= 40 else f"{text[:37]}..."


def compare(expected: JsonValue, found: JsonValue) -> str:
    """Return the first differences of two values; "" if they are equal."""
    found_ones = list(differences(expected, found))
    more = f" and {len(found_ones) - 3} more" if len(found_ones) > 3 else ""
    return "; ".join(found_ones[:3]) + more


def pointer(path: Path) -> str:
    """Return a path as a JSON Pointer."""
    return join("", *path)
