"""Probable renames among the properties that found no partner: proposed, never assumed."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher

from holdall_codegen.model import Group, Property
from holdall_codegen.plan.matching import Matched
from holdall_codegen.plan.model import TypeRef
from holdall_codegen.plan.python_names import snake_case

_ALIKE = 0.6


def suggest_renames(
    matched: Mapping[tuple[TypeRef, TypeRef], Matched], group: Group
) -> tuple[str, ...]:
    """Return, for each probable rename, the entry to add to the configuration."""
    found = []
    for (older, newer), result in matched.items():
        before = _alone(group, older, result.only_older)
        after = _alone(group, newer, result.only_newer)
        for name, item in before.items():
            best = max(after, key=lambda other: _likeness(item, after[other]), default="")
            if best and _likeness(item, after[best]) >= _ALIKE:
                found.append(
                    f"between: {older.version} -> {newer.version}: {older.name}: {name}: {best}"
                )
    return tuple(found)


def _alone(group: Group, ref: TypeRef, names: Mapping[str, str]) -> dict[str, Property]:
    properties = group.version(ref.version).types[ref.name].properties
    return {
        item.name: item
        for item in properties
        if item.name in names and "has no such property" in names[item.name]
    }


def _likeness(one: Property, other: Property) -> float:
    if type(one.type) is not type(other.type):
        return 0.0
    first, second = snake_case(one.name), snake_case(other.name)
    shared = set(first.split("_")) & set(second.split("_"))
    return max(SequenceMatcher(None, first, second).ratio(), 0.7 if shared else 0.0)
