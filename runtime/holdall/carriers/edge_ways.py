"""The ways of single objects along edges, and which properties they keep.

Values that move between objects are kept in bags under the path of names that leads to them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

from holdall.carriers.bagged import Bagged, bag_of, shown_by
from holdall.carriers.reports import Dropped
from holdall.engine.edges import NO_HOOK, HookNames
from holdall.engine.hops import ABSENT, NOTHINGS, Hop, value_at
from holdall.engine.lossy_pairs import Link, peers_of
from holdall.errors import DecodeError, HoldallError
from holdall.objects.bag import BAG_MEMBER, PropertyBag
from holdall.objects.implied import is_default
from holdall.objects.shapes import holders_of, member_at, members_of
from holdall.objects.stored_forms import bare_value
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject
from holdall.text.json import copy, same
from holdall.types import JsonValue

Twin: TypeAlias = type[StorageObject]
_Valued: TypeAlias = "tuple[tuple[str, ...], JsonValue]"
"""The path of a property, and a value of it."""


class Partner(NamedTuple):
    """The last partner of a property on a way; and the hop to its first one, if that may lose
    values."""

    version: str
    name: str
    hop: Hop | None

    def shows(self, value: JsonValue) -> bool:
        """Return whether the partner shows part of a value of the property."""
        if self.hop is None or value is None:
            return True
        here = self.hop.here
        try:
            return here.retrace(here.form.read(value)) not in NOTHINGS
        except (DecodeError, TypeError, ValueError):
            return False


class EdgeWays:
    """Ways from the types of one version to those of another, over the fewest edges.

    `rank` orders versions by age, and `towards` says to which types a type converts.
    """

    def __init__(
        self,
        crossings: Iterable[tuple[Twin, Twin]],
        order: Sequence[str],
        links: Sequence[Link] = (),
    ) -> None:
        self.rank = {version: index for index, version in enumerate(order)}
        self.towards = peers_of(crossings, links)
        self._linked: dict[tuple[Twin, str], dict[Twin, tuple[str, Hop]]] = {}
        for link in links:
            for (_, cls, name), hop, (_, other, there) in link.ways:
                self._linked.setdefault((cls, name), {})[other] = there, hop
        self._partners: dict[tuple[Twin, str], Mapping[str, Sequence[Partner]]] = {}
        self._found: dict[tuple[Twin, str], list[Sequence[Twin]]] = {}

    def to(self, holder: Twin, version: str, origin: str) -> list[Sequence[Twin]]:
        """Return the ways to a holder from each type that its objects had, the shortest first.

        `version` is that of the holder, `origin` that of the types.
        """
        known = self._found.get((holder, origin))
        if known is None:
            known = self._found[holder, origin] = [*self._shortest(holder, version, origin)]
        return known

    def of_entry(self, holder: Twin, version: str, origin: str, key: str) -> Sequence[Twin]:
        """Return the types from an entry's to its holder's; none if there is no way."""
        if origin not in self.rank:
            return ()
        ways = self.to(holder, version, origin)
        return next((way for way in ways if entry_path(way[0], key)), ())

    def unmoved(self, holder: Twin, version: str, origin: str, key: str) -> Sequence[str]:
        """Return the path of a value that moved when an entry was kept, if it does not move now."""
        way = self.of_entry(holder, version, origin, key)
        path = entry_path(way[0], key) if way else ()
        moves = any(path in one.crossings_[other].hops for one, other in pairwise(way))
        return () if moves or len(path) < 2 else path

    def partnered(self, holder: Twin, version: str, origin: str) -> Mapping[str, Sequence[Partner]]:
        """Return the properties of a version that have partners on the way to a holder.

        Each has the last partner on each way, or none if it moves. Partners may be linked over a
        gap.
        """
        partners = self._partners.get((holder, origin))
        if partners is None:
            if origin not in self.rank:
                return {}
            found: dict[str, list[Sequence[Partner] | None]] = {}
            for way in self.to(holder, version, origin):
                for name in members_of(way[0]) if len(way) > 1 else ():
                    found.setdefault(name, []).append(self._last_partner(way, name))
            partners = self._partners[holder, origin] = {
                name: [*chain(*filter(None, ends))] if all(ends) else ()
                for name, ends in found.items()
                if None not in ends
            }
        return partners

    def _last_partner(self, way: Sequence[Twin], name: str) -> Sequence[Partner] | None:
        """Return the last partner of a property on a way; nothing if it moves, None without any."""
        at, first = 0, None
        path: tuple[str, ...] = (name,)
        while step := self._step(way, at, path):
            there, path, hop = step
            if len(path) != 1:
                return ()
            at, first = there, first if at else hop
        if not at:
            return None
        if at + 1 < len(way):
            crossing = way[at].crossings_[way[at + 1]]
            if path[0] in crossing.left or path[0] in crossing.hook_names.reads:
                return ()  # a hook makes something of it
        return [Partner(way[at].VERSION, path[0], first)]

    def _step(
        self, way: Sequence[Twin], at: int, path: tuple[str, ...]
    ) -> tuple[int, tuple[str, ...], Hop | None] | None:
        """Return where the next partner of a property on a way is: at which type, its path there,
        and the hop that leads to it; None if it has none."""
        if at + 1 == len(way):
            return None
        crossing, name = way[at].crossings_[way[at + 1]], path[0] if len(path) == 1 else ""
        if path in crossing.hops:
            hop, there = crossing.hops[path]
            return at + 1, there, hop
        if name and (partner := crossing.partner(name)) is not None:
            return at + 1, (partner,), None
        linked = self._linked.get((way[at], name), {})
        for index in range(at + 1, len(way)):
            if way[index] in linked:
                name, hop = linked[way[index]]
                return index, (name,), hop
        return None

    def brings(self, way: Sequence[Twin], name: str, bag: PropertyBag) -> bool:
        """Return whether a property at the start of a way is at its end, or in the bag there."""
        if len(way) == 1:
            return True
        crossing = way[0].crossings_[way[1]]
        if name in crossing.left or name in crossing.hook_names.reads:
            return True
        ends = self._last_partner(way, name)
        if ends is None:
            return bag.has(way[0].VERSION, name)
        version = way[-1].VERSION
        return not ends or any(
            end.version == version or bag.has(end.version, end.name) for end in ends
        )

    def convert(self, way: Sequence[Twin], members: dict[str, Any]) -> StorageObject:
        """Convert an object with only some members to the end of a way."""
        twin: Any = way[0].read_members(members)
        for cls in way[1:]:
            crossing = type(twin).crossings_[cls]
            destination: Any = cls.__new__(cls)
            if self.rank[crossing.source] < self.rank[crossing.destination]:
                twin.assign_properties_to(destination)
            else:
                destination.assign_properties_from(twin)
            twin = destination
        found: StorageObject = twin
        return found

    def shows_already(self, twin: Any, way: Sequence[Twin], given: Any, blank: Any) -> bool:
        """Return whether an object already shows what would be kept of a version on its way.

        `given` is the converted object with that value, and `blank` the one without.
        """
        kept, versions = bag_of(blank), [cls.VERSION for cls in way]
        for origin, key, _ in bag_of(given).entries():
            rest = way[versions.index(origin) :] if origin in versions else ()
            path = entry_path(rest[0], key) if len(rest) > 1 and not kept.has(origin, key) else ()
            steps = [*self._partners_along(rest, path)] if path else []
            if steps and steps[-1][0] is way[-1] and is_value_at(shown_by(twin), *steps[-1]):
                return True
        return False

    def replaced_at(
        self, twin: StorageObject, way: Sequence[Twin], key: str, *, over_defaults: bool
    ) -> str:
        """Return the version that has another value instead of an entry; "" if none has.

        The object, at the end of the way, shows nothing of the entry; `over_defaults`, what servers
        fill in is not a value. Of two entries at the ends of a gap the newer one is replaced.
        """
        bag, origin = bag_of(twin), way[0].VERSION
        path, entry = entry_path(way[0], key), bag[origin][key]
        for cls, there in self._partners_along(way, path):
            is_live = cls is way[-1]
            held = shown_by(twin) if is_live else bag.get(cls.VERSION, {})
            if not is_value_at(held, cls, there, over_defaults):
                continue
            ends = (path, entry), (there, value_at(held, there))
            until = way[: way.index(cls) + 1]
            if not self._merge(way, key, *ends) if is_live else self._differ(until, *ends):
                return cls.VERSION
        for cls, (name, _) in self._linked.get((way[0], key), {}).items():
            kept = bag.get(cls.VERSION, {})
            is_later = self.rank[origin] > self.rank[cls.VERSION] and cls not in way
            if not is_later or not is_value_at(kept, cls, (name,), over_defaults):
                continue
            over = next(it for it in self.to(cls, cls.VERSION, origin) if it[0] is way[0])
            if self._differ(over, (path, entry), ((name,), kept[name])):
                return cls.VERSION
        return ""

    def _merge(self, way: Sequence[Twin], key: str, one: _Valued, other: _Valued) -> bool:
        """Return whether a conversion merges an entry into the value at the end of its way."""
        back, (path, value) = way[::-1], other
        bag = {way[0].VERSION: {key: copy(one[1])}}
        try:
            made = self.convert(back, {**nested(path, {path[-1]: value}), BAG_MEMBER: bag})
            alone = self.convert(back, nested(path, {path[-1]: value}))
        except HoldallError:
            return False
        return shown_by(made) != shown_by(alone)

    def _differ(self, way: Sequence[Twin], one: _Valued, other: _Valued) -> bool:
        """Return whether none of two values, at the ends of a way, is made of the other."""
        for over, (path, value), (goal, there) in (way, one, other), (way[::-1], other, one):
            with suppress(HoldallError):
                made = self.convert(over, nested(path, {path[-1]: value}))
                member = member_at(over[-1], goal)
                found = value_at(shown_by(made), goal)
                if member and found is not ABSENT and same(found, bare_value(member.value, there)):
                    return False
        return True

    def _partners_along(
        self, way: Sequence[Twin], path: tuple[str, ...]
    ) -> Iterator[tuple[Twin, tuple[str, ...]]]:
        """Yield the types on a way that have a property of the first one, with the path there."""
        at = 0
        while step := self._step(way, at, path):
            at, path, _ = step
            yield way[at], path

    def hide(self, way: Sequence[Twin], twin: StorageObject, names: Iterable[str]) -> bool:
        """Return whether a way's end shows nothing of some members of an object at its start."""
        shown = shown_by(twin)
        members = {name: shown[name] for name in names if name in shown}
        if not members:
            return False
        try:
            given, blank = self.convert(way, members), self.convert(way, {})
        except HoldallError:
            return True
        return shown_by(given) == shown_by(blank)

    def _shortest(self, holder: Twin, version: str, origin: str) -> Iterator[Sequence[Twin]]:
        queue: deque[tuple[tuple[Twin, ...], str]] = deque([((holder,), version)])
        seen = {holder}
        while queue:
            way, at = queue.popleft()
            if at == origin:
                yield way
                continue
            for peer in self.towards.get(way[0], ()):
                if peer not in seen:
                    seen.add(peer)
                    queue.append(((peer, *way), peer.VERSION))


def hook_of(way: Sequence[Twin]) -> HookNames:
    """Return the names claimed by the hook of the first edge of a way; none without a hook."""
    found: HookNames = way[0].crossings_[way[1]].hook_names if len(way) > 1 else NO_HOOK
    return found


def entry_path(cls: type[StorageObject], key: str) -> tuple[str, ...]:
    """Return the path of wire names in an entry's key; none if there is no such property."""
    if key in members_of(cls):
        return (key,)
    name, _, rest = key.partition("/")
    held = holders_of(cls).get(name)
    inner = entry_path(held.value.type, rest) if rest and held and held.value.type else ()  # type: ignore[arg-type]
    return (name, *inner) if inner else ()


def nested(path: Sequence[str], members: dict[str, Any]) -> dict[str, Any]:
    """Return members nested in the objects on a path."""
    for name in reversed(path[:-1]):
        members = {name: members}
    return members


def keeps(value: Any, origin: str, names: set[str]) -> bool:
    """Return whether a bag in a kept value, at any depth, has an entry with one of these names."""
    if isinstance(value, list):
        return any(keeps(item, origin, names) for item in value)
    if not isinstance(value, dict):
        return False
    bag = value.get(BAG_MEMBER)
    entries = bag.get(origin) if isinstance(bag, dict) else None
    if isinstance(entries, dict) and not names.isdisjoint(entries):
        return True
    return any(keeps(item, origin, names) for item in value.values())


def name_along(way: Sequence[Any], name: str | None) -> str | None:
    """Return the name of the first type's property in the last type of a way, if it has it."""
    for source, destination in pairwise(way):
        name = name and source.crossings_[destination].partner(name)
    return name


def is_value_at(
    members: Mapping[str, Any], cls: Twin, path: tuple[str, ...], over_defaults: bool = False
) -> bool:
    """Return whether members of a type have a value at a path.

    `over_defaults`, what servers fill in is not a value.
    """
    value, member = value_at(members, path), member_at(cls, path)
    if value is ABSENT or member is None:
        return False
    return not over_defaults or not is_default(value, member)


def set_aside_hidden(ways: EdgeWays, held: Bagged) -> Iterator[Dropped | Unused]:
    """Set aside the hidden entries in whose place there is something else, and say so.

    A conversion would take them for the residue of a value that a client has edited.
    """
    for origin, key, way in held.hidden:
        was_shown = held.was_shown(origin, key) or "/" in key
        if not bag_of(held.twin).has(origin, key):
            continue
        version = ways.replaced_at(held.twin, way, key, over_defaults=not was_shown)
        if version and was_shown:
            yield held.drop(origin, key, version)
        elif version:
            why = f"its type cannot hold it, and {version} has another value"
            yield held.set_aside(origin, key, why)
