"""Which objects stay as they are on an edge, with all that is in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from holdall.carriers.addresses import holders_of
from holdall.engine.edges import Crossing, TwinTypes
from holdall.engine.members import alike
from holdall.objects.shapes import ValueShape


def prepare(crossings: Mapping[TwinTypes, Crossing]) -> None:
    """Prepare all crossings, once their hooks are bound."""
    same = {types for types, way in crossings.items() if way.alike and way.bound is None}
    shrinks = True
    while shrinks:
        lost = {types for types in same if any(held not in same for held in _held(*types))}
        same -= lost
        shrinks = bool(lost)
    for types, crossing in crossings.items():
        crossing.prepare(types in same)
        if not hasattr(crossing, "convert"):
            crossing.convert = alike(crossing)
    _find_bags(crossings)


def _find_bags(crossings: Mapping[TwinTypes, Crossing]) -> None:
    """Note which types can have bags: a bag stays on its object, whatever that becomes."""
    bagged: set[type] = set()
    for crossing in crossings.values():
        if not crossing.alike or crossing.bound is not None:
            bagged |= {crossing.source_type, crossing.destination_type}
    grows = True
    while grows:
        more = {
            destination
            for source, destination in crossings
            if source in bagged and destination not in bagged
        }
        bagged |= more
        grows = bool(more)
    for crossing in crossings.values():
        cls = crossing.source_type
        cls.may_have_bag_ = cls in bagged


def _held(source: type, destination: type) -> Iterator[TwinTypes]:
    """Yield the types of the objects within two types that are alike, as pairs."""
    others = holders_of(destination)
    for name, holder in holders_of(source).items():
        yield _type_in(holder.value), _type_in(others[name].value)


def _type_in(shape: ValueShape) -> type:
    while shape.item is not None:
        shape = shape.item
    if shape.type is None:
        raise TypeError("there are no objects in it")
    return shape.type


def has_hooks(cls: Any, seen: set[Any]) -> bool:
    """Tell whether a hook converts objects of a type, or objects within."""
    if cls in seen:
        return False
    seen.add(cls)
    return any(crossing.bound is not None for crossing in cls.crossings_.values()) or any(
        has_hooks(_type_in(holder.value), seen) for holder in holders_of(cls).values()
    )
