"""Bundles: the bags of the objects in one list or map, on their way into a carrier."""

from __future__ import annotations

from collections.abc import Iterable
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

    def settle(self, addresses: Iterable[str], pointers: Iterable[str]) -> None:
        """Let address and pointer begin at the root, given the parts that each is made of."""
        self.address, self.pointer = "".join(addresses), "".join(pointers)
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
        if bundle.above is None and bundle.keys is None:  # only names of a schema lead there
            near.append(bundle)
            continue
        parts = None if bundle.above is None else _parts_of(bundle)
        size = len(bundle.address) if parts is None else sum(map(len, parts[0]))
        if bundle.keys is not None:
            size *= len(bundle.keys)
        if is_bounded and size > room:
            # Nobody reads more of a name than that.
            bundle.settle(*([_beginning(one)] for one in _parts_of(bundle)))
            far += bundle.given_up()
            continue
        room -= size
        near.append(bundle)
        if parts is not None:
            bundle.settle(*parts)
    return near, far


def _parts_of(bundle: Bundle) -> tuple[list[str], list[str]]:
    """Return what address and pointer of a bundle are made of, from the root on."""
    addresses: list[str] = []
    pointers: list[str] = []
    above = bundle.above
    while above is not None:
        address, pointer, above = above
        addresses.append(address)
        pointers.append(pointer)
    return [*addresses, bundle.address], [*pointers, bundle.pointer]


def _beginning(parts: Iterable[str]) -> str:
    """Return the beginning of a text that is made of parts."""
    return "".join([part[:MOST_SHOWN] for part in parts])[:MOST_SHOWN]
