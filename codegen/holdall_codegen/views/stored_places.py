"""The places of stored objects with properties and bags: live ones, and those in entries."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from holdall.explain.standing import Standing, Standings, type_at
from holdall.objects.bag import BAG_MEMBER, RESIDUE_PREFIX
from holdall.plan.plans import ListOf, MapOf, PlannedKind, Ref, Type, TypeRef, object_within

Path: TypeAlias = tuple[str, ...]
Entry: TypeAlias = tuple[str, str, Standing]
"""Origin and property of an entry, and the standing of that property."""


@dataclass(frozen=True, slots=True)
class Plans:
    before: Standings
    after: Standings
    is_served: bool
    entries: dict[TypeRef, list[Entry]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of objects in one version of a kind: its type before, and now, if it has one.

    `stored` is the version of the whole objects: what their bags keep has types of other versions.
    """

    kind: str
    stored: str
    path: Path
    before: TypeRef
    after: TypeRef | None

    @property
    def is_kept(self) -> bool:
        """Whether the objects are values in a bag, or parts of these."""
        return BAG_MEMBER in self.path


def places_of(plans: Plans, kind: PlannedKind, now: PlannedKind, version: str) -> Iterator[Place]:
    """Yield the places of objects in one version of a kind."""
    roots = kind.root(version), now.root(version) if version in now.types else None
    yield from _below(plans, Place(kind.name, version, (), *roots), set())


def _below(plans: Plans, top: Place, seen: set[tuple[TypeRef, TypeRef | None]]) -> Iterator[Place]:
    """Yield a place and those in its objects.

    Of two objects of one type only the first is followed: both are touched in the same way.
    """
    work = deque([top])
    while work:
        place = work.popleft()
        yield place
        if (place.before, place.after) not in seen:
            seen.add((place.before, place.after))
            for name in plans.before.plan.types[place.before]:
                work.extend(_inside(plans, place, name))


def _inside(plans: Plans, place: Place, name: str) -> Iterator[Place]:
    """Yield the place of the objects in a property, if it holds some."""
    type_ = plans.before.plan.types[place.before][name]
    inner = object_within(type_)
    if inner is not None:
        steps = (name, *_steps(type_))
        after = place.after
        found = None if after is None else type_at(plans.after.plan, after, steps)
        ref = found.type if isinstance(found, Ref) else None
        yield replace(place, path=(*place.path, *steps), before=inner, after=ref)


def _steps(type_: Type) -> Path:
    """Return the steps from a property to the objects in it, one for each list or map."""
    match type_:
        case ListOf(item=inner) | MapOf(value=inner):
            return ("*", *_steps(inner))
        case _:
            return ()


def find_entries(plans: Plans, places: list[Place], entries: dict[Place, list[Entry]]) -> None:
    """Find the entries of the bags at places, and add the places of objects in these entries."""
    seen = {(place.before, place.after) for place in places if place.is_kept}
    for place in places:  # which grow
        if place.before not in plans.entries:
            plans.entries[place.before] = list(_entries(plans.before, place.before))
        entries[place] = plans.entries[place.before]
        for origin, name, _ in entries[place]:
            ends = place.before, place.after
            was, is_ = (
                holder and _own(of, holder, origin, name)
                for of, holder in zip((plans.before, plans.after), ends, strict=True)
            )
            if was is None:
                continue
            kept = Place(place.kind, place.stored, (*place.path, BAG_MEMBER, origin), was, is_)
            for inner in _inside(plans, kept, name):
                if (inner.before, inner.after) not in seen:
                    places.extend(_below(plans, inner, seen))


def _own(plan: Standings, holder: TypeRef, origin: str, name: str) -> TypeRef | None:
    """Return the type of a version to which an entry of a holder's bag belongs."""
    if origin not in plan.plan.versions:
        return None
    return next(
        (way[0] for way in plan.ways(holder, origin) if name in plan.plan.types[way[0]]), None
    )


def _entries(plan: Standings, holder: TypeRef) -> Iterator[Entry]:
    """Yield origin, property and standing of all entries that objects of a type may hold.

    Entries of a two-way hook are named after members of the older side; plans name what a hook must
    claim.
    """
    for version in plan.plan.versions:
        if version == holder.version:
            continue
        seen = set()
        for way in plan.ways(holder, version):
            for name in plan.plan.types[way[0]]:
                standing = plan.standing(way, name)
                if standing is None or name in seen:
                    continue
                if standing.fate == "claimed" and standing.at == way[0]:
                    seen.add(name)
                    is_newer = standing.decisions[-1].side == "newer"
                    is_renamed = is_newer and name not in plan.plan.types[way[1]]
                    yield version, f"{RESIDUE_PREFIX}{'*' if is_renamed else name}", standing
                if standing.fate == "waits" or standing.may_be_kept:
                    seen.add(name)
                    yield version, name, standing
