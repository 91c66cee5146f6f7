"""The paths of bag entries: what moves between objects is kept under all names that lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from holdall.objects.bag import BAG_MEMBER
from holdall.objects.shapes import holders_of, members_of
from holdall.objects.views import StorageObject


def entry_path(cls: type[StorageObject], key: str) -> tuple[str, ...]:
    """Return the wire names that an entry's key stands for; none if there is no such property."""
    if key in members_of(cls):
        return (key,)
    name, _, rest = key.partition("/")
    held = holders_of(cls).get(name)
    inner = entry_path(held.value.type, rest) if rest and held and held.value.type else ()  # type: ignore[arg-type]
    return (name, *inner) if inner else ()


def nested(path: Sequence[str], members: dict[str, Any]) -> dict[str, Any]:
    """Return members as they are in the objects on a path."""
    for name in reversed(path[:-1]):
        members = {name: members}
    return members


def keeps(value: Any, origin: str, names: set[str]) -> bool:
    """Tell whether a bag in a kept value, at any depth, has one of some entries."""
    if isinstance(value, list):
        return any(keeps(item, origin, names) for item in value)
    if not isinstance(value, dict):
        return False
    bag = value.get(BAG_MEMBER)
    entries = bag.get(origin) if isinstance(bag, dict) else None
    if isinstance(entries, dict) and not names.isdisjoint(entries):
        return True
    return any(keeps(item, origin, names) for item in value.values())


def name_along(way: Sequence[Any], name: str | None) -> str | None:
    """Return what the last type of a way calls a property of the first one, if it has it."""
    for source, destination in pairwise(way):
        name = name and source.crossings_[destination].partner(name)
    return name
