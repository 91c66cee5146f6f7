"""Lists that a hook keeps as a whole, put back into lists that were edited meanwhile.

Three lists are known: the one that `was` made of what was shown, the one that `is` kept, and the
one that is made `now`. What the first two have in common tells where the elements belong that were
never shown. Source: property-conversion contract, section 5.7.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

from holdall.engine.element_names import GUESSED_KEYS
from holdall.engine.residues import Difference, Path
from holdall.engine.same_elements import same_elements
from holdall.text import json as _json
from holdall.types import JsonObject, get

Placed: TypeAlias = "list[tuple[Difference, Path | None]]"
"""Differences, each with its place."""


def with_merged_lists(target: JsonObject, found: Placed) -> tuple[Placed, int]:
    """Return differences with their places; and how many elements are left out.

    Of those that have no place in the target, lists are merged with what they are there.
    """
    merged: Placed = []
    left = 0
    for kept, path in found:
        at = kept["at"]
        now = get(target, *at) if path is None and _is_of(list, kept) else None
        if type(now) is list and type(at[-1]) is str:
            merge = _Merge()
            made = merge.lists(kept["was"], kept["is"], now)
            if not merge.is_unclear:
                merged.append(({"at": at, "was": now, "is": made}, tuple(at)))
                left += merge.left
                continue
        merged.append((kept, path))
    return merged, left


def hidden_in(target: JsonObject, kept: Difference) -> int:
    """Return how many elements of lists get lost if a difference is not made.

    None if the list is not there any more: what was only deleted is not lost.
    """
    at = kept["at"]
    if type(at[-1]) is int:
        first = next(index for index, token in enumerate(at) if type(token) is int)
        return int(_is_of(dict, kept) and bool(get(target, *at[:first])))
    if not _is_of(list, kept) or type(get(target, *at)) is not list:
        return 0
    was, value = kept["was"], kept["is"]
    shown = _shown_by(was, value)
    more = sum(not _json.same(was[at], value[place]) for at, place in shown.items())
    return more + max(0, len(value) - len(was))


def _is_of(kind: type, kept: Difference) -> bool:
    return type(kept.get("was")) is kind is type(kept.get("is"))


class _Merge:
    def __init__(self) -> None:
        self.left = 0
        self.is_unclear = False

    def values(self, was: Any, value: Any, now: Any) -> Any:
        """Return a value as it is now, with what was kept and not shown."""
        if _json.same(was, now):
            return value
        if type(was) is dict is type(value) and type(now) is dict:
            return self._objects(was, value, now)
        if type(was) is list is type(value) and type(now) is list:
            return self.lists(was, value, now)
        return now

    def _objects(self, was: JsonObject, value: JsonObject, now: JsonObject) -> JsonObject:
        made = {
            name: one
            for name, one in now.items()
            if name in value or name not in was or not _json.same(was[name], one)
        }
        for name, kept in value.items():
            if name not in was:
                made.setdefault(name, kept)
            elif name in now:
                made[name] = self.values(was[name], kept, now[name])
        return made

    def lists(self, was: list[Any], value: list[Any], now: list[Any]) -> list[Any]:
        """Return a list as it is now, with the elements that were kept and not shown.

        These follow the element in front of them that is known again.
        """
        shown = _shown_by(was, value)
        hidden = sorted({*range(len(value))}.difference(shown.values()))
        if hidden and len(shown) < len(was):
            self.is_unclear = True  # they may be what others are written as
            return now
        places = _places(was, now)
        is_edited = len(places) < len(now)
        made: list[Any] = []
        made.extend(now)
        for at, place in shown.items():
            if at in places:
                made[places[at]] = self.values(was[at], value[place], now[places[at]])
            elif is_edited and not _json.same(was[at], value[place]):
                self.left += 1
        gone = {places[at] for at in range(len(was)) if at not in shown and at in places}
        found = {place: places[at] for at, place in shown.items() if at in places}
        follow: dict[int, list[Any]] = {}
        for index in hidden:
            before = max((place for place in found if place < index), default=None)
            after = min((place for place in found if place > index), default=None)
            anchor = -1 if after is None else found[after] - 1
            if before is not None:
                anchor = found[before]
            follow.setdefault(anchor, []).append(value[index])
        result = follow.get(-1, [])
        for place, one in enumerate(made):
            if place not in gone or not _json.same(one, now[place]):
                result.append(one)
            result += follow.get(place, ())
        return result


def _shown_by(was: list[Any], value: list[Any]) -> dict[int, int]:
    """Return which element of a kept list each shown one shows: as it is, or some members of it."""
    found = same_elements(*(_texts(one) for one in (was, value)), edited=False)
    free = [at for at in range(len(value)) if at not in {*found.values()}]
    for at, one in enumerate(was):
        if at not in found:
            place = next((place for place in free if _includes(value[place], one)), None)
            if place is not None:
                found[at] = place
                free.remove(place)
    return found


def _includes(value: Any, shown: Any) -> bool:
    if type(value) is dict is type(shown):
        return all(name in value and _includes(value[name], one) for name, one in shown.items())
    return _json.same(value, shown)


def _places(was: list[Any], now: list[Any]) -> dict[int, int]:
    names = _names(was), _names(now)
    by_index = {at: name for name, at in reversed([*names[0].items()])}
    return same_elements(_texts(was), _texts(now), old_names=by_index, new_names=names[1])


def _names(items: list[Any]) -> dict[str, int]:
    """Return the indexes of elements by texts that name no other one."""
    found: dict[str, list[int]] = {}
    for (key,) in GUESSED_KEYS:
        for at, item in enumerate(items):
            if type(item) is dict and type(item.get(key)) in (str, int, bool):
                found.setdefault(f"{key}={_json.canonical(item[key]).decode()}", []).append(at)
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _texts(items: list[Any]) -> list[Hashable]:
    return [_json.canonical(item) for item in items]
