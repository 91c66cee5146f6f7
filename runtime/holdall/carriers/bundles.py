"""Bundles: the bags of the objects in one list or map, on their way into a carrier."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.envelope import Compartment, Entry, compartment_of
from holdall.carriers.text import MAX_JSON_BYTES
from holdall.text import json as _json
from holdall.text.pointer import MOST_SHOWN, escape

Bag: TypeAlias = "dict[str, dict[str, Any]]"
_ROOM: Final = 4 * MAX_JSON_BYTES


def _below(pointer: str, keys: list[Any]) -> list[str]:
    """Return the pointers to what has these indexes in a list, or keys in a map."""
    if keys and type(keys[0]) is str:
        text = "".join(keys)
        if "~" in text or "/" in text:
            keys = [*map(escape, keys)]
    return [f"{pointer}/{key}" for key in keys]


class Bundle(_json.Record):  # it is made several times faster than a tuple with names
    """The bags of the elements of a list or the values of a map, or that of a single object.

    `keys` are the indexes or the keys of the objects with bags, None for a single one; `type` is
    that of the objects. `address` and `pointer` (the JSON Pointer in the document at hand) lead to
    the list, map or object. Below an element of a list or a value of a map they begin there, and
    `above` is what leads there, until the bundle is settled. So nothing is worked out for objects
    without bags, and a long name on the way to many is not repeated before it is known how many.
    """

    compartment: Compartment
    type: Any
    address: str
    pointer: str
    bags: list[Bag]
    keys: list[Any] | None = None
    elements: Elements | None = None
    above: Any = None

    def size(self) -> int:
        """Return how many characters the addresses of the objects take, but for their ends."""
        size, above = len(self.address), self.above
        while above is not None:
            size += len(above[0])
            above = above[2]
        return size * (1 if self.keys is None else len(self.keys))

    def settle(self, most: int | None = None) -> None:
        """Let address and pointer begin at the root; with `most` they have that many characters."""
        above, self.above = self.above, None
        if above is None:
            return
        addresses, pointers = [], []
        while above is not None:
            addresses.append(above[0][:most])
            pointers.append(above[1][:most])
            above = above[2]
        self.address = "".join((*addresses, self.address))[:most]
        self.pointer = "".join((*pointers, self.pointer))[:most]
        self.compartment = compartment_of(self.address)

    def addresses(self) -> list[str]:
        """Return the addresses of the objects with bags."""
        if self.keys is None:
            return [self.address]
        if self.elements is None:
            return _below(self.address, self.keys)
        return self.elements.addresses(self.address, self.keys)

    def pointers(self) -> list[str]:
        """Return the JSON Pointers of the objects with bags."""
        return [self.pointer] if self.keys is None else _below(self.pointer, self.keys)

    def given_up(self) -> list[Entry]:
        """Return pointer, origin and key of all entries.

        Each bag is let go at once, so the collector of garbage sees no more objects than before.
        """
        found: list[Entry] = []
        self.bags.reverse()
        for pointer in self.pointers():
            for origin, entries in self.bags.pop().items():
                for key in entries:
                    found.append((pointer, origin, key))
        return found


Taken: TypeAlias = list[Bundle]
"""The bags that were taken off a tree; lists on the way to them have bundles, if empty ones."""


def lead_through(taken: Taken, start: int, end: int, address: str, pointer: str) -> None:
    """Let what leads to the bundles between two indexes begin with an address and a pointer."""
    for bundle in taken[start:end]:
        bundle.above = address, pointer, bundle.above


def settled(taken: Taken, *, is_bounded: bool) -> tuple[Taken, list[Entry]]:
    """Return bundles whose addresses are known, and the entries of others, which are too long.

    Together they are more than any envelope may have: a name of a megabyte on the way to each of
    many thousands would be gigabytes.
    """
    room = _ROOM
    near: Taken = []
    far: list[Entry] = []
    for bundle in taken:
        size = bundle.size()
        if is_bounded and size > room:
            bundle.settle(MOST_SHOWN)
            far += bundle.given_up()
        else:
            room -= size
            bundle.settle()
            near.append(bundle)
    return near, far
