"""Objects that conversions make for values in them, and that are removed again when empty.

Each has a mark in its own bag, under the version in which it was absent. Source:
docs/conversions.md, "Moves".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdall.engine.hops import Path
from holdall.engine.member_ways import Way
from holdall.objects.bag import BAG_MEMBER, CREATED_KEY, ORIGINAL_VERSION_MEMBER, PropertyBag
from holdall.objects.view_type import EVERYWHERE
from holdall.types import Members


def make(above: Members, name: str, origin: str, way: Way) -> Members:
    """Add and return a new object with a mark, if the object above lacks it."""
    mark = "null" if name in above else "absent"
    made: Members = {BAG_MEMBER: PropertyBag({origin: {CREATED_KEY: mark}})}
    above[name] = made
    way.bags |= EVERYWHERE
    return made


def is_made(value: Any, arrival: str) -> bool:
    """Return whether a value is an object that was absent in the version of its arrival."""
    return type(value) is dict and CREATED_KEY in (value.get(BAG_MEMBER) or {}).get(arrival, ())


def unmake(above: Members, name: str, arrival: str, *, is_of_others: bool) -> None:
    """Remove the mark of a made object, and the object itself if it has nothing else.

    An object with other contents keeps a mark that `is_of_others`, which remove it later.
    """
    parent = above[name]
    if not is_made(parent, arrival) or (is_of_others and says_something(parent)):
        return
    rest = PropertyBag.own(parent[BAG_MEMBER])
    mark = rest.take(arrival, CREATED_KEY)
    if rest:
        parent[BAG_MEMBER] = rest
    else:
        del parent[BAG_MEMBER]
    if not rest and not says_something(parent):
        if mark == "null":
            above[name] = None
        else:
            del above[name]


def says_something(made: Members) -> bool:
    """Return whether a made object has anything but kept values."""
    return not made.keys() <= {BAG_MEMBER, ORIGINAL_VERSION_MEMBER}


def is_emptied_within(holders: Sequence[Any], path: Path, arrival: str, start: int = 1) -> bool:
    """Return whether edges of types on a path move something out of the object, or from below it.

    `holders` are the types with the names of the path; those before `start` do not count.
    """
    return any(
        len(hop) > len(path) - at and hop[: len(path) - at] == path[at:]
        for at in range(start, len(path))
        for crossing in holders[at].crossings_.values()
        if crossing.destination == arrival
        for hop in crossing.hops
    )
