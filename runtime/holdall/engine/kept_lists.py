"""Lists that a hook keeps as a whole, put back into lists that were edited meanwhile.

Three lists are known: the one that `was` made of what was shown, the one that `is` kept, and the
one that is made `now`. What the first two have in common tells where the elements belong that were
never shown, and in which order the others were. Source: docs/conversions.md, "Residue and
agreement".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from holdall.engine.edited_lists import ORDERS, Merge
from holdall.engine.element_names import element_names, unique_names
from holdall.engine.residues import Difference, Path, is_spelling
from holdall.engine.shown_elements import (
    Shapes,
    has_all_of,
    have_moved,
    part_of,
    plain,
    shape_at,
    shown_by,
)
from holdall.objects.shapes import ValueShape
from holdall.text import json as _json
from holdall.types import JsonObject, get

Placed: TypeAlias = "list[tuple[Difference, Path | None]]"
"""Differences, each with its place."""


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

    def lacks(self, path: Sequence[str | int]) -> bool:
        """Return whether an object is there that has no such member."""
        holder = get(self._members, *path[:-1]) if len(path) > 1 else self._members
        return type(holder) is dict and path[-1] not in holder

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
        """Return units of which each may agree where this one does not.

        Of moved elements: what they hide, one by one, at their current places. Of members: each
        list, and the rest; a list that is as it was shown may agree in another order.
        """
        items = self._found
        if type(items[0][0]["at"][-1]) is not int:
            return self._lists_apart()
        if len(items) < 2:
            return []
        shown = shown_by(*_sides(items), self._target.shape(items[0][0]["at"][:-1]))
        units: list[Unit] = []
        for index, other in shown.items():
            (kept, path), value = items[index], items[other][0]["is"]
            if not _json.equal(kept["was"], value):
                one = {**kept, "is": value}, path
                units.append(Unit(self._target, [one], _named(self._target, one)))
        left = [kept for at, (kept, _) in enumerate(items) if at not in shown]
        return [*units, *(Unit(self._target, [(kept, None)]) for kept in left)]

    def _lists_apart(self) -> list[Unit]:
        items, target = self._found, self._target
        lists = [item for item in items if _is_list(item[0])]
        rest = [item for item in items if not _is_list(item[0])]
        groups: list[Placed] = [[item] for item in lists] + ([rest] if rest else [])
        if len(groups) == 1:
            groups = [[(kept, None)] for kept, path in lists if path is not None]
        units = [Unit(target, group, _merged(target, group)) for group in groups]
        return [unit for unit in units if unit.ways or len(groups) > 1]

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
                is_there = _is_list(kept) and type(self._target.at(at)) is list
                count += _hidden(*_lists(kept), self._target.shape(at)) if is_there else 0
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
    whole = [
        (kept, path)
        for kept, path in found
        if len(kept["at"]) == 1 and not (path is None and is_spelling(kept))
    ]
    units = _or_apart(Unit(target, whole, _merged(target, whole))) if whole else []
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
            moves += _or_apart(Unit(target, items, _arranged(target, items)))
        else:
            units += [Unit(target, [item], _named(target, item)) for item in items]
    return [*units, *moves]


def _or_apart(unit: Unit) -> list[Unit]:
    return [unit] if unit.ways else unit.apart() or [unit]


def _ways(changes: Callable[[Merge], Placed]) -> list[Way]:
    """Return the ways to make differences that come from a merge, none if it is unclear."""
    ways: list[Way] = []
    for order in ORDERS:
        merge = Merge(order)
        way = Way(changes(merge), merge.left)
        if merge.is_unclear or not way.changes:
            return []
        ways.append(way)
        if not merge.has_moved:
            break
    return ways


def _merged(target: Target, unit: Placed) -> list[Way]:
    """Return the ways to make differences of whole lists, of which some were edited.

    A function may leave out a list that is empty, so one that is absent may be either empty or
    deleted with all that it did not show.
    """
    edited = [kept for kept, path in unit if path is None]
    if not edited or not all(map(_is_list, edited)):
        return []
    placed = [one for one in unit if one[1] is not None]
    there = [kept for kept in edited if type(target.at(kept["at"])) is list]
    absent = [kept for kept in edited if target.lacks(kept["at"])]

    def changes(lists: list[Difference], merge: Merge) -> Placed:
        made = [*placed]
        for kept in lists:
            at, now = tuple(kept["at"]), target.at(kept["at"])
            value = merge.lists(*_lists(kept), now or [], target.shape(at))
            if value or now is not None:
                made.append(_instead(now, value, at))
        return made

    ways = _ways(partial(changes, there + absent)) if absent else []
    return [*ways, *_ways(partial(changes, there))]


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

    def changes(merge: Merge) -> Placed:
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

    def changes(merge: Merge) -> Placed:
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
    lists = {_json.canonical(one["at"]): one for one in all_ if _is_list(one)}
    return all(
        _json.canonical(one) in known
        or (
            _hidden_text(one) in known and _is_of_one_element(one, shape_at(shapes, one["at"][:-1]))
        )
        or (
            _is_list(one)
            and (other := lists.get(_json.canonical(one["at"]))) is not None
            and _hidden_elements(one, shapes) <= _hidden_elements(other, shapes)
        )
        for one in some
    )


def _hidden_elements(kept: Difference, shapes: Shapes) -> Counter[bytes]:
    """Return the elements of a kept list that are not shown with all that they have."""
    was, value = _lists(kept)
    shown = shown_by(was, value, shape_at(shapes, kept["at"]))
    whole = {place for at, place in shown.items() if _json.equal(was[at], value[place])}
    return Counter(_json.canonical(one) for at, one in enumerate(value) if at not in whole)


def _hidden_text(kept: Difference) -> bytes:
    """Return a text of a difference of an element, independent of its place in the list."""
    at = kept["at"]
    return _json.canonical([at[:-1], kept["is"]]) if type(at[-1]) is int else b""


def _hidden(was: list[Any], value: list[Any], shape: ValueShape | None) -> int:
    """Return how many elements of a list were not shown, or not with all that they have."""
    shown = shown_by(was, value, shape)
    more = sum(not _json.equal(was[at], value[place]) for at, place in shown.items())
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


def _is_list(kept: Difference) -> bool:
    """Return whether a list was kept beside a list, or beside nothing."""
    return type(kept.get("is")) is list is type(kept.get("was", []))


def _lists(kept: Difference) -> tuple[list[Any], list[Any]]:
    """Return what was shown of a kept list, and the list."""
    return kept.get("was", []), kept["is"]


def _sides(items: Placed) -> tuple[list[Any], list[Any]]:
    return [kept["was"] for kept, _ in items], [kept["is"] for kept, _ in items]
