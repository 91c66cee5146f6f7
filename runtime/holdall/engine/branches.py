"""The ways from a property to entries of other versions, and how these are judged.

Source: docs/conversions.md, "Versions farther away".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from holdall.engine.following import Onward
from holdall.engine.hops import ABSENT, How, Path, value_at
from holdall.errors import HoldallError
from holdall.objects.bag import BAG_MEMBER, Bag, PropertyBag
from holdall.types import Members

Keys: TypeAlias = dict[str, frozenset[str]]
"""The keys of bag entries by their origin."""


class Branch(NamedTuple):
    """A way to the property in another version, and the ways onwards from there.

    `keys` are the entries that may be at the end of any of them. A link is `aside` if it starts at
    a version that is not passed on the way: the value at its end was not shown.
    """

    is_aside: bool
    hop: Onward | Through
    rest: Sequence[Onwards]
    keys: Keys

    def concerns(self, bag: Bag, members: Members) -> bool:
        """Return whether an object's bag has anything to judge on these ways."""
        return is_any_in(self.keys, bag) or any(
            branch.looks_inside and branch.concerns(bag, members) for branch in self.rest
        )

    @property
    def looks_inside(self) -> bool:
        """Whether a way leads to a nested object with its own bag."""
        return any(branch.looks_inside for branch in self.rest)

    def follow(self, live: Any, bag: PropertyBag, how: How) -> None:
        """Judge the entries along the way by a live value; entries that cannot be judged stay.

        If the value was filled in, there may have been none before.
        """
        try:
            there = self.hop.settle(live, bag, how)
        except HoldallError:
            return
        follow_all(self.rest, there, bag, how)


class Spot(NamedTuple):
    """Where an object with its own bag is: at `names` in a version.

    In the current object it is at its `place`, if it has one there; otherwise it is kept.
    """

    version: str
    names: Path
    place: Path | None

    def find(self, bag: Bag, members: Members) -> tuple[Members, Path] | None:
        """Return the holder of the object, and its path there; None if it has no bag."""
        if self.is_in(members):
            return members, self.place or ()
        waiting = bag.get(self.version, {})
        return (waiting, self.names) if _has_bag(value_at(waiting, self.names)) else None

    def is_in(self, members: Members) -> bool:
        """Return whether the object is at its place."""
        return self.place is not None and _has_bag(value_at(members, self.place))


class Through(NamedTuple):
    """The way of a property in a nested object, whose bag keeps something."""

    hop: Onward
    spot: Spot

    def settle(self, live: Any, bag: PropertyBag, how: How) -> Any:
        """Return the value there; the edge of the nested object judges what that keeps."""
        found = self.spot.find(bag, how.destination.members_)
        inner = PropertyBag() if found is None else PropertyBag.own(value_at(*found)[BAG_MEMBER])
        return self.hop.settle(live, inner, how)


class Inside(NamedTuple):
    """The ways onwards from a property that moves into an object, whose bag has its entries."""

    spot: Spot
    rest: Sequence[Onwards]

    @property
    def keys(self) -> Keys:
        """The entry that keeps the object."""
        return {self.spot.version: frozenset(self.spot.names[:1])}

    @property
    def looks_inside(self) -> bool:
        """Whether the current object has a place for it."""
        return self.spot.place is not None

    def concerns(self, bag: Bag, members: Members) -> bool:
        """Return whether it has a bag, or is kept."""
        return self.spot.is_in(members) or is_any_in(self.keys, bag)

    def follow(self, live: Any, bag: PropertyBag, how: How) -> None:
        """Judge the entries in its bag by the live value of the property."""
        found = self.spot.find(bag, how.destination.members_)
        if found is None:
            return
        members, path = found
        holder = value_at(members, path)
        inner = PropertyBag.own(holder[BAG_MEMBER])
        follow_all(self.rest, live, inner, how)
        members[path[0]] = _put(members[path[0]], path[1:], {**holder, BAG_MEMBER: inner})
        if not inner:
            del value_at(members, path)[BAG_MEMBER]


Onwards: TypeAlias = Branch | Inside


def follow_all(branches: Sequence[Onwards], live: Any, bag: PropertyBag, how: How) -> None:
    """Judge the entries on several ways by a live value."""
    for branch in branches:
        is_aside = type(branch) is Branch and branch.is_aside
        # Another branch may have settled it.
        if branch.concerns(bag, how.destination.members_) and not (is_aside and live is ABSENT):
            branch.follow(live, bag, how)


def is_any_in(keys: Keys, bag: Bag) -> bool:
    """Return whether a bag has any of these entries."""
    for origin, names in keys.items():
        if origin in bag and not names.isdisjoint(bag[origin]):
            return True
    return False


def gathered(branches: Iterable[Onwards]) -> Keys:
    """Return the entries that may be at the ends of some ways."""
    found: Keys = {}
    for branch in branches:
        for origin, names in branch.keys.items():
            found[origin] = found.get(origin, frozenset()) | names
    return found


def _has_bag(value: Any) -> bool:
    return type(value) is dict and BAG_MEMBER in value


def _put(value: Any, path: Path, inner: Any) -> Any:
    """Return a copy of a value with another value at a path in it."""
    return {**value, path[0]: _put(value[path[0]], path[1:], inner)} if path else inner
