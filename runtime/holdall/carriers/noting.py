"""What an envelope notes of the entries in bags: which of them their object shows in part, or not.

Under another plan that tells what a client may have edited from what nobody has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from holdall.carriers.edge_ways import EdgeWays, Partner, Twin
from holdall.carriers.envelope import Cargo, hold_any
from holdall.objects.bag import BAG_MEMBER, Bag
from holdall.objects.shapes import ValueShape, holders_of, members_of
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, Members, is_json_object

_Partners: TypeAlias = "Mapping[str, Sequence[Partner]]"
_Facts: TypeAlias = "tuple[frozenset[str], _Partners, Sequence[tuple[str, ValueShape]]]"
"""Of a bag's origin: all keys that matter, those with partners, and those of values with objects.
"""


class Noting:
    """Notes what the bags of one group hold, by the ways between its types."""

    def __init__(self, ways: EdgeWays) -> None:
        self._ways = ways
        self._facts: dict[Twin, dict[str, _Facts]] = {}

    def note(self, holder: Twin, at: str, bag: Bag, members: Members, cargo: Cargo) -> None:
        """Note which entries of an object's bag have a partner on the way: those that it shows in
        part are residues, the others are unseen.

        They are under its address, those of bags in its values under what leads there.
        """
        facts = self._facts[holder] if holder in self._facts else self._learn(holder)
        for origin, entries in bag.items():
            if origin not in facts:
                continue  # there may be any name in a document
            keys, partners, held = facts[origin]
            if keys.isdisjoint(entries):
                continue
            for key in sorted(partners.keys() & entries):
                is_unseen = partners[key] and not any(
                    end.name
                    in (members if end.version == holder.VERSION else bag.get(end.version, ()))
                    or end.shows(entries[key])
                    for end in partners[key]
                )
                noted = cargo.unseen if is_unseen else cargo.residues
                noted.setdefault(at, {}).setdefault(origin, []).append(key)
            for key, shape in held:
                # Most have no bags, and looking for these works out addresses on the way.
                if key in entries and _json.may_hold_dollars(_json.encode(entries[key])):
                    below = join(at, BAG_MEMBER, origin, key)
                    for inner, cls, one, obj in _bags_in(shape, entries[key], below):
                        self.note(cls, inner, one, obj, cargo)

    def concerns(self, holder: Twin, bags: Sequence[Bag]) -> bool:
        """Return whether there may be anything to note of bags, which may be many."""
        facts = self._facts[holder] if holder in self._facts else self._learn(holder)
        return len(bags) == 1 or any(hold_any(bags, origin, facts[origin][0]) for origin in facts)

    def _learn(self, holder: Twin) -> dict[str, _Facts]:
        """Return what is to be known of entries by their origin, which is another version."""
        facts: dict[str, _Facts] = {}
        version = holder.VERSION
        for origin in self._ways.rank:
            if origin != version:
                partners = self._ways.partnered(holder, version, origin)
                held = self._held(holder, version, origin)
                if partners or held:
                    keys = frozenset((*partners, *(key for key, _ in held)))
                    facts[origin] = keys, partners, held
        self._facts[holder] = facts
        return facts

    def _held(self, holder: Twin, version: str, origin: str) -> Sequence[tuple[str, ValueShape]]:
        """Return the properties of a version whose values, in a holder's bag, have objects."""
        found: dict[str, ValueShape] = {}
        for cls in [way[0] for way in reversed(self._ways.to(holder, version, origin))]:
            for name in members_of(cls):
                held = holders_of(cls).get(name)
                found.pop(name, None)
                if held is not None:
                    found[name] = held.value
        return (*found.items(),)


def _bags_in(
    shape: ValueShape, value: JsonValue, address: str
) -> Iterator[tuple[str, Any, Bag, Members]]:
    """Yield the bags in the stored JSON of a value: address, type of the holder, bag, members."""
    if isinstance(value, dict):
        if shape.container == "map" and shape.item is not None:
            for key, item in value.items():
                yield from _bags_in(shape.item, item, join(address, key))
        elif shape.type is not None and issubclass(shape.type, StorageObject):
            bag = value.get(BAG_MEMBER)
            if isinstance(bag, dict):  # on its way, or as it was read
                origins = {it: entries for it, entries in bag.items() if is_json_object(entries)}
                yield address, shape.type, origins, value
            for name, member in holders_of(shape.type).items():
                yield from _bags_in(member.value, value.get(name), join(address, name))
    elif isinstance(value, list) and shape.container == "list" and shape.item is not None:
        for index, item in enumerate(value):
            yield from _bags_in(shape.item, item, join(address, index))
