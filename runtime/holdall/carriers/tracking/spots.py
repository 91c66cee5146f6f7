"""Spots: one place of an object in two neighbouring versions.

Paths of entries refer to `there`, the version of the entries; the members `here` belong to its
neighbour. Both directions of an edge use the same spots, so placing reads the paths that collecting
writes. A spot is made once for a pair of types.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from holdall.carriers.tracking.pieces import Piecewise
from holdall.engine.edges import Crossing, EdgeEntry
from holdall.engine.element_names import GUESSED_KEYS
from holdall.errors import DecodeError
from holdall.objects.per_type import PerType
from holdall.objects.shapes import Shaped, ValueShape, holders_of, holds_objects, shape_of
from holdall.objects.views import StorageTuple, StorageUnion
from holdall.plan.tracking import TrackedWhat
from holdall.text.json_path import Index, Name, Segment, format_member, format_segment

TwinType = type[Shaped]
Spot: TypeAlias = "ObjectSpot | ListSpot | MapSpot | None"
"""None is a plain value, or a value with another container here than there."""


class Member(NamedTuple):
    """A member there: its name in paths, and the name of its partner here, None without one.

    `there` and `here` are the shapes of both values if they have objects. Plain values that are
    converted element by element have `pieces`. A value that `is_whole` is made by a function or a
    constant, not by the converters of its objects. What is kept of it counts as `kept_as`.
    """

    part: str
    partner: str | None
    is_declared: bool = False
    spot: Spot = None
    there: ValueShape | None = None
    here: ValueShape | None = None
    pieces: Piecewise | None = None
    is_whole: bool = False
    kept_as: TrackedWhat = "changed"

    @property
    def is_alone(self) -> bool:
        """Whether it is declared, but vanishes in the conversion."""
        return self.is_declared and self.partner is None

    @property
    def is_union(self) -> bool:
        """Whether its value is a union here, which has its own entries."""
        spot = self.spot
        is_union = isinstance(spot, ObjectSpot) and issubclass(spot.here, StorageUnion)
        return is_union and not self.is_whole


_Child: TypeAlias = "tuple[str, str, ObjectSpot | ListSpot | MapSpot, Crossing | None, bool]"


class ObjectSpot:
    """An object: its types there and here, and its members.

    `children` are members with objects on both sides, in declaration order: the name in paths
    there, the name here, the spot, the crossing of such objects, and whether a function or a
    constant makes the whole value on the way back. `is_closed` says that the object is a union or
    tuple, which may be a string or list. `crossing` leads from there to here, if there is one.
    """

    def __init__(self, aliases: Aliases, there: Any, here: Any) -> None:
        self._aliases = aliases
        self.there = there
        self.here = here
        self.is_closed = issubclass(here, (StorageUnion, StorageTuple))
        self.children: list[_Child] = []
        self.crossing: Crossing | None = there.crossings_.get(here)
        self.members: dict[str, Member] = {}

    def complete(self, spots: Spots, order: Iterable[str]) -> None:
        """Find the members, which may contain objects of the same type."""
        is_tuple, held = issubclass(self.there, StorageTuple), holders_of(self.here)
        for name in order:
            part = format_segment(Index(int(name)) if is_tuple else Name(name))
            partner, crossing = self._partner(name), self.crossing
            there, here, spot = shape_of(self.there).members[name].value, None, None
            hop, _ = (crossing.hops if crossing else {}).get((name,), (None, None))
            pieces = crossing.piecewise.get(name) if crossing else None
            if partner is not None:
                member = shape_of(self.here).members[partner]
                spot = spots.value(there, member.value)
                here = member.value if partner in held else None
                inner = innermost(spot)
                if here is not None and spot is not None and inner is not None:
                    is_made = hop is not None and hop.here.is_declared
                    self.children.append((part, partner, spot, inner.crossing, is_made))
            self.members[name] = Member(
                format_member(name),
                partner,
                True,
                spot,
                there if holds_objects(there) else None,
                here,
                None if pieces is None else Piecewise(*pieces),
                hop is not None,
                "variants" if hop is not None and hop.here.of_variants else "changed",
            )

    def member(self, name: str) -> Member:
        """Return a member there, declared or not."""
        found = self.members.get(name)
        if found is None:
            found = Member(format_member(name), self._partner(name))
        return found

    def _partner(self, name: str) -> str | None:
        return None if self.crossing is None else self.crossing.partner(name)

    def known(self, name: str) -> str:
        """Return the wire name there for a name in an entry."""
        return name if name in self.members else self._aliases.known(self.there, name)

    @property
    def is_same(self) -> bool:
        """Whether the object here crosses unchanged, with everything in it."""
        return self.crossing is not None and self.crossing.opposite.same


def innermost(spot: Spot) -> ObjectSpot | None:
    """Return the spot of the objects in a value, None if there are none."""
    while isinstance(spot, (ListSpot, MapSpot)):
        spot = spot.item
    return spot


class Keys(NamedTuple):
    """What may identify elements: names of members here, and their comparisons in paths."""

    names: tuple[str, ...]
    parts: tuple[str, ...]


class ListSpot(NamedTuple):
    """A list: its elements here, their spot, and what identifies them: the list's keys, and those
    that both sides know.
    """

    shape: ValueShape
    item: Spot
    keys: tuple[str, ...]
    named: tuple[Keys, ...]


class MapSpot(NamedTuple):
    """A map: the spot of its values."""

    item: Spot


class Spots:
    """The spots of all pairs of types; `order` returns a type's members in declaration order."""

    def __init__(self, aliases: Aliases, order: Callable[[Any], Iterable[str]]) -> None:
        self._aliases = aliases
        self._order = order
        self._found = PerType(self._make)

    def object(self, there: TwinType, here: TwinType) -> ObjectSpot:
        """Return the spot of an object of a type."""
        return self._found.of((there, here))

    def _make(self, ends: tuple[TwinType, TwinType]) -> Iterator[ObjectSpot]:
        there, here = ends
        spot = ObjectSpot(self._aliases, there, here)
        yield spot
        spot.complete(self, self._order(there) or shape_of(there).attributes)

    def value(self, there: ValueShape, here: ValueShape) -> Spot:
        """Return the spot of a value."""
        if here.type is not None:
            return None if there.type is None else self.object(there.type, here.type)
        if here.item is None or there.item is None:
            return None
        item = self.value(there.item, here.item)
        if here.container == "map":
            return MapSpot(item)
        named = tuple(self._named(item, here.keys)) if isinstance(item, ObjectSpot) else ()
        return ListSpot(here.item, item, here.keys, named)

    def _named(self, item: ObjectSpot, own: tuple[str, ...]) -> Iterator[Keys]:
        back: Crossing | None = item.here.crossings_.get(item.there)
        if back is None:
            return
        for keys in (own,) if own else GUESSED_KEYS:
            names = [name for key in keys if (name := back.partner(key)) is not None]
            if len(names) == len(keys) and (
                own
                or all(
                    is_required(item.here, key) and is_required(item.there, name)
                    for key, name in zip(keys, names, strict=True)
                )
            ):
                yield Keys(keys, tuple(f"@{format_member(name)}==" for name in names))


class Aliases:
    """Looks up the names of properties in entries, over the edges of a scheme."""

    def __init__(self, edges: Iterable[EdgeEntry]) -> None:
        self._newer: dict[Any, list[TwinType]] = {}
        for entry in edges:
            self._newer.setdefault(entry.older, []).append(entry.newer)
        self._aliases: dict[TwinType, dict[str, str]] = {}

    def known(self, cls: TwinType, name: str) -> str:
        """Return the wire name of a property, given its name, attribute or a later name."""
        if name in shape_of(cls).names:
            return name
        aliases = self._aliases.get(cls)
        if aliases is None:
            aliases = self._aliases[cls] = self._find_aliases(cls)
        return aliases.get(name, name)

    def _find_aliases(self, cls: TwinType) -> dict[str, str]:
        aliases: dict[str, str] = {}
        for name, attribute in shape_of(cls).attributes.items():
            aliases.setdefault(attribute, name)
            for later, later_name in self._later(cls, name):
                aliases.setdefault(later_name, name)
                aliases.setdefault(shape_of(later).attributes[later_name], name)
        return aliases

    def _later(self, cls: Any, name: str) -> Iterator[tuple[TwinType, str]]:
        work = [(cls, name)]
        while work:
            here, known = work.pop()
            for newer in self._newer.get(here, []):
                partner = here.crossings_[newer].partner(known)
                if partner is not None:
                    yield newer, partner
                    work.append((newer, partner))


def is_required(cls: TwinType, name: str) -> bool:
    """Return whether the API type of a twin requires a property."""
    api = sys.modules.get(cls.__module__.rpartition(".")[0])
    found = getattr(api, cls.__name__, None)
    if found is None:
        return False
    member = shape_of(found).members.get(name)
    return member is not None and member.required


def known_name(spot: ObjectSpot, segment: Segment) -> str:
    """Return the name of the member there that a segment of a path names.

    Raises DecodeError if it names none.
    """
    if type(segment) is Index and issubclass(spot.there, StorageTuple):
        return str(segment.at)
    if type(segment) is not Name:
        raise DecodeError(f"an object has no element {format_segment(segment)}")
    return spot.known(segment.text)
