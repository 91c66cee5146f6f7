"""Collecting what a step left in the bags, as entries for the version that was left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from holdall.carriers.addresses import GUESSED_KEYS, Elements, holders_of, storage_objects
from holdall.carriers.tracking.entries import NOTHING, Entry
from holdall.carriers.tracking.names import Names, TwinType, is_required
from holdall.objects.bag import (
    ABSENT_KEY,
    BECAME_KEY,
    GONE_KEY,
    UNFIT_KEY,
    USER_KEYS,
    WHOLE_KEY,
    PropertyBag,
)
from holdall.objects.shapes import ValueShape, object_shape, shape_of
from holdall.objects.stored_forms import in_order
from holdall.objects.views import StorageObject, StorageTuple
from holdall.plan.misfits import misfit
from holdall.plan.tracking import TrackedWhat
from holdall.text import json as _json
from holdall.text.json_path import Index, Match, Name, Scalar, Segment, is_scalar
from holdall.types import JsonValue

_ABOUT_ENTRIES = frozenset({ABSENT_KEY, BECAME_KEY, UNFIT_KEY, GONE_KEY})
_MARKS = _ABOUT_ENTRIES | {WHOLE_KEY}


class Collector:
    """Collects the entries of one step from the tree that it made.

    `left` and `version` are the version that was left, by root type and name; `entered` is the
    version of the tree. `track` is the scope of tracking; vanishing fields count as `lone`.
    `order` gives the members of a type that was left, in the order of their declaration.
    """

    def __init__(
        self,
        names: Names,
        left: TwinType,
        version: str,
        entered: str,
        track: tuple[TrackedWhat, ...],
        order: Callable[[str], tuple[str, ...]],
        lone: TrackedWhat,
    ) -> None:
        self._names = names
        self._left = left
        self._version = version
        self._entered = entered
        self._track = track
        self._order = order
        self._lone: TrackedWhat = lone
        self._entries: list[Entry] = []

    def collect(self, root: StorageObject) -> list[Entry]:
        """Return the entries, and take them out of the bags."""
        if any(twin.property_bag is not None for _, twin in storage_objects(root)):
            self._object(root, self._left, (), ())
        return self._entries

    def untaken(self, root: StorageObject) -> Iterator[str]:
        """Drop what waits for the version at hand and was not taken; yield a warning for each."""
        for way, twin in storage_objects(root):
            bag = twin.property_bag
            if bag is None or self._entered not in bag:
                continue
            rest = PropertyBag({origin: {**entries} for origin, entries in bag.items()})
            for key in bag[self._entered]:
                if key not in USER_KEYS:
                    rest.drop(self._entered, key)
                    if key not in _MARKS:
                        place = "" if way is None else way.pointer()
                        yield f"{place}/{key}: the value was edited, or has no place any more"
            _set_bag(twin, rest)

    # --- the walk: in each container vanished fields, nested containers, retyped fields ---

    def _object(
        self,
        twin: StorageObject,
        left: TwinType,
        path: tuple[Segment, ...],
        guards: tuple[str, ...],
    ) -> None:
        here = type(twin)
        retyped = []
        for key, value, unfit in self._take(twin, left):
            if key == WHOLE_KEY:
                whole = _json.copy(twin.write_members([]))
                self._add("variants", path, value, guards, became=whole, unfit=unfit)
            elif self._names.partner(left, here, key) is None:
                self._add(self._lone, (*path, Name(key)), value, guards, unfit=unfit)
            else:
                retyped.append((key, value, unfit))
        for name in self._ordered(left):
            partner = self._names.partner(left, here, name)
            if partner is None or partner not in holders_of(here):
                continue
            member = shape_of(here).members[partner]
            child = getattr(twin, member.attribute, None)
            if child is not None:
                segment: Segment = Name(name)
                if issubclass(left, StorageTuple):
                    segment = Index(int(name))
                shapes = member.value, shape_of(left).members[name].value
                self._value(child, shapes, (*path, segment), guards, member.map_keys)
        for key, value, unfit in retyped:
            partner = self._names.partner(left, here, key) or key
            attribute = shape_of(here).attributes[partner]
            live = getattr(twin, attribute)
            became: Any = NOTHING
            if live is not None or partner in twin.extra_:
                became = _json.copy(_wire(live))
            place = (*path, Name(key))
            pieces = self._names.piecewise(left, here, key)
            if pieces is None or not pieces.fits(value, became):
                self._add("changed", place, value, guards, became=became, unfit=unfit)
                continue
            for piece in pieces.split(value, became):
                depth = len(piece.path)
                self._add(
                    "changed",
                    (*place, *piece.path),
                    piece.value,
                    (*guards, *piece.guards),
                    became=piece.became,
                    unfit=misfit(left, self._version, key, piece.value, depth) is not None,
                )

    def _value(
        self,
        value: Any,
        shapes: tuple[ValueShape, ValueShape],
        path: tuple[Segment, ...],
        guards: tuple[str, ...],
        map_keys: tuple[str, ...],
    ) -> None:
        here, left = shapes
        if value is None:
            return
        if here.container == "object" and left.type is not None:
            self._object(value, left.type, path, guards)
        elif here.item is not None and left.item is not None and here.container == "map":
            for key, item in value.items():
                self._value(item, (here.item, left.item), (*path, Name(key)), guards, ())
        elif here.item is not None and left.item is not None:
            elements = Elements(value, map_keys)
            for index, item in enumerate(value):
                segment = self._element(elements, index, left.item.type, map_keys)
                more = guards
                if isinstance(segment, Index):
                    more = (*guards, f"{len(value)}:{elements.fingerprint(index)}")
                self._value(item, (here.item, left.item), (*path, segment), more, ())

    def _element(
        self, elements: Elements, index: int, left: TwinType | None, map_keys: tuple[str, ...]
    ) -> Segment:
        """Return the segment of an element: its merge key, else its place."""
        item = elements.items[index]
        if left is None or not isinstance(item, StorageObject):
            return Index(index)
        here = type(item)
        for keys in (map_keys,) if map_keys else GUESSED_KEYS:
            members: list[tuple[str, Scalar]] = []
            parts: list[str] = []
            for key in keys:
                name = self._names.partner(here, left, key)
                value = getattr(item, shape_of(here).attributes.get(key, ""), None)
                if name is None or value is None or not is_scalar(value):
                    break
                if not map_keys and not (is_required(here, key) and is_required(left, name)):
                    break
                members.append((name, value))
                parts.append(f"{key}={_json.canonical(value).decode()}")
            else:
                if members and elements.find(f"[{','.join(parts)}]") is not None:
                    return Match(tuple(members))
        return Index(index)

    def _take(self, twin: StorageObject, left: TwinType) -> list[tuple[str, JsonValue, bool]]:
        """Remove and return what waits for the version that was left, absence marks added, and
        whether it never was of its type.
        """
        bag = twin.property_bag
        kept = None if bag is None else bag.get(self._version)
        if bag is None or kept is None:
            return []
        rest = PropertyBag({o: e for o, e in bag.items() if o != self._version})
        _set_bag(twin, rest)
        absent = kept.get(ABSENT_KEY)
        items: list[tuple[str, Any, bool]] = [
            (key, _in_order(left, key, value), bag.is_unfit(self._version, key))
            for key, value in kept.items()
            if key not in _ABOUT_ENTRIES
        ]
        if isinstance(absent, list):
            items.extend((str(name), NOTHING, False) for name in absent)
        order = {name: index for index, name in enumerate(self._ordered(left))}
        return sorted(items, key=lambda item: (order.get(item[0], len(order)), item[0]))

    def _ordered(self, cls: TwinType) -> tuple[str, ...]:
        return self._order(cls.__name__) or tuple(shape_of(cls).attributes)

    def _add(
        self,
        what: TrackedWhat,
        path: tuple[Segment, ...],
        value: Any,
        guards: tuple[str, ...],
        *,
        became: Any = NOTHING,
        unfit: bool = False,
    ) -> None:
        if what not in self._track:
            return
        root, rest = "object", path
        if path and isinstance(path[0], Name) and path[0].text in ("spec", "status") and path[1:]:
            root, rest = path[0].text, path[1:]
        absent = value is NOTHING
        self._entries.append(
            Entry(rest, None if absent else _json.copy(value), absent, became, guards, root, unfit)
        )


def _in_order(left: TwinType, key: str, value: Any) -> Any:
    """Return a value that was kept of members as twins write it."""
    if key == WHOLE_KEY:
        return in_order(object_shape(left), value)
    member = shape_of(left).members.get(key)
    return value if member is None else in_order(member.value, value)


def _set_bag(twin: StorageObject, bag: PropertyBag) -> None:
    owner: Any = twin
    owner.property_bag = bag or None


def _wire(value: Any) -> JsonValue:
    """Return a property's value as it stands on the wire, without bags."""
    if isinstance(value, StorageObject):
        written: JsonValue = value.write_members([])
        return written
    if type(value) is list:
        return [_wire(item) for item in value]
    if type(value) is dict:
        return {key: _wire(item) for key, item in value.items()}
    plain: JsonValue = value
    return plain
