"""The storage form of an object as plain JSON: members, extras, and a bag in `$propertyBag`."""

from __future__ import annotations

import copy
from typing import Any, Final

BAG: Final = "$propertyBag"
ORIGINAL: Final = "$originalVersion"
CREATED: Final = "$created"
BECAME: Final = "$became"
RESERVED: Final = frozenset({BAG, ORIGINAL, CREATED})


def user_key(name: str) -> str:
    """Return the bag key of user data under a reserved name; that of the mark is told apart."""
    return f"${name}" if name == CREATED else name


Json = dict[str, Any]
Bag = dict[str, dict[str, Any]]


class Absent:
    """The state of a member that is not there; null is another state."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


def clone(value: Any) -> Any:
    """Return a deep copy; absence stays itself."""
    return value if value is ABSENT else copy.deepcopy(value)


def take_bag(members: Json) -> Bag:
    """Remove the bag from an object's members and return it, an empty one for none."""
    return {origin: entries for origin, entries in members.pop(BAG, {}).items() if entries}


def set_bag(members: Json, bag: Bag) -> None:
    """Write a bag into an object's members; an empty one is not written."""
    members.pop(BAG, None)
    if bag:
        members[BAG] = bag


def entry(bag: Bag, origin: str, key: str) -> Any:
    """Return an entry, ABSENT if there is none."""
    return bag.get(origin, {}).get(key, ABSENT)


def put(bag: Bag, origin: str, key: str, value: Any) -> None:
    """Write an entry; an absent value removes it."""
    if value is ABSENT:
        drop(bag, origin, key)
    else:
        bag.setdefault(origin, {})[key] = clone(value)


def note(bag: Bag, origin: str, key: str, value: Any) -> None:
    """Write what an entry became beside it."""
    bag[origin].setdefault(BECAME, {})[key] = clone(value)


def noted(bag: Bag, origin: str, key: str) -> Any:
    """Return what an entry became as far as that is noted, else ABSENT."""
    return bag.get(origin, {}).get(BECAME, {}).get(key, ABSENT)


def drop(bag: Bag, origin: str, key: str) -> None:
    """Remove an entry with what is noted of it, and its origin with the last one."""
    entries = bag.get(origin, {})
    entries.pop(key, None)
    noted = entries.get(BECAME, {})
    noted.pop(key, None)
    if not noted:
        entries.pop(BECAME, None)
    if not entries:
        bag.pop(origin, None)


def put_state(members: Json, name: str, value: Any) -> None:
    """Give a member one of its states: absent, null, or a value."""
    if value is ABSENT:
        members.pop(name, None)
    else:
        members[name] = value
