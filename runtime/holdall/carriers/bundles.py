"""Bundles: the bags of the objects in one list or map, to be put into a carrier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.envelope import Compartment, Entry, compartment_of
from holdall.carriers.text import MAX_JSON_BYTES
from holdall.text import json as _json
from holdall.text.pointer import MOST_SHOWN, escape

Bag: TypeAlias = "dict[str, dict[str, Any]]"
ADDRESSES_ROOM: Final = 4 * MAX_JSON_BYTES
"""Maximum size of all addresses of a document, more than any envelope may have: a name of a
megabyte in each of many thousands of addresses would take gigabytes."""
FIELD_ROOM: Final = 1024
"""Additional size per object for carriers without a limit."""


def _below(pointer: str, keys: list[Any]) -> list[str]:
    """Return the pointers to these indexes of a list, or keys of a map."""
    if keys and type(keys[0]) is str:
        text = "".join(keys)
        if "~" in text or "/" in text:
            keys = [*map(escape, keys)]
    return [f"{pointer}/{key}" for key in keys]


class Bundle(_json.Record):  # it is made several times faster than a tuple with names
    """The bags of the elements of a list or the values of a map, or that of a single object.

    `value` is that list, map or object, without bags by now. `keys` are the indexes or the keys of
    the objects with bags, None for a single one; `type` is that of the objects. `address` and
    `pointer` (the JSON Pointer in the document at hand) lead to the list, map or object. Below an
    element of a list or a value of a map they begin there, and `above` is what leads there, until
    the bundle is settled. So nothing is worked out for objects without bags, and a long name on the
    way to many is not repeated before it is known how many.
    """

    compartment: Compartment
    type: Any
    address: str
    pointer: str
    bags: list[Bag]
    value: Any
    keys: list[Any] | None = None
    elements: Elements | None = None
    above: Any = None

    def settle(self, room: int) -> int:
        """Make address and pointer begin at the root; return the size of all addresses.

        Without `room` for them, only the beginnings of address and pointer are computed.
        """
        addresses: list[str] = []
        pointers: list[str] = []
        above = self.above
        while above is not None:
            address, pointer, above = above
            addresses.append(address)
            pointers.append(pointer)
        addresses.append(self.address)
        pointers.append(self.pointer)
        size = sum(map(len, addresses)) * self.count()
        if size > room:
            addresses, pointers = [_beginning(addresses)], [_beginning(pointers)]
        self.address, self.pointer = "".join(addresses), "".join(pointers)
        self.compartment = compartment_of(self.address)
        return size

    def count(self) -> int:
        """Return the number of addresses: of objects with bags, or of a list on the way."""
        return len(self.keys) if self.keys else 1

    def addresses(self) -> list[str]:
        """Return the addresses of the objects with bags."""
        if self.keys is None:
            return [self.address]
        if self.elements is None:
            return _below(self.address, self.keys)
        return self.elements.addresses(self.address, self.keys)

    def holders(self) -> list[Any]:
        """Return the elements or values whose bags they are."""
        return [self.value[key] for key in self.keys or ()]

    def pointers(self) -> list[str]:
        """Return the JSON Pointers of the objects with bags."""
        return [self.pointer] if self.keys is None else _below(self.pointer, self.keys)

    def given_up(self) -> list[Entry]:
        """Return pointer, origin and key of all entries.

        Releases each bag and the path to it at once, so that the garbage collector does not see
        more objects than before.
        """
        found: list[Entry] = []
        self.bags.reverse()
        pointers = self.pointers()
        self.address = self.pointer = ""
        for pointer in pointers:
            for origin, entries in self.bags.pop().items():
                for key in entries:
                    found.append((pointer, origin, key))
        return found


Taken: TypeAlias = list[Bundle]
"""The bags taken off a tree; lists on the way to them have bundles, too, perhaps empty ones."""


def lead_through(taken: Taken, start: int, end: int, address: str, pointer: str) -> None:
    """Prefix the paths of the bundles between two indexes with an address and a pointer."""
    for bundle in taken[start:end]:
        bundle.above = address, pointer, bundle.above


def _beginning(parts: Iterable[str]) -> str:
    """Return the beginning of the concatenation of parts."""
    return "".join([part[:MOST_SHOWN] for part in parts])[:MOST_SHOWN]
