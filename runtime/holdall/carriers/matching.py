"""Matching: find the objects that addresses name, in a tree that was edited in between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from holdall.carriers.addresses import Elements, Lists, holders_of
from holdall.carriers.prints import compared
from holdall.carriers.same_elements import same_elements
from holdall.objects import StorageObject
from holdall.pointer import join, split
from holdall.shapes import ValueShape

T = TypeVar("T")
_INDEX: Final = re.compile(r"\[([0-9]{1,9})(?::(.*))?\]", re.DOTALL)
_FINGERPRINT: Final = re.compile(r"\[([0-9]{1,9}):([0-9]{1,9}):([0-9a-f]{16})\]")


class _Node(Generic[T]):
    """The addressed things at one place and below it; addresses share their common segments."""

    __slots__ = ("address", "below", "things")

    def __init__(self, address: str) -> None:
        self.address = address
        self.things: list[T] = []
        self.below: dict[str, _Node[T]] = {}

    def all(self) -> Iterator[T]:
        """Yield everything here and below."""
        work: list[_Node[T]] = [self]
        while work:
            node = work.pop()
            yield from node.things
            work.extend(node.below.values())


@dataclass(frozen=True, slots=True)
class Known:
    """What an envelope says of the lists of its document.

    `lists` are the fingerprints of lists by their address. In a `strict` list only keys and
    unchanged members identify an element: paths of wire names, `*` for elements and map keys.
    `in_place` says that an element whose own fingerprint has changed, in a list that is as long as
    before, is the one at the same index, though nothing is known of its neighbours.
    """

    lists: Lists = field(default_factory=dict)
    strict: frozenset[str] = frozenset()
    in_place: bool = False


def resolve(
    root: StorageObject, addressed: Mapping[str, T], known: Known
) -> tuple[list[tuple[StorageObject, T]], list[T]]:
    """Return the things with the objects that their addresses name, and those that find none."""
    found: list[tuple[StorageObject, T]] = []
    lost: list[T] = []
    work: list[tuple[Any, ValueShape, tuple[str, ...], str, _Node[T]]] = [
        (root, ValueShape("object", type(root)), (), "", _plant(addressed))
    ]
    while work:
        value, shape, keys, path, node = work.pop()
        if value is None:
            lost.extend(node.all())
            continue
        if shape.container == "object":
            found.extend((value, thing) for thing in node.things)
            members = holders_of(type(value))
            for name, below in node.below.items():
                member = members.get(name)
                if member is None:
                    lost.extend(below.all())
                else:
                    child = getattr(value, member.attribute, None)
                    inner = join(path, name)
                    work.append((child, member.value, member.map_keys, inner, below))
            continue
        lost.extend(node.things)
        if shape.item is None:
            raise TypeError(f"a {shape.container} that holds no objects cannot be addressed")
        places = value
        if shape.container == "list":
            elements = Elements(value, keys, shape.item)
            places = {
                segment: value[index]
                for segment, index in _find(elements, node, path in known.strict, known).items()
            }
        inner = join(path, "*")
        for segment, below in node.below.items():
            work.append((places.get(segment), shape.item, (), inner, below))
    return found, lost


def _find(elements: Elements, node: _Node[Any], is_strict: bool, known: Known) -> dict[str, int]:
    """Return the places of the elements of one list that the segments below a node name."""
    prints = known.lists.get(node.address)
    by_index: dict[str, tuple[int, str]] = {}
    others: list[str] = []
    for segment in node.below:
        match = _INDEX.fullmatch(segment)
        if match is None or _FINGERPRINT.fullmatch(segment) is not None:
            others.append(segment)
        elif prints is not None:
            by_index[segment] = int(match[1]), match[2] or ""
    found = match_indexes(elements, others, in_place=known.in_place) if others else {}
    if prints is not None and by_index:
        old, new = compared(prints, elements.items, elements.shape)
        usable = elements.keys or not is_strict
        places = same_elements(
            old,
            new,
            old_names={index: name for index, name in by_index.values() if name and usable},
            new_names=_names(elements),
            edited=not is_strict,
        )
        for segment, (index, _) in by_index.items():
            if index in places and elements.items[places[index]] is not None:
                found[segment] = places[index]
    return found


def _names(elements: Elements) -> dict[str, int]:
    """Return the indexes of elements by names that only they have."""
    return {
        name: index
        for keys in elements.candidates
        for name, index in elements.named(keys).items()
        if index >= 0
    }


def match_indexes(
    elements: Elements, segments: Iterable[str], *, in_place: bool = True
) -> dict[str, int]:
    """Return the places of the elements that segments name; an unmatched segment is left out.

    Keys first. Fingerprints are matched together: (a) same length, index and fingerprint;
    (b) remaining elements with that fingerprint, in order; (c) same length: the free element at
    that index, which was edited in place; unless `in_place`, only in lists of one element.
    Source: declared versions, section 5.3.
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
    for index, length, _, segment in moved:
        if not in_place and length != 1:
            continue
        if segment not in matched and length == len(items) and index in free:
            take(segment, index)
    return matched


def _plant(addressed: Mapping[str, T]) -> _Node[T]:
    root: _Node[T] = _Node("")
    for address, thing in addressed.items():
        node = root
        for segment in split(address):
            below = node.below.get(segment)
            if below is None:
                below = node.below[segment] = _Node(join(node.address, segment))
            node = below
        node.things.append(thing)
    return root
