"""Entries for versions that are not next to that of the object.

If a version nearer to the object has gained the property since the entry was kept, the entry is
moved to that version, so that the object shows it there instead of a default. If the object shows
something else than what the value became, the entry is dropped.
Source: docs/declared.md, "Tracking".
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Final, NamedTuple

from holdall.carriers.tracking.collecting import Collector
from holdall.carriers.tracking.entries import BECAME, NOTHING, Entry, Section, Sections, read_entry
from holdall.carriers.tracking.spots import (
    ListSpot,
    MapSpot,
    Member,
    ObjectSpot,
    Spot,
    Spots,
    innermost,
    known_name,
)
from holdall.engine.member_ways import crossed
from holdall.errors import DecodeError, HoldallError
from holdall.objects.stored_forms import bare_value, taken_in_value
from holdall.objects.view_type import EVERYWHERE
from holdall.objects.views import StorageTuple
from holdall.plan.tracking import TrackedWhat
from holdall.text import json as _json
from holdall.text.json_path import Index, Match, Name, Segment, format_path
from holdall.types import JsonObject, JsonValue

_WAYS: Final[tuple[tuple[Section, int], ...]] = (("upgrades", -1), ("downgrades", 1))
"""The sections, with the direction from the versions of their entries to that of the object."""
_LONE: Final[dict[Section, TrackedWhat]] = {"upgrades": "added", "downgrades": "removed"}


class Nearer:
    """Moves entries to the nearest version that has their property.

    `twin_of` are the twins of all versions, oldest first; `track` says what is kept of values that
    the nearer version cannot hold whole.
    """

    def __init__(
        self, twin_of: Mapping[str, Any], spots: Spots, track: tuple[TrackedWhat, ...]
    ) -> None:
        self._versions = [*twin_of]
        self._twins: list[Any] = [*twin_of.values()]
        self._spots, self._track = spots, track
        self._usual: dict[tuple[int, int], _Usual] = {}

    def bring(self, sections: Sections, version: str, document: JsonObject) -> None:
        """Move the entries of a document of a version where it has to be, and drop edited ones."""
        here = self._versions.index(version)
        for section, way in _WAYS:
            lists = sections.lists[section]
            for origin in [*lists]:
                rank = self._versions.index(origin) if origin in self._versions else here
                if abs(rank - here) > 1:
                    ranks = range(rank, here, way)
                    lists[origin] = [
                        value
                        for value in lists[origin]
                        if not self._is_edited(value, section, sections, ranks, document)
                    ]
                    usual = self._find_usual(rank, rank + way)
                    for value in usual.others(lists[origin], section):
                        self._move(value, sections, section, ranks)

    def _is_edited(
        self,
        value: JsonValue,
        section: Section,
        sections: Sections,
        way: range,
        document: JsonObject,
    ) -> bool:
        """Return whether a document shows something else than the plain value that an entry became.

        Only the last step to the version of the entry would see it, and a client may set the former
        value again before.
        """
        if type(value) is not dict or type(value.get(BECAME[section], ())) in (dict, list, tuple):
            return False
        try:
            entry = read_entry(value, section, sections.paths)
            for there, here in zip(way, [*way[1:], way.stop], strict=True):
                end = _find_end(self._spot(there, here), entry)
                if end is None or end.partner is None or (there != way[0] and not end.is_plain):
                    return False
                entry = _moved(entry, end)
        except HoldallError:
            return False
        live = _shown(document, _full(entry))
        return live is not NOTHING and not _json.equal(live, entry.became)

    def _find_usual(self, there: int, here: int) -> _Usual:
        found = self._usual.get((there, here))
        if found is None:
            alone: set[str] = set()
            paired: set[str] = set()
            plain: set[str] = set()
            seen: set[int] = set()
            work: list[ObjectSpot | None] = [self._spot(there, here)]
            while work:
                spot = work.pop()
                if spot is not None and id(spot) not in seen:
                    seen.add(id(spot))
                    for name, member in spot.members.items():
                        (alone if member.partner is None else paired).add(name)
                        if _is_plain(member):
                            plain.add(name)
                        work.append(innermost(member.spot))
            found = self._usual[there, here] = _Usual(alone - paired, plain)
        return found

    def _spot(self, there: int, here: int) -> ObjectSpot:
        return self._spots.object(self._twins[there], self._twins[here])

    def _move(self, value: JsonValue, sections: Sections, section: Section, way: range) -> None:
        """Move one entry as far as versions on the way to the object have the whole value.

        It stays where it is if the object has the property itself and the entry does not say what
        it became there, or if the value cannot be converted.
        """
        kept: dict[int, list[JsonValue]] = {}
        there = way[0]
        try:
            entry = read_entry(value, section, sections.paths)
            for there, here in zip(way, [*way[1:], way.stop], strict=True):
                end = _find_end(self._spot(there, here), entry)
                if end is None:
                    return
                is_there = here == way.stop
                if entry.became is not NOTHING and (is_there or entry.unfit or not end.is_plain):
                    break
                if end.partner is None:
                    break
                if is_there:
                    return
                entry, kept[there] = self._converted(entry, end, section, self._versions[there])
        except HoldallError:
            return
        moved = entry.write(section)
        lists, nearest = sections.lists[section], self._versions[there]
        if not kept or any(_is_for_same(moved, other) for other in lists.get(nearest, ())):
            return
        lists[self._versions[way[0]]].remove(value)
        lists.setdefault(nearest, []).append(moved)
        for rank, entries in kept.items():
            lists.setdefault(self._versions[rank], []).extend(entries)

    def _converted(
        self, entry: Entry, end: _End, section: Section, version: str
    ) -> tuple[Entry, list[JsonValue]]:
        """Return an entry for the next version, and entries for what that cannot hold.

        Raises HoldallError if the value cannot be converted.
        """
        moved = _moved(entry, end)
        if entry.absent:
            return moved, []
        spot, member = end.spot, end.spot.member(end.name)
        value = _json.copy(entry.value)
        if member.there is not None:
            value = taken_in_value(member.there, value)
        made = crossed(spot.there, spot.here, {end.name: value})
        if end.partner not in made:
            raise DecodeError("nothing shows it")
        collector = Collector(version, section, self._track, _LONE[section], EVERYWHERE)
        own = format_path(entry.path)
        below = format_path(_full(entry)[:-1])[1:]
        rest = [
            one
            for one in collector.entries(spot, made, below, entry.guards)
            if _is_within(one["jsonPath"], own)
        ]
        shown = made[end.partner]
        if member.here is not None:
            shown = bare_value(member.here, shown)
        return replace(moved, value=shown), rest


class _End(NamedTuple):
    """Where the path of an entry ends: an object, the property and its partner in the next version,
    and the path of the object there. A property `is_plain` if its value is the same there.
    """

    spot: ObjectSpot
    name: str
    partner: str | None
    path: tuple[Segment, ...]
    is_plain: bool


class _Usual(NamedTuple):
    """What entries need not be read by: the names that only properties without a partner in the
    next version have, and those of properties whose values are the same there.
    """

    alone: AbstractSet[str]
    plain: AbstractSet[str]

    def others(self, values: list[JsonValue], section: Section) -> list[JsonValue]:
        """Return the entries of which the next version may have more than when they were kept."""
        alone, plain = self
        became = BECAME[section]
        found: list[JsonValue] = []
        for value in values:
            if type(value) is not dict:
                continue
            path = value.get("jsonPath")
            name = path[path.rfind(".") + 1 :] if type(path) is str else ""
            if (name in plain) if became in value else (name not in alone):
                found.append(value)
        return found


def _find_end(root: ObjectSpot, entry: Entry) -> _End | None:
    """Follow a path through the types; None if it does not lead to a property of an object."""
    spot: Spot = root
    path: list[Segment] = []
    *way, last = _full(entry)
    for segment in way:
        if isinstance(spot, ObjectSpot):
            partner, spot = _step(spot, segment)
            if partner is None:
                return None
            path.append(partner)
        elif isinstance(spot, MapSpot) and isinstance(segment, Name):
            path.append(segment)
            spot = spot.item
        elif isinstance(spot, ListSpot) and not isinstance(segment, Name):
            path.append(_named_here(segment, spot.item))
            spot = spot.item
        else:
            return None
    if not isinstance(spot, ObjectSpot) or spot.is_closed:
        return None
    name = known_name(spot, last)
    member = spot.member(name)
    if not member.is_declared:
        return None
    return _End(spot, name, member.partner, tuple(path), _is_plain(member))


def _is_plain(member: Member) -> bool:
    is_converted = member.is_whole or member.pieces is not None or member.there is not None
    return member.partner is not None and not is_converted


def _step(spot: ObjectSpot, segment: Segment) -> tuple[Segment | None, Spot]:
    """Return the segment of a member's partner, None without one, and the spot of its value."""
    member = spot.member(known_name(spot, segment))
    if member.partner is None:
        return None, None
    is_tuple = issubclass(spot.here, StorageTuple)
    return (Index(int(member.partner)) if is_tuple else Name(member.partner)), member.spot


def _named_here(segment: Index | Match, item: Spot) -> Segment:
    """Return the segment of an element in the next version.

    Raises DecodeError if that lacks a key.
    """
    if isinstance(segment, Index) or not isinstance(item, ObjectSpot):
        return segment
    parts = []
    for name, value in segment.members:
        partner = item.member(item.known(name)).partner
        if partner is None:
            raise DecodeError(f"the list has no key {name!r}")
        parts.append((partner, value))
    return Match(tuple(parts))


def _full(entry: Entry) -> tuple[Segment, ...]:
    """Return the path of an entry from the whole object."""
    return entry.path if entry.root == "object" else (Name(entry.root), *entry.path)


def _moved(entry: Entry, end: _End) -> Entry:
    """Return an entry with the path that its property has in the next version."""
    full = (*end.path, Name(str(end.partner)))
    return replace(entry, path=full if entry.root == "object" else full[1:])


def _shown(value: Any, path: tuple[Segment, ...]) -> Any:
    """Return what a document shows at a path, `NOTHING` if it shows nothing there.

    Elements are found by their keys alone: those without are known to the step that takes them.
    """
    for segment in path:
        if isinstance(segment, Name):
            value = value.get(segment.text, NOTHING) if type(value) is dict else NOTHING
        elif isinstance(segment, Match) and type(value) is list:
            found = [item for item in value if _has(item, segment)]
            value = found[0] if len(found) == 1 else NOTHING
        else:
            return NOTHING
    return value


def _has(item: JsonValue, keys: Match) -> bool:
    return type(item) is dict and all(item.get(name) == value for name, value in keys.members)


def _is_within(path: str, whole: str) -> bool:
    return path == whole or path.startswith((f"{whole}.", f"{whole}["))


def _is_for_same(entry: JsonValue, other: JsonValue) -> bool:
    if not (isinstance(entry, dict) and isinstance(other, dict)):
        return False
    return all(entry.get(name) == other.get(name) for name in ("jsonPath", "root", "guards"))
