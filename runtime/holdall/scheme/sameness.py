"""Which objects stay unchanged on an edge, with everything in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from holdall.carriers.carrying import forget_takers, lineages_in
from holdall.engine.always import asks, filling
from holdall.engine.edges import Crossing, TwinTypes
from holdall.engine.members import alike, inner
from holdall.engine.two_way_steps import InformedStep
from holdall.objects.shapes import ValueShape, holders_of, types_within
from holdall.objects.view_type import ALONE, EVERYWHERE, UNNOTED


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
        act = crossing.generated or alike(crossing)
        crossing.convert = filling(crossing, act) if any(crossing.always) else act
    _find_views(crossings)
    _find_lineages(crossings)
    for crossing in crossings.values():
        crossing.convert_inner = inner(crossing)


def _find_views(crossings: Mapping[TwinTypes, Crossing]) -> None:
    """Note for which objects, or objects in them, hooks on views run."""
    viewed = {
        source
        for (source, _), crossing in crossings.items()
        if crossing.bound is not None and crossing.steps is None
    }
    for (source, _), crossing in crossings.items():
        crossing.runs_views = bool(viewed) and not viewed.isdisjoint(types_within(source))


def _find_lineages(crossings: Mapping[TwinTypes, Crossing]) -> None:
    """Note which types' objects become each other: a bag stays on its object.

    Objects made by conversions of single values or by hooks on views do not count, nor do objects
    in them.
    """
    unnoted: list[Any] = []
    for (_, destination), crossing in crossings.items():
        written = _written_by_views(crossing)
        unnoted += [held for name, held in _held_by(destination) if name in written]
        if destination.is_converted_alone_:
            unnoted.append(destination)
    lineages: dict[Any, int] = {}
    _spread(unnoted, UNNOTED, lineages, into_objects=True)
    for number, (source, _) in enumerate(crossings, ALONE + 1):
        _spread([source], number, lineages)
    for cls, number in lineages.items():
        cls.lineage_ = number
    forget_takers()
    for (_, destination), crossing in crossings.items():
        crossing.lineage = destination.lineage_
        crossing.within = EVERYWHERE | _lineages_in(destination)
        moved = {path[0] for _, path in crossing.hops.values()}
        made = moved.union(crossing.opposite.apart, _written_by_views(crossing))
        crossing.makes_objects = any(
            name in made and UNNOTED in _lineages_in(held) for name, held in _held_by(destination)
        )


def _written_by_views(crossing: Crossing) -> frozenset[str]:
    """Return the members that a hook on views writes."""
    has_views = crossing.bound is not None and crossing.steps is None
    return crossing.hook_names.writes if has_views and crossing.hook_names else frozenset()


def _lineages_in(cls: Any) -> set[int]:
    return lineages_in(ValueShape("object", type=cls), set())


def _spread(
    work: list[Any], number: int, lineages: dict[Any, int], *, into_objects: bool = False
) -> None:
    """Number types, and all types that their objects become, if they have no number."""
    while work:
        cls = work.pop()
        if cls not in lineages:
            lineages[cls] = number
            work += cls.crossings_
            if into_objects:
                work += [held for _, held in _held_by(cls)]


def _held_by(cls: Any) -> Iterator[tuple[str, Any]]:
    """Yield the members of a type that hold objects, each with the type of those."""
    for name, holder in holders_of(cls).items():
        yield name, holder.value.innermost


def _held(source: type, destination: type) -> Iterator[TwinTypes]:
    """Yield the types of nested objects of two types that are alike, in pairs."""
    others = holders_of(destination)
    for name, holder in holders_of(source).items():
        yield holder.value.innermost, others[name].value.innermost


def has_hooks(root: Any) -> bool:
    """Return whether a hook converts objects of a type, or objects in them."""
    return any(
        crossing.bound is not None
        for cls in types_within(root)
        for crossing in cls.crossings_.values()
    )


def asks_for_surroundings(root: Any) -> bool:
    """Return whether any hook on the way of a type's objects may ask for the object's name."""
    found: set[Any] = set()
    work = [root]
    while work:
        for cls in types_within(work.pop()) - found:
            found.add(cls)
            work += cls.crossings_
    return any(
        asks(crossing) or any(isinstance(step, InformedStep) for step in crossing.two_way)
        for cls in found
        for crossing in cls.crossings_.values()
    )
