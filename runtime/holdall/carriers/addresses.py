"""Addresses: how a carrier names the object of a tree that a bag belongs to.

An address is like a JSON Pointer of wire names, except that an element of a list is never
identified by its index alone. If the list has keys, they name it: `/spec/pools/[name="p1"]`.
Otherwise the address has its index, with a unique `name`, `key` or `id` if there is one:
`/spec/rules/[1]`, `/spec/disks/[0:id=7]`; then the envelope has the fingerprints of the whole list,
by its address. Source: docs/bags.md, "Addresses".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence, Set
from typing import Any, Final, TypeAlias

from holdall.carriers.prints import Prints, prints_of
from holdall.engine.element_names import GUESSED_KEYS, assumed_name, names_of
from holdall.engine.remembered import Remembered
from holdall.objects.shapes import ValueShape, shape_of
from holdall.objects.stored_forms import bare_value
from holdall.text import json as _json
from holdall.text.pointer import escape
from holdall.types import JsonValue

_SEVERAL: Final = -1
_SHORT: Final = 64
"""Maximum elements of a list for which facts are cached."""
_KNOWN: Final = Remembered()
_MOST_KEYS: Final = 32
"""Maximum number of keys in the selectors of one list: forged ones may name any."""
_NAMED: Final = re.compile(r'([^=]++)=("(?:[^"\\]|\\.)*+"|[^,"]++)(?:,|$)', re.DOTALL)
_PLAIN: Final = ValueShape("value")
_MEMBERS: Final = frozenset({dict, type(None)})
_NO_NAMES: Final = frozenset[str]()

Lists: TypeAlias = "dict[str, Prints | None]"
"""The fingerprints of lists by address; None if no annotation has room for them."""


class Elements:
    """The elements of one list, and what identifies them; each fact is computed once.

    `keys` are the keys of a list of type map; without them a `name`, `key` or `id` may serve.
    `shape` is that of an element, `written` is the list's JSON if available. Lists that are their
    own JSON may have a `number`: facts about a short one are cached for all lists of that number.
    """

    __slots__ = (
        "_fingerprints",
        "_have_keys",
        "_known",
        "_named",
        "_number",
        "_prints",
        "_tails",
        "_text",
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
        number: int = 0,
    ) -> None:
        self.items = items
        self.keys = keys
        self.shape = shape
        self._written = written if type(written) is list and len(written) == len(items) else None
        self._named: dict[tuple[str, ...], dict[str, int]] = {}
        self._known: Set[str] | None = None
        self._tails: Sequence[str] | None = None
        self._have_keys: bool | None = None
        self._fingerprints: dict[int, str] = {}
        self._prints: Prints | None = None
        self._number = number
        self._text = b""

    @property
    def have_keys(self) -> bool:
        """Return whether the list has keys, which are unique."""
        if self._have_keys is None:
            self._have_keys = not self.items
            if self.keys and self.items:
                names = self.named(self.keys)
                self._have_keys = len(names) == len(self.items) and _SEVERAL not in names.values()
        return self._have_keys

    def tails(self) -> Sequence[str]:
        """Return the ends of the elements' addresses, by index; none if they are only indexes."""
        if self._tails is None:
            if self._number and len(self.items) <= _SHORT:
                self._text = _KNOWN.text_of([self._number, self.items])
                known = _KNOWN.get(self._text)
                if known is not None:
                    self._text = b""
                    tails: Sequence[str]
                    tails, self._have_keys, self._prints = known
                    self._tails = tails
                    return tails
            self._tails = self._find_tails()
        return self._tails

    def _find_tails(self) -> Sequence[str]:
        # Names are unique; most elements of long lists have none.
        names: dict[int, str] = {}
        for keys in self._candidates():
            for name, index in self.named(keys).items():
                if index != _SEVERAL:
                    names.setdefault(index, name)
        if not names:
            return ()
        if self.have_keys:
            return [f"/[{escape(names[index])}]" for index in range(len(self.items))]
        return [
            f"/[{index}:{escape(names[index])}]" if index in names else f"/[{index}]"
            for index in range(len(self.items))
        ]

    def unique_names(self) -> dict[str, int]:
        """Return the indexes of elements by unique names, the best names first."""
        return {
            name: index
            for keys in self._candidates()
            for name, index in self.named(keys).items()
            if index != _SEVERAL
        }

    def _candidates(self) -> Iterable[tuple[str, ...]]:
        """Return the keys that may name elements."""
        held: Any = self.shape.type
        if self.keys or held is None:
            return (self.keys,) if self.keys else ()
        if not _MEMBERS.issuperset(map(type, self.items)):
            return GUESSED_KEYS
        found = _NO_NAMES.union(*filter(None, self.items))
        return [
            keys
            for keys in GUESSED_KEYS
            if keys[0] in found or assumed_name(held, keys[0]) is not None
        ]

    def named(self, keys: tuple[str, ...]) -> dict[str, int]:
        """Return the indexes of elements by name, negative for a name of several elements."""
        found = self._named.get(keys)
        if found is None:
            found = self._named[keys] = {}
            held = self.shape.type
            for index, name in enumerate(names_of(self.items, keys, held) if held else ()):
                if name:
                    found[name] = _SEVERAL if name in found else index
        return found

    def addresses(self, address: str, indexes: Iterable[int]) -> list[str]:
        """Return the addresses of elements of the list at an address."""
        tails = self.tails()
        if not tails:
            return [f"{address}/[{index}]" for index in indexes]
        return [address + tails[index] for index in indexes]

    def note_prints(self, address: str, lists: Lists, room: int | None) -> None:
        """Add the fingerprints of all elements of the list at an address, unless it has keys.

        `room` is for all fingerprints; None is added if they need more.
        """
        tails = self.tails()
        if not self.have_keys:
            if self._prints is None:
                self._prints = prints_of(self.written(), self.shape, room)
            lists.setdefault(address, self._prints)
        if self._text and (self._have_keys or self._prints is not None):
            _KNOWN.note(self._text, [tails, self._have_keys, self._prints])

    def written(self) -> list[JsonValue]:
        """Return the JSON of all elements."""
        if self._written is None:
            self._written = [bare_value(self.shape, item) for item in self.items]
        return self._written

    def find(self, selector: str) -> int | None:
        """Return the index of the only element that `[key=value,…]` names; None if there is none.

        Ignores keys that the elements do not have, as after a change of the schema.
        """
        named = _read_selector(selector)
        known = [(key, value) for key, value in named if key in self._known_names()]
        keys = tuple(key for key, _ in known)
        asked = 0 if keys in self._named or keys == self.keys else len(keys)
        if asked and asked + sum(map(len, self._named)) > _MOST_KEYS:
            return None
        name = ",".join(f"{key}={value}" for key, value in known)
        index = self.named(keys).get(name, _SEVERAL)
        return None if index == _SEVERAL else index

    def _known_names(self) -> Set[str]:
        """Return the names of members that elements have or may have."""
        if self._known is None:
            held = self.shape.type
            declared = shape_of(held).members if held else {}
            self._known = _NO_NAMES.union(
                declared, *[item for item in self.items if type(item) is dict]
            )
        return self._known

    def fingerprint(self, index: int) -> str:
        """Return 16 hex digits of SHA-256 over an element's API JSON, without bags.

        Source: docs/declared.md, "Tracking".
        """
        found = self._fingerprints.get(index)
        if found is None:
            text = _json.canonical(bare_value(self.shape, self.items[index]))
            found = self._fingerprints[index] = hashlib.sha256(text).hexdigest()[:16]
        return found


def _read_selector(selector: str) -> list[tuple[str, str]]:
    """Return the keys and values of `[key=value,…]`; none for other texts."""
    found: list[tuple[str, str]] = []
    text, at = selector[1:-1], 0
    while at < len(text):
        match = _NAMED.match(text, at)
        if match is None:
            return []
        found.append((match[1], match[2]))
        at = match.end()
    return found
