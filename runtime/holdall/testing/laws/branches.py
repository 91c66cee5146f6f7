"""Places that lie deeper than drawn objects reach: objects of their own begin there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from holdall.plan.plans import GroupPlan, ListOf, MapOf, Type, TypeRef, object_within
from holdall.types import JsonObject, JsonValue

DEPTH: Final = 4
"""How many objects deep a drawn object is."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The members on the way from an object to a type in it, each with its own type."""

    end: TypeRef
    way: tuple[tuple[str, Type], ...]

    def bearing(self, value: JsonValue) -> JsonObject:
        """Return an object of nothing but the way to a value at its end."""
        *outer, (name, type_) = self.way
        found = {name: _around(type_, value)}
        for name, type_ in reversed(outer):
            found = {name: _around(type_, found)}
        return found


def branches(plan: GroupPlan, root: TypeRef) -> Iterator[Branch]:
    """Yield branches of a root with which all its types are within reach, shortest ways first."""
    ways: dict[TypeRef, tuple[tuple[str, Type], ...]] = {root: ()}
    for ref in (queue := [root]):
        held = {}
        for name, type_ in plan.types[ref].items():
            inner = object_within(type_)
            if inner is not None and plan.form(ref) != "tuple":
                held[inner] = (name, type_)
        if held and ways[ref] and len(ways[ref]) % DEPTH == 0:
            yield Branch(ref, ways[ref])
        for inner, step in held.items():
            if inner not in ways:
                ways[inner] = (*ways[ref], step)
                queue.append(inner)


def _around(type_: Type, value: JsonValue) -> JsonValue:
    """Return a value of a type that holds nothing but a value."""
    match type_:
        case ListOf(item=inner):
            return [_around(inner, value)]
        case MapOf(value=inner):
            return {"key": _around(inner, value)}
        case _:
            return value
