"""Places deeper than drawn objects reach, where further objects begin, and objects with a single
member, because conversions must accept all partial objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final

from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import GroupPlan, ListOf, MapOf, Ref, Scalar, Type, TypeRef, object_within
from holdall.types import JsonObject, JsonValue

DEPTH: Final = 4
"""How many objects deep a drawn object is."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The path of members from an object to a type in it, each with its own type."""

    end: TypeRef
    way: tuple[tuple[str, Type], ...]

    def bearing(self, value: JsonValue) -> JsonObject:
        """Return an object with nothing but the path to a value at its end."""
        *outer, (name, type_) = self.way
        found = {name: _around(type_, value)}
        for name, type_ in reversed(outer):
            found = {name: _around(type_, found)}
        return found


def branches(plan: GroupPlan, root: TypeRef) -> Iterator[Branch]:
    """Yield branches of a root that together reach all its types, shortest ones first."""
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
    """Return a value of a type that contains nothing but `value`."""
    match type_:
        case ListOf(item=inner):
            return [_around(inner, value)]
        case MapOf(value=inner):
            return {"key": _around(inner, value)}
        case _:
            return value


_SAME = frozenset({"copied", "recursed"})
_ZEROS: Final[Mapping[str, JsonValue]] = {"string": "", "integer": 0, "number": 0, "boolean": False}


class Parts:
    """Objects of a group with one member each.

    Skips objects that are equal in all versions, because converters pass them through whole.
    """

    def __init__(self, plan: GroupPlan) -> None:
        self._plan = plan
        self._differing = _differing(plan)

    def objects(self, ref: TypeRef, full: JsonObject, depth: int) -> Iterator[JsonObject]:
        """Yield objects of a type with one member, at any depth: as in `full`, null, and zero."""
        for name, type_ in self._plan.types[ref].items():
            value = full.get(name)
            yield {name: value}
            yield {name: None}
            if not isinstance(type_, Ref) or self._plan.form(type_.type) == "object":
                yield {name: _zero(type_)}
            for part in self.values(type_, value, depth):
                yield {name: part}

    def values(self, type_: Type, value: JsonValue, depth: int) -> Iterator[JsonValue]:
        """Yield values of a type whose objects have one member each."""
        plan = self._plan
        match type_, value:
            case Ref(type=held), _ if plan.form(held) == "union":
                members = plan.types[held]
                if isinstance(unit := members.get(UNIT), Scalar):
                    yield from unit.enum
                for name, payload in value.items() if isinstance(value, dict) else ():
                    parts = self.values(members[name], payload, depth)
                    yield from ({name: part} for part in parts)
            case Ref(type=held), list() if plan.form(held) == "tuple":
                for index, (inner, item) in enumerate(
                    zip(plan.types[held].values(), value, strict=True)
                ):
                    for part in self.values(inner, item, depth):
                        yield [*value[:index], part, *value[index + 1 :]]
            case (Ref(type=held), dict()) if depth and held in self._differing:
                yield from self.objects(held, value, depth - 1)
            case ListOf(item=inner), [first, *_]:
                yield from ([part] for part in self.values(inner, first, depth))
            case MapOf(value=inner), dict() if value:
                key, first = next(iter(value.items()))
                yield from ({key: part} for part in self.values(inner, first, depth))


def _zero(type_: Type) -> JsonValue:
    match type_:
        case Scalar(kinds=(kind, *_)):
            return _ZEROS[kind]
        case ListOf():
            return []
        case _:
            return {}


def _differing(plan: GroupPlan) -> Set[TypeRef]:
    """Return the types that differ between versions, or contain one that does."""
    found = {
        ref
        for edge in plan.edges
        if any(decision.fate not in _SAME for decision in edge.decisions)
        for ref in (edge.older, edge.newer)
    }
    grows = True
    while grows:
        more = {
            ref
            for ref, members in plan.types.items()
            if ref not in found
            and any(held in found for held in map(object_within, members.values()))
        }
        found |= more
        grows = bool(more)
    return found
