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
from itertools import repeat
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
    `shape` is that of an element, `written` its JSON where that is at hand.
    """

    __slots__ = (
        "_fingerprints",
        "_have_keys",
        "_named",
        "_names",
        "_written",
        "items",
        "keys",
        "shape",
    )

    def __init__(
        self,
        items: list[Any],
        keys: tuple[str, ...],
        shape: ValueShape = _PLAIN,
        written: Any = None,
    ) -> None:
        self.items = items
        self.keys = keys
        self.shape = shape
        self._written = written if type(written) is list and len(written) == len(items) else None
        self._named: dict[tuple[str, ...], dict[str, int]] = {}
        self._names: list[str] | None = None
        self._have_keys: bool | None = None
        self._fingerprints: dict[int, str] = {}

    @property
    def have_keys(self) -> bool:
        """Tell whether the list has keys, and each element its own."""
        if self._have_keys is None:
            names = self.named(self.keys) if self.keys else {}
            self._have_keys = len(names) == len(self.items) and _SEVERAL not in names.values()
        return self._have_keys

    def names(self) -> list[str]:
        """Return the texts that name one element and no other, by index; empty for none."""
        if self._names is None:
            self._names = [""] * len(self.items)
            for name, index in self.unique_names().items():
                self._names[index] = self._names[index] or name
        return self._names

    def unique_names(self) -> dict[str, int]:
        """Return the indexes of elements by texts that name no other one, the best texts first."""
        return {
            name: index
            for keys in ((self.keys,) if self.keys else GUESSED_KEYS)
            for name, index in self.named(keys).items()
            if index != _SEVERAL
        }

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
        name = self.names()[index]
        if self.have_keys:
            return f"[{name}]"
        return f"[{index}:{name}]" if name else f"[{index}]"

    def prints(self) -> Prints:
        """Return the fingerprints of all elements."""
        return prints_of(self.written(), self.shape)

    def written(self) -> list[JsonValue]:
        """Return the JSON of all elements."""
        if self._written is None:
            self._written = [self._write(index) for index in range(len(self.items))]
        return self._written

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
            text = _json.canonical(self._write(index))
            found = self._fingerprints[index] = hashlib.sha256(text).hexdigest()[:16]
        return found

    def _write(self, index: int) -> JsonValue:
        written: JsonValue = write_nested(self.items[index], [])
        return written


class Way:
    """The way from the root to one value: the way to its holder, then a member, key or element."""

    __slots__ = ("_address", "holder", "step")

    def __init__(self, holder: Way | None, step: str | tuple[Elements, int]) -> None:
        self.holder, self.step = holder, step
        self._address: str | None = None

    def address(self, lists: Lists) -> str:
        """Return the way as an address; `lists` takes the fingerprints that it depends on."""
        pending: list[Way] = []
        way: Way | None = self
        while way is not None and way._address is None:
            pending.append(way)
            way = way.holder
        address = "" if way is None or way._address is None else way._address
        for way in reversed(pending):
            if isinstance(way.step, str):
                address = join(address, way.step)
            else:
                elements, index = way.step
                if address not in lists and not elements.have_keys:
                    lists[address] = elements.prints()
                address = join(address, elements.segment(index))
            way._address = address
        return address

    def pointer(self) -> str:
        """Return the way as a JSON Pointer into the document at hand."""
        steps: list[str | int] = []
        way: Way | None = self
        while way is not None:
            steps.append(way.step if isinstance(way.step, str) else way.step[1])
            way = way.holder
        return join("", *reversed(steps))


def holders_of(cls: type[Object]) -> dict[str, MemberShape]:
    """Return the members of a type that hold objects at any depth, by wire name."""
    holders = _HOLDERS.get(cls)
    if holders is None:
        members = shape_of(cls).members
        holders = {name: member for name, member in members.items() if _holds(member.value)}
        _HOLDERS[cls] = holders
    return holders


def storage_objects(
    root: StorageObject, document: Any = None
) -> Iterator[tuple[Way | None, StorageObject]]:
    """Yield every object of a tree with the way to it; the root's way is None.

    `document` is the JSON of the tree, if it is at hand. Walks with a stack of its own, so that
    depth is limited by memory only.
    """
    work: list[tuple[Way | None, Any, Any, ValueShape, tuple[str, ...]]] = [
        (None, root, document, ValueShape("object", type(root)), ())
    ]
    while work:
        way, value, written, shape, keys = work.pop()
        if shape.container == "object":
            yield way, value
            is_object = type(written) is dict
            for name, member in holders_of(type(value)).items():
                child = getattr(value, member.attribute, None)
                if child is not None:
                    inner = written.get(name) if is_object else None
                    work.append((Way(way, name), child, inner, member.value, member.map_keys))
        elif shape.item is not None:
            item_shape = shape.item
            if shape.container == "list":
                elements = Elements(value, keys, item_shape, written)
                inners: Iterable[Any] = written if type(written) is list else repeat(None)
                work.extend(
                    (Way(way, (elements, index)), item, inner, item_shape, ())
                    for index, (item, inner) in enumerate(zip(value, inners, strict=False))
                    if item is not None
                )
            else:
                values = written if type(written) is dict else {}
                work.extend(
                    (Way(way, key), item, values.get(key), item_shape, ())
                    for key, item in value.items()
                    if item is not None
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
    members, extras = shape_of(type(item)).members, item.extra_
    parts = []
    for key in keys:
        member = members.get(key)
        if member is None:
            value = extras.get(key) if extras else None
        else:
            value = getattr(item, member.attribute, None)
            if value is None and len(member.defaults) == 1:
                value = member.defaults[0]
        if type(value) not in _SCALARS:
            return ""
        parts.append(f"{key}={_json.canonical(value).decode()}")
    return ",".join(parts)
