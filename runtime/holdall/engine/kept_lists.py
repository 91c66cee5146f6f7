"""Lists that a hook keeps as a whole, put back into lists that were edited meanwhile.

Three lists are known: the one that `was` made of what was shown, the one that `is` kept, and the
one that is made `now`. What the first two have in common tells where the elements belong that were
never shown. Source: property-conversion contract, section 5.7.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable
from typing import Any, Final, TypeAlias

from holdall.engine.element_names import untyped_names
from holdall.engine.residues import Difference, Path
from holdall.engine.same_elements import same_elements
from holdall.text import json as _json
from holdall.types import JsonObject, get

_MANY: Final = 50

Placed: TypeAlias = "list[tuple[Difference, Path | None]]"
"""Differences, each with its place."""


def with_merged_lists(target: JsonObject, found: Placed) -> tuple[Placed, int]:
    """Return differences with their places; and how many elements are left out.

    Of those that have no place in the target, lists are merged with what they are there.
    """
    merged: Placed = []
    left, names = 0, _NamesOf()
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
        merged.append(_where_it_is(target, (kept, path), names))
    return merged, left


def _where_it_is(
    target: JsonObject, one: tuple[Difference, Path | None], names: _NamesOf
) -> tuple[Difference, Path | None]:
    """Return the difference of an element with its place, if only the element's name tells it.

    Then it has been edited: what it does not show is put beside what it shows now.
    """
    kept, path = one
    *above, last = kept["at"]
    is_told = type(last) is int and int not in map(type, above) and "of" not in kept
    if path is not None or not is_told or not _is_of_one_element(kept):
        return one
    now = get(target, *above)
    if type(now) is not list:
        return one
    named = names.of(now)
    places = {named[name] for name in _names([kept["was"]]) if name in named}
    if len(places) != 1:
        return one
    place = places.pop()
    value = _Merge().values(kept["was"], kept["is"], now[place])
    return {"at": [*above, place], "was": now[place], "is": value}, (*above, place)


def units_of(target: JsonObject, found: Placed) -> list[Placed]:
    """Return differences by what stands or falls together.

    Of whole members one may have replaced another, and of elements that changed their places in a
    list some alone would make others twice, or none. If some of these are gone, the others keep
    what they do not show, and have the places that they have now.
    """
    whole = [item for item in found if len(item[0]["at"]) == 1]
    units = [whole] if whole else []
    lists: dict[bytes, Placed] = {}
    for item in found:
        at = item[0]["at"]
        if type(at[-1]) is int:
            lists.setdefault(_json.canonical(at[:-1]), []).append(item)
        elif len(at) > 1:
            units.append([item])
    moves: list[Placed] = []
    for items in lists.values():
        shown = _shown_in(items)
        moved = {index for pair in shown.items() if pair[0] != pair[1] for index in pair}
        units += [[item] for index, item in enumerate(items) if index not in moved]
        if moved:
            unit = [items[index] for index in sorted(moved)]
            is_whole = all(path is not None for _, path in unit)
            moves += [unit] if is_whole else apart(target, unit) or [unit]
    return [*units, *moves]


def apart(target: JsonObject, unit: Placed) -> list[Placed]:
    """Return what elements that changed their places hide, one by one, where they are now."""
    if len(unit) < 2 or type(unit[0][0]["at"][-1]) is not int:
        return []
    found: list[Placed] = []
    names = _NamesOf()
    for index, other in _shown_in(unit).items():
        (kept, path), value = unit[index], unit[other][0]["is"]
        if not _json.same(kept["was"], value):
            found.append([_where_it_is(target, ({**kept, "is": value}, path), names)])
    return found


def includes(all_: list[Difference], some: list[Difference]) -> bool:
    """Return whether some differences are among others.

    What is kept of an element that is shown otherwise may be anywhere in the list.
    """
    known = {text for one in all_ for text in (_json.canonical(one), _hidden_text(one))}
    return all(
        _json.canonical(one) in known or (_is_of_one_element(one) and _hidden_text(one) in known)
        for one in some
    )


def _hidden_text(kept: Difference) -> bytes:
    """Return a text of what a difference makes of an element, wherever that is in its list."""
    at = kept["at"]
    return _json.canonical([at[:-1], kept["is"]]) if type(at[-1]) is int else b""


def _shown_in(elements: Placed) -> dict[int, int]:
    return _shown_by(*([kept[side] for kept, _ in elements] for side in ("was", "is")))


def hidden_in(target: JsonObject, unit: Placed) -> int:
    """Return how many elements of lists get lost if differences are not made.

    None if the list is not there any more: what was only deleted is not lost. Nor is what only
    changed its place.
    """
    shown = Counter(_json.canonical(kept["was"]) for kept, _ in unit if _is_of(dict, kept))
    count = 0
    for kept, _ in unit:
        at = kept["at"]
        if type(at[-1]) is not int:
            is_there = _is_of(list, kept) and type(get(target, *at)) is list
            count += _hidden(kept["was"], kept["is"]) if is_there else 0
        elif _is_of(dict, kept):
            text = _json.canonical(kept["is"])
            first = next(index for index, token in enumerate(at) if type(token) is int)
            count += int(shown[text] <= 0 and bool(get(target, *at[:first])))
            shown[text] -= 1
    return count


def _hidden(was: list[Any], value: list[Any]) -> int:
    """Return how many elements of a list were not shown, or not with all that they have."""
    shown = _shown_by(was, value)
    more = sum(not _json.same(was[at], value[place]) for at, place in shown.items())
    return more + max(0, len(value) - len(was))


def _is_of(kind: type, kept: Difference) -> bool:
    return type(kept.get("was")) is kind is type(kept.get("is"))


def _is_of_one_element(kept: Difference) -> bool:
    """Return whether a difference does not make another one of an element."""
    if not _is_of(dict, kept):
        return False
    names = untyped_names(kept["was"])
    named = bool(names) and {*names} <= {*untyped_names(kept["is"])}
    return named or _includes(kept["is"], kept["was"])


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
        known = sorted(found)
        follow: dict[int, list[Any]] = {}
        for index in hidden:
            before = bisect_left(known, index)
            anchor = found[known[before - 1]] if before else found[known[0]] - 1 if known else -1
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
            if place < len(value) and place not in taken and _includes(value[place], was[at]):
                found[at] = place
                taken.add(place)
                break
    return found


def _members_of(value: Any) -> list[tuple[str, Any]]:
    """Return the members of an object that have no parts."""
    if type(value) is not dict:
        return []
    return [
        (name, (type(one), one)) for name, one in value.items() if type(one) not in (dict, list)
    ]


def _includes(value: Any, shown: Any) -> bool:
    if type(value) is dict is type(shown):
        return all(name in value and _includes(value[name], one) for name, one in shown.items())
    return _json.same(value, shown)


def _places(was: list[Any], now: list[Any]) -> dict[int, int]:
    names = _names(was), _names(now)
    by_index = {at: name for name, at in reversed([*names[0].items()])}
    return same_elements(_texts(was), _texts(now), old_names=by_index, new_names=names[1])


class _NamesOf(dict[int, dict[str, int]]):
    """What names the elements of lists, which stay as they are: worked out once for each list."""

    def of(self, items: list[Any]) -> dict[str, int]:
        """Return the indexes of elements by their names."""
        if id(items) not in self:
            self[id(items)] = _names(items)
        return self[id(items)]


def _names(items: list[Any]) -> dict[str, int]:
    """Return the indexes of elements by texts that name no other one."""
    found: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        for name in untyped_names(item):
            found.setdefault(name, []).append(at)
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _texts(items: list[Any]) -> list[Hashable]:
    return [_json.canonical(item) for item in items]
