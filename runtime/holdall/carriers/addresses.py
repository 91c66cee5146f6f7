"""Addresses: how a carrier names the object of a tree that a bag belongs to.

An address reads like a JSON Pointer of wire names, but an element of a list is never known by its
bare position. If the list has keys, they name it: `/spec/pools/[name="p1"]`. Else the address has
its index, with a `name`, `key` or `id` that only it has: `/spec/rules/[1]`, `/spec/disks/[0:id=7]`;
the envelope then has the fingerprints of the whole list, by its address.
Source: property-bag contract, section 5.14; declared versions, matching of list elements.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from holdall import json as _json
from holdall.carriers.prints import Prints, prints_of
from holdall.codec import write_nested
from holdall.objects import Object, StorageObject
from holdall.pointer import join
from holdall.shapes import MemberShape, ValueShape, shape_of
from holdall.types import JsonValue

GUESSED_KEYS: Final = (("name",), ("key",), ("id",))
_SCALARS: Final = frozenset({str, int, bool})
_SEVERAL: Final = -1
_HOLDERS: Final[dict[type[Object], dict[str, MemberShape]]] = {}
_NAMED: Final = re.compile(r'([^=]+)=("(?:[^"\\]|\\.)*"|[^,"]+)(?:,|$)')
_PLAIN: Final = ValueShape("value")

Lists: TypeAlias = "dict[str, Prints]"
"""The fingerprints of lists by their address."""


class Elements:
    """The elements of one list, and what tells them apart; each answer is worked out once.

    `keys` are the keys of a list of type map; without them a `name`, `key` or `id` may serve.
    `shape` is that of an element.
    """

    __slots__ = ("_fingerprints", "_named", "items", "keys", "shape")

    def __init__(self, items: list[Any], keys: tuple[str, ...], shape: ValueShape = _PLAIN) -> None:
        self.items = items
        self.keys = keys
        self.shape = shape
        self._named: dict[tuple[str, ...], dict[str, int]] = {}
        self._fingerprints: dict[int, str] = {}

    @property
    def candidates(self) -> tuple[tuple[str, ...], ...]:
        """The keys that may name elements, the best first."""
        return (self.keys,) if self.keys else GUESSED_KEYS

    @property
    def have_keys(self) -> bool:
        """Tell whether the list has keys, and each element its own."""
        names = self.named(self.keys) if self.keys else {}
        return bool(names) and len(names) == len(self.items) and _SEVERAL not in names.values()

    def name(self, index: int) -> str:
        """Return the text that names an element and no other one; empty if there is none."""
        for keys in self.candidates:
            name = _name(self.items[index], keys)
            if name and self.named(keys)[name] == index:
                return name
        return ""

    def named(self, keys: tuple[str, ...]) -> dict[str, int]:
        """Return the indexes of elements by their names; that of several elements is negative."""
        found = self._named.get(keys)
        if found is None:
            found = self._named[keys] = {}
            for index, item in enumerate(self.items):
                name = _name(item, keys)
                if name:
                    found[name] = _SEVERAL if name in found else index
        return found

    def segment(self, index: int) -> str:
        """Return the segment that names the element at `index`."""
        name = self.name(index)
        if self.have_keys:
            return f"[{name}]"
        return f"[{index}:{name}]" if name else f"[{index}]"

    def prints(self) -> Prints:
        """Return the fingerprints of all elements."""
        return prints_of(self.items, self.shape)

    def find(self, selector: str) -> int | None:
        """Return the index of the only element that `[key=value,…]` names; None if there is none.

        Keys that the elements do not have, as after a change of the schema, do not count.
        """
        parts = _NAMED.findall(selector[1:-1])
        known = [part for part in parts if any(_has(item, part[0]) for item in self.items)]
        name = ",".join(f"{key}={value}" for key, value in known)
        index = self.named(tuple(key for key, _ in known)).get(name, _SEVERAL)
        return None if index == _SEVERAL else index

    def fingerprint(self, index: int) -> str:
        """Return 16 hex digits of SHA-256 over an element's API JSON, without bags.

        Source: declared versions, section 5.3.
        """
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

    def address(self, lists: Lists) -> str:
        """Return the way as an address; `lists` takes the fingerprints that it depends on."""
        address = ""
        for step in self:
            if isinstance(step, str):
                address = join(address, step)
                continue
            elements, index = step
            if address not in lists and not elements.have_keys:
                lists[address] = elements.prints()
            address = join(address, elements.segment(index))
        return address

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
                elements = Elements(value, keys, shape.item)
                steps = [((elements, index), item) for index, item in enumerate(value)]
            else:
                steps = value.items()
            work.extend(
                (Way(way, step), item, shape.item, ()) for step, item in steps if item is not None
            )


def _holds(shape: ValueShape) -> bool:
    return shape.container == "object" or (shape.item is not None and _holds(shape.item))


def _has(item: Any, key: str) -> bool:
    return isinstance(item, Object) and (key in shape_of(type(item)).members or key in item.extra_)


def _name(item: Any, keys: Sequence[str]) -> str:
    """Return the text that names an element by its keys; empty if a key has no scalar value.

    An absent key counts as its default.
    """
    if not isinstance(item, Object):
        return ""
    members = shape_of(type(item)).members
    parts = []
    for key in keys:
        member = members.get(key)
        value = item.extra_.get(key) if member is None else getattr(item, member.attribute, None)
        if value is None and member is not None and len(member.defaults) == 1:
            value = member.defaults[0]
        if type(value) not in _SCALARS:
            return ""
        parts.append(f"{key}={_json.canonical(value).decode()}")
    return ",".join(parts)
