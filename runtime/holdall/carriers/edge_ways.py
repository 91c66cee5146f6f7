"""The ways of single objects along the edges between versions, and which properties they keep.

What moves between objects is kept in bags under all names that lead to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from holdall.carriers.bagged import Bagged, bag_of, shown_by
from holdall.carriers.reports import Dropped
from holdall.engine.edges import NO_HOOK, HookNames
from holdall.engine.hops import ABSENT, value_at
from holdall.engine.lossy_pairs import Link, peers_of
from holdall.errors import HoldallError
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.implied import is_default
from holdall.objects.shapes import holders_of, member_at, members_of
from holdall.objects.tolerance import Unused
from holdall.objects.views import StorageObject

Twin: TypeAlias = type[StorageObject]


class EdgeWays:
    """From the types of one version to those of another, over the fewest edges.

    `rank` says how new a version is, and `towards` which types a type converts to.
    """

    def __init__(
        self,
        crossings: Iterable[tuple[Twin, Twin]],
        order: Sequence[str],
        links: Sequence[Link] = (),
    ) -> None:
        self.rank = {version: index for index, version in enumerate(order)}
        self.towards = peers_of(crossings, links)
        self._linked: dict[tuple[Twin, str], set[Twin]] = {}
        for link in links:
            for (_, cls, name), _, (_, other, _) in link.ways:
                self._linked.setdefault((cls, name), set()).add(other)
        self._partners: dict[tuple[Twin, str], frozenset[str]] = {}
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
        """Return the types from that of an entry to that of its holder; none if there is no way."""
        if origin not in self.rank:
            return ()
        ways = self.to(holder, version, origin)
        return next((way for way in ways if entry_path(way[0], key)), ())

    def unmoved(self, holder: Twin, version: str, origin: str, key: str) -> Sequence[str]:
        """Return the names that lead to what moved when an entry was kept, if it does not now."""
        way = self.of_entry(holder, version, origin, key)
        path = entry_path(way[0], key) if way else ()
        moves = any(path in one.crossings_[other].hops for one, other in pairwise(way))
        return () if moves or len(path) < 2 else path

    def partnered(self, holder: Twin, version: str, origin: str) -> frozenset[str]:
        """Return the properties of a version that have partners on the way to a holder.

        They may have moved, or be linked over a gap.
        """
        names = self._partners.get((holder, origin))
        if names is None:
            if origin not in self.rank:
                return frozenset()
            found: dict[str, bool] = {}
            for way in self.to(holder, version, origin):
                for name in members_of(way[0]) if len(way) > 1 else ():
                    crossing = way[0].crossings_[way[1]]
                    has_partner = (
                        crossing.partner(name) is not None
                        or (name,) in crossing.hops
                        or not self._linked.get((way[0], name), set()).isdisjoint(way)
                    )
                    found[name] = has_partner and found.get(name, True)
            names = frozenset(name for name, has_partner in found.items() if has_partner)
            self._partners[holder, origin] = names
        return names

    def convert(self, way: Sequence[Twin], members: dict[str, Any]) -> StorageObject:
        """Return an object with nothing but some members at the end of a way."""
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
        """Return whether an object shows what would be kept of a version on its way, and not shown.

        `given` is what has that to keep, and `blank` what has not.
        """
        kept, versions = bag_of(blank), [cls.VERSION for cls in way]
        for origin, key, _ in bag_of(given).entries():
            rest = way[versions.index(origin) :] if origin in versions else ()
            path = entry_path(rest[0], key) if len(rest) > 1 and not kept.has(origin, key) else ()
            if path and _has_value_along(twin, rest, path, over_defaults=False):
                return True
        return False

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
    """Return the names that belong to the hook of the first edge of a way; none without one."""
    found: HookNames = way[0].crossings_[way[1]].hook_names if len(way) > 1 else NO_HOOK
    return found


def entry_path(cls: type[StorageObject], key: str) -> tuple[str, ...]:
    """Return the wire names that an entry's key stands for; none if there is no such property."""
    if key in members_of(cls):
        return (key,)
    name, _, rest = key.partition("/")
    held = holders_of(cls).get(name)
    inner = entry_path(held.value.type, rest) if rest and held and held.value.type else ()  # type: ignore[arg-type]
    return (name, *inner) if inner else ()


def nested(path: Sequence[str], members: dict[str, Any]) -> dict[str, Any]:
    """Return members as they are in the objects on a path."""
    for name in reversed(path[:-1]):
        members = {name: members}
    return members


def keeps(value: Any, origin: str, names: set[str]) -> bool:
    """Return whether a bag in a kept value, at any depth, has one of some entries."""
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
    """Return what the last type of a way calls a property of the first one, if it has it."""
    for source, destination in pairwise(way):
        name = name and source.crossings_[destination].partner(name)
    return name


def set_aside_hidden(held: Bagged) -> Iterator[Dropped | Unused]:
    """Set aside the hidden entries in whose place something is live, and say so.

    A conversion would take them for the rest of a value that a client has edited, as it does those
    that are known to be such a rest.
    """
    for origin, key, way in held.hidden:
        path = entry_path(way[0], key)
        was_shown = held.was_shown(origin, key) or len(path) > 1
        is_live = _has_value_along(held.twin, way, path, over_defaults=not was_shown)
        if is_live and bag_of(held.twin).has(origin, key):
            why = f"its type cannot hold it, and {held.version} shows another value"
            if was_shown:
                yield held.says_otherwise(origin, key)
            else:
                yield held.set_aside(origin, key, why)


def _has_value_along(
    twin: StorageObject, way: Sequence[Any], path: tuple[str, ...], *, over_defaults: bool
) -> bool:
    """Return whether an object at the end of a way shows a value for a property of the first type.

    `over_defaults`, what servers fill in is none.
    """
    for source, destination in pairwise(way):
        crossing = source.crossings_[destination]
        name = crossing.partner(path[0]) if len(path) == 1 else None
        if path in crossing.hops:
            path = crossing.hops[path][1]
        elif name is not None:
            path = (name,)
        else:
            return False
    value, member = value_at(shown_by(twin), path), member_at(type(twin), path)
    if value is ABSENT or member is None:
        return False
    return not over_defaults or not is_default(value, member)
