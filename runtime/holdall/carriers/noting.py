"""What an envelope records about entries of bags: whether their object shows part of them.

Under a later plan this tells entries that a client may have edited from entries nobody has seen.
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
"""For an origin: all relevant keys, those with partners, and those of values with objects."""


class Noting:
    """Records this for the bags of one group, by the ways between its types."""

    def __init__(self, ways: EdgeWays) -> None:
        self._ways = ways
        self._facts: dict[Twin, dict[str, _Facts]] = {}

    def note(self, holder: Twin, at: str, bag: Bag, members: Members, cargo: Cargo) -> None:
        """Record the entries of an object's bag whose property has a partner on the way.

        Entries that the object shows in part are residues, the others are unseen. They are recorded
        under the object's address, and those of bags in its values under their own.
        """
        try:
            facts = self._facts[holder]
        except KeyError:
            facts = self._learn(holder)
        for origin, entries in bag.items():
            if origin not in facts:
                continue  # documents may have any names
            keys, partners, held = facts[origin]
            if keys.isdisjoint(entries):
                continue
            for key in sorted(partners.keys() & entries):
                noted = cargo.unseen if partners[key] else cargo.residues
                for end in partners[key]:
                    shown = members if end.version == holder.VERSION else bag.get(end.version, ())
                    if end.name in shown or end.shows(entries[key]):
                        noted = cargo.residues
                        break
                noted.setdefault(at, {}).setdefault(origin, []).append(key)
            for key, shape in held:
                # Most have no bags, and the search computes addresses.
                if key in entries and _json.may_hold_dollars(_json.encode(entries[key])):
                    below = join(at, BAG_MEMBER, origin, key)
                    for inner, cls, one, obj in _bags_in(shape, entries[key], below):
                        self.note(cls, inner, one, obj, cargo)

    def concerns(self, holder: Twin, bags: Sequence[Bag]) -> bool:
        """Return whether any of many bags may have entries to record."""
        facts = self._facts[holder] if holder in self._facts else self._learn(holder)
        return len(bags) == 1 or any(hold_any(bags, origin, facts[origin][0]) for origin in facts)

    def _learn(self, holder: Twin) -> dict[str, _Facts]:
        """Return facts about entries by origin, for other versions."""
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
        """Return the properties of a version whose values in a holder's bag have objects."""
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
            if isinstance(bag, dict):  # a bag during a conversion, or as it was read
                origins = {it: entries for it, entries in bag.items() if is_json_object(entries)}
                yield address, shape.type, origins, value
            for name, member in holders_of(shape.type).items():
                yield from _bags_in(member.value, value.get(name), join(address, name))
    elif isinstance(value, list) and shape.container == "list" and shape.item is not None:
        for index, item in enumerate(value):
            yield from _bags_in(shape.item, item, join(address, index))
