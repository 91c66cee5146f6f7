"""What is left of a kept list or map once the value that was shown for it has been edited.

Elements are known again by what they show. One that was edited is merged with what it was only
where that is certain: under its key in a map, and in a list between two neighbours that are known
again, if as many stand there as before. Source: property-conversion contract, section 5.7.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from holdall.engine.uncertain import count_uncertain
from holdall.text import json as _json

Merge: TypeAlias = Callable[[Any, Any, Any], Any]
"""Makes one value of a kept one, the live one converted, and the live one, in this order."""
Shown: TypeAlias = bytes | None
"""What an element shows, as comparable text; None is like nothing else, itself included."""

NULL = _json.canonical(None)


def merge_map(
    kept: dict[str, Any],
    converted: dict[str, Any],
    live: dict[str, Any],
    shows: Callable[[Any, Any], bool],
    merge: Merge | None,
) -> dict[str, Any]:
    """Put back every value of `kept` that `shows` what is live under its key; merge the others."""
    for key, item in live.items():
        old = kept.get(key)
        if item is not None and old is not None:
            if shows(old, item):
                converted[key] = old
            elif merge is not None:
                converted[key] = merge(old, converted[key], item)
    return converted


def merge_list(
    kept: list[Any],
    converted: list[Any],
    live: list[Any],
    shown: tuple[Sequence[Shown], Sequence[Shown]],
    returned: Callable[[], tuple[Sequence[Shown], Sequence[Shown]]],
    merge: Merge | None,
    hides: Callable[[Any], bool],
) -> list[Any]:
    """Put back every element of `kept` that is known again in `live`; merge what was edited.

    `shown` is what the elements of both show, `returned` what that is by itself after the way
    back, without defaults, which an API server fills in. What their bags keep counts as the same
    there, whatever version it was of on the way. What is left of both lists is not guessed: if
    elements that could be merged are new, those of `kept` that `hides` something are counted.
    """
    found = _known_again(*shown)
    for at, old in found.items():
        converted[at] = kept[old]
    if len(found) == min(len(kept), len(live)):
        return converted
    taken = {*found.values()}
    before, now = returned()
    alike = _known_again(
        [None if old in taken else item for old, item in enumerate(before)],
        [None if at in found else item for at, item in enumerate(now)],
    )
    edited = [*alike.items(), *_edited_in_place(found | alike, len(kept), len(live))]
    for at, old in edited:
        if merge is not None and live[at] is not None and kept[old] is not None:
            converted[at] = merge(kept[old], converted[at], live[at])
    if merge is not None:
        same = [*found.items(), *edited]
        new, left = _without(live, {at for at, _ in same}), _without(kept, {old for _, old in same})
        if new and left:
            count_uncertain(left, hides)
    return converted


def _without(items: list[Any], indexes: set[int]) -> list[Any]:
    return [item for at, item in enumerate(items) if item is not None and at not in indexes]


def _known_again(before: Sequence[Shown], now: Sequence[Shown]) -> dict[int, int]:
    """Return which of the elements `before` those of `now` are, by their indexes.

    Each takes its neighbour of the same place if the lengths are the same, else the next free
    element that shows the same, in order.
    """
    found: dict[int, int] = {}
    if len(before) == len(now):
        for at, (one, other) in enumerate(zip(before, now, strict=True)):
            if one is not None and one == other:
                found[at] = at
    free: dict[bytes, deque[int]] = {}
    for at, item in enumerate(before):
        if item is not None and at not in found:
            free.setdefault(item, deque()).append(at)
    for at, item in enumerate(now):
        if item is not None and at not in found and free.get(item):
            found[at] = free[item].popleft()
    return found


def _edited_in_place(found: dict[int, int], before: int, now: int) -> list[tuple[int, int]]:
    """Return the elements that were edited with those they were, by their indexes.

    `before` and `now` are the lengths of the lists.
    """
    taken = set(found.values())
    edited: list[tuple[int, int]] = []
    left, old_left = -1, -1
    for right in [*sorted(found), now]:
        old_right = found.get(right, before)
        gap = range(old_left + 1, old_right)
        if len(gap) == right - left - 1 and taken.isdisjoint(gap):
            edited.extend(zip(range(left + 1, right), gap, strict=True))
        left, old_left = right, old_right
    return edited
