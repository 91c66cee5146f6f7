"""Objects that an edge keeps as a whole: their own bags are judged when they are stored.

The next version lacks them. A version beyond it may hide a part of what it shows of them, and that
part is in their bags. Later it would be judged by the last live value, not by one that was deleted
before. So they are converted there and back. Source: docs/conversions.md, "Versions farther away".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from holdall.engine.edges import Crossing
from holdall.engine.hops import Hop
from holdall.engine.lossy_pairs import Link
from holdall.engine.uncertain import noted_below
from holdall.errors import HoldallError
from holdall.objects.bag import BAG_MEMBER, Bag, PropertyBag
from holdall.objects.shapes import ValueShape, members_within, shape_of
from holdall.objects.stored_forms import without_bags
from holdall.objects.views import StorageObject
from holdall.text import json as _json


class KeptObjects:
    """The objects in a property that an edge keeps; the hops lead over the gap and back."""

    def __init__(self, name: str, shape: ValueShape, to: Hop, back: Hop) -> None:
        self._name, self._shape, self._origin = name, shape, to.here.origin
        self._to, self._back = to.here, back.here

    def are_in(self, bag: Bag) -> bool:
        """Return whether a bag has any of the objects, with bags of their own."""
        kept = bag.get(self._origin, {}).get(self._name)
        return any(BAG_MEMBER in it for _, it in members_within(kept, self._shape))

    def settle(self, bag: PropertyBag, holder: StorageObject) -> None:
        """Leave in the bags of the objects what a round trip over the gap leaves.

        `holder` is the object with the bag. Objects that cannot be converted stay unchanged.
        """
        origin, name = self._origin, self._name
        kept = bag[origin][name]
        try:
            read = self._to.form.read(kept)
            there = noted_below(lambda: holder, origin, name, read, lambda: self._to.cross(read))
            written = self._to.written(self._back.cross(there))
        except HoldallError:
            return
        bare = (without_bags(value, self._shape) for value in (written, kept))
        if type(written) is type(kept) and _json.same(*bare):
            bag.put(origin, name, self._judged(kept, written))

    def _judged(self, kept: Any, back: Any) -> Any:
        """Return objects with only those entries of the other version that came back with them.

        Entries of other versions are not judged. Without an object in that version, none are, and
        no bag comes back. The two values differ only in bags.
        """
        found, origin = _json.copy(kept), self._back.origin
        both = (members_within(value, self._shape) for value in (found, back))
        cls: Any
        for (cls, members), (_, judged) in zip(*both, strict=True):
            bag = members.get(BAG_MEMBER)
            has_object = any(origin == peer.VERSION for peer in cls.crossings_)
            if not has_object or type(bag) is not dict or origin not in bag:
                continue
            del bag[origin]
            if origin in judged.get(BAG_MEMBER, {}):
                bag[origin] = judged[BAG_MEMBER][origin]
            if not bag:
                del members[BAG_MEMBER]
        return found


def kept_objects(
    links: Iterable[Link], leads: Callable[[Crossing, type[StorageObject]], bool]
) -> dict[Crossing, list[KeptObjects]]:
    """Return the objects kept by the edges next to gaps, by direction.

    `leads` returns whether a type is beyond an edge.
    """
    found: dict[Crossing, list[KeptObjects]] = {}
    for link in links:
        (older, to, newer), (_, back, _) = link.ways
        for (_, cls, name), (_, end, _), ways in (
            (older, newer, (to, back)),
            (newer, older, (back, to)),
        ):
            shape = shape_of(cls).members[name].value
            if shape.innermost is not None:
                for crossing in cls.crossings_.values():
                    if name in crossing.stashed and leads(crossing, end):
                        found.setdefault(crossing, []).append(KeptObjects(name, shape, *ways))
    return found
