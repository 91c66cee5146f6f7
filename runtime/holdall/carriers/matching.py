"""Matching: finding the objects that addresses name, in a tree that was edited since."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeAlias, TypeVar

from holdall.carriers.addresses import Elements, Lists
from holdall.carriers.prints import compared
from holdall.engine.same_elements import same_elements
from holdall.objects.base import Object
from holdall.objects.shapes import ValueShape, holders_of, object_shape
from holdall.objects.views import StorageObject
from holdall.text.pointer import join, unescape

T = TypeVar("T")
_Group: TypeAlias = tuple[str, int, list[tuple[str, T]]]
Found: TypeAlias = tuple[type[StorageObject], dict[str, Any], StorageObject | None, T]
"""A thing with its addressed object: type and members, and its view if it has one."""
_PLAIN: Final = ValueShape("value")
_FINGERPRINT: Final = re.compile(r"\[([0-9]{1,9}):([0-9]{1,9}):([0-9a-f]{16})\]")


class _Node(Generic[T]):
    """The addressed things at one place and below it; addresses share their common segments.

    `below` are the things further below, each with its path and the position in it. The path is
    only followed where the document has something, because a forged one may have any length.
    """

    __slots__ = ("below", "things")

    def __init__(self, things: tuple[T, ...] = ()) -> None:
        self.things = things
        self.below: list[_Group[T]] | None = None

    def all(self) -> Iterator[T]:
        """Yield everything here and below."""
        yield from self.things
        for _, _, held in self.below or ():
            for _, thing in held:
                yield thing

    def branches(self) -> Mapping[str, _Node[T]]:
        """Return the nodes below by the segment that leads to each."""
        found: dict[str, _Node[T]] = {}
        for way, start, held in self.below or ():
            if start == len(way):
                for last, thing in held:
                    node = found.setdefault(last, _Node())
                    node.things += (thing,)
                continue
            end = way.find("/", start + 1)
            end = len(way) if end < 0 else end
            node = found.setdefault(unescape(way[start + 1 : end]), _Node())
            if node.below is None:
                node.below = []
            node.below.append((way, end, held))
        return found


@dataclass(slots=True)
class Known:
    """What an envelope says about the lists of its document.

    `lists` are the fingerprints of lists by address. In `strict` lists only keys and unchanged
    members identify an element; these are paths of wire names, with `*` for elements and map keys.
    A tree that `is_bare` has no bags: it is its own JSON. `owners` gets, by the identity of nested
    members in the tree, the holder and the member's wire name.
    """

    lists: Lists = field(default_factory=dict)
    strict: frozenset[str] = frozenset()
    is_bare: bool = False
    owners: dict[int, tuple[StorageObject, str]] = field(default_factory=dict)


def resolve(
    root: StorageObject, addressed: Mapping[str, T], known: Known
) -> tuple[list[Found[T]], list[T]]:
    """Return the things with their addressed objects, and those without an object."""
    found: list[Found[T]] = []
    planted, lost = _plant(addressed)
    work: list[tuple[_Place, _Node[T]]] = [
        (_Place(root.members_, object_shape(type(root)), owner=root), planted)
    ]
    while work:
        place, node = work.pop()
        value = place.value
        if value is None:
            lost.extend(node.all())
            continue
        if place.shape.container == "object":
            if node.things:
                owner = place.owner
                found += [(type(owner), owner.members_, owner, thing) for thing in node.things]
            for name, below in node.branches().items():
                inner = place.member(name)
                if inner is None:
                    lost.extend(below.all())
                else:
                    known.owners[id(inner.value)] = place.owner, name
                    work.append((inner, below))
            continue
        lost.extend(node.things)
        if place.shape.item is None:
            raise TypeError(f"a {place.shape.container} that holds no objects cannot be addressed")
        branches = node.branches()
        keys: Mapping[str, Any] = (
            {key: key for key in branches if key in value}
            if place.shape.container == "map"
            else _find(place, branches, known)
        )
        cls: Any = place.shape.item.type
        is_open = cls is not None and cls.open_wire is Object.open_wire
        for segment, below in branches.items():
            key = keys.get(segment)
            if key is None:
                item = None
            else:
                item = value[key] if is_open else _opened(value, key, place.shape.item)
            if item is None:
                lost.extend(below.all())
            elif below.below is None and cls is not None:
                # Large documents have many of these, so they get no views.
                for thing in below.things:
                    found.append((cls, item, None, thing))
            else:
                work.append((place.item(key, segment), below))
    return found, lost


class _Place:
    """A value of a tree with its shape; unions and tuples are open.

    `above` is the containing place, and `segment` its name in addresses there.
    """

    __slots__ = ("_owner", "above", "segment", "shape", "value")

    def __init__(
        self,
        value: Any,
        shape: ValueShape,
        above: _Place | None = None,
        segment: str = "",
        owner: Any = None,
    ) -> None:
        self.value, self.shape = value, shape
        self.above, self.segment = above, segment
        self._owner = owner

    @property
    def owner(self) -> Any:
        """The view of the object at the place, always the same one."""
        if self._owner is None:
            cls: Any = self.shape.type
            self._owner = cls.view_(self.value)
        return self._owner

    def names(self) -> tuple[str, str]:
        """Return the address, and the path of wire names with `*` for elements and map keys."""
        segments: list[str] = []
        steps: list[str] = []
        place = self
        while place.above is not None:
            segments.append(place.segment)
            steps.append(place.segment if place.above.shape.container == "object" else "*")
            place = place.above
        return join("", *reversed(segments)), join("", *reversed(steps))

    def member(self, name: str) -> _Place | None:
        """Return a member of an object; None if it has no such member with objects."""
        cls = self.shape.type
        member = None if cls is None else holders_of(cls).get(name)
        if member is None:
            return None
        return _Place(_opened(self.value, name, member.value), member.value, self, name)

    def item(self, key: Any, segment: str) -> _Place:
        """Return an element of a list or a value of a map."""
        return _Place(self.value[key], self.shape.item or self.shape, self, segment)


def _opened(holder: Any, key: Any, shape: ValueShape) -> Any:
    """Return the value of a container under a key, opened in place if it is a union or tuple."""
    value = holder.get(key) if type(holder) is dict else holder[key]
    if shape.type is not None and value is not None:
        opened = shape.type.open_wire(value)
        if opened is not value:
            holder[key] = value = opened
    return value


def _find(place: _Place, segments: Iterable[str], known: Known) -> dict[str, int]:
    """Return the indexes of the elements of one list that segments name."""
    items = place.value
    written = items if known.is_bare else None
    elements = Elements(items, place.shape.keys, place.shape.item or _PLAIN, written)
    address, path = place.names() if known.lists or known.strict else ("", "")
    prints = known.lists.get(address)
    is_strict = path in known.strict
    by_index: dict[str, int] = {}
    names: dict[int, str] = {}
    others: list[str] = []
    for segment in segments:
        at, _, name = segment[1:-1].partition(":")
        if prints is None or not at.isdecimal() or len(at) >= 10 or (name and "=" not in name):
            others.append(segment)
        else:
            index = by_index[segment] = int(at)
            if name:
                names[index] = name
    found = match_indexes(elements, others, in_place=False) if others else {}
    if prints is not None and by_index:
        old, new = compared(prints, elements.written(), elements.shape)
        places: Mapping[int, int] = dict(enumerate(range(len(old))))
        if old != new:
            places = same_elements(
                old,
                new,
                old_names=names if elements.keys or not is_strict else {},
                new_names=elements.unique_names(),
                edited=not is_strict,
            )
        for segment, index in by_index.items():
            if index in places and items[places[index]] is not None:
                found[segment] = places[index]
    return found


def match_indexes(
    elements: Elements, segments: Iterable[str], *, in_place: bool = True
) -> dict[str, int]:
    """Return the indexes of the elements that segments name; unmatched segments are left out.

    Keys first. Fingerprints are matched together: (a) same length, index and fingerprint; (b)
    remaining elements with that fingerprint, in order; (c) same length: the free element at that
    index, which was edited in place; unless `in_place`, only in lists of one element. It is not
    free if it is a copy of another known element, and the list was not edited in place if the next
    known elements are elsewhere. Source: docs/declared.md, "Tracking".
    """
    items = elements.items
    free = {index for index, item in enumerate(items) if item is not None}
    matched: dict[str, int] = {}

    def take(segment: str, index: int) -> None:
        free.discard(index)
        matched[segment] = index

    waiting: list[tuple[int, int, str, str]] = []
    for segment in segments:
        match = _FINGERPRINT.fullmatch(segment)
        if match is not None:
            waiting.append((int(match[1]), int(match[2]), match[3], segment))
            continue
        found = elements.find(segment)
        if found is not None:
            take(segment, found)
    waiting.sort()
    for index, length, fingerprint, segment in waiting:
        if length == len(items) and index in free and elements.fingerprint(index) == fingerprint:
            take(segment, index)
    moved = [entry for entry in waiting if entry[3] not in matched]
    by_fingerprint: dict[str, list[int]] = {}
    if moved:
        for index in sorted(free, reverse=True):
            by_fingerprint.setdefault(elements.fingerprint(index), []).append(index)
    for _, _, fingerprint, segment in moved:
        indexes = by_fingerprint.get(fingerprint)
        if indexes:
            take(segment, indexes.pop())
    known = {fingerprint for _, _, fingerprint, _ in waiting}
    standing = sorted(
        (index, matched[segment])
        for index, length, _, segment in waiting
        if segment in matched and length == len(items)
    )
    for index, length, _, segment in moved:
        if segment in matched or length != len(items) or index not in free:
            continue
        if not in_place and length != 1:
            continue
        after = bisect(standing, (index,))
        neighbours = standing[max(after - 1, 0) : after + 1]
        if all(before == now for before, now in neighbours) and (
            elements.fingerprint(index) not in known
        ):
            take(segment, index)
    return matched


def _plant(addressed: Mapping[str, T]) -> tuple[_Node[T], list[T]]:
    """Return the root node with all addressed things, and things with a malformed address."""
    root: _Node[T] = _Node()
    wrong: list[T] = []
    held: dict[str, list[tuple[str, T]]] = {}
    for address, thing in addressed.items():
        if address[:1] == "/":
            # Elements of one list differ only in the last segment.
            above, _, last = address.rpartition("/")
            held.setdefault(above, []).append((unescape(last), thing))
        elif address:
            wrong.append(thing)
        else:
            root.things += (thing,)
    root.below = [(way, 0, things) for way, things in held.items()]
    return root, wrong
