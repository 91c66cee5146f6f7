"""Which elements of a list are shown by which ones, where something of them is not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from holdall.engine.element_names import element_names, unique_names
from holdall.engine.far_defaults import without_any_defaults
from holdall.engine.same_elements import same_elements
from holdall.objects.implied import without_defaults
from holdall.objects.shapes import ValueShape, holders_of
from holdall.text import json as _json

_MANY: Final = 50


Shapes: TypeAlias = Mapping[str, ValueShape]
"""What the members of an object hold, by name."""


def shape_at(shapes: Shapes, path: Sequence[str | int]) -> ValueShape | None:
    """Return what is declared of a value that a path leads to, None if nothing is."""
    found = shapes.get(str(path[0])) if path else None
    for token in path[1:]:
        found = part_of(found, token)
    return found


def part_of(shape: ValueShape | None, token: str | int) -> ValueShape | None:
    """Return what is declared of a member or an element of a value, None if nothing is."""
    if shape is None or shape.type is None:
        return None if shape is None else shape.item
    held = holders_of(shape.type).get(str(token))
    return None if held is None else held.value


def plain(value: Any, shape: ValueShape | None) -> Any:
    """Return a value without what servers fill in."""
    if shape is None:
        return value
    if shape.type is not None and type(value) is dict:
        return without_any_defaults(shape.type, value)
    return without_defaults(value, shape, None)


def places_in(
    was: list[Any], now: list[Any], shape: ValueShape | None, *, edited: bool
) -> dict[int, int]:
    """Return where the elements of a list are now; `edited` as in `same_elements`.

    What servers may have filled in tells no element from another, if not all are as they were.
    """
    found = _places_in(was, now, shape, edited=False)
    if len(found) < min(len(was), len(now)):
        item = part_of(shape, 0)
        old, new = ([plain(one, item) for one in items] for items in (was, now))
        found = _places_in(old, new, shape, edited=edited)
    return found


def _places_in(
    was: list[Any], now: list[Any], shape: ValueShape | None, *, edited: bool
) -> dict[int, int]:
    """Return the same, by all that the elements show.

    In a list with keys, these alone tell, if each element has its own.
    """
    names, new_names = (element_names(items, shape) for items in (was, now))
    places, new_places = unique_names(names), unique_names(new_names)
    if _are_keyed(shape, names, places) and _are_keyed(shape, new_names, new_places):
        return {at: new_places[name] for name, at in places.items() if name in new_places}
    texts = ([_json.canonical(item) for item in items] for items in (was, now))
    by_index = {at: name for name, at in reversed(places.items())}
    return same_elements(*texts, old_names=by_index, new_names=new_places, edited=edited)


def _are_keyed(shape: ValueShape | None, names: list[list[str]], unique: dict[str, int]) -> bool:
    return shape is not None and bool(shape.keys) and len(names) == len(unique)


def shown_by(was: list[Any], value: list[Any], shape: ValueShape | None) -> dict[int, int]:
    """Return which element of a kept list each shown one shows.

    It shows it as it is, under its name, or some members of it.
    """
    found = _places_in(was, value, shape, edited=False)
    taken = {*found.values()}
    left = [at for at, one in enumerate(was) if at not in found and type(one) is dict]
    having: dict[tuple[str, Any], list[int]] = {}
    for place in range(len(value) if left else 0):
        for member in _members_of(value[place]):
            having.setdefault(member, []).append(place)
    for at in left:
        # Where many elements have all that one shows, nobody can tell which one it is.
        rare = min((having.get(one, []) for one in _members_of(was[at])), key=len, default=[])
        for place in (at, *rare[:_MANY]):
            if place < len(value) and place not in taken and has_all_of(value[place], was[at]):
                found[at] = place
                taken.add(place)
                break
    return found


def are_in_order(shown: dict[int, int]) -> bool:
    """Tell whether elements are shown in the order in which they were kept."""
    return all(one[1] < other[1] for one, other in pairwise(sorted(shown.items())))


def have_moved(was: list[Any], value: list[Any], shape: ValueShape | None) -> bool:
    """Tell whether some elements are shown at other places; both lists have the same length."""
    pairs = [both for both in zip(was, value, strict=True) if not has_all_of(both[1], both[0])]
    names = [element_names(items, shape) for items in zip(*pairs, strict=True)]
    if not names or (names[0] == names[1] and len(unique_names(names[0])) == len(pairs)):
        return False
    return any(at != place for at, place in shown_by(was, value, shape).items())


def has_all_of(value: Any, shown: Any) -> bool:
    """Tell whether a value is as it is shown, or has more members or elements, at any depth."""
    if type(value) is dict is type(shown):
        return all(name in value and has_all_of(value[name], one) for name, one in shown.items())
    if type(value) is list is type(shown):
        rest = iter(value)
        return all(any(has_all_of(one, part) for one in rest) for part in shown)
    return _json.equal(value, shown)


def _members_of(value: Any) -> list[tuple[str, Any]]:
    """Return the members of an object that have no parts."""
    if type(value) is not dict:
        return []
    return [
        (name, (type(one), one)) for name, one in value.items() if type(one) not in (dict, list)
    ]
