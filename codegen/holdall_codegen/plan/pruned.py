"""Finding the types from whose objects an API server prunes members of other versions.

Open JSON that becomes a type in another version may leave members there that the type does not
declare; so may members of a type that preserves unknown fields, and hooks that turn open JSON into
objects. If the schema of the type is closed, an API server removes them. Source: docs/bags.md,
"What an API server prunes".
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from holdall.plan.graph import closure
from holdall.plan.plans import TypeRef
from holdall_codegen.model import Group, Opaque, Ref, Type, innermost, referenced_type
from holdall_codegen.plan.model import (
    Conversion,
    Opened,
    PlannedEdge,
    PlannedLink,
    conversions_in,
    ways,
)


def find_pruned(
    group: Group, edges: Iterable[PlannedEdge], links: Iterable[PlannedLink]
) -> frozenset[TypeRef]:
    """Return the closed types with open peers in any version, and all types below them."""
    facing: dict[TypeRef, list[TypeRef]] = {}
    conversions = [link.conversion for link in links]
    opened: list[TypeRef] = []
    for edge in edges:
        facing.setdefault(edge.older, []).append(edge.newer)
        facing.setdefault(edge.newer, []).append(edge.older)
        conversions += [conversion for *_, conversion in ways(edge.pairs, edge.moves)]
        opened += _of_hook(group, edge)
    open_types = {
        TypeRef(version.name, name)
        for version in group.versions
        for name, type_ in version.types.items()
        if type_.preserve_unknown
    }
    opened += [ref for conversion in conversions for ref in _opened(conversion)]
    held = closure(opened, group.held)
    faced = closure([*open_types, *held], lambda ref: facing.get(ref, ()))
    return frozenset(faced) - open_types


def _opened(conversion: Conversion) -> Iterator[TypeRef]:
    """Yield the type of objects into which a conversion turns open JSON."""
    for one in conversions_in(conversion):
        if isinstance(one, Opened) and (name := referenced_type(one.newer)):
            yield TypeRef(one.version, name)


def _of_hook(group: Group, edge: PlannedEdge) -> Iterator[TypeRef]:
    """Yield the types of one side whose objects a hook may make from open JSON of the other.

    A hook may claim what was left to it, and what has no partner.
    """
    names = {*edge.must_claim_older, *edge.only_older}, {*edge.must_claim_newer, *edge.only_newer}
    older = edge.older, [*_values(group, edge.older, names[0])]
    newer = edge.newer, [*_values(group, edge.newer, names[1])]
    for (ref, made), (other, given) in ((older, newer), (newer, older)):
        if any(_is_open(group, other.version, value) for value in given):
            yield from (TypeRef(ref.version, it.type_name) for it in made if isinstance(it, Ref))


def _values(group: Group, ref: TypeRef, names: Container[str] | None = None) -> Iterator[Type]:
    """Yield the types of values of all or some properties, without lists and maps around them."""
    for item in group.type(ref).properties:
        if names is None or item.name in names:
            yield innermost(item.type)[0]


def _is_open(group: Group, version: str, value: Type) -> bool:
    """Tell whether a value is open JSON, or an object with open JSON at any depth."""
    if not isinstance(value, Ref):
        return isinstance(value, Opaque)
    types = group.version(version).types
    return any(
        types[ref.name].preserve_unknown
        or any(isinstance(inner, Opaque) for inner in _values(group, ref))
        for ref in closure([TypeRef(version, value.type_name)], group.held)
    )
