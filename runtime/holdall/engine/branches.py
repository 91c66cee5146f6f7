"""Ways on from a property to the entries of other versions, and what is made of those.

Source: property-conversion contract, 5.7.
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
    """A way to the property in another version, and the ways that lead on from there.

    `keys` are the entries that may lie at the end of any of them. A link is `aside` if it leads on
    from a version that is not passed on the way: what it ends at was not shown.
    """

    is_aside: bool
    hop: Onward | Through
    rest: Sequence[Onwards]
    keys: Keys

    def concerns(self, bag: Bag, members: Members) -> bool:
        """Return whether there is anything to judge on the ways of an object with a bag."""
        return is_any_in(self.keys, bag) or any(
            branch.looks_inside and branch.concerns(bag, members) for branch in self.rest
        )

    @property
    def looks_inside(self) -> bool:
        """Whether a way leads to an object with a bag of its own that the object has."""
        return any(branch.looks_inside for branch in self.rest)

    def follow(self, live: Any, bag: PropertyBag, how: How) -> None:
        """Judge the entries along the way by a live value; what cannot be judged stays.

        If something filled it in where it begins, nothing may have been there.
        """
        try:
            there = self.hop.settle(live, bag, how)
        except HoldallError:
            return
        follow_all(self.rest, there, bag, how)


class Spot(NamedTuple):
    """Where an object with a bag of its own is: at `names` in a version.

    In the object at hand it is at its `place`, if it has one there; else it waits.
    """

    version: str
    names: Path
    place: Path | None

    def find(self, bag: Bag, members: Members) -> tuple[Members, Path] | None:
        """Return what holds the object, and the path to it there, None if it has no bag."""
        if self.is_in(members):
            return members, self.place or ()
        waiting = bag.get(self.version, {})
        return (waiting, self.names) if _has_bag(value_at(waiting, self.names)) else None

    def is_in(self, members: Members) -> bool:
        """Return whether the object is at its place."""
        return self.place is not None and _has_bag(value_at(members, self.place))


class Through(NamedTuple):
    """The way of a property in an object inside that keeps something: in the bag of that object."""

    hop: Onward
    spot: Spot

    def settle(self, live: Any, bag: PropertyBag, how: How) -> Any:
        """Return the value there; the edge of the object inside judges what that keeps."""
        found = self.spot.find(bag, how.destination.members_)
        inner = PropertyBag() if found is None else PropertyBag.own(value_at(*found)[BAG_MEMBER])
        return self.hop.settle(live, inner, how)


class Inside(NamedTuple):
    """The ways on from a property that moves into an object: its entries are in the bag of that."""

    spot: Spot
    rest: Sequence[Onwards]

    @property
    def keys(self) -> Keys:
        """The entry in which the object waits."""
        return {self.spot.version: frozenset(self.spot.names[:1])}

    @property
    def looks_inside(self) -> bool:
        """Whether the object at hand has a place for it."""
        return self.spot.place is not None

    def concerns(self, bag: Bag, members: Members) -> bool:
        """Return whether it has a bag, or waits."""
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
        # Another one may have settled it.
        if branch.concerns(bag, how.destination.members_) and not (is_aside and live is ABSENT):
            branch.follow(live, bag, how)


def is_any_in(keys: Keys, bag: Bag) -> bool:
    """Return whether a bag has one of some entries."""
    for origin, names in keys.items():
        if origin in bag and not names.isdisjoint(bag[origin]):
            return True
    return False


def gathered(branches: Iterable[Onwards]) -> Keys:
    """Return the entries that may lie at the ends of some ways."""
    found: Keys = {}
    for branch in branches:
        for origin, names in branch.keys.items():
            found[origin] = found.get(origin, frozenset()) | names
    return found


def _has_bag(value: Any) -> bool:
    return type(value) is dict and BAG_MEMBER in value


def _put(value: Any, path: Path, inner: Any) -> Any:
    """Return a value with something else at a path in it; it is not changed."""
    return {**value, path[0]: _put(value[path[0]], path[1:], inner)} if path else inner
