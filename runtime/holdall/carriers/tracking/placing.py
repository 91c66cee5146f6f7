"""Returning entries to their objects, before the step that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from holdall.carriers.addresses import Elements
from holdall.carriers.matching import match_indexes
from holdall.carriers.tracking.entries import NOTHING, Entry
from holdall.carriers.tracking.pieces import Piecewise, Waiting
from holdall.carriers.tracking.spots import ListSpot, MapSpot, ObjectSpot, Spot, known_name
from holdall.engine.hops import ABSENT
from holdall.engine.hops import NOTHING as FAILED
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag import (
    BAG_MEMBER,
    MARKS,
    RESERVED,
    RESIDUE_PREFIX,
    USER_KEYS,
    WHOLE_KEY,
    WaitingBag,
)
from holdall.objects.shapes import object_shape, shape_of
from holdall.objects.stored_forms import taken_in_value
from holdall.objects.views import StorageUnion
from holdall.plan.misfits import misfit
from holdall.text import json as _json
from holdall.text.json_path import Index, Match, Name, Segment, format_path, format_segment
from holdall.types import Members


class Placed:
    """Entries in the bags of their objects.

    `looks_into_same` says that one is where converters would not look without bags, `has_bags` that
    one has objects that got bags for user data under reserved names. `refused` are those that
    cannot be used, by position, with their problems; None if that is an error.
    """

    def __init__(self, *, may_refuse: bool = False) -> None:
        self.refused: dict[int, str] | None = {} if may_refuse else None
        self.has_bags = False
        self._found: dict[tuple[int, str], tuple[Members, Entry]] = {}
        self.looks_into_same = False

    def put(self, spot: ObjectSpot, members: Members, version: str, key: str, entry: Entry) -> None:
        """Put an entry into the bag of an object."""
        bag = members.get(BAG_MEMBER)
        if type(bag) is not WaitingBag:
            bag = WaitingBag.own(bag or {})
            bag.untaken = set()
            members[BAG_MEMBER] = bag
        if entry.absent:
            bag.mark_absent(version, key)
        else:
            bag.put(version, key, self._taken_in(spot, key, entry.value))
            if entry.became is not NOTHING:
                bag.note_became(version, key, entry.became)
            if entry.unfit:
                bag.mark_unfit(version, key)
        self._found[id(members), key] = members, entry
        self.looks_into_same |= spot.is_same

    def _taken_in(self, spot: ObjectSpot, key: str, value: Any) -> Any:
        shape = object_shape(spot.there) if key == WHOLE_KEY else spot.member(key).there
        if shape is None:
            return value
        try:
            taken = taken_in_value(shape, value)
        except DecodeError:
            return value  # the converter reports what is wrong with it
        self.has_bags |= taken is not value
        return taken

    def refuses(self, entry: Entry, text: str) -> bool:
        """Record that an entry cannot be used; return whether that is tolerated."""
        if self.refused is None or entry.position < 0:
            return False
        self.refused[entry.position] = text
        return True

    def __bool__(self) -> bool:
        return bool(self._found)

    def get(self, members: Members, key: str) -> Entry | None:
        """Return the entry under a key in the bag of an object."""
        found = self._found.get((id(members), key))
        return None if found is None else found[1]

    def untaken(self) -> Iterator[str]:
        """Yield a warning for every placed entry that no converter takes."""
        for (_, key), (members, entry) in self._found.items():
            bag = members.get(BAG_MEMBER)
            if type(bag) is WaitingBag and key in bag.untaken:
                yield f"{format_path(entry.path)}: no value is missing there"


def place_entries(
    root: ObjectSpot,
    members: Members,
    version: str,
    entries: Iterable[Entry],
    placed: Placed,
    refuse: Callable[[Entry, str], None],
) -> Iterator[str]:
    """Put entries for `version` into the bags of the object's `members`; `root` is its spot.

    Yields a warning for every entry without an object; `placed` gets the others. The last of two
    entries with one path wins. `refuse` gets entries of elements that do not have their type.
    """
    arrived: dict[int, list[Path]] = {}
    lost: list[Entry] = []
    paths = [
        Path(root, members, entry)
        for entry in {(entry.root, entry.path): entry for entry in entries}.values()
    ]
    while paths:
        lists: dict[int, list[Path]] = {}
        for path in paths:
            try:
                has_arrived = path.advance()
            except DecodeError as error:
                yield f"{format_path(path.entry.path)}: {error.message}"
                continue
            if path.live is None:
                lost.append(path.entry)
            else:
                together = arrived if has_arrived else lists
                together.setdefault(id(path.live), []).append(path)
        for waiting in lists.values():
            _enter_elements(waiting)
        paths = [path for waiting in lists.values() for path in waiting]
    for waiting in arrived.values():
        yield from _put(waiting, version, placed, refuse)
    for entry in lost:
        yield f"{format_path(entry.path)}: the object that it belongs to is gone"


def _put(
    waiting: list[Path], version: str, placed: Placed, refuse: Callable[[Entry, str], None]
) -> Iterator[str]:
    """Put the entries of one object into its bag."""
    apart: dict[str, list[Path]] = {}
    for path in waiting:
        if path.pieces is None:
            try:
                entry = path.gained()
            except DecodeError as error:
                yield f"{format_path(path.entry.path)}: {error.message}"
                continue
            if entry is not None:
                placed.put(path.spot, path.live, version, path.key, entry)
        else:
            apart.setdefault(path.key, []).append(path)
    for key, elements in apart.items():
        fitting = []
        for path in elements:
            wrong = path.misfit(version)
            if wrong is None:
                fitting.append(path)
            else:
                refuse(path.entry, wrong.message)
        whole, dropped = _put_together(fitting)
        for entry in dropped:
            yield f"{format_path(entry.path)}: the value was edited, or its place is gone"
        if whole is not None:
            placed.put(elements[0].spot, elements[0].live, version, key, whole)


def _put_together(elements: list[Path]) -> tuple[Entry | None, list[Entry]]:
    """Combine the entries of one property's elements into an entry of the whole, if any is left,
    and return also those that fit no element.
    """
    if not elements:
        return None, []
    first = elements[0]
    live = first.live.get(first.spot.member(first.key).partner)
    waiting = [
        Waiting(path.path[path.at :], path.guards[path.used :], path.entry) for path in elements
    ]
    if first.pieces is None or live is None:
        return None, [path.entry for path in elements]
    try:
        value, dropped = first.pieces.join(live, waiting)
    except FunctionFailure:
        return None, []  # the converter fails, too, and says where
    kept = [path.entry for path in elements if path.entry not in dropped]
    if not kept:
        return None, dropped
    # Each entry was checked, but live elements beside them may be anything.
    whole: dict[str, Any] = {"value": value, "became": _json.copy(live), "position": -1}
    return replace(kept[0], absent=False, unfit=True, **whole), dropped


def _enter_elements(paths: list[Path]) -> None:
    """Find the elements of a list that paths name; paths without an element have no live value."""
    spot, items = paths[0].spot, paths[0].live
    elements = Elements(items, spot.keys, spot.shape)
    found = match_indexes(elements, {path.segment for path in paths})
    for path in paths:
        index = found.get(path.segment)
        path.enter(spot.item, items, index)


class Path:
    """Follows the path of one entry through the members and the types of both versions.

    `live` is the value at the current position, None if that is gone. At the end, `key` is the
    entry's key in the bag of the object there; an entry of one element has `pieces`, which convert
    such elements.
    """

    __slots__ = (
        "_is_exact",
        "at",
        "entry",
        "guards",
        "key",
        "live",
        "path",
        "pieces",
        "segment",
        "spot",
        "used",
    )

    def __init__(self, root: ObjectSpot, members: Members | None, entry: Entry) -> None:
        self.entry = entry
        self.guards, self.used = entry.guards, 0
        self.path = entry.path if entry.root == "object" else (Name(entry.root), *entry.path)
        self.at = 0
        self.spot: Any = root
        self.live: Any = members
        self.key = self.segment = ""
        self.pieces: Piecewise | None = None
        self._is_exact = True

    def advance(self) -> bool:
        """Continue to the next element that must be found; return whether the path ends before.

        Raises DecodeError if the path leads nowhere.
        """
        last = len(self.path) - 1
        while self.at <= last:
            segment, spot = self.path[self.at], self.spot
            self.at += 1
            if type(spot) is ObjectSpot:
                name = known_name(spot, segment)
                if self.at > last and self._ends(spot, name, segment):
                    return True
                member = spot.member(name)
                if self.at <= last and member.pieces is not None and member.partner is not None:
                    self.pieces, self.key = member.pieces, name
                    return True
                if member.partner is None or not member.is_declared:
                    raise DecodeError(f"there is no {name!r} that could hold it")
                self.enter(member.spot, self.live, member.partner)
            elif type(spot) is MapSpot and isinstance(segment, Name):
                self.enter(spot.item, self.live, segment.text)
            elif type(spot) is ListSpot and not isinstance(segment, Name):
                self.segment = self._named(spot, segment)
                if self.live is not None:
                    return False
                self.spot = spot.item
            else:
                raise DecodeError(f"there is no {format_segment(segment)}")
        if type(self.spot) is not ObjectSpot or not issubclass(self.spot.here, StorageUnion):
            raise DecodeError("the path does not end at a property")
        self.key = WHOLE_KEY
        return True

    def enter(self, spot: Spot, holder: Any, key: Any) -> None:
        """Continue to a holder's value under a key, opened in place if it is a union or tuple."""
        self.spot, self.live = spot, None
        if holder is None or key is None:
            return
        live = holder.get(key) if type(holder) is dict else holder[key]
        if live is not None and type(spot) is ObjectSpot and spot.is_closed:
            holder[key] = live = spot.here.open_wire(live)
        self.live = live

    def gained(self) -> Entry | None:
        """Return the entry to place; None if the object already shows all of it.

        A property without a partner when it was kept may have one now. If that has no value, it
        gets the entry's. Raises DecodeError if it cannot, or has another value.
        """
        entry, member, here = self.entry, self.spot.member(self.key), self.spot.here
        name, crossing = member.partner, self.spot.crossing
        if (
            entry.became is not NOTHING
            or entry.value is None
            or not (member.is_declared and name and crossing)
            or member.here is not None
        ):
            return entry
        hop, _ = crossing.hops.get((self.key,), (None, None))
        is_silent = name not in self.live
        if hop is None:
            if not is_silent or misfit(here, here.VERSION, name, entry.value) is not None:
                return entry
            self.live[name] = entry.value
            return None
        kept = hop.here.read_or_nothing(entry.value)
        if kept is FAILED:
            return entry  # the converter reports what is wrong with it
        if not is_silent:
            back, _ = crossing.opposite.hops[name,]
            is_used = type(kept) in (list, dict) or back.gives(kept, self.live[name])
            if not is_used and self.live[name] is not None:
                raise DecodeError(f"{here.VERSION} has it now, with another value")
            return entry
        shown = hop.here.retrace(kept)
        if shown is FAILED:
            raise DecodeError("its function fails on it, and nothing shows it")
        if shown is None or shown is ABSENT:
            return entry
        became = self.live[name] = hop.there.written(shown)
        return replace(entry, became=became)

    def misfit(self, version: str) -> DecodeError | None:
        """Return why the value of an entry of one element does not fit its type."""
        if self.entry.absent or self.entry.unfit:
            return None
        depth = len(self.path) - self.at
        return misfit(self.spot.there, version, self.key, self.entry.value, depth)

    def _ends(self, spot: ObjectSpot, name: str, segment: Segment) -> bool:
        """Return whether the path ends at a property of an object; sets its key.

        An undeclared member is kept if a property here has its name. That may also be a later name
        of another property, but not of one that a converter gives back.
        """
        member, here = spot.member(name), shape_of(spot.here).names
        if type(segment) is Name and not member.is_alone and segment.text in here:
            name = segment.text
            member = spot.member(name)
        if member.is_union and not member.is_alone:
            return False
        if member.is_declared or name in here:
            self.key = name
            return True
        is_own = name.startswith(("$", RESIDUE_PREFIX)) and name not in MARKS | RESERVED
        if not is_own and name not in USER_KEYS:
            raise DecodeError(f"there is no property {name!r}")
        self.key = name
        return True

    def _named(self, spot: ListSpot, segment: Index | Match) -> str:
        """Return the address segment of an element; without a guard, that of its index."""
        if spot.item is None:
            raise DecodeError("the path leads into a plain value")
        if isinstance(segment, Match):
            self._is_exact = False
            parts = []
            for name, value in segment.members:
                partner: str | None = name
                if type(spot.item) is ObjectSpot:
                    partner = spot.item.member(spot.item.known(name)).partner
                if partner is None:
                    raise DecodeError(f"the list has no key {name!r}")
                parts.append(f"{partner}={_json.canonical(value).decode()}")
            return f"[{','.join(parts)}]"
        if self.used < len(self.guards):
            guard = self.guards[self.used]
            self.used += 1
            self._is_exact = False
        else:
            items = self.live if self._is_exact and type(self.live) is list else []
            if not 0 <= segment.at < len(items):
                raise DecodeError(f"the list has no element {segment.at}")
            elements = Elements(items, spot.keys, spot.shape)
            guard = f"{len(items)}:{elements.fingerprint(segment.at)}"
        return f"[{segment.at}:{guard}]"
