"""Which entries of bags a carrier leaves out where it has no room for all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from holdall.carriers.envelope import Bags, Entry
from holdall.text import json as _json
from holdall.text.pointer import split
from holdall.types import JsonValue


class LeavingOut:
    """The entries of bags in the order in which they are left out.

    First what `drop_first` names, in its order; within one rank the largest first, then by name.
    There may be tens of thousands of which few have room: names are compared only where it is
    between entries of one rank and size that the kept ones begin.
    """

    __slots__ = ("_entries", "_order", "_sorted", "_weights")

    def __init__(self, bags: Bags, drop_first: Sequence[str] = ()) -> None:
        entries: list[Entry] = []
        values: list[JsonValue] = []
        for address, bag in bags.items():
            for origin, held in bag.items():
                for key, value in held.items():
                    entries.append((address, origin, key))
                    values.append(value)
        self._entries = entries
        self._weights: list[Any] = [-len(text) for text in _json.canonical_each(values)]
        if drop_first:
            patterns = [tuple(path.strip("/").split("/")) for path in drop_first]
            ranks = [_rank(at, key, patterns) for at, _, key in entries]
            self._weights = [*zip(ranks, self._weights, strict=True)]
        self._order = sorted(range(len(values)), key=self._weights.__getitem__)
        self._sorted: set[Any] = set()

    def __len__(self) -> int:
        return len(self._order)

    def kept(self, count: int) -> list[Entry]:
        """Return the last entries that are left out."""
        order, entries = self._order, self._entries
        start = len(order) - count
        if start < len(order):
            weight = self._weights[order[start]]
            if weight not in self._sorted:
                self._sorted.add(weight)
                first = bisect_left(order, weight, key=self._weights.__getitem__)
                end = bisect_right(order, weight, key=self._weights.__getitem__)
                order[first:end] = sorted(order[first:end], key=entries.__getitem__)
        return [entries[at] for at in order[start:]]

    def without(self, count: int) -> list[Entry]:
        """Return the entries that are left out if `count` are `kept`, which were asked for."""
        return [self._entries[at] for at in self._order[: len(self._order) - count]]


def _rank(address: str, key: str, patterns: Sequence[tuple[str, ...]]) -> int:
    """Return the index of the first pattern that covers an entry; their number if none does."""
    path = (*split(address), key)
    for index, pattern in enumerate(patterns):
        parts = zip(pattern, path, strict=False)
        if len(pattern) <= len(path) and all(one in ("*", part) for one, part in parts):
            return index
    return len(patterns)
