"""Bag entries that were put away under an earlier plan, read under the plan of today.

An entry waits in the bag because the version of its document could not show the property. After a
change of the schema that version, or one between, may be able to. Such an entry is converted by
the plan of today, from the version whose shape it has to the version of the document, and is used
where the live object says nothing of it. What waits may hold objects with bags of their own: these
are read the same way, at the version whose shape they have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from holdall import json as _json
from holdall.bag import BAG_MEMBER, PropertyBag
from holdall.carriers.addresses import holders_of
from holdall.carriers.envelope import Bag, Residues
from holdall.edges import Crossing
from holdall.errors import DecodeError, HoldallError
from holdall.objects import Lifted, Object, StorageObject, new
from holdall.pointer import join
from holdall.shapes import ValueShape, members_of, objects_within, shape_of
from holdall.types import JsonObject, JsonValue, is_json_object

_Twin: TypeAlias = type[StorageObject]
Owners: TypeAlias = "Mapping[int, tuple[StorageObject, str]]"
"""By the identity of an object, the object that holds it and the member's wire name."""


class Superseded(NamedTuple):
    """An entry that was dropped, as its object, of the shape of `version`, says otherwise."""

    address: str
    version: str
    origin: str
    key: str


class Evolution:
    """How entries of one group's bags reach the version of the object that holds them.

    `crossings` are both directions of all edges by the types at their ends, `order` are the
    versions, oldest first.
    """

    __slots__ = ("_crossings", "_partners", "_rank", "_towards", "_unmoved", "_ways")

    def __init__(
        self, crossings: Mapping[tuple[_Twin, _Twin], Crossing], order: Sequence[str]
    ) -> None:
        self._crossings = crossings
        self._rank = {version: index for index, version in enumerate(order)}
        self._towards: dict[_Twin, list[_Twin]] = {}
        for source, destination in crossings:
            self._towards.setdefault(source, []).append(destination)
        self._partners: dict[tuple[_Twin, str], frozenset[str]] = {}
        self._unmoved: set[tuple[Any, ...]] = set()
        self._ways: dict[tuple[_Twin, str], list[Sequence[_Twin]]] = {}

    def residues(self, address: str, holder: _Twin, version: str, bag: Bag) -> dict[str, Residues]:
        """Return which entries of a bag are residues: their property has a partner on the way.

        They stand under the address of the bag, those of bags within its values under what leads
        there.
        """
        found: dict[str, Residues] = {}
        for origin, entries in bag.items():
            if origin == version:
                continue
            names = self._partnered(holder, version, origin)
            if not names.isdisjoint(entries):
                found.setdefault(address, {})[origin] = sorted(names.intersection(entries))
            for key, value in entries.items():
                way = self._way(holder, version, origin, key)
                held = holders_of(way[0]).get(key) if way else None
                if held is not None:
                    at = join(address, BAG_MEMBER, origin, key)
                    for inner, cls, within in _bags(held.value, value, at):
                        found.update(self.residues(inner, cls, origin, within))
        return found

    def settle(
        self,
        twin: StorageObject,
        version: str,
        address: str,
        known: Mapping[str, Residues] | None,
        owners: Owners,
    ) -> list[Superseded]:
        """Use the entries of a twin's bag that its version, or one on the way, can show by now.

        `known` are the residues by address: what was kept beside what was shown of it; None if
        that is not known. `owners` lead to the objects above, into which a property may have moved.
        An entry that cannot be converted, or that a hook takes care of, stays as it is.
        """
        dropped: list[Superseded] = []
        residues = None if known is None else known.get(address, {})
        entries = [] if twin.property_bag is None else [*twin.property_bag.entries()]
        for origin, key, value in entries:
            way = self._way(type(twin), version, origin, key) if origin != version else ()
            if len(way) < 2 or self._is_of_hook(way, key):
                continue
            if key in holders_of(way[0]):
                place = join(address, BAG_MEMBER, origin)
                inside, value = self._settle_within(way[0], origin, {key: value}, place, known)
                dropped.extend(inside)
                _bag(twin).put(origin, key, value)
            try:
                given = self._converted(way, {key: value})
                blank = self._converted(way, {})
            except HoldallError:
                continue
            is_lossy = _bag(given).has(origin, key)
            is_shown = given.write_members([]) != blank.write_members([])
            was_shown = residues is not None and key in residues.get(origin, ())
            live = twin
            if is_lossy and not is_shown:
                moved = self._moved(twin, version, (origin, key, value), owners)
                if moved is None:
                    continue
                live, given, blank = moved
            elif is_lossy and (residues is None or was_shown):
                continue
            bag = _bag(twin)
            bag.drop(origin, key)
            twin.property_bag = bag or None
            additions = _additions(live, given, blank)
            if additions is None or (was_shown and additions):
                dropped.append(Superseded(address, version, origin, key))
            else:
                for add in additions:
                    add()
        return dropped

    def _settle_within(
        self,
        cls: _Twin,
        version: str,
        waiting: JsonObject,
        address: str,
        known: Mapping[str, Residues] | None,
    ) -> tuple[list[Superseded], JsonValue]:
        """Return a waiting property of a type with the bags in its value settled."""
        ((name, value),) = waiting.items()
        try:
            holder = cls.read_members(_json.copy(waiting))
        except (DecodeError, TypeError, ValueError):
            return [], value
        dropped: list[Superseded] = []
        found = [
            (at, obj)
            for at, obj in objects_within(holder, address)
            if isinstance(obj, StorageObject)
        ]
        owners = {
            id(held): (obj, member.name)
            for _, obj in found
            for member in holders_of(type(obj)).values()
            if (held := getattr(obj, member.attribute)) is not None
        }
        for at, obj in found:
            if obj.property_bag is not None:
                dropped.extend(self.settle(obj, version, at, known, owners))
        return dropped, holder.write_members()[name]

    def _moved(
        self,
        twin: StorageObject,
        version: str,
        entry: tuple[str, str, Any],
        owners: Owners,
    ) -> tuple[StorageObject, StorageObject, StorageObject] | None:
        """Return the object above a twin into which a move takes an entry, None if there is none.

        With it stand what it is with nothing but the entry, and with nothing.
        """
        origin, key, value = entry
        above: list[tuple[StorageObject, str]] = []
        holder = twin
        while (owner := owners.get(id(holder))) is not None:
            above.append(owner)
            holder = owner[0]
        place = type(twin), origin, key, tuple((type(obj), name) for obj, name in above)
        if place in self._unmoved:
            return None
        members, blanks = {key: value}, dict[str, Any]()
        for live, shown in above:
            for way in self._ways_from(type(live), version, origin):
                name: str | None = shown
                for source, destination in pairwise(reversed(way)):
                    name = name and self._crossings[source, destination].partner(name)
                if name is not None:
                    members, blanks = {name: members}, {name: blanks}
                    break
            else:
                break
            try:
                given, blank = self._converted(way, members), self._converted(way, blanks)
            except HoldallError:
                return None
            lifted: Lifted = []
            given.write_members(lifted)
            if not any(bag.has(origin, key) for _, bag in lifted):
                return live, given, blank
        self._unmoved.add(place)
        return None

    def _is_of_hook(self, way: Sequence[_Twin], key: str) -> bool:
        names = self._crossings[way[0], way[1]].hook_names
        return names is not None and (key in names.reads or key in names.keys)

    def _partnered(self, holder: _Twin, version: str, origin: str) -> frozenset[str]:
        """Return the properties of a version that have partners on the way to a holder."""
        names = self._partners.get((holder, origin))
        if names is None:
            if origin not in self._rank:
                return frozenset()
            found: dict[str, bool] = {}
            for way in self._ways_from(holder, version, origin):
                for name in members_of(way[0]) if len(way) > 1 else ():
                    has_partner = self._crossings[way[0], way[1]].partner(name) is not None
                    found[name] = has_partner and found.get(name, True)
            names = frozenset(name for name, has_partner in found.items() if has_partner)
            self._partners[holder, origin] = names
        return names

    def _way(self, holder: _Twin, version: str, origin: str, key: str) -> Sequence[_Twin]:
        """Return the types from that of an entry to that of its holder; none if there is no way."""
        if origin not in self._rank:
            return ()
        ways = self._ways_from(holder, version, origin)
        return next((way for way in ways if key in members_of(way[0])), ())

    def _ways_from(self, holder: _Twin, version: str, origin: str) -> list[Sequence[_Twin]]:
        known = self._ways.get((holder, origin))
        if known is None:
            known = self._ways[holder, origin] = [*self._shortest(holder, version, origin)]
        return known

    def _shortest(self, holder: _Twin, version: str, origin: str) -> Iterator[Sequence[_Twin]]:
        """Yield the ways from each type of a version to a holder, the shortest first."""
        queue: deque[tuple[tuple[_Twin, ...], str]] = deque([((holder,), version)])
        seen = {holder}
        while queue:
            way, at = queue.popleft()
            if at == origin:
                yield way
                continue
            for peer in self._towards.get(way[0], ()):
                if peer not in seen:
                    seen.add(peer)
                    queue.append(((peer, *way), self._crossings[way[0], peer].destination))

    def _converted(self, way: Sequence[_Twin], members: dict[str, Any]) -> StorageObject:
        """Return an object with nothing but some members at the end of a way."""
        twin: Any = way[0].read_members(members)
        for cls in way[1:]:
            crossing = self._crossings[type(twin), cls]
            destination: Any = new(cls)
            if self._rank[crossing.source] < self._rank[crossing.destination]:
                twin.assign_properties_to(destination)
            else:
                destination.assign_properties_from(twin)
            twin = destination
        found: StorageObject = twin
        return found


def _bags(shape: ValueShape, value: JsonValue, address: str) -> Iterator[tuple[str, _Twin, Bag]]:
    """Yield the bags in the stored JSON of a value, each with its address and its holder's type."""
    if isinstance(value, dict):
        if shape.container == "map" and shape.item is not None:
            for key, item in value.items():
                yield from _bags(shape.item, item, join(address, key))
        elif shape.type is not None and issubclass(shape.type, StorageObject):
            bag = value.get(BAG_MEMBER)
            if is_json_object(bag):
                origins = {it: entries for it, entries in bag.items() if is_json_object(entries)}
                yield address, shape.type, origins
            for name, member in holders_of(shape.type).items():
                yield from _bags(member.value, value.get(name), join(address, name))
    elif isinstance(value, list) and shape.container == "list" and shape.item is not None:
        for index, item in enumerate(value):
            yield from _bags(shape.item, item, join(address, index))


def _additions(live: Any, given: Any, blank: Any) -> list[Callable[[], None]] | None:
    """Return what gives a live object what another one has beyond a blank one.

    None if the live object says something else already, null included.
    """
    additions: list[Callable[[], None]] = []
    for name, member in shape_of(type(live)).members.items():
        there, is_null = getattr(given, member.attribute), name in given.extra_
        base = None if blank is None else getattr(blank, member.attribute)
        was_null = blank is not None and name in blank.extra_
        if (there is None and not is_null) or (
            _written(there) == _written(base) and is_null == was_null
        ):
            continue
        here = getattr(live, member.attribute)
        if here is None and name not in live.extra_:
            additions.append(partial(_set, live, name, member.attribute, there))
        elif isinstance(here, Object) and isinstance(there, Object):
            inner = _additions(here, there, base)
            if inner is None:
                return None
            additions += inner
        elif _written(here) != _written(there):
            return None
    for origin, key, value in _bag(given).entries():
        if blank is None or not _bag(blank).has(origin, key):
            additions.append(partial(_put, live, origin, key, value))
    return additions


def _set(live: Any, name: str, attribute: str, value: Any) -> None:
    setattr(live, attribute, value)
    if value is None:
        live.extra_[name] = None


def _put(live: Any, origin: str, key: str, value: Any) -> None:
    bag = _bag(live)
    if not bag.has(origin, key):
        bag.put(origin, key, value)
    live.property_bag = bag


def _bag(twin: Any) -> PropertyBag:
    """Return the bag of a twin, an empty one if it has none."""
    return PropertyBag() if twin.property_bag is None else twin.property_bag


def _written(value: Any) -> Any:
    """Return a value with objects in it as JSON."""
    if isinstance(value, Object):
        return value.write_members()
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return value
