"""Open JSON with the name of a type that is converted elsewhere: open JSON is not converted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdall.plan.graph import closure
from holdall.plan.plans import TypeRef
from holdall_codegen.model import Group, ListOf, ObjectType, Opaque, Property, innermost
from holdall_codegen.plan.matching import Matched


def left_open(group: Group, matched: Mapping[tuple[TypeRef, TypeRef], Matched]) -> Iterator[str]:
    """Yield a warning for each of these properties.

    The name of the property suggests the type: `routes` holds a Route, `taskSpec` a TaskSpec.
    """
    converted = {
        (older, newer.version) for (older, newer), found in matched.items() if _converts(found)
    }
    for (older, newer), found in matched.items():
        types = group.version(older.version).types
        for pair in found.pairs:
            item = types[older.name].property(pair.older)
            name = "" if item is None else _called(item, types)
            held = (TypeRef(older.version, below) for below in _held(name, types))
            if any((below, newer.version) in converted for below in held):
                yield (
                    f"{older} {pair.older}: open JSON, in which nothing is converted;"
                    f" if it holds {name}, declare that in an overlay"
                )


def _called(item: Property, types: Mapping[str, ObjectType]) -> str:
    """Return the type that the name of an open property suggests, "" if there is none."""
    if not isinstance(innermost(item.type)[0], Opaque):
        return ""
    name = item.name.lower()
    wanted = {name}
    if isinstance(item.type, ListOf):
        wanted |= {name.removesuffix("s"), name.removesuffix("es"), name.removesuffix("ies") + "y"}
    return next((known for known in types if known.lower() in wanted), "")


def _held(name: str, types: Mapping[str, ObjectType]) -> Iterator[str]:
    yield from closure([name] if name else [], lambda below: types[below].held())


def _converts(found: Matched) -> bool:
    alone = found.only_older or found.only_newer or found.left_older
    return bool(alone or found.moves or any(pair.older != pair.newer for pair in found.pairs))
