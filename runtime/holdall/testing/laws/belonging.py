"""Whether hidden data is still with its own element after an edit, or gone, but not elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdall.objects.bag import BAG_MEMBER, SHOWN_KEY, USER_KEYS, name_of
from holdall.objects.shapes import ValueShape, shape_of
from holdall.testing.laws.owners import Owners, is_ambiguous, together
from holdall.testing.laws.server import Work, normal
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, members

Entry = tuple[str, str, bytes]
"""Origin, key and the text of the value of an entry."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A value of a document in two forms: stored with its bags, and as shown."""

    stored: JsonValue
    shown: JsonValue

    def member(self, name: str) -> Pair | None:
        """Return a member; None if it is absent or null."""
        if not isinstance(self.stored, dict) or self.stored.get(name) is None:
            return None
        shown = self.shown.get(name) if isinstance(self.shown, dict) else None
        return Pair(self.stored[name], shown)

    def elements(self) -> list[Pair] | None:
        """Return the elements of a list; None if it is not a list."""
        if not isinstance(self.stored, list) or not isinstance(self.shown, list):
            return None
        return [Pair(*item) for item in zip(self.stored, self.shown, strict=True)]


class Belonging:
    """Compares the bags of two documents of one version.

    Elements are compared as an API server stores them, because there may have been one, and again
    with unknown members, which people see. With `by_place`, an entry knows only its own element: if
    that is edited, one that looks the same or is in its place is taken for it, and one whose key is
    no longer unique is lost (docs/declared.md, "Tracking").
    """

    def __init__(self, version: str, *, by_place: bool = False) -> None:
        self._version = version
        self._by_place = by_place

    def misplaced(
        self, shape: ValueShape, olds: Sequence[Pair], new: Pair, path: str
    ) -> Iterator[str]:
        """Yield what a value hides that none of the values it may come from hid before."""
        if shape.type is not None:
            allowed = {entry for old in olds for entry in self._entries(old.stored)}
            for origin, key, text in self._entries(new.stored):
                if (origin, key, text) not in allowed:
                    yield f"{path or '/'}: {origin}/{key} of another object: {text.decode()}"
        for name, member in _members(shape, new):
            inner = new.member(name)
            if inner is not None:
                before = [held for old in olds if (held := old.member(name)) is not None]
                yield from self.misplaced(member, before, inner, join(path, name))
        yield from self._in_list(shape, olds, new, path)

    def _in_list(
        self, shape: ValueShape, olds: Sequence[Pair], new: Pair, path: str
    ) -> Iterator[str]:
        if shape.container != "list" or shape.item is None:
            return
        items = new.elements() or []
        lists = [found for old in olds if (found := old.elements()) is not None]
        compared = [(before, _views(shape.item, shape.keys, before, items)) for before in lists]
        for index, item in enumerate(items):
            owners = [
                before[old]
                for before, views in compared
                for old in self._owners(views, index, len(before) == len(items))
            ]
            yield from self.misplaced(shape.item, owners, item, join(path, index))

    def _owners(self, views: Sequence[Owners], index: int, is_as_long: bool) -> set[int]:
        """Return what an element of a new list may be, by its index."""
        olds = {*together(views, index).olds}
        if self._by_place:
            olds |= {old for view in views for old in view.equals_of(index)}
            olds |= {index} if is_as_long else set()
        return olds

    def missing(self, shape: ValueShape, old: Pair, new: Pair, path: str) -> Iterator[str]:
        """Yield what a value no longer hides, although it clearly belongs to it."""
        if shape.type is not None:
            here, shown = {*self._entries(new.stored)}, members(new.shown)
            for origin, key, text in self._entries(old.stored):
                # A client may write what its server hides.
                is_written = origin == self._version and name_of(key) in shown
                if not is_written and (origin, key, text) not in here:
                    yield f"{path or '/'}: {origin}/{key} is gone: {text.decode()}"
        for name, member in _members(shape, new):
            before, after = old.member(name), new.member(name)
            if before is not None and after is not None:
                yield from self.missing(member, before, after, join(path, name))
        yield from self._missing_in_list(shape, old, new, path)

    def _missing_in_list(self, shape: ValueShape, old: Pair, new: Pair, path: str) -> Iterator[str]:
        before, after = old.elements(), new.elements()
        if shape.container != "list" or shape.item is None or before is None or after is None:
            return
        keys = shape.keys
        views = _views(shape.item, keys, before, after)
        after_shown = [item.shown for item in after]
        for index, item in enumerate(after):
            owner = together(views, index)
            if owner.sure and not (self._by_place and is_ambiguous(after_shown, index, keys)):
                where = join(path, index)
                yield from self.missing(shape.item, before[owner.olds[0]], item, where)
        for like in () if keys else views[0].likenesses:
            if 1 < len(like.olds) <= len(like.news) and like in views[1].likenesses:
                one = sum(self.count(before[index].stored) for index in like.olds)
                other = sum(self.count(after[index].stored) for index in like.news)
                if one > other:
                    yield f"{path}: equal elements {like.olds} had {one} entries, now {other}"

    def count(self, stored: JsonValue) -> int:
        """Return how many entries there are in a value and below it."""
        if isinstance(stored, list):
            return sum(self.count(item) for item in stored)
        if not isinstance(stored, dict):
            return 0
        rest = (item for name, item in stored.items() if name != BAG_MEMBER)
        return len([*self._entries(stored)]) + sum(map(self.count, rest))

    def _entries(self, stored: JsonValue) -> Iterator[Entry]:
        for origin, entries in members(stored, BAG_MEMBER).items():
            for key, value in members(entries).items():
                if self.is_hidden(origin, key):
                    yield origin, key, _json.canonical(value)

    def is_hidden(self, origin: str, key: str) -> bool:
        """Return whether an entry is hidden data; others are a user's own data in the document."""
        return origin != self._version or (key not in USER_KEYS and key != SHOWN_KEY)


def _views(
    shape: ValueShape, keys: tuple[str, ...], before: Sequence[Pair], after: Sequence[Pair]
) -> list[Owners]:
    found = []
    for prunes in (True, False):
        old, new = (
            [normal(shape, item.shown, Work(prunes=prunes)) for item in items]
            for items in (before, after)
        )
        found.append(Owners(old, new, keys))
    return found


def _members(shape: ValueShape, value: Pair) -> Iterator[tuple[str, ValueShape]]:
    """Yield the names of an object's possible members, or a map's entries, each with its shape."""
    if shape.type is not None:
        for name, member in shape_of(shape.type).members.items():
            yield name, member.value
    elif shape.container == "map" and shape.item is not None and isinstance(value.stored, dict):
        for name in value.stored:
            yield name, shape.item
