"""Which entries of bags a carrier leaves out where it has no room for all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import neg
from typing import Any, TypeVar

from typing_extensions import override

from holdall.carriers.envelope import Bags, Entry
from holdall.text import json as _json
from holdall.text.pointer import split
from holdall.types import JsonValue

T = TypeVar("T")


class Entries(Collection[Entry]):
    """Address, origin and key of entries, each in a list of its own.

    Of tens of thousands of tuples the collector of garbage would take notice.
    """

    __slots__ = ("_columns",)

    def __init__(self, *columns: list[str]) -> None:
        self._columns = columns

    @override
    def __len__(self) -> int:
        return len(self._columns[0])

    @override
    def __iter__(self) -> Iterator[Entry]:
        addresses, origins, keys = self._columns
        return zip(addresses, origins, keys, strict=True)

    @override
    def __contains__(self, entry: object) -> bool:
        return entry in [*self]

    def at(self, indexes: Sequence[int]) -> Entries:
        """Return some of the entries."""
        return Entries(*([column[index] for index in indexes] for column in self._columns))

    def sorted(self, indexes: Iterable[int]) -> list[int]:
        """Return indexes in the order of the names."""
        found = [*indexes]
        for column in reversed(self._columns):
            found.sort(key=column.__getitem__)
        return found


def _read(bags: Bags) -> tuple[Entries, list[JsonValue]]:
    """Return the names and the values of the entries of bags: one pass of C for each column."""
    held = _flat(map(dict.values, bags.values()))
    sizes, counts = [*map(len, bags.values())], [*map(len, held)]
    addresses = _repeated(_repeated([*bags], sizes), counts)
    origins = _repeated(_flat(bags.values()), counts)
    return Entries(addresses, origins, _flat(held)), _flat(map(dict.values, held))


def _flat(parts: Iterable[Iterable[T]]) -> list[T]:
    return [*chain.from_iterable(parts)]


def _repeated(items: list[T], counts: list[int]) -> list[T]:
    return items if counts.count(1) == len(counts) else _flat(map(repeat, items, counts))


class LeavingOut:
    """The entries of bags in the order in which they are left out.

    First what `drop_first` names, in its order; within one rank the largest first, then by name.
    There may be tens of thousands of which few have room: names are compared only where it is
    between entries of one rank and size that the kept ones begin.
    """

    __slots__ = ("_entries", "_order", "_sorted", "_weights")

    def __init__(self, bags: Bags, drop_first: Sequence[str] = ()) -> None:
        self._entries, values = _read(bags)
        self._weights: list[Any] = [*map(neg, map(len, _json.canonical_each(values)))]
        if drop_first:
            patterns = [tuple(path.strip("/").split("/")) for path in drop_first]
            ranks = [_rank(at, key, patterns) for at, _, key in self._entries]
            self._weights = [*zip(ranks, self._weights, strict=True)]
        self._order = sorted(range(len(values)), key=self._weights.__getitem__)
        self._sorted: set[Any] = set()

    def __len__(self) -> int:
        return len(self._order)

    def kept(self, count: int) -> Entries:
        """Return the last entries that are left out."""
        order = self._order
        start = len(order) - count
        if start < len(order):
            weight = self._weights[order[start]]
            if weight not in self._sorted:
                self._sorted.add(weight)
                first = bisect_left(order, weight, key=self._weights.__getitem__)
                end = bisect_right(order, weight, key=self._weights.__getitem__)
                order[first:end] = self._entries.sorted(order[first:end])
        return self._entries.at(order[start:])

    def without(self, count: int) -> Entries:
        """Return the entries that are left out if `count` are `kept`, which were asked for."""
        return self._entries.at(self._order[: len(self._order) - count])


def _rank(address: str, key: str, patterns: Sequence[tuple[str, ...]]) -> int:
    """Return the index of the first pattern that covers an entry; their number if none does."""
    path = (*split(address), key)
    for index, pattern in enumerate(patterns):
        parts = zip(pattern, path, strict=False)
        if len(pattern) <= len(path) and all(one in ("*", part) for one, part in parts):
            return index
    return len(patterns)
