"""Addresses: how a carrier names the object of a tree that a bag belongs to.

An address reads like a JSON Pointer of wire names, but never names a list element by its bare
position: `/spec/pools/[name="p1"]`, or `/spec/rules/[1:3:9f86d081884c7d65]` (index, list length,
fingerprint) where no key tells the element apart.
Source: property-bag contract, section 5.14; declared versions, matching of list elements.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from holdall import json as _json
from holdall.codec import write_nested
from holdall.objects import Object, StorageObject
from holdall.pointer import join
from holdall.shapes import MemberShape, ValueShape, shape_of
from holdall.types import JsonValue

GUESSED_KEYS: Final = (("name",), ("key",), ("id",))
_SCALARS: Final = frozenset({str, int, bool})
_SEVERAL: Final = -1
_HOLDERS: Final[dict[type[Object], dict[str, MemberShape]]] = {}


class Elements:
    """The elements of one list, and what tells them apart; each answer is worked out once.

    `keys` are the keys of a list of type map; without them a `name`, `key` or `id` may serve.
    """

    __slots__ = ("_by_selector", "_candidates", "_fingerprints", "items")

    def __init__(self, items: list[Any], keys: tuple[str, ...]) -> None:
        self.items = items
        self._candidates = (keys,) if keys else GUESSED_KEYS
        self._by_selector: dict[str, int] | None = None
        self._fingerprints: dict[int, str] = {}

    def segment(self, index: int) -> str:
        """Return the segment that names the element at `index`."""
        item = self.items[index]
        if isinstance(item, Object):
            for keys in self._candidates:
                selector = _selector(item, keys)
                if selector and self.find(selector) is not None:
                    return selector
        return f"[{index}:{len(self.items)}:{self.fingerprint(index)}]"

    def find(self, selector: str) -> int | None:
        """Return the index of the only element that a selector names; None if there is no one."""
        if self._by_selector is None:
            self._by_selector = {}
            for index, item in enumerate(self.items):
                if isinstance(item, Object):
                    for keys in self._candidates:
                        own = _selector(item, keys)
                        if own:
                            self._by_selector[own] = _SEVERAL if own in self._by_selector else index
        index = self._by_selector.get(selector, _SEVERAL)
        return None if index == _SEVERAL else index

    def fingerprint(self, index: int) -> str:
        """Return 16 hex digits of SHA-256 over an element's API JSON, without bags."""
        found = self._fingerprints.get(index)
        if found is None:
            text = _json.canonical(self._written(index))
            found = self._fingerprints[index] = hashlib.sha256(text).hexdigest()[:16]
        return found

    def _written(self, index: int) -> JsonValue:
        written: JsonValue = write_nested(self.items[index], [])
        return written


@dataclass(frozen=True, slots=True)
class Way:
    """The way from the root to one value: the way to its holder, then a member, key or element."""

    holder: Way | None
    step: str | tuple[Elements, int]

    def address(self) -> str:
        """Return the way as an address."""
        return join(
            "", *(step if isinstance(step, str) else step[0].segment(step[1]) for step in self)
        )

    def pointer(self) -> str:
        """Return the way as a JSON Pointer into the document at hand."""
        return join("", *(step if isinstance(step, str) else step[1] for step in self))

    def __iter__(self) -> Iterator[str | tuple[Elements, int]]:
        steps = []
        way: Way | None = self
        while way is not None:
            steps.append(way.step)
            way = way.holder
        return reversed(steps)


def holders_of(cls: type[Object]) -> dict[str, MemberShape]:
    """Return the members of a type that hold objects at any depth, by wire name."""
    holders = _HOLDERS.get(cls)
    if holders is None:
        members = shape_of(cls).members
        holders = {name: member for name, member in members.items() if _holds(member.value)}
        _HOLDERS[cls] = holders
    return holders


def storage_objects(root: StorageObject) -> Iterator[tuple[Way | None, StorageObject]]:
    """Yield every object of a tree with the way to it; the root's way is None.

    Walks with a stack of its own, so that depth is limited by memory only.
    """
    work: list[tuple[Way | None, Any, ValueShape, tuple[str, ...]]] = [
        (None, root, ValueShape("object", type(root)), ())
    ]
    while work:
        way, value, shape, keys = work.pop()
        if shape.container == "object":
            yield way, value
            for name, member in holders_of(type(value)).items():
                child = getattr(value, member.attribute, None)
                if child is not None:
                    work.append((Way(way, name), child, member.value, member.map_keys))
        elif shape.item is not None:
            steps: Iterable[tuple[str | tuple[Elements, int], Any]]
            if shape.container == "list":
                elements = Elements(value, keys)
                steps = [((elements, index), item) for index, item in enumerate(value)]
            else:
                steps = value.items()
            work.extend(
                (Way(way, step), item, shape.item, ()) for step, item in steps if item is not None
            )


def _holds(shape: ValueShape) -> bool:
    return shape.container == "object" or (shape.item is not None and _holds(shape.item))


def _selector(item: Object, keys: tuple[str, ...]) -> str:
    """Return the text that names an element by its keys; empty if a key has no scalar value."""
    attributes = shape_of(type(item)).attributes
    parts = []
    for key in keys:
        attribute = attributes.get(key)
        value = item.extra_.get(key) if attribute is None else getattr(item, attribute, None)
        if type(value) not in _SCALARS:
            return ""
        parts.append(f"{key}={_json.canonical(value).decode()}")
    return f"[{','.join(parts)}]"
