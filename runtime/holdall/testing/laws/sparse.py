"""Objects with one member each: what conversion of partial objects has to be total on."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import GroupPlan, ListOf, MapOf, Ref, Scalar, Type, TypeRef
from holdall.types import JsonObject, JsonValue


def sparse(plan: GroupPlan, ref: TypeRef, full: JsonObject, depth: int) -> Iterator[JsonObject]:
    """Yield objects of a type with one member each, at any depth: as in `full`, and null."""
    for name, type_ in plan.types[ref].items():
        value = full.get(name)
        yield {name: value}
        if name != "metadata":
            yield {name: None}
        for part in _parts(plan, type_, value, depth):
            yield {name: part}


def _parts(plan: GroupPlan, type_: Type, value: JsonValue, depth: int) -> Iterator[JsonValue]:
    """Yield values whose objects have one member each."""
    match type_, value:
        case Ref(type=held), _ if plan.form(held) == "union":
            members = plan.types[held]
            if isinstance(unit := members.get(UNIT), Scalar):
                yield from unit.enum
            for name, payload in value.items() if isinstance(value, dict) else ():
                yield from ({name: part} for part in _parts(plan, members[name], payload, depth))
        case Ref(type=held), list() if plan.form(held) == "tuple":
            for index, (inner, item) in enumerate(
                zip(plan.types[held].values(), value, strict=True)
            ):
                for part in _parts(plan, inner, item, depth):
                    yield [*value[:index], part, *value[index + 1 :]]
        case (Ref(type=held), dict()) if depth:
            yield from sparse(plan, held, value, depth - 1)
        case ListOf(item=inner), [first, *_]:
            yield from ([part] for part in _parts(plan, inner, first, depth))
        case MapOf(value=inner), dict() if value:
            key, first = next(iter(value.items()))
            yield from ({key: part} for part in _parts(plan, inner, first, depth))
