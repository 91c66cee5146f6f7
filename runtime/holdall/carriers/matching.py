"""Matching: find the objects that addresses name, in a tree that was edited in between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from holdall.carriers.addresses import Elements, holders_of
from holdall.objects import StorageObject
from holdall.pointer import split
from holdall.shapes import ValueShape

T = TypeVar("T")
_FINGERPRINT: Final = re.compile(r"\[([0-9]{1,9}):([0-9]{1,9}):([0-9a-f]{16})\]")


class _Node(Generic[T]):
    """The addressed things at one place and below it; addresses share their common segments."""

    __slots__ = ("below", "things")

    def __init__(self) -> None:
        self.things: list[T] = []
        self.below: dict[str, _Node[T]] = {}

    def all(self) -> Iterator[T]:
        """Yield everything here and below."""
        work: list[_Node[T]] = [self]
        while work:
            node = work.pop()
            yield from node.things
            work.extend(node.below.values())


def resolve(
    root: StorageObject, addressed: Mapping[str, T]
) -> tuple[list[tuple[StorageObject, T]], list[T]]:
    """Return the things with the objects that their addresses name, and those that find none."""
    found: list[tuple[StorageObject, T]] = []
    lost: list[T] = []
    work: list[tuple[Any, ValueShape, tuple[str, ...], _Node[T]]] = [
        (root, ValueShape("object", type(root)), (), _plant(addressed))
    ]
    while work:
        value, shape, keys, node = work.pop()
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
                    work.append((child, member.value, member.map_keys, below))
            continue
        lost.extend(node.things)
        if shape.item is None:
            raise TypeError(f"a {shape.container} that holds no objects cannot be addressed")
        places = (
            match_elements(Elements(value, keys), node.below)
            if shape.container == "list"
            else value
        )
        for segment, below in node.below.items():
            work.append((places.get(segment), shape.item, (), below))
    return found, lost


def match_elements(elements: Elements, segments: Iterable[str]) -> dict[str, Any]:
    """Return the elements of one list that segments name; an unmatched segment is left out."""
    found = match_indexes(elements, segments)
    return {segment: elements.items[index] for segment, index in found.items()}


def match_indexes(elements: Elements, segments: Iterable[str]) -> dict[str, int]:
    """Return the places of the elements that segments name; an unmatched segment is left out.

    Keys first. Fingerprints are matched together: (a) same length, index and fingerprint;
    (b) remaining elements with that fingerprint, in order; (c) same length: the free element at
    that index, which was edited in place. Source: declared versions, section 5.3.
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
        if segment not in matched and length == len(items) and index in free:
            take(segment, index)
    return matched


def _plant(addressed: Mapping[str, T]) -> _Node[T]:
    root: _Node[T] = _Node()
    for address, thing in addressed.items():
        node = root
        for segment in split(address):
            node = node.below.setdefault(segment, _Node())
        node.things.append(thing)
    return root
