"""Objects that an edge keeps as a whole: what is in their own bags is judged when they go in.

The next version lacks them. One beyond it may hide a part of what it shows of them, and that part
is in their bags. It is judged once it gets there, by the last live value: not by the one that was
deleted before. So they go there and come back. Source: property-conversion contract, 5.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from holdall.engine.edges import Crossing
from holdall.engine.hops import Hop
from holdall.engine.lossy_pairs import Link
from holdall.engine.uncertain import noted_below
from holdall.engine.ways import Bag
from holdall.errors import HoldallError
from holdall.objects.bag import BAG_MEMBER, PropertyBag
from holdall.objects.shapes import shape_of
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join


class KeptObjects:
    """The objects in a property that an edge keeps; the hops lead over the gap, and back."""

    __slots__ = ("_back", "_name", "_origin", "_to")

    def __init__(self, name: str, to: Hop, back: Hop) -> None:
        self._name, self._origin = name, to.here.origin
        self._to, self._back = to.here, back.here

    def are_in(self, bag: Bag) -> bool:
        """Tell whether some of the objects are in a bag, and have bags themselves."""
        entries = bag.get(self._origin, {})
        return self._name in entries and _holds_bags(entries[self._name])

    def settle(self, bag: PropertyBag, holder: StorageObject) -> None:
        """Leave in the bags of the objects what is there once they are back from over the gap.

        `holder` is the object that has the bag. Objects that cannot go there stay as they are.
        """
        kept, path = bag[self._origin][self._name], join("", BAG_MEMBER, self._origin, self._name)
        try:
            read = self._to.form.read(kept)
            there = noted_below(holder, path, read, lambda: self._to.cross(read))
            written = self._to.written(self._back.cross(there))
        except HoldallError:
            return
        if _json.same(_bare(written), _bare(kept)):
            bag.put(self._origin, self._name, written)


def kept_objects(
    links: Iterable[Link],
    leaving: Mapping[type[StorageObject], Sequence[Crossing]],
    leads: Callable[[Crossing, type[StorageObject]], bool],
) -> dict[Crossing, list[KeptObjects]]:
    """Return what the edges next to gaps keep, by direction; `leaving` are those of a type.

    `leads` tells whether a type is beyond an edge.
    """
    found: dict[Crossing, list[KeptObjects]] = {}
    for link in links:
        (older, to, newer), (_, back, _) = link.ways
        for (_, cls, name), (_, end, _), ways in (
            (older, newer, (to, back)),
            (newer, older, (back, to)),
        ):
            if shape_of(cls).members[name].value.innermost is not None:
                for crossing in leaving.get(cls, ()):
                    if name in crossing.stashed and leads(crossing, end):
                        found.setdefault(crossing, []).append(KeptObjects(name, *ways))
    return found


def _holds_bags(value: Any) -> bool:
    if type(value) is dict:
        return BAG_MEMBER in value or any(map(_holds_bags, value.values()))
    return type(value) is list and any(map(_holds_bags, value))


def _bare(value: Any) -> Any:
    """Return a value without the bags in it."""
    if type(value) is dict:
        return {key: _bare(item) for key, item in value.items() if key != BAG_MEMBER}
    return [*map(_bare, value)] if type(value) is list else value
