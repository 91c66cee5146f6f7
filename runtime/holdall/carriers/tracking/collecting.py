"""Collecting what a step left in the bags: each item becomes an entry for the version left.

One walk takes the items off, where there may be bags, and builds their paths on its way out.
Further entries preserve a status of which a version shows nothing, because an empty status equals
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.tracking.entries import BECAME, NOTHING, Section
from holdall.carriers.tracking.spots import Keys, ListSpot, MapSpot, Member, ObjectSpot
from holdall.objects.bag import (
    ABSENT_KEY,
    BAG_MEMBER,
    BECAME_KEY,
    GONE_KEY,
    UNFIT_KEY,
    WHOLE_KEY,
)
from holdall.objects.shapes import holders_of, object_shape
from holdall.objects.stored_forms import bare_value, shown_in_order
from holdall.objects.view_type import EVERYWHERE, UNNOTED
from holdall.objects.views import HIDDEN
from holdall.plan.misfits import misfit
from holdall.plan.tracking import TrackedWhat
from holdall.text import json as _json
from holdall.text.json_path import (
    Name,
    format_member,
    format_path,
    format_scalar,
    format_segment,
    is_scalar,
)
from holdall.types import JsonValue, Members

_ABOUT_ENTRIES: Final = frozenset({ABSENT_KEY, BECAME_KEY, UNFIT_KEY, GONE_KEY})
_IN_SPEC: Final = frozenset({".spec.", ".spec["})
_IN_STATUS: Final = frozenset({".status.", ".status["})
_CONTAINERS: Final = frozenset({dict, list})
_Entry: TypeAlias = "dict[str, Any]"
_Changed: TypeAlias = "list[tuple[Member, str, Any, bool]]"


class Collector:
    """Takes the items of one version off the bags of a tree of its neighbour.

    `left` is the version that the step left, `track` the scope of tracking; vanishing members
    count as `lone`. `bags` are the lineages of objects that have bags. `has_rest` says afterwards
    whether a bag has anything else.
    """

    __slots__ = ("_bags", "_became", "_kept", "_left", "_lone", "_track", "has_rest")

    def __init__(
        self,
        left: str,
        section: Section,
        track: tuple[TrackedWhat, ...],
        lone: TrackedWhat,
        bags: AbstractSet[int],
    ) -> None:
        self._left, self._became, self._track = left, BECAME[section], track
        self._lone: TrackedWhat = lone
        self._bags = bags | EVERYWHERE if UNNOTED in bags else bags
        self._kept: list[_Entry] = []
        self.has_rest = False

    def entries(
        self, spot: ObjectSpot, members: Any, place: str = "", guards: Sequence[str] = ()
    ) -> list[Any]:
        """Take the items off, and return them as entries of a section; the tree is changed.

        `place` is the path of the object in the document, and `guards` are those of its indexes.
        The order in each object is: vanished members, nested objects, changed members.
        """
        self._object(spot, members)
        for entry in self._kept:
            path, root = place + entry["jsonPath"], "object"
            if path[:6] in _IN_SPEC:
                path, root = path[5:], "spec"
            elif path[:8] in _IN_STATUS:
                path, root = path[7:], "status"
            entry["jsonPath"] = "$" + path
            if guards or "guards" in entry:
                entry["guards"] = [*guards, *reversed(entry.get("guards", ()))]
            if root != "spec":
                entry["root"] = root
            if "unfit" in entry:
                entry["unfit"] = entry.pop("unfit")  # it comes last
        return [*self._kept]

    def _object(self, spot: ObjectSpot, value: Any) -> Any:
        """Return an object without the items."""
        if type(value) is str or not (spot.children or BAG_MEMBER in value):
            return value
        members: Any = spot.here.open_wire(value) if spot.is_closed else value
        is_changed, kept = BAG_MEMBER in members, self._kept
        changed: _Changed = []
        items: dict[str, Any] = {}
        if is_changed:
            bag = members[BAG_MEMBER]
            items = bag.pop(self._left, items)
            if bag:
                self.has_rest = True
            else:
                del members[BAG_MEMBER]
            if items:
                changed = self._vanished(spot, members, items)
        for part, name, inner, crossing, is_made in spot.children:
            child = members.get(name)
            if child is None or (crossing and self._bags.isdisjoint(crossing.within)):
                continue
            before = len(kept)
            made = _WALKS[type(inner)](self, inner, child)
            if made is not child:
                members[name] = made
                is_changed = True
            if is_made:
                del kept[before:]  # the entry of the whole has them
            for entry in kept[before:]:
                entry["jsonPath"] = part + entry["jsonPath"]
        for member, key, item, is_unfit in changed:
            self._changed(spot, members, member, key, item, is_unfit)
        return spot.here.close_wire(members) if spot.is_closed and is_changed else value

    def _map(self, spot: MapSpot, values: dict[str, Any]) -> dict[str, Any]:
        kept, walk = self._kept, _WALKS[type(spot.item)]
        for key, item in values.items():
            if item is not None:
                before = len(kept)
                made = walk(self, spot.item, item)
                if made is not item:
                    values[key] = made
                if len(kept) > before:
                    part = format_member(key)
                    for entry in kept[before:]:
                        entry["jsonPath"] = part + entry["jsonPath"]
        return values

    def _list(self, spot: ListSpot, items: list[Any]) -> list[Any]:
        kept, walk = self._kept, _WALKS[type(spot.item)]
        found: list[tuple[int, int, int]] = []
        for index, item in enumerate(items):
            if item is not None:
                before = len(kept)
                made = walk(self, spot.item, item)
                if made is not item:
                    items[index] = made
                if len(kept) > before:
                    found.append((index, before, len(kept)))
        if found:
            elements = _Named(spot, items)
            for index, before, end in found:
                part, guard = elements.spelled(index)
                for entry in kept[before:end]:
                    entry["jsonPath"] = part + entry["jsonPath"]
                    if guard:
                        entry.setdefault("guards", []).append(guard)
        return items

    def _vanished(self, spot: ObjectSpot, members: Any, items: dict[str, Any]) -> _Changed:
        """Keep what has no place in an object; return what has changed there."""
        absent: list[Any] = _names(items, ABSENT_KEY) if ABSENT_KEY in items else []
        unfit: list[Any] = _names(items, UNFIT_KEY) if UNFIT_KEY in items else []
        keys = [*items]
        if len(keys) > 1 or keys[0] in _ABOUT_ENTRIES:
            keys = [key for key in spot.members if key in items or key in absent]
            if absent or len(keys) < len(items):
                keys += sorted({*items, *map(str, absent)}.difference(keys, _ABOUT_ENTRIES))
        changed: _Changed = []
        for key in keys:
            value, is_unfit = items.get(key, NOTHING), key in unfit
            if key == WHOLE_KEY:
                self._whole(spot, members, value, is_unfit=is_unfit)
                continue
            member = spot.members[key] if key in spot.members else spot.member(key)
            if member.there is not None and value is not NOTHING:
                value = shown_in_order(member.there, value)
            if member.partner is not None:
                changed.append((member, key, value, is_unfit))
            elif self._lone in self._track:
                self._keep(member.part, value, NOTHING, is_unfit)
        return changed

    def _whole(self, spot: ObjectSpot, members: Any, value: Any, *, is_unfit: bool) -> None:
        """Keep a union that has another variant there."""
        if "variants" in self._track:
            became = shown_in_order(object_shape(spot.here), members)
            value = shown_in_order(object_shape(spot.there), value)
            self._keep("", value, became, is_unfit)

    def _changed(
        self,
        spot: ObjectSpot,
        members: Any,
        member: Member,
        key: str,
        value: Any,
        is_unfit: bool,
    ) -> None:
        """Keep a member that has a partner, with what it became there."""
        if member.kept_as not in self._track:
            return
        became = members.get(member.partner or key, NOTHING)
        if member.here is not None and became is not NOTHING:
            became = shown_in_order(member.here, became)
        pieces = member.pieces
        if pieces is None or not pieces.fits(value, became):
            self._keep(member.part, value, became, is_unfit)
            return
        for piece in pieces.split(value, became):
            unfit = misfit(spot.there, self._left, key, piece.value, len(piece.path)) is not None
            path = member.part + "".join(map(format_segment, piece.path))
            entry = self._keep(path, piece.value, piece.became, unfit)
            if piece.guards:
                entry["guards"] = [*reversed(piece.guards)]

    def _keep(self, path: str, value: Any, became: Any, is_unfit: bool) -> _Entry:
        """Start an entry: its path grows on the way out, and its guards are innermost first."""
        entry: _Entry = {"jsonPath": path}
        if value is NOTHING:
            entry["absent"] = True
        else:
            entry["value"] = _json.copy(value) if type(value) in _CONTAINERS else value
        if became is not NOTHING:
            entry[self._became] = _json.copy(became) if type(became) in _CONTAINERS else became
        if is_unfit:
            entry["unfit"] = True
        self._kept.append(entry)
        return entry


_WALKS: Final[dict[type, Any]] = {
    ObjectSpot: Collector._object,
    ListSpot: Collector._list,
    MapSpot: Collector._map,
}


def _names(items: dict[str, Any], mark: str) -> list[Any]:
    """Return the names in a mark; a damaged one has none."""
    return items[mark] if type(items[mark]) is list else []


class _Named:
    """The elements of a list, identified in paths by their keys or their index."""

    __slots__ = ("_elements", "_keys")

    def __init__(self, spot: ListSpot, items: list[Any]) -> None:
        self._elements = Elements(items, spot.keys, spot.shape)
        self._keys: list[tuple[Keys, set[int]]] = []
        for keys in spot.named:
            named = self._elements.named(keys.names)
            self._keys.append((keys, {index for index in named.values() if index >= 0}))

    def spelled(self, index: int) -> tuple[str, str]:
        """Return the path segment of an element, and the guard of an index."""
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


def held_status(
    source: tuple[Any, Members], destination: tuple[Any, Members], found: list[JsonValue]
) -> list[JsonValue]:
    """Return an entry that preserves a status of which the entered version shows nothing.

    Converting back would restore its values, but an empty status equals none. The entry is one of
    its values.
    """
    shown = destination[1]["status"]
    if type(shown) is dict and not HIDDEN.issuperset(shown):
        return []  # the usual case
    if _status(*destination) != {}:
        return []
    left = _status(*source)
    if not left or any(
        isinstance(entry, dict) and entry.get("root") == "status" for entry in found
    ):
        return []
    name, value = next(iter(left.items()))
    entry: dict[str, JsonValue] = {
        "jsonPath": format_path([Name(name)]),
        "value": _json.copy(value),
        "root": "status",
    }
    held: Any = holders_of(source[0])["status"].value.type
    if misfit(held, source[0].VERSION, name, value) is not None:
        entry["unfit"] = True
    return [entry]


def _status(cls: Any, members: Members) -> Members | None:
    """Return the members of a declared status; None if there is none, or it is not an object."""
    value, held = members.get("status"), holders_of(cls).get("status")
    if held is None or held.value.type is None or value is None:
        return None
    status = bare_value(held.value, value)
    return status if type(status) is dict else None
