"""Facts from a plan about objects: other forms of a value, the same type in other versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from holdall.explain.standing import steps_of
from holdall.plan.graph import neighbours, reachable
from holdall.plan.plans import (
    Edge,
    GroupPlan,
    ListOf,
    MapOf,
    Opaque,
    Ref,
    Type,
    TypeRef,
    object_within,
)
from holdall.testing.laws.values import MEASURES
from holdall.text.pointer import split


def renamed_values(plan: GroupPlan) -> tuple[str, ...]:
    """Return all enum values that any edge renames, in order."""
    mappings = [decision.values for edge in plan.edges for decision in edge.decisions]
    mappings += [link.values for link in plan.links]
    return tuple(sorted({value for names in mappings for pair in names.items() for value in pair}))


def measured_texts(plan: GroupPlan) -> tuple[str, ...]:
    """Return texts with amounts for the lenses that read them: usual, odd and wrong ones."""
    lenses = {decision.lens for edge in plan.edges for decision in edge.decisions}
    lenses |= {link.lens for link in plan.links}
    names = {lens.partition(":")[0] for lens in lenses}
    return tuple(text for name in sorted(names) for text in MEASURES.get(name, ()))


def key_members(plan: GroupPlan) -> Mapping[TypeRef, str]:
    """Return the members that are keys of a map in another version, by the types of elements."""
    found: dict[TypeRef, str] = {}
    for edge in plan.edges:
        for decision in edge.decided("older"):
            ends = ((edge.older, decision.name), (edge.newer, decision.partner or decision.name))
            found |= _keyed(plan, decision.lens, ends)
    for link in plan.links:
        found |= _keyed(plan, link.lens, [(end.type, end.name) for end in (link.older, link.newer)])
    return found


def _keyed(
    plan: GroupPlan, lens: str, ends: Iterable[tuple[TypeRef, str]]
) -> Iterator[tuple[TypeRef, str]]:
    name, _, members = lens.partition(": ")
    key = split(f"/{members}")[0]
    for ref, path in ends if name == "keyed" else ():
        type_: Type | None = Ref(ref)
        for part in steps_of(plan, ref, path):
            holder = object_within(type_) if type_ is not None else None
            type_ = plan.types[holder].get(part) if holder is not None else None
        element = object_within(type_) if type_ is not None else None
        if element is not None and key in plan.types[element]:
            yield element, key


class Pair(NamedTuple):
    """Two partners of an edge, each with the name and the type of the property."""

    older: str
    older_type: Type
    newer: str
    newer_type: Type


def partners(plan: GroupPlan, edge: Edge) -> Iterator[Pair]:
    """Yield the pairs of properties of an edge, except those that change their nesting."""
    for decision in edge.decided("older"):
        partner = decision.partner or decision.name
        if decision.fate in ("stashed", "pulled"):
            continue
        older = plan.types[edge.older].get(decision.name)
        newer = plan.types[edge.newer].get(partner)
        if older is not None and newer is not None:
            yield Pair(decision.name, older, partner, newer)


def opaque_forms(plan: GroupPlan) -> Mapping[tuple[TypeRef, str], tuple[Type, ...]]:
    """Return, for properties with plain JSON in them, the typed forms that other versions have."""
    found: dict[tuple[TypeRef, str], tuple[Type, ...]] = {}
    for edge in plan.edges:
        for pair in partners(plan, edge):
            older, newer = (edge.older, pair.older), (edge.newer, pair.newer)
            one, other = _innermost(pair.older_type, pair.newer_type)
            if isinstance(one, Opaque) and not isinstance(other, Opaque):
                found[older] = (*found.get(older, ()), other)
            elif isinstance(other, Opaque) and not isinstance(one, Opaque):
                found[newer] = (*found.get(newer, ()), one)
    return found


def _innermost(one: Type, other: Type) -> tuple[Type, Type]:
    match one, other:
        case (ListOf(item=left), ListOf(item=right)) | (MapOf(value=left), MapOf(value=right)):
            return _innermost(left, right)
        case _:
            return one, other


def peers_of(plan: GroupPlan, ref: TypeRef) -> list[TypeRef]:
    """Return the peers of a type in other versions, where it has one; nearest first."""
    graph = neighbours((edge.older, edge.newer) for edge in plan.edges)
    seen = reachable(graph, ref)
    versions = [other.version for other in seen]
    return [other for other in seen[1:] if versions.count(other.version) == 1]
