"""Objects with one member each: what conversion of partial objects has to be total on."""

from __future__ import annotations

from collections.abc import Iterator, Set

from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import GroupPlan, ListOf, MapOf, Ref, Scalar, Type, TypeRef
from holdall.types import JsonObject, JsonValue

_SAME = frozenset({"copied", "recursed"})


def sparse(plan: GroupPlan, ref: TypeRef, full: JsonObject, depth: int) -> Iterator[JsonObject]:
    """Yield objects of a type with one member each, at any depth: as in `full`, and null.

    Objects in which no version differs are not taken apart: converters pass them over whole.
    """
    yield from _Parts(plan).objects(ref, full, depth)


class _Parts:
    def __init__(self, plan: GroupPlan) -> None:
        self._plan = plan
        self._differing = _differing(plan)

    def objects(self, ref: TypeRef, full: JsonObject, depth: int) -> Iterator[JsonObject]:
        for name, type_ in self._plan.types[ref].items():
            value = full.get(name)
            yield {name: value}
            if name != "metadata":
                yield {name: None}
            for part in self.values(type_, value, depth):
                yield {name: part}

    def values(self, type_: Type, value: JsonValue, depth: int) -> Iterator[JsonValue]:
        """Yield values whose objects have one member each."""
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


def _differing(plan: GroupPlan) -> Set[TypeRef]:
    """Return the types that differ from a version to another one, or hold one that does."""
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
            if ref not in found and any(held in found for held in map(_held, members.values()))
        }
        found |= more
        grows = bool(more)
    return found


def _held(type_: Type) -> TypeRef | None:
    match type_:
        case Ref(type=held):
            return held
        case ListOf(item=inner) | MapOf(value=inner):
            return _held(inner)
        case _:
            return None
