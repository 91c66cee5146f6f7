"""What an edit leaves of kept lists: elements that were not shown, and what others did not show.

Three values are known: the one that `was` made of what was shown, the one that was kept, and the
one that is made `now`. Source: docs/conversions.md, "Residue and agreement".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Set
from typing import Any, Final, Literal, TypeAlias

from holdall.engine.shown_elements import are_in_order, part_of, places_in, shown_by
from holdall.objects.shapes import ValueShape
from holdall.text import json as _json
from holdall.types import JsonObject

Order: TypeAlias = Literal["kept", "followed", "now"]
"""The order of elements that are shown in another one: as it was kept, with new ones behind all
others, or each behind the one in front of it; or as it is now."""
ORDERS: Final[tuple[Order, ...]] = ("kept", "followed", "now")


class Merge:
    """What an edit leaves of kept values. Elements that were shown in another order get the one
    that is wanted."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self.left = 0
        self.is_unclear = self.has_moved = False

    def values(self, was: Any, value: Any, now: Any, shape: ValueShape | None) -> Any:
        """Return a value as it is now, with what was kept and not shown."""
        if _json.equal(was, now):
            return value
        if type(was) is dict is type(value) and type(now) is dict:
            return self._objects(was, value, now, shape)
        if type(was) is list is type(value) and type(now) is list:
            return self.lists(was, value, now, shape)
        return now

    def _objects(
        self, was: JsonObject, value: JsonObject, now: JsonObject, shape: ValueShape | None
    ) -> JsonObject:
        made = {
            name: one
            for name, one in now.items()
            if name in value or name not in was or not _json.equal(was[name], one)
        }
        for name, kept in value.items():
            if name not in was:
                made.setdefault(name, kept)
            elif name in now:
                made[name] = self.values(was[name], kept, now[name], part_of(shape, name))
        return made

    def lists(
        self,
        was: list[Any],
        value: list[Any],
        now: list[Any],
        shape: ValueShape | None,
        *,
        edited: bool = True,
    ) -> list[Any]:
        """Return the current list, with the elements that were kept but not shown.

        These follow the preceding element that is recognised. If not `edited`, only a name
        tells which element was edited, and those that were deleted count as left out, too.
        """
        shown = shown_by(was, value, shape)
        hidden = sorted({*range(len(value))}.difference(shown.values()))
        if hidden and len(shown) < len(was):
            self.is_unclear = True  # they may be others in another spelling
            return now
        places = places_in(was, now, shape, edited=edited)
        is_lost = len(places) < len(now) or (not edited and bool(now))
        made: list[Any] = []
        made.extend(now)
        for at, place in shown.items():
            if at in places:
                new = now[places[at]]
                made[places[at]] = self.values(was[at], value[place], new, part_of(shape, at))
            elif is_lost and not _json.equal(was[at], value[place]):
                self.left += 1
        gone = {places[at] for at in range(len(was)) if at not in shown and at in places}
        gone = {place for place in gone if _json.equal(made[place], now[place])}
        found = {place: places[at] for at, place in shown.items() if at in places}
        known = sorted(found)
        first: list[Any] = []
        follow: dict[int, list[Any]] = {}
        for index in hidden:
            before = bisect_left(known, index)
            (follow.setdefault(found[known[before - 1]], []) if before else first).append(
                value[index]
            )
        result: list[Any] = []
        for place in self._order_of(len(now), gone, [found[at] for at in known], shown):
            if first and (not known or place == found[known[0]]):
                result, first = [*result, *first], []
            result += (made[place], *follow.get(place, ()))
        return result + first

    def _order_of(
        self, count: int, gone: Set[int], kept: list[int], shown: dict[int, int]
    ) -> list[int]:
        """Return the places of elements in the order that is wanted; `kept` are those of old ones,
        as they were kept."""
        is_moved = bool(kept) and not are_in_order(shown)
        self.has_moved = self.has_moved or is_moved
        if not is_moved or self._order == "now":
            return [place for place in range(count) if place not in gone]
        behind: dict[int, list[int]] = {}
        known, anchor = {*kept}, -1
        for place in range(count):
            if place in known:
                anchor = place
            elif place not in gone:
                behind.setdefault(kept[-1] if self._order == "kept" else anchor, []).append(place)
        groups = ((place, *behind.get(place, ())) for place in kept)
        return [*behind.get(-1, ()), *(place for group in groups for place in group)]
