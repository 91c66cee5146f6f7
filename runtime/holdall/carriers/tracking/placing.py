"""Giving entries back to the objects they belong to, before the step that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.matching import Known, resolve
from holdall.carriers.tracking.entries import NOTHING, Entry
from holdall.carriers.tracking.names import Names, TwinType
from holdall.carriers.tracking.pieces import Piecewise, Waiting
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag import (
    BECAME_KEY,
    MARKS,
    RESERVED,
    RESIDUE_PREFIX,
    USER_KEYS,
    WHOLE_KEY,
    WaitingBag,
)
from holdall.objects.base import identity
from holdall.objects.shapes import ValueShape, shape_of
from holdall.objects.views import StorageObject, StorageTuple, StorageUnion
from holdall.plan.misfits import misfit
from holdall.text import json as _json
from holdall.text.json_path import Index, Match, Name, Segment, format_path
from holdall.text.pointer import join

Placed: TypeAlias = dict[tuple[int, str], tuple[StorageObject, Entry]]
"""Entries with their object, by its identity and the key in its bag."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an entry goes: the address of an object at hand, and the key in its bag.

    An entry of one element has the rest of its path and the guards there, how such elements cross,
    and the name of the property at hand. `owner` is the type of the entry's property.
    """

    address: str
    key: str
    rest: tuple[Segment, ...] = ()
    guards: tuple[str, ...] = ()
    pieces: Piecewise | None = None
    partner: str = ""
    owner: TwinType | None = None

    def misfit(self, version: str, entry: Entry) -> DecodeError | None:
        """Say why the value of an entry of one element is none of its type."""
        if self.owner is None or entry.absent or entry.unfit:
            return None
        return misfit(self.owner, version, self.key, entry.value, len(self.rest))


@dataclass(slots=True)
class _Spot:
    """A place on the way: shapes at hand and in the entry's version, the live value if known."""

    here: ValueShape
    there: ValueShape
    live: Any
    map_keys: tuple[str, ...] = ()


def place_entries(
    names: Names,
    root: StorageObject,
    there: TwinType,
    version: str,
    entries: Iterable[Entry],
    placed: Placed,
    refuse: Callable[[Entry, str], str],
) -> Iterator[str]:
    """Put entries for `version`, whose root type is `there`, into the bags of the tree at hand.

    Yields a warning for every entry that finds no object; `placed` takes the others. The last of
    two entries with one path wins. `refuse` raises an error about an entry of an element that is
    none of its type, or returns a warning.
    """
    addressed: dict[str, list[tuple[Entry, _Place]]] = {}
    for entry in {(entry.root, entry.path): entry for entry in entries}.values():
        try:
            place = _Way(names, root, there, entry).place()
        except DecodeError as error:
            yield f"{format_path(entry.path)}: {error.message}"
            continue
        addressed.setdefault(place.address, []).append((entry, place))
    found, lost = resolve(root, addressed, Known(in_place=True))
    for twin, waiting in found:
        apart: dict[str, list[tuple[Entry, _Place]]] = {}
        for entry, place in waiting:
            if place.pieces is not None:
                apart.setdefault(place.key, []).append((entry, place))
                continue
            _attach(twin, version, place.key, entry)
            placed[identity(twin), place.key] = twin, entry
        for key, elements in apart.items():
            fitting = []
            for entry, place in elements:
                wrong = place.misfit(version, entry)
                if wrong is None:
                    fitting.append((entry, place))
                else:
                    yield refuse(entry, wrong.message)
            whole, dropped = _put_together(twin, fitting)
            for entry in dropped:
                yield f"{format_path(entry.path)}: the value was edited, or has no place any more"
            if whole is not None:
                _attach(twin, version, key, whole)
                placed[identity(twin), key] = twin, whole
    for waiting in lost:
        for entry, _ in waiting:
            yield f"{format_path(entry.path)}: the object that it belongs to is gone"


def _put_together(
    twin: StorageObject, elements: list[tuple[Entry, _Place]]
) -> tuple[Entry | None, list[Entry]]:
    """Return the entries of the elements of one property as an entry of the whole, if any is left,
    and those that fit no element.
    """
    if not elements:
        return None, []
    _, place = elements[0]
    live = getattr(twin, shape_of(type(twin)).attributes[place.partner])
    waiting = [Waiting(item.rest, item.guards, entry) for entry, item in elements]
    if place.pieces is None or live is None:
        return None, [entry for entry, _ in elements]
    try:
        value, dropped = place.pieces.join(live, waiting)
    except FunctionFailure:
        return None, []  # The converter fails too, and says where.
    kept = [entry for entry, _ in elements if entry not in dropped]
    if not kept:
        return None, dropped
    # Each entry was checked; the live elements beside them may be anything.
    became = _json.copy(live)
    return replace(kept[0], value=value, absent=False, became=became, unfit=True), dropped


def untaken(placed: Placed) -> Iterator[str]:
    """Yield a warning for every entry that was placed where no converter asks for one."""
    for (_, key), (twin, entry) in placed.items():
        bag = twin.property_bag
        if isinstance(bag, WaitingBag) and key in bag.untaken:
            yield f"{format_path(entry.path)}: no value is missing there"


def _attach(twin: StorageObject, version: str, key: str, entry: Entry) -> None:
    bag = WaitingBag({origin: {**kept} for origin, kept in (twin.property_bag or {}).items()})
    if entry.absent:
        bag.mark_absent(version, key)
    else:
        bag.put(version, key, _json.copy(entry.value))
        if entry.became is not NOTHING:
            became = bag[version].setdefault(BECAME_KEY, {})
            if isinstance(became, dict):
                bag[version][BECAME_KEY] = {**became, key: _json.copy(entry.became)}
        if entry.unfit:
            bag.mark_unfit(version, key)
    bag.untaken = set()
    owner: Any = twin
    owner.property_bag = bag


class _Way:
    """Follows the path of one entry through the types of both versions."""

    def __init__(self, names: Names, root: StorageObject, there: TwinType, entry: Entry) -> None:
        self._names = names
        self._address: list[str] = []
        self._guards = iter(entry.guards)
        self._spot = _Spot(ValueShape("object", type(root)), ValueShape("object", there), root)
        start: tuple[Segment, ...] = () if entry.root == "object" else (Name(entry.root),)
        self._path = (*start, *entry.path)

    def place(self) -> _Place:
        """Return where the entry goes. Raises DecodeError if its path leads nowhere."""
        for position, segment in enumerate(self._path[:-1], 1):
            found = self._piecewise(segment, self._path[position:])
            if found is not None:
                return found
            self._step(segment)
        last = self._path[-1]
        here, there = self._spot.here.type, self._spot.there.type
        if self._spot.here.container == "object" and here is not None and there is not None:
            name = self._last(there, here, last)
            if self._names.is_alone(there, here, name) or not self._is_union(there, here, name):
                self._check(there, here, name)
                return _Place(join("", *self._address), name)
        self._step(last)
        shape = self._spot.here
        if shape.type is None or not issubclass(shape.type, StorageUnion):
            raise DecodeError("the path does not end at a property")
        return _Place(join("", *self._address), WHOLE_KEY)

    def _piecewise(self, segment: Segment, rest: tuple[Segment, ...]) -> _Place | None:
        """Return the place of an entry of one element of plain values, if a segment leads there."""
        here, there = self._spot.here.type, self._spot.there.type
        if self._spot.here.container != "object" or here is None or there is None:
            return None
        name = self._known(there, segment)
        pieces = self._names.piecewise(there, here, name)
        partner = self._names.partner(there, here, name)
        if pieces is None or partner is None:
            return None
        address = join("", *self._address)
        return _Place(address, name, rest, tuple(self._guards), pieces, partner, there)

    def _is_union(self, there: TwinType, here: TwinType, name: str) -> bool:
        partner = self._names.partner(there, here, name)
        if partner is None:
            return False
        cls = shape_of(here).members[partner].value.type
        return cls is not None and issubclass(cls, StorageUnion)

    def _check(self, there: TwinType, here: TwinType, name: str) -> None:
        known = shape_of(there).names | shape_of(here).names
        is_own = name.startswith(("$", RESIDUE_PREFIX)) and name not in MARKS | RESERVED
        if name not in known and not is_own and name not in USER_KEYS:
            raise DecodeError(f"there is no property {name!r}")

    def _last(self, there: TwinType, here: TwinType, segment: Segment) -> str:
        """Return the key of the entry in the bag of its object.

        A member that no type knew is kept where its name is that of a property at hand. It may also
        be a later name of another property, but not one that a converter gives back.
        """
        name = self._known(there, segment)
        if not isinstance(segment, Name) or segment.text == name:
            return name
        is_given_back = self._names.is_alone(there, here, name)
        return name if is_given_back or segment.text not in shape_of(here).names else segment.text

    def _known(self, there: TwinType, segment: Segment) -> str:
        if isinstance(segment, Index) and issubclass(there, StorageTuple):
            return str(segment.at)
        if not isinstance(segment, Name):
            raise DecodeError(f"an object has no element {format_path([segment])[1:]}")
        return self._names.known(there, segment.text)

    def _step(self, segment: Segment) -> None:
        spot = self._spot
        here, there = spot.here, spot.there
        if here.container == "object" and here.type is not None and there.type is not None:
            self._enter_member(here.type, there.type, self._known(there.type, segment))
        elif here.container == "map" and isinstance(segment, Name):
            self._address.append(segment.text)
            self._enter_item(spot.live.get(segment.text) if type(spot.live) is dict else None)
        elif here.container == "list" and isinstance(segment, (Index, Match)):
            self._enter_element(segment)
        else:
            raise DecodeError(f"there is no {format_path([segment])[1:]}")

    def _enter_member(self, here: TwinType, there: TwinType, name: str) -> None:
        partner = self._names.partner(there, here, name)
        if partner is None:
            raise DecodeError(f"there is no {name!r} that could hold it")
        member = shape_of(here).members[partner]
        live = self._spot.live
        self._address.append(partner)
        self._spot = _Spot(
            member.value,
            shape_of(there).members[name].value,
            None if live is None else getattr(live, member.attribute, None),
            member.map_keys,
        )

    def _enter_item(self, live: Any, map_keys: tuple[str, ...] = ()) -> None:
        here, there = self._spot.here.item, self._spot.there.item
        if here is None or there is None:
            raise DecodeError("the path leads into a plain value")
        self._spot = _Spot(here, there, live, map_keys)

    def _enter_element(self, segment: Index | Match) -> None:
        spot = self._spot
        items = spot.live if type(spot.live) is list else []
        here, there = spot.here.item, spot.there.item
        if here is None or here.container == "value":
            raise DecodeError("the path leads into a plain value")
        live = None
        if isinstance(segment, Match):
            parts = []
            for name, value in segment.members:
                partner: str | None = name
                if here is not None and here.type and there is not None and there.type:
                    known = self._names.known(there.type, name)
                    partner = self._names.partner(there.type, here.type, known)
                if partner is None:
                    raise DecodeError(f"the key {name!r} of the list is not there")
                parts.append(f"{partner}={_json.canonical(value).decode()}")
            self._address.append(f"[{','.join(parts)}]")
        else:
            guard = next(self._guards, None)
            if guard is None:
                if not 0 <= segment.at < len(items):
                    raise DecodeError(f"the list has no element {segment.at}")
                live = items[segment.at]
                guard = f"{len(items)}:{Elements(items, spot.map_keys).fingerprint(segment.at)}"
            self._address.append(f"[{segment.at}:{guard}]")
        self._enter_item(live)
