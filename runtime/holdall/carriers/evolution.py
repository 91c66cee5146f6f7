"""Bag entries that were stored under an earlier plan, read under the plan of today.

The bag keeps an entry because the version of its document could not show the property. After a
change of the schema that version, or one between, may be able to. Such an entry is converted by
the plan of today, from the version whose shape it has to the version of the document, and is used
where the live object says nothing of it. What waits may hold objects with bags of their own: these
are read the same way, at the version whose shape they have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from holdall.carriers.additions import additions_to, bag_of, differ, put_missing
from holdall.carriers.bagged import Bagged, Superseded
from holdall.carriers.entry_paths import entry_path, keeps, name_along, nested
from holdall.carriers.envelope import Bag, Residues, hold_any
from holdall.carriers.waiting import Waiting
from holdall.engine.edges import Crossing
from holdall.engine.lossy_pairs import Link
from holdall.errors import DecodeError, HoldallError
from holdall.objects.bag import BAG_MEMBER, is_mark, key_of, name_of
from holdall.objects.base import new
from holdall.objects.shapes import holders_of, members_of, objects_within
from holdall.objects.stored_forms import Lifted
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue

_Twin: TypeAlias = type[StorageObject]
_Found: TypeAlias = "dict[str, Residues]"
_Facts: TypeAlias = "tuple[frozenset[str], frozenset[str], Sequence[tuple[str, Waiting]]]"
"""Of a bag's origin: all keys that matter, those of residues, and those of values with bags."""
_Entry: TypeAlias = "tuple[str, str, JsonValue]"
"""Origin, key and value of an entry."""


class Evolution:
    """How entries of one group's bags reach the version of the object that holds them.

    `crossings` are both directions of all edges by the types at their ends, `order` are the
    versions, oldest first.
    """

    __slots__ = (
        "_crossings",
        "_facts",
        "_linked",
        "_partners",
        "_rank",
        "_towards",
        "_unmoved",
        "_ways",
    )

    def __init__(
        self,
        crossings: Mapping[tuple[_Twin, _Twin], Crossing],
        order: Sequence[str],
        links: Iterable[Link] = (),
    ) -> None:
        self._crossings = crossings
        self._rank = {version: index for index, version in enumerate(order)}
        self._towards: dict[_Twin, list[_Twin]] = {}
        for source, destination in crossings:
            self._towards.setdefault(source, []).append(destination)
        self._linked: dict[tuple[_Twin, str], set[_Twin]] = {}
        for link in links:
            for (_, cls, name), _, (_, other, _) in link.ways:
                self._linked.setdefault((cls, name), set()).add(other)
        self._partners: dict[tuple[_Twin, str], frozenset[str]] = {}
        self._unmoved: set[tuple[Any, ...]] = set()
        self._facts: dict[_Twin, dict[str, _Facts]] = {}
        self._ways: dict[tuple[_Twin, str], list[Sequence[_Twin]]] = {}

    def note_residues(self, holder: _Twin, at: str, bag: Bag, found: _Found) -> None:
        """Note which entries of a bag are residues: their property has a partner on the way.

        They stand under its address, those of bags in its values under what leads there.
        """
        facts = self._facts[holder] if holder in self._facts else self._learn(holder)
        for origin, entries in bag.items():
            if origin not in facts:
                continue  # there may be any name in a document
            keys, names, held = facts[origin]
            if keys.isdisjoint(entries):
                continue
            if residues := sorted(names.intersection(entries)):
                found.setdefault(at, {})[origin] = residues
            for key, waiting in held:
                if key in entries and waiting.has_bags(entries[key]):
                    below = join(at, BAG_MEMBER, origin, key)
                    for inner, cls, one in waiting.bags(entries[key], below):
                        self.note_residues(cls, inner, one, found)

    def concerns(self, holder: _Twin, bags: Sequence[Bag]) -> bool:
        """Tell whether there may be anything to note of bags, which may be many."""
        facts = self._facts[holder] if holder in self._facts else self._learn(holder)
        return len(bags) == 1 or any(hold_any(bags, origin, facts[origin][0]) for origin in facts)

    def _learn(self, holder: _Twin) -> dict[str, _Facts]:
        """Return what is to be known of entries by their origin, which is another version."""
        facts: dict[str, _Facts] = {}
        version = holder.VERSION
        for origin in self._rank:
            if origin != version:
                names = self._partnered(holder, version, origin)
                held = self._held(holder, version, origin)
                if names or held:
                    facts[origin] = names.union(key for key, _ in held), names, held
        self._facts[holder] = facts
        return facts

    def _held(self, holder: _Twin, version: str, origin: str) -> Sequence[tuple[str, Waiting]]:
        """Return the properties of a version whose values, in a holder's bag, have objects."""
        found: dict[str, Waiting] = {}
        for cls in [way[0] for way in reversed(self._ways_from(holder, version, origin))]:
            for name in members_of(cls):
                held = holders_of(cls).get(name)
                found.pop(name, None)
                if held is not None:
                    found[name] = Waiting(held.value)
        return (*found.items(),)

    def settle(self, held: Bagged) -> list[Superseded]:
        """Use the entries of an object's bag that its version, or one on the way, can show by now.

        An entry that cannot be converted, or that a hook takes care of, stays as it is.
        """
        held.pass_on_residues(self._rank)
        returned = self._take_returned(held)
        self._mark_gone(held)
        dropped: list[Superseded] = []
        for entry in [*bag_of(held.twin).entries()]:
            if entry[0] != held.version:
                dropped += self._settle_entry(held, entry)
        # What was written since a version lost a property says more than what it had.
        for entry in returned:
            origin, key, value = entry
            if bag_of(held.twin).has(origin, key):
                dropped.append(Superseded(held.address, held.version, origin, key))
            else:
                put_missing(held.twin, origin, key, value)
                dropped += self._settle_entry(held, entry)
        held.forget_residues(self._rank)
        return dropped

    def _settle_entry(self, held: Bagged, entry: _Entry) -> list[Superseded]:
        origin, key, value = entry
        twin = held.twin
        way = self._way(type(twin), held.version, origin, key)
        if not way:
            return []
        path = entry_path(way[0], key)
        if self._is_of_hook(way, path[0]):
            return []
        dropped: list[Superseded] = []
        if key in holders_of(way[0]):
            value = self._settle_within(held, way[0], entry, dropped)
            bag_of(twin).put(origin, key, value)
        try:
            given = self._converted(way, nested(path, {path[-1]: value}))
            blank = self._converted(way, nested(path, {}))
        except HoldallError:
            return dropped
        is_lossy = bag_of(given).has(origin, key)
        is_shown = given.write_members([]) != blank.write_members([])
        is_made = len(way) > 1 and key in self._crossings[way[0], way[1]].stashed
        if is_made and not (is_lossy or is_shown or additions_to(twin, given, blank).entries):
            return dropped  # The default of an empty object gives it: not that of this one.
        # What moves is kept under its path only next to what is shown of it.
        was_shown = held.was_shown(origin, key) or len(path) > 1
        live, shown = twin, given.write_members([]).keys() - blank.write_members([]).keys()
        if is_lossy and not is_shown:
            moved = None if len(path) > 1 else self._moved(held, (origin, key, value))
            if moved is None:
                # Without what a version shows now it would pass for that of a deleted value.
                for add in additions_to(twin, given, blank).entries:
                    add()
                name = (
                    name_along(self._crossings, way, key) if held.was_shown(origin, key) else None
                )
                if name in twin.write_members([]):
                    dropped.append(Superseded(held.address, held.version, origin, key))
                return dropped
            live, given, blank = moved
        elif is_lossy and (held.known is None or was_shown):
            if shown and held.was_shown(origin, key) and differ(value, given, twin, shown):
                # It goes as what a client edited or deleted goes; but it may have been shown by
                # another name, or in another way.
                dropped.append(Superseded(held.address, held.version, origin, key))
            return dropped
        elif not is_lossy and was_shown and held.may_have_hidden(entry, shown):
            was_shown = False
        bag = bag_of(twin)
        bag.drop(origin, key)
        twin.property_bag = bag or None
        values, entries = additions_to(live, given, blank, over_defaults=not was_shown)
        # A residue is merged with what was edited when it is converted; what was deleted stays so.
        agrees = not values and (values == [] or bool(entries)) if was_shown else values is not None
        if agrees:
            for add in (*(values or ()), *entries):
                add()
        else:
            dropped.append(Superseded(held.address, held.version, origin, key))
        return dropped

    def _settle_within(
        self, held: Bagged, cls: _Twin, entry: _Entry, dropped: list[Superseded]
    ) -> JsonValue:
        """Return the value of an entry with the bags in it settled; `dropped` takes the rest."""
        version, name, value = entry
        try:
            holder = cls.read_members({name: _json.copy(value)})
        except (DecodeError, TypeError, ValueError):
            return value
        found = [
            (address, obj)
            for address, obj in objects_within(holder, join(held.address, BAG_MEMBER, version))
            if isinstance(obj, StorageObject)
        ]
        owners = {
            id(child): (obj, member.name)
            for _, obj in found
            for member in holders_of(type(obj)).values()
            if (child := getattr(obj, member.attribute)) is not None
        }
        for address, obj in found:
            if obj.property_bag is not None:
                dropped += self.settle(Bagged(obj, version, address, held.known, owners))
            self._keep_gone(obj, version)
        settled: JsonValue = holder.write_members()[name]
        return settled

    def _take_returned(self, held: Bagged) -> list[_Entry]:
        """Take the entries out of a bag whose version has their property again."""
        bag = bag_of(held.twin)
        found = [
            entry
            for entry in bag.entries()
            if bag.is_gone(*entry[:2]) and self._way(type(held.twin), held.version, *entry[:2])
        ]
        for origin, key, _ in found:
            bag.drop(origin, key)
        return found

    def _mark_gone(self, held: Bagged) -> None:
        """Mark the entries whose version no longer has their property.

        Where a neighbour of that version still has one of the name, the entry would pass for an
        undeclared member that had to wait there, and return as such. Undeclared members wait only
        from that neighbour on, and never beside what is shown of them.
        """
        bag = bag_of(held.twin)
        for origin, key, _ in [*bag.entries()]:
            if origin == held.version or origin not in self._rank or is_mark(key):
                continue
            ways = self._ways_from(type(held.twin), held.version, origin)
            was_shown = held.was_shown(origin, key)
            if ways and all(self._was_declared(way, name_of(key), was_shown) for way in ways):
                bag.mark_gone(origin, key)

    def _keep_gone(self, obj: StorageObject, version: str) -> None:
        """Take properties that their version no longer has off an object in a kept value.

        There they would pass for undeclared members, which an API server prunes.
        """
        cls, extras, bag = type(obj), obj.extra_, bag_of(obj)
        for name in [name for name in extras if name not in members_of(cls)]:
            peers = [peer for peer in self._towards.get(cls, ()) if name in members_of(peer)]
            if peers and not any(self._is_extra_of_hook(cls, peer, name) for peer in peers):
                bag.put(version, key_of(name), extras.pop(name))
                bag.mark_gone(version, key_of(name))
                obj.property_bag = bag

    def _was_declared(self, way: Sequence[_Twin], name: str, was_shown: bool) -> bool:
        """Tell whether an entry that passes for an undeclared member was a property before."""
        if name in members_of(way[0]):
            return False
        takers = {
            peer
            for peer in self._towards[way[0]]
            if name in members_of(peer) or self._is_extra_of_hook(way[0], peer, name)
        }
        return bool(takers) and (was_shown or way[1] not in takers)

    def _is_extra_of_hook(self, cls: _Twin, peer: _Twin, name: str) -> bool:
        names = self._crossings[cls, peer].hook_names
        return names is not None and name in names.extras

    def _moved(
        self, held: Bagged, entry: _Entry
    ) -> tuple[StorageObject, StorageObject, StorageObject] | None:
        """Return the object above one into which a move takes an entry, None if there is none.

        With it stand what it is with nothing but the entry, and with nothing.
        """
        origin, key, value = entry
        above: list[tuple[StorageObject, str]] = []
        holder = held.twin
        while (owner := held.owners.get(id(holder))) is not None:
            above.append(owner)
            holder = owner[0]
        place = type(held.twin), origin, key, tuple((type(obj), name) for obj, name in above)
        if place in self._unmoved:
            return None
        members, blanks = {key: value}, dict[str, Any]()
        names = {key}  # a version may hide an object that holds nothing but the entry
        for live, shown in above:
            for way in self._ways_from(type(live), held.version, origin):
                name = name_along(self._crossings, way[::-1], shown)
                if name is not None:
                    members, blanks = {name: members}, {name: blanks}
                    names.add(name)
                    break
            else:
                break
            try:
                given, blank = self._converted(way, members), self._converted(way, blanks)
            except HoldallError:
                return None
            lifted: Lifted = []
            given.write_members(lifted)
            if not any(keeps({BAG_MEMBER: bag}, origin, names) for _, bag in lifted):
                return live, given, blank
        self._unmoved.add(place)
        return None

    def _is_of_hook(self, way: Sequence[_Twin], key: str) -> bool:
        if len(way) < 2:
            return False
        names = self._crossings[way[0], way[1]].hook_names
        return names is not None and (key in names.reads or key in names.keys)

    def _partnered(self, holder: _Twin, version: str, origin: str) -> frozenset[str]:
        """Return the properties of a version that have partners on the way to a holder.

        They may have moved, or be linked over a gap.
        """
        names = self._partners.get((holder, origin))
        if names is None:
            if origin not in self._rank:
                return frozenset()
            found: dict[str, bool] = {}
            for way in self._ways_from(holder, version, origin):
                for name in members_of(way[0]) if len(way) > 1 else ():
                    crossing = self._crossings[way[0], way[1]]
                    has_partner = (
                        crossing.partner(name) is not None
                        or (name,) in crossing.hops
                        or not self._linked.get((way[0], name), set()).isdisjoint(way)
                    )
                    found[name] = has_partner and found.get(name, True)
            names = frozenset(name for name, has_partner in found.items() if has_partner)
            self._partners[holder, origin] = names
        return names

    def _way(self, holder: _Twin, version: str, origin: str, key: str) -> Sequence[_Twin]:
        """Return the types from that of an entry to that of its holder; none if there is no way."""
        if origin not in self._rank:
            return ()
        ways = self._ways_from(holder, version, origin)
        return next((way for way in ways if entry_path(way[0], key)), ())

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
