"""Finding the elements of a list again after edits by a client and an API server.

All that is known of the former list is what its elements showed, in order, and the names of some.
An element is found if there is one right answer; the rest is not guessed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from itertools import pairwise


def same_elements(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    *,
    old_names: Mapping[int, str] | None = None,
    new_names: Mapping[str, int] | None = None,
    edited: bool = True,
) -> dict[int, int]:
    """Return where the elements of a list are now: new indexes by old ones.

    `old` and `new` are fingerprints, or other values that are equal for elements that show the
    same. Names are unique in their list; elements with the same name in both are the same. In
    order:

    1. fingerprints that are as frequent as before, by their rank;
    2. names;
    3. fingerprints that became more or less frequent: see `_between_neighbours`;
    4. if `edited`, what stands between two neighbours, if it is as many elements as before: they
       were edited in place. The ends of a list are neighbours too, if anything in it was found or
       it has one element only. What was found by its rank among more or fewer is not a neighbour.
    """
    found: dict[int, int] = {}
    was, now = _places(old, range(len(old))), _places(new, range(len(new)))
    for text, indexes in was.items():
        places = now.get(text, ())
        if len(indexes) == len(places):
            found.update(zip(indexes, places, strict=True))
    taken = set(found.values())
    for index, name in (old_names or {}).items():
        place = (new_names or {}).get(name)
        if index not in found and place is not None and place not in taken:
            found[index] = place
            taken.add(place)
    by_rank: set[int] = set()
    if len(found) < len(old):
        by_rank = _between_neighbours(old, new, found)
    if edited and len(found) < len(old) and (found or len(old) == len(new) == 1):
        _in_place(old, new, found, by_rank, _renamed(old_names or {}, new_names or {}))
    return found


def _places(prints: Sequence[Hashable], indexes: Iterable[int]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = {}
    for index in indexes:
        places.setdefault(prints[index], []).append(index)
    return places


def _between_neighbours(
    old: Sequence[Hashable], new: Sequence[Hashable], found: dict[int, int]
) -> set[int]:
    """Find elements whose fingerprint is more or less frequent than before.

    First those between two neighbours that kept their order. If there are as many elements as
    before, those that are where they were. Then by rank, if copies came, or if some are gone and
    nothing came: else one of them may have been edited or replaced. At last those that were moved,
    if none of their kind is gone. Return those that only their rank told.
    """
    by_rank: set[int] = set()
    taken = set(found.values())
    neighbours = _in_order(found, len(old), len(new))
    for (start, first), (end, last) in pairwise(neighbours):
        here = [index for index in range(start + 1, end) if index not in found]
        there = [index for index in range(first + 1, last) if index not in taken]
        was, now = _places(old, here), _places(new, there)
        nothing_came = all(len(places) <= len(was.get(text, ())) for text, places in now.items())
        for text in [text for text in was if text in now]:  # the same order in all processes
            indexes, places = was[text], now[text]
            if end - start == last - first:
                shift, where = first - start, frozenset(places)
                stayed = {at: at + shift for at in indexes if at + shift in where}
                found.update(stayed)
                indexes = [at for at in indexes if at not in stayed]
                places = [at for at in places if at - shift not in stayed]
            if len(was[text]) <= len(now[text]) or nothing_came:
                found.update(zip(indexes, places, strict=False))
                by_rank.update(indexes)
    taken = set(found.values())
    was = _places(old, (index for index in range(len(old)) if index not in found))
    now = _places(new, (index for index in range(len(new)) if index not in taken))
    for text, indexes in was.items():
        if len(indexes) <= len(now.get(text, ())):
            found.update(zip(indexes, now[text], strict=False))
            by_rank.update(indexes)
    return by_rank


def _renamed(
    old_names: Mapping[int, str], new_names: Mapping[str, int]
) -> Callable[[int, int], bool]:
    """Return a check that two elements have different names by the same key."""
    shown: dict[tuple[int, str], str] = {}
    for name, index in new_names.items():
        shown[index, name.partition("=")[0]] = name

    def is_renamed(index: int, place: int) -> bool:
        name = old_names.get(index, "")
        return bool(name) and shown.get((place, name.partition("=")[0]), name) != name

    return is_renamed


def _in_place(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    found: dict[int, int],
    by_rank: Set[int],
    is_renamed: Callable[[int, int], bool],
) -> None:
    """Find elements that were edited in place.

    Not if one may be elsewhere unedited, nor if the element there now may be a copy of another one,
    nor if it has another name and may be one of several that were not found.
    """
    may_be_renamed = len(old) - len(found) == 1
    taken = set(found.values())
    known_before = set(old)
    free = {text for index, text in enumerate(new) if index not in taken}
    sure = [pair for pair in sorted(found.items()) if pair[0] not in by_rank]
    known = [(-1, -1), *sure, (len(old), len(new))]
    for (start, first), (end, last) in pairwise(known):
        here, there = range(start + 1, end), range(first + 1, last)
        if (
            0 < len(here) == len(there)
            and taken.isdisjoint(there)
            and by_rank.isdisjoint(here)
            and free.isdisjoint(old[index] for index in here)
            and known_before.isdisjoint(new[index] for index in there)
            and (may_be_renamed or not any(map(is_renamed, here, there)))
        ):
            found.update(zip(here, there, strict=True))


def _in_order(found: Mapping[int, int], old: int, new: int) -> list[tuple[int, int]]:
    """Return a longest part of what was found in the same order, between the ends of the lists."""
    pairs = sorted(found.items())
    ends: list[int] = []  # by length of an increasing run, the smallest place that ends one
    last: list[int] = []  # the pair that this place belongs to
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    run: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return [(-1, -1), *reversed(run), (old, new)]
