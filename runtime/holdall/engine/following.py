"""How values beyond an edge follow from those of an object, and what was only filled in there.

Source: property-conversion contract, 5.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from holdall.engine.always import UNKNOWN, given
from holdall.engine.hops import ABSENT, Hop, Path
from holdall.engine.member_ways import crossed
from holdall.engine.ways import Way
from holdall.objects.bag import PropertyBag
from holdall.objects.bag_forms import over_container
from holdall.objects.implied import is_filled_in
from holdall.objects.shapes import ValueShape
from holdall.objects.views import StorageObject
from holdall.text import json as _json


def value_at(root: StorageObject, path: Path) -> Any:
    """Return the live value at a path in an object: None for null, else `ABSENT`."""
    holder = root.members_
    for name in path[:-1]:
        inner = holder.get(name)
        if type(inner) is not dict:
            return ABSENT
        holder = inner
    return holder.get(path[-1], ABSENT)


class Filler(NamedTuple):
    """What may have been filled in at a path, of the source or the destination: it is not an edit.

    A server fills in a default, which stays. What is filled in `by_hook` leaves the source on the
    hook's edge, or comes to the destination when everything else is done.
    """

    of_source: bool
    path: Path
    value: Any
    shape: ValueShape
    by_hook: bool = False

    @property
    def comes(self) -> bool:
        """Whether it is not there yet."""
        return self.by_hook and not self.of_source

    def fills(self, source: StorageObject, destination: StorageObject) -> bool:
        """Tell whether that is there, or comes."""
        value = given(self.value)
        if value is UNKNOWN:
            return False
        live = value_at(source if self.of_source else destination, self.path)
        if self.comes:
            return live is None or live is ABSENT
        return is_filled_in(value, live, self.shape)


class Copied(NamedTuple):
    """The way to a partner of the same value: as it is, or with its objects converted."""

    here: ValueShape
    there: ValueShape
    keeps: bool = False

    def settle(
        self,
        live: Any,
        bag: PropertyBag,
        holder: Any = None,
        *,
        is_filled: bool = False,
        leaves: bool = False,
    ) -> Any:
        """Return the value there; it keeps nothing in the bag."""
        return live if live is ABSENT else self._across(self.here, self.there, live)

    def _across(self, here: ValueShape, there: ValueShape, value: Any) -> Any:
        if value is None:
            return None
        if here.type is not None:
            return crossed(here.type, there.type, value)
        item, other = here.item, there.item
        if item is None or other is None:
            return value
        container = list if here.container == "list" else dict
        return over_container(container, value, lambda one: self._across(item, other, one))


class Lane(NamedTuple):
    """How a member that a two-way hook reads is made of what is in an object farther away."""

    name: str
    path: Path
    hops: Sequence[Hop | Copied]


class Residue(NamedTuple):
    """What a two-way hook keeps of members of the source, or the destination, beyond the edge.

    Of those that are `pulled` nothing is known as long as they are absent: what moves into an
    object comes last.
    """

    of_source: bool
    pulled: frozenset[str]
    origin: str
    there: Way
    back: Way
    lanes: Sequence[Lane]

    def settle(self, twin: StorageObject, bag: PropertyBag) -> None:
        """Leave in the bag what a way there and back would leave."""
        try:
            if any(value_at(twin, (name,)) is ABSENT for name in self.pulled):
                return
            live = {lane.name: self._followed(lane, twin, bag) for lane in self.lanes}
            live = {name: value for name, value in live.items() if value is not ABSENT}
            kept = bag[self.origin][self.there.key]
            rest = self.there.settled(self.back, self.there.members_of(live), kept)
        except (Exception, SystemExit):  # noqa: BLE001 - the edge of the hook says what is wrong
            return
        bag.drop(self.origin, self.there.key)
        if rest:
            bag.put(self.origin, self.there.key, _json.copy(rest))

    def _followed(self, lane: Lane, twin: StorageObject, bag: PropertyBag) -> Any:
        value = value_at(twin, lane.path)
        for hop in lane.hops:
            value = hop.settle(value, bag)
        return value
