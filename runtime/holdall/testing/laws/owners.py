"""Which elements of a list that a client edited correspond to which former elements.

It uses only what anyone can see in both lists. It is the oracle for how a converter recognises
elements, and shares no code with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from holdall.text import json as _json
from holdall.types import JsonValue

Keys: TypeAlias = tuple[str, ...]
_NAMES: Final[Sequence[Keys]] = (("name",), ("key",), ("id",))


@dataclass(frozen=True, slots=True)
class Owner:
    """The elements of the old list that an element of the new list may be.

    `sure` says that there is clearly only one.
    """

    olds: tuple[int, ...] = ()
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Likeness:
    """Equal elements of both lists, by index, which cannot be told apart."""

    olds: tuple[int, ...]
    news: tuple[int, ...]


class Owners:
    """Compares two lists as shown. `keys` are those of a list of type map."""

    def __init__(
        self,
        old: Sequence[JsonValue],
        new: Sequence[JsonValue],
        keys: Keys,
    ) -> None:
        self._old, self._new = ([_json.canonical(item) for item in items] for items in (old, new))
        self._has_keys = bool(keys)
        self._by_keys = _unique(old, new, keys) if keys else {}
        self._by_name = {n: o for names in _NAMES for n, o in _unique(old, new, names).items()}
        keyed = {*self._by_keys.values()}
        self.likenesses = self._likenesses(keyed)
        self._like = {new: like for like in self.likenesses for new in like.news}

    def of(self, new: int) -> Owner:
        """Return what an element of the new list may be."""
        if new in self._by_keys:
            return Owner((self._by_keys[new],), True)
        like = self._like.get(new)
        if like is not None:
            return self._among(like, new)
        found = {self._in_its_gap(new, settled) for settled in self._settled}
        at_its_place = new if len(self._old) == len(self._new) else None
        found |= {at_its_place, self._by_name.get(new)}
        return Owner(tuple(sorted(old for old in found if old is not None)))

    def equals_of(self, new: int) -> tuple[int, ...]:
        """Return the old elements that equal one of the new list."""
        like = self._like.get(new)
        return () if like is None else like.olds

    def _among(self, like: Likeness, new: int) -> Owner:
        """Return which of several equal elements one may be.

        If all elements but one are unchanged, an element in the same place is the same. An element
        with a duplicate declared key is never sure: no API server accepts it.
        """
        if len(like.olds) > len(like.news) and self._is_edited_once() and new in like.olds:
            return Owner((new,))
        return Owner(like.olds, not self._has_keys and len(like.olds) == len(like.news) == 1)

    def _is_edited_once(self) -> bool:
        if len(self._old) != len(self._new):
            return False
        return sum(one != other for one, other in zip(self._old, self._new, strict=True)) == 1

    def _likenesses(self, keyed: set[int]) -> list[Likeness]:
        found: dict[bytes, tuple[list[int], list[int]]] = {}
        for index, item in enumerate(self._old):
            if index not in keyed:
                found.setdefault(item, ([], []))[0].append(index)
        for index, item in enumerate(self._new):
            if index not in self._by_keys and item in found:
                found[item][1].append(index)
        return [Likeness(tuple(olds), tuple(news)) for olds, news in found.values() if news]

    @cached_property
    def _settled(self) -> list[dict[int, int]]:
        """Return the old elements by the new ones that they may be, for each way of pairing equal
        ones: by rank and by place, each from either end of the list."""
        shift = len(self._old) - len(self._new)
        ways: list[dict[int, int]] = []
        for step in (1, -1):
            by_rank = dict(self._by_keys)
            for like in self.likenesses:
                by_rank.update(zip(like.news[::step], like.olds[::step], strict=False))
            ways.append(by_rank)
            by_place = dict(self._by_keys)
            for like in self.likenesses:
                offset = 0 if step == 1 else shift
                same = {new: new + offset for new in like.news if new + offset in like.olds}
                rest = [old for old in like.olds if old not in same.values()]
                others = [new for new in like.news if new not in same]
                by_place.update({**same, **dict(zip(others, rest, strict=False))})
            ways.append(by_place)
        return ways

    def _in_its_gap(self, new: int, settled: dict[int, int]) -> int | None:
        """Return the old element at the place of a new one, between neighbours that stayed."""
        gone = [old for old in range(len(self._old)) if old not in settled.values()]
        left = max((n for n in settled if n < new), default=-1)
        right = min((n for n in settled if n > new), default=len(self._new))
        begin, end = settled.get(left, -1), settled.get(right, len(self._old))
        here = [old for old in gone if begin < old < end]
        return here[new - left - 1] if len(here) == right - left - 1 else None


def together(views: Sequence[Owners], new: int) -> Owner:
    """Return what an element may be if lists can be viewed in several ways."""
    owners = [view.of(new) for view in views]
    olds = tuple(sorted({old for owner in owners for old in owner.olds}))
    return Owner(olds, len(olds) == 1 and all(owner.sure for owner in owners))


def is_ambiguous(items: Sequence[JsonValue], index: int, keys: Keys) -> bool:
    """Return whether other elements have the name of this one, by its keys or a usual property."""
    return any(
        index in indexes and len(indexes) > 1
        for names in ((keys,) if keys else _NAMES)
        for indexes in _by_text(items, names).values()
    )


def _unique(old: Sequence[JsonValue], new: Sequence[JsonValue], names: Keys) -> dict[int, int]:
    """Return the old elements by the new ones that have the same keys, if no others have them."""
    olds, news = (_by_text(items, names) for items in (old, new))
    return {
        indexes[0]: olds[text][0]
        for text, indexes in news.items()
        if len(indexes) == 1 and len(olds.get(text, ())) == 1
    }


def _by_text(items: Sequence[JsonValue], names: Keys) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for index, item in enumerate(items):
        values = [item.get(name) for name in names] if isinstance(item, dict) else []
        if values and all(type(value) in (str, int, bool) for value in values):
            found.setdefault(_json.canonical(values), []).append(index)
    return found
