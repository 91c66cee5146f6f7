"""Reading bag entries of an earlier plan under the current one.

The bag keeps an entry because the version of its document could not show the property. After a
change of the schema, that version, or one between, may show it. Such an entry is converted by the
current plan, from the version whose shape it has to the version of the document, and is used unless
the live object has a value for it. Kept values may contain objects with their own bags, which are
read in the same way, at the version whose shape they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from holdall.carriers.bagged import (
    Bagged,
    additions_to,
    bag_of,
    differ,
    put_missing,
    shown_by,
)
from holdall.carriers.edge_ways import (
    EdgeWays,
    Twin,
    entry_path,
    hook_of,
    keeps,
    name_along,
    nested,
    set_aside_hidden,
)
from holdall.carriers.hook_residues import place_residues, use_own_residues
from holdall.carriers.noting import Noting
from holdall.carriers.reports import Dropped
from holdall.engine.lossy_pairs import Link
from holdall.errors import DecodeError, FunctionFailure, HoldallError
from holdall.objects.bag import BAG_MEMBER, is_mark, key_of, name_of
from holdall.objects.container_kinds import read_entry
from holdall.objects.shapes import holders_of, members_of, objects_within
from holdall.objects.stored_forms import Lifted
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue

_Entry: TypeAlias = "tuple[str, str, JsonValue]"
"""Origin, key and value of an entry."""


class Evolution:
    """Converts entries of one group's bags to the version of the object that has them.

    `crossings` are the source and destination types of all crossings, `order` are the versions,
    oldest first.
    """

    def __init__(
        self,
        crossings: Iterable[tuple[Twin, Twin]],
        order: Sequence[str],
        links: Sequence[Link] = (),
    ) -> None:
        self._ways = EdgeWays(crossings, order, links)
        self.noting = Noting(self._ways)
        self._unmoved: set[tuple[Any, ...]] = set()

    def settle(self, held: Bagged) -> list[Dropped | Unused]:
        """Use the entries of an object's bag that its version, or one on the way, can show now.

        An entry that cannot be converted, or that a hook handles, stays unchanged.
        """
        held.pass_on_residues(self._ways.rank)
        dropped: list[Dropped | Unused] = [*held.put_back()]
        dropped += place_residues(self._ways, held)
        dropped += self._put_unmoved(held)
        returned = self._take_returned(held)
        self._mark_gone(held)
        entries = [*bag_of(held.twin).entries()]
        # A residue may be beside another entry, and what that gives the object.
        for origin, key, _ in sorted(entries, key=lambda entry: held.was_shown(*entry[:2])):
            # Another entry may have taken its place, and been reported, if it says otherwise.
            if origin != held.version and bag_of(held.twin).has(origin, key):
                entry = origin, key, bag_of(held.twin)[origin][key]
                dropped += self._settle_entry(held, entry)
        # A value written after a version lost a property takes precedence over the older one.
        for entry in returned:
            origin, key, value = entry
            if bag_of(held.twin).has(origin, key):
                dropped.append(held.says_otherwise(origin, key))
            else:
                put_missing(held.twin, origin, key, value)
                dropped += self._settle_entry(held, entry)
                dropped += _unfit(held, entry)
        dropped += set_aside_hidden(self._ways, held)
        dropped += use_own_residues(held)
        held.forget_residues(self._ways.rank)
        return dropped

    def _settle_entry(self, held: Bagged, entry: _Entry) -> list[Dropped | Unused]:
        origin, key, value = entry
        twin = held.twin
        way = self._ways.of_entry(type(twin), held.version, origin, key)
        if not way:
            return []
        path = entry_path(way[0], key)
        if path[0] in hook_of(way).keys:
            return []
        dropped: list[Dropped | Unused] = []
        if key in holders_of(way[0]):
            value = self._settle_within(held, way[0], entry, dropped)
            bag_of(twin).put(origin, key, value)
        try:
            given = self._ways.convert(way, nested(path, {path[-1]: value}))
            blank = self._ways.convert(way, nested(path, {}))
        except HoldallError as error:
            name = name_along(way, key) if isinstance(error, FunctionFailure) else None
            if name in shown_by(twin):
                # A conversion would drop it, and say nothing.
                dropped.append(held.drop(origin, key))
            elif name is not None:
                dropped.append(held.set_aside(origin, key, str(error)))
            else:
                held.hidden.append((origin, key, way))
            return dropped
        is_lossy = bag_of(given).has(origin, key)
        shows, shows_blank = shown_by(given), shown_by(blank)
        is_made = len(way) > 1 and key in way[0].crossings_[way[1]].stashed
        is_shown = shows != shows_blank
        if is_made and not (is_lossy or is_shown or additions_to(twin, given, blank).entries):
            return dropped  # only the default of an empty object has this value
        # A moved value is kept under its path only as residue.
        was_shown = held.was_shown(origin, key) or len(path) > 1
        live, shown = twin, shows.keys() - shows_blank.keys()
        if is_lossy and not is_shown:
            moved = None if len(path) > 1 else self._moved(held, (origin, key, value))
            if moved is None:
                # Without the value shown now, it would look like the residue of a deleted value.
                for add in additions_to(twin, given, blank).entries:
                    add()
                held.hidden.append((origin, key, way))
                return dropped
            live, given, blank = moved
        elif is_lossy and (held.known is None or was_shown):
            if shown and was_shown and differ(value, given, twin, shown):
                # A client edited or deleted it; but it may have been shown by another name, or in
                # another way.
                dropped.append(held.drop(origin, key))
            return dropped
        bag = bag_of(twin)
        bag.drop(origin, key)
        twin.property_bag = bag or None
        values, entries = additions_to(live, given, blank, over_defaults=not was_shown)
        # Converting merges a residue with an edit; a deleted value stays deleted.
        agrees = not values and (values == [] or bool(entries)) if was_shown else values is not None
        if agrees and values is None and self._ways.hide(way[::-1], live, shown):
            agrees = False  # a conversion would take the live value for an edit
        if was_shown and key in hook_of(way).reads:
            agrees = values == [] and bool(shown)  # otherwise the hook silently ignores it
        if not is_shown and self._ways.shows_already(live, way, given, blank):
            agrees = False  # no conversion would use or report it
        if agrees:
            if not was_shown:
                dropped += held.drop_outdated(origin, given, blank)
            others = [*filter(None, [add() for add in (*(values or ()), *entries)])]
            if others:  # the first of two entries for one place counts
                dropped.append(held.says_otherwise(origin, key, others[0]))
            for add in entries:
                dropped += self._set_aside_within(held, *add.args[:3])
        else:
            dropped.append(held.says_otherwise(origin, key))
        return dropped

    def _set_aside_within(
        self, held: Bagged, obj: StorageObject, origin: str, key: str
    ) -> Iterator[Dropped | Unused]:
        """Set aside an entry that was put into the bag of an object inside, if that has another
        value in its place."""
        way = self._ways.of_entry(type(obj), held.version, origin, key)
        if not way or obj.members_ is held.twin.members_:
            return
        for address, inner in objects_within(held.twin, held.address):
            if isinstance(inner, StorageObject) and inner.members_ is obj.members_:
                within = replace(held, twin=inner, address=address, hidden=[(origin, key, way)])
                yield from set_aside_hidden(self._ways, within)

    def _settle_within(
        self, held: Bagged, cls: Twin, entry: _Entry, dropped: list[Dropped | Unused]
    ) -> JsonValue:
        """Return the value of an entry with the bags in it settled; `dropped` gets the reports."""
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
            id(child.members_): (obj, member.name)
            for _, obj in found
            for member in holders_of(type(obj)).values()
            if isinstance(child := getattr(obj, member.attribute), StorageObject)
        }
        for address, obj in found:
            if obj.property_bag is not None:
                dropped += self.settle(Bagged(obj, version, address, held.known, owners))
            self._keep_gone(obj, version)
        settled: JsonValue = cls.open_wire(holder.write_members())[name]
        return settled

    def _take_returned(self, held: Bagged) -> list[_Entry]:
        """Take out of a bag the entries whose version has their property again.

        Entries of the object's own version are not marked if no other version has the property.
        """
        bag, cls = bag_of(held.twin), type(held.twin)
        gone = {origin: bag.gone(origin) for origin in bag}
        found = [
            (origin, key, value)
            for origin, key, value in bag.entries()
            if (key in gone[origin] or (origin == held.version and key in members_of(cls)))
            and self._ways.of_entry(cls, held.version, origin, key)
        ]
        for origin, key, _ in found:
            bag.drop(origin, key)
        return found

    def _put_unmoved(self, held: Bagged) -> Iterator[Dropped]:
        """Put values that no longer move into the kept object that they were in.

        Nothing would search for them under their path.
        """
        for origin, key, value in [*bag_of(held.twin).entries()]:
            path = self._ways.unmoved(type(held.twin), held.version, origin, key)
            if path and not held.put_within(origin, key, path, value):
                yield held.says_otherwise(origin, key, origin)

    def _mark_gone(self, held: Bagged) -> None:
        """Mark the entries whose version no longer has their property.

        If a neighbour of that version still has a property of this name, the entry would look like
        an undeclared member that was kept there, and return as one. Undeclared members are kept
        only from that neighbour on, and never as residue.
        """
        bag = bag_of(held.twin)
        for origin, entries in bag.items():
            if origin == held.version or origin not in self._ways.rank:
                continue
            ways, partnered = (
                self._ways.to(type(held.twin), held.version, origin),
                held.with_partner(origin),
            )
            gone = [
                key
                for key in entries
                if ways
                and not is_mark(key)
                and all(self._was_declared(way, name_of(key), key in partnered) for way in ways)
            ]
            if gone:
                bag.mark_gone(origin, *gone)

    def _keep_gone(self, obj: StorageObject, version: str) -> None:
        """Remove properties that their version no longer has from an object in a kept value.

        They would look like undeclared members, which an API server prunes.
        """
        cls, extras, bag = type(obj), obj.extra_, bag_of(obj)
        gone: list[str] = []
        for name in [name for name in extras if name not in members_of(cls)]:
            peers = [peer for peer in self._ways.towards.get(cls, ()) if name in members_of(peer)]
            if peers and not any(name in hook_of((cls, peer)).extras for peer in peers):
                gone.append(key_of(name))
                bag.put(version, gone[-1], extras.pop(name))
        if gone:
            bag.mark_gone(version, *gone)
            obj.property_bag = bag

    def _was_declared(self, way: Sequence[Twin], name: str, had_partner: bool) -> bool:
        """Return whether an entry that passes for an undeclared member was a property before."""
        if entry_path(way[0], name):
            return False
        takes = name in members_of(way[1]) or name in hook_of(way).extras
        return had_partner or not takes

    def _moved(
        self, held: Bagged, entry: _Entry
    ) -> tuple[StorageObject, StorageObject, StorageObject] | None:
        """Return the object above into which a move takes an entry, None if there is none.

        Also return the converted object with only the entry, and the one without it.
        """
        origin, key, value = entry
        above: list[tuple[StorageObject, str]] = []
        holder = held.twin
        while (owner := held.owners.get(id(holder.members_))) is not None:
            above.append(owner)
            holder = owner[0]
        place = type(held.twin), origin, key, tuple((type(obj), name) for obj, name in above)
        if place in self._unmoved:
            return None
        members, blanks = {key: value}, dict[str, Any]()
        names = {key}  # a version may hide an object with nothing but the entry
        for live, shown in above:
            for way in self._ways.to(type(live), held.version, origin):
                name = name_along(way[::-1], shown)
                if name is not None:
                    members, blanks = {name: members}, {name: blanks}
                    names.add(name)
                    break
            else:
                break
            try:
                given, blank = self._ways.convert(way, members), self._ways.convert(way, blanks)
            except HoldallError:
                return None
            lifted: Lifted = []
            given.write_members(lifted)
            if not any(keeps({BAG_MEMBER: bag}, origin, names) for _, bag in lifted):
                return live, given, blank
        self._unmoved.add(place)
        return None


def _unfit(held: Bagged, entry: _Entry) -> Iterator[Unused]:
    """Set aside and report an entry of an object's own version that does not fit its type."""
    origin, key, value = entry
    bag = bag_of(held.twin)
    if origin == held.version and bag.has(origin, key):
        try:
            read_entry(type(held.twin), name_of(key), value)
        except DecodeError as error:
            yield held.set_aside(origin, key, str(error))
