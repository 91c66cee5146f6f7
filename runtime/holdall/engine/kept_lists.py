"""Lists that a hook keeps as a whole, put back into lists that were edited meanwhile.

Three lists are known: the one that `was` made of what was shown, the one that `is` kept, and the
one that is made `now`. What the first two have in common tells where the elements belong that were
never shown, and in which order the others were. Source: docs/conversions.md, "Residue and
agreement".
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence, Set
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from holdall.engine.element_names import element_names, unique_names
from holdall.engine.residues import Difference, Path
from holdall.engine.shown_elements import (
    Shapes,
    are_in_order,
    has_all_of,
    have_moved,
    part_of,
    places_in,
    plain,
    shape_at,
    shown_by,
)
from holdall.objects.shapes import ValueShape
from holdall.text import json as _json
from holdall.types import JsonObject, get

Placed: TypeAlias = "list[tuple[Difference, Path | None]]"
"""Differences, each with its place."""
_Order: TypeAlias = Literal["kept", "followed", "now"]
"""The order of elements that are shown in another one: as it was kept, with new ones behind all
others, or each behind the one in front of it; or as it is now."""
_ORDERS: Final[tuple[_Order, ...]] = ("kept", "followed", "now")


class Way(NamedTuple):
    """Differences as they can be made, and how many kept elements are in them no more."""

    changes: Placed
    lost: int = 0


class Target:
    """The members that something is put back into, as they are, and what is declared of them."""

    def __init__(self, members: JsonObject, shapes: Shapes) -> None:
        self._members, self._shapes = members, shapes
        self._names: dict[Path, dict[str, int]] = {}

    def at(self, path: Sequence[str | int]) -> Any:
        """Return what a path leads to, None if nothing is there."""
        return get(self._members, *path)

    def shape(self, path: Sequence[str | int]) -> ValueShape | None:
        """Return what is declared of it."""
        return shape_at(self._shapes, path)

    def names(self, path: Path) -> dict[str, int]:
        """Return the indexes of the elements of a list there by their names."""
        if path not in self._names:
            self._names[path] = unique_names(element_names(self.at(path), self.shape(path)))
        return self._names[path]


class Unit:
    """Differences that stand or fall together, and the ways to make them, the best one first."""

    def __init__(self, target: Target, found: Placed, ways: list[Way] | None = None) -> None:
        self._target, self._found = target, found
        is_placed = all(path is not None for _, path in found)
        self.ways = ways or ([Way(found)] if is_placed else [])

    def apart(self) -> list[Unit]:
        """Return what moved elements hide, one by one, at their current places.

        Lists that are as they were shown are merged instead: another order of theirs may agree.
        """
        items = self._found
        if type(items[0][0]["at"][-1]) is not int:
            rest: Placed = [(kept, None if _is_of(list, kept) else path) for kept, path in items]
            is_known = all(one[1] is other[1] for one, other in zip(rest, items, strict=True))
            ways = [] if is_known else _merged(self._target, rest)
            return [Unit(self._target, rest, ways)] if ways else []
        if len(items) < 2:
            return []
        shown = shown_by(*_sides(items), self._target.shape(items[0][0]["at"][:-1]))
        units: list[Unit] = []
        for index, other in shown.items():
            (kept, path), value = items[index], items[other][0]["is"]
            if not _json.same(kept["was"], value):
                one = {**kept, "is": value}, path
                units.append(Unit(self._target, [one], _named(self._target, one)))
        left = [kept for at, (kept, _) in enumerate(items) if at not in shown]
        return [*units, *(Unit(self._target, [(kept, None)]) for kept in left)]

    @property
    def hidden(self) -> int:
        """How many elements of lists get lost if the differences are not made.

        None if the list is not there any more: what was only deleted is not lost. Nor is what only
        changed its place.
        """
        shown = Counter(
            _json.canonical(kept["was"]) for kept, _ in self._found if _is_of(dict, kept)
        )
        count = 0
        for kept, _ in self._found:
            at = kept["at"]
            if type(at[-1]) is not int:
                is_there = _is_of(list, kept) and type(self._target.at(at)) is list
                count += _hidden(kept["was"], kept["is"], self._target.shape(at)) if is_there else 0
            elif _is_of(dict, kept):
                text = _json.canonical(kept["is"])
                first = next(index for index, token in enumerate(at) if type(token) is int)
                count += int(shown[text] <= 0 and bool(self._target.at(at[:first])))
                shown[text] -= 1
        return count


def units_of(target: Target, found: Placed) -> list[Unit]:
    """Return differences by what stands or falls together.

    Of whole members one may have replaced another, and of elements that changed their places in a
    list some alone would make others twice, or none.
    """
    whole = [item for item in found if len(item[0]["at"]) == 1]
    units = [Unit(target, whole, _merged(target, whole))] if whole else []
    lists: dict[bytes, Placed] = {}
    for item in found:
        at = item[0]["at"]
        if type(at[-1]) is int:
            lists.setdefault(_json.canonical(at[:-1]), []).append(item)
        elif len(at) > 1:
            units.append(Unit(target, [item], _merged(target, [item])))
    moves: list[Unit] = []
    for items in lists.values():
        items.sort(key=lambda item: item[0]["at"][-1])
        if have_moved(*_sides(items), target.shape(items[0][0]["at"][:-1])):
            unit = Unit(target, items, _arranged(target, items))
            moves += [unit] if unit.ways else unit.apart() or [unit]
        else:
            units += [Unit(target, [item], _named(target, item)) for item in items]
    return [*units, *moves]


def _ways(changes: Callable[[_Merge], Placed]) -> list[Way]:
    """Return the ways to make differences that come from a merge, none if it is unclear."""
    ways: list[Way] = []
    for order in _ORDERS:
        merge = _Merge(order)
        way = Way(changes(merge), merge.left)
        if merge.is_unclear:
            return []
        ways.append(way)
        if not merge.has_moved:
            break
    return ways


def _merged(target: Target, unit: Placed) -> list[Way]:
    """Return the ways to make differences of whole lists, of which some were edited."""
    edited = [kept for kept, path in unit if path is None]
    if not edited or not all(
        _is_of(list, kept) and type(target.at(kept["at"])) is list for kept in edited
    ):
        return []

    def changes(merge: _Merge) -> Placed:
        made = [one for one in unit if one[1] is not None]
        for kept in edited:
            at, now = tuple(kept["at"]), target.at(kept["at"])
            value = merge.lists(kept["was"], kept["is"], now, target.shape(at))
            made.append(_instead(now, value, at))
        return made

    return _ways(changes)


def _arranged(target: Target, items: Placed) -> list[Way]:
    """Return the ways to make the differences of all elements of a list that changed places."""
    paths = [path for _, path in items if path is not None]
    lists = {path[:-1] for path in paths}
    *above, _ = items[0][0]["at"]
    if not paths and int not in map(type, above):
        lists = {tuple(above)}
    place = lists.pop() if len(lists) == 1 else ()
    now = target.at(place)
    if type(now) is not list:
        return []
    if len(paths) == len(items) == len(now):
        return [Way(items)]
    sides, shape = _sides(items), target.shape(place)

    def changes(merge: _Merge) -> Placed:
        return [_instead(now, merge.lists(*sides, now, shape, edited=False), place)]

    return _ways(changes)


def _named(target: Target, one: tuple[Difference, Path | None]) -> list[Way]:
    """Return the ways to make the difference of an element, if only the element's name tells it.

    Then it has been edited: what it does not show is put beside what it shows now.
    """
    kept, path = one
    above, last = tuple(kept["at"][:-1]), kept["at"][-1]
    is_told = type(last) is int and int not in map(type, above) and "of" not in kept
    if path is not None or not is_told or type(target.at(above)) is not list:
        return []
    shape, places = target.shape(above), target.names(above)
    found = {places[name] for name in element_names([kept["was"]], shape)[0] if name in places}
    if len(found) != 1 or not _is_of_one_element(kept, shape):
        return []
    place = (*above, found.pop())
    now = target.at(place)

    def changes(merge: _Merge) -> Placed:
        value = merge.values(kept["was"], kept["is"], now, part_of(shape, last))
        return [_instead(now, value, place)]

    return _ways(changes)


def _instead(now: Any, value: Any, path: Path) -> tuple[Difference, Path]:
    return {"at": [*path], "was": now, "is": value}, path


def includes(all_: list[Difference], some: list[Difference], shapes: Shapes) -> bool:
    """Return whether some differences are among others.

    Those of an element that is shown differently may be anywhere in the list. That of a whole list
    is among others if they hide at least the same elements, in whatever order the rest is shown.
    """
    known = {text for one in all_ for text in (_json.canonical(one), _hidden_text(one))}
    lists = {_json.canonical(one["at"]): one for one in all_ if _is_of(list, one)}
    return all(
        _json.canonical(one) in known
        or (
            _hidden_text(one) in known and _is_of_one_element(one, shape_at(shapes, one["at"][:-1]))
        )
        or (
            _is_of(list, one)
            and (other := lists.get(_json.canonical(one["at"]))) is not None
            and _hidden_elements(one, shapes) <= _hidden_elements(other, shapes)
        )
        for one in some
    )


def _hidden_elements(kept: Difference, shapes: Shapes) -> Counter[bytes]:
    """Return the elements of a kept list that are not shown with all that they have."""
    was, value = kept["was"], kept["is"]
    shown = shown_by(was, value, shape_at(shapes, kept["at"]))
    whole = {place for at, place in shown.items() if _json.same(was[at], value[place])}
    return Counter(_json.canonical(one) for at, one in enumerate(value) if at not in whole)


def _hidden_text(kept: Difference) -> bytes:
    """Return a text of a difference of an element, independent of its place in the list."""
    at = kept["at"]
    return _json.canonical([at[:-1], kept["is"]]) if type(at[-1]) is int else b""


def _hidden(was: list[Any], value: list[Any], shape: ValueShape | None) -> int:
    """Return how many elements of a list were not shown, or not with all that they have."""
    shown = shown_by(was, value, shape)
    more = sum(not _json.same(was[at], value[place]) for at, place in shown.items())
    return more + max(0, len(value) - len(was))


def _is_of(kind: type, kept: Difference) -> bool:
    return type(kept.get("was")) is kind is type(kept.get("is"))


def _is_of_one_element(kept: Difference, shape: ValueShape | None) -> bool:
    """Return whether a difference does not make another one of an element."""
    if not _is_of(dict, kept):
        return False
    was, value = element_names([kept["was"], kept["is"]], shape)
    named = bool(was) and {*was} <= {*value}
    bare = plain(kept["was"], part_of(shape, 0))
    return named or any(has_all_of(kept["is"], one) for one in (kept["was"], bare))


class _Merge:
    """What an edit leaves of kept values. Elements that were shown in another order get the one
    that is wanted."""

    def __init__(self, order: _Order) -> None:
        self._order = order
        self.left = 0
        self.is_unclear = self.has_moved = False

    def values(self, was: Any, value: Any, now: Any, shape: ValueShape | None) -> Any:
        """Return a value as it is now, with what was kept and not shown."""
        if _json.same(was, now):
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
            if name in value or name not in was or not _json.same(was[name], one)
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
            elif is_lost and not _json.same(was[at], value[place]):
                self.left += 1
        gone = {places[at] for at in range(len(was)) if at not in shown and at in places}
        gone = {place for place in gone if _json.same(made[place], now[place])}
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


def _sides(items: Placed) -> tuple[list[Any], list[Any]]:
    return [kept["was"] for kept, _ in items], [kept["is"] for kept, _ in items]
