"""Collecting what a step left in the bags: each item of a bag is an entry of the version left.

One walk takes the items off, where there may be bags, and spells their paths on its way out.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.tracking.entries import BECAME, NOTHING, Section
from holdall.carriers.tracking.spots import ListSpot, MapSpot, Member, ObjectSpot, Spot
from holdall.objects.bag import (
    ABSENT_KEY,
    BAG_MEMBER,
    BECAME_KEY,
    GONE_KEY,
    UNFIT_KEY,
    WHOLE_KEY,
)
from holdall.objects.shapes import ValueShape, object_shape
from holdall.objects.stored_forms import bare_value, in_order
from holdall.plan.misfits import misfit
from holdall.plan.tracking import TrackedWhat
from holdall.text import json as _json
from holdall.text.json_path import format_member, format_scalar, format_segment, is_scalar
from holdall.types import JsonValue

_ABOUT_ENTRIES: Final = frozenset({ABSENT_KEY, BECAME_KEY, UNFIT_KEY, GONE_KEY})
_ROOTS: Final = {".spec": "spec", ".status": "status"}
_CONTAINERS: Final = frozenset({dict, list})
_Items: TypeAlias = "dict[str, Any]"


class _Kept:
    """An entry on its way out: the parts of its path and its guards, innermost first."""

    __slots__ = ("became", "guards", "parts", "unfit", "value")

    def __init__(self, value: Any, became: Any, *, unfit: bool) -> None:
        self.value, self.became, self.unfit = value, became, unfit
        self.parts: list[str] = []
        self.guards: list[str] = []

    def written(self, became_name: str) -> dict[str, JsonValue]:
        """Return the entry as a section holds it."""
        parts = self.parts
        root = _ROOTS.get(parts[-1]) if len(parts) > 1 else None
        if root is not None:
            parts.pop()
        entry: dict[str, JsonValue] = {"jsonPath": "$" + "".join(reversed(parts))}
        if self.value is NOTHING:
            entry["absent"] = True
        else:
            entry["value"] = _own(self.value)
        if self.became is not NOTHING:
            entry[became_name] = _own(self.became)
        if self.guards:
            entry["guards"] = [*reversed(self.guards)]
        if root != "spec":
            entry["root"] = root or "object"
        if self.unfit:
            entry["unfit"] = True
        return entry


class Collector:
    """Takes the items of one version off the bags of a tree of its neighbour.

    `left` is the version that the step left, `track` the scope of tracking; vanishing members
    count as `lone`. `has_rest` tells afterwards that a bag holds something else.
    """

    __slots__ = ("_kept", "_left", "_lone", "_track", "has_rest")

    def __init__(self, left: str, track: tuple[TrackedWhat, ...], lone: TrackedWhat) -> None:
        self._left, self._track = left, track
        self._lone: TrackedWhat = lone
        self._kept: list[_Kept] = []
        self.has_rest = False

    def entries(self, spot: ObjectSpot, members: Any, section: Section) -> list[JsonValue]:
        """Take the items off, and return them as entries; the tree is changed.

        In each object vanished members, objects within, changed members.
        """
        self._object(spot, members)
        became_name = BECAME[section]
        return [kept.written(became_name) for kept in self._kept]

    def _value(self, spot: Spot, value: Any) -> Any:
        """Return a value as it stands without the items."""
        if type(spot) is ObjectSpot:
            return self._object(spot, value)
        if type(spot) is ListSpot:
            return self._list(spot, value)
        return self._map(spot, value) if type(spot) is MapSpot else value

    def _object(self, spot: ObjectSpot, value: Any) -> Any:
        if not spot.children and (type(value) is not dict or BAG_MEMBER not in value):
            return value
        members = spot.here.open_wire(value) if spot.is_closed else value
        bag = members.get(BAG_MEMBER)
        changed: list[tuple[Member, str]] = []
        items: _Items = {}
        if bag is not None:
            items = bag.pop(self._left, items)
            if bag:
                self.has_rest = True
            else:
                del members[BAG_MEMBER]
            if items:
                changed = self._vanished(spot, members, items)
        is_changed, kept = bag is not None, self._kept
        for part, name, inner in spot.children:
            child = members.get(name)
            if child is not None:
                before = len(kept)
                made = self._value(inner, child)
                if made is not child:
                    members[name] = made
                    is_changed = True
                if len(kept) > before:
                    for one in kept[before:]:
                        one.parts.append(part)
        for member, key in changed:
            self._changed(spot, members, member, key, items)
        return spot.here.close_wire(members) if spot.is_closed and is_changed else value

    def _map(self, spot: MapSpot, values: dict[str, Any]) -> dict[str, Any]:
        kept = self._kept
        for key, item in values.items():
            if item is not None:
                before = len(kept)
                made = self._value(spot.item, item)
                if made is not item:
                    values[key] = made
                if len(kept) > before:
                    part = format_member(key)
                    for one in kept[before:]:
                        one.parts.append(part)
        return values

    def _list(self, spot: ListSpot, items: list[Any]) -> list[Any]:
        kept = self._kept
        found: list[tuple[int, int, int]] = []
        for index, item in enumerate(items):
            if item is not None:
                before = len(kept)
                made = self._value(spot.item, item)
                if made is not item:
                    items[index] = made
                if len(kept) > before:
                    found.append((index, before, len(kept)))
        if found:
            elements = _Named(spot, items)
            for index, before, end in found:
                part, guard = elements.spelled(index)
                for one in kept[before:end]:
                    one.parts.append(part)
                    if guard:
                        one.guards.append(guard)
        return items

    def _vanished(
        self, spot: ObjectSpot, members: _Items, items: _Items
    ) -> list[tuple[Member, str]]:
        """Keep what has no place in an object; return what was changed there."""
        absent = items.get(ABSENT_KEY)
        keys = [key for key in items if key not in _ABOUT_ENTRIES]
        if isinstance(absent, list):
            keys += map(str, absent)
        found = [(spot.member(key), key) for key in keys]
        if len(found) > 1:
            found.sort(key=_place)
        changed = []
        for member, key in found:
            if key == WHOLE_KEY:
                value, whole = items[key], bare_value(object_shape(spot.here), members)
                if type(value) is not str:
                    value = _as_shown(object_shape(spot.there), value)
                self._add("variants", value, whole, items, key)
            elif member.partner is None:
                one = self._add(self._lone, _value_of(member, key, items), NOTHING, items, key)
                one.parts.append(member.part)
            else:
                changed.append((member, key))
        return changed

    def _changed(
        self, spot: ObjectSpot, members: _Items, member: Member, key: str, items: _Items
    ) -> None:
        """Keep a member that has a partner, with what it became there."""
        value = _value_of(member, key, items)
        became = members.get(member.partner or key, NOTHING)
        if member.here is not None and became is not NOTHING:
            became = bare_value(member.here, became)
        pieces = member.pieces
        if pieces is None or not pieces.fits(value, became):
            self._add("changed", value, became, items, key).parts.append(member.part)
            return
        for piece in pieces.split(value, became):
            unfit = misfit(spot.there, self._left, key, piece.value, len(piece.path)) is not None
            one = self._add("changed", piece.value, piece.became, {}, "", unfit=unfit)
            one.parts.extend(map(format_segment, reversed(piece.path)))
            one.parts.append(member.part)
            one.guards.extend(reversed(piece.guards))

    def _add(
        self,
        what: TrackedWhat,
        value: Any,
        became: Any,
        items: _Items,
        key: str,
        *,
        unfit: bool = False,
    ) -> _Kept:
        if UNFIT_KEY in items:
            marked = items[UNFIT_KEY]
            unfit = isinstance(marked, list) and key in marked
        kept = _Kept(value, became, unfit=unfit)
        if what in self._track:
            self._kept.append(kept)
        return kept


def _place(found: tuple[Member, str]) -> tuple[int, str]:
    member, key = found
    return member.rank, key


def _value_of(member: Member, key: str, items: _Items) -> Any:
    """Return an item's value as documents of its version show it."""
    value = items.get(key, NOTHING)
    return value if member.there is None or value is NOTHING else _as_shown(member.there, value)


def _as_shown(shape: ValueShape, value: Any) -> Any:
    """Return a value without bags, with the members of objects in the order of their types."""
    return in_order(shape, bare_value(shape, value))


class _Named:
    """The elements of a list, to be spelled by their keys or their place."""

    __slots__ = ("_elements", "_keys")

    def __init__(self, spot: ListSpot, items: list[Any]) -> None:
        self._elements = Elements(items, spot.keys, spot.shape)
        named = self._elements.named
        self._keys = [
            (keys, {index for index in named(keys.names).values() if index >= 0})
            for keys in spot.named
        ]

    def spelled(self, index: int) -> tuple[str, str]:
        """Return the part of an element in a path, and the guard of a place."""
        elements = self._elements
        item = elements.items[index]
        for keys, unique in self._keys:
            values: list[Any] = (
                [item.get(name) for name in keys.names] if index in unique else [None]
            )
            if all(map(is_scalar, values)):
                parts = map(str.__add__, keys.parts, map(format_scalar, values))
                return f"[?{' && '.join(parts)}]", ""
        return f"[{index}]", f"{len(elements.items)}:{elements.fingerprint(index)}"


def _own(value: Any) -> Any:
    return _json.copy(value) if type(value) in _CONTAINERS else value
