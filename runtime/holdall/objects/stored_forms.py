"""The forms of members in API documents, in stored documents and in bags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, TypeAlias

from holdall.objects.bag import (
    BAG_MEMBER,
    ORIGINAL_VERSION_MEMBER,
    RESERVED,
    USER_KEYS,
    PropertyBag,
)
from holdall.objects.per_type import PerType
from holdall.objects.shapes import (
    Shaped,
    ValueShape,
    holders_of,
    members_within,
    shape_of,
    types_within,
)
from holdall.text import json as _json
from holdall.types import Members

Change: TypeAlias = Callable[[Any, Members], Members]
Walk: TypeAlias = Callable[[Any, Change], Any]
Steps: TypeAlias = list[tuple[str, Walk]]
Lifted = list[tuple[Any, PropertyBag]]
"""Storage objects with the bags that were taken from them."""
_VALUE_WALKS: Final[dict[int, tuple[Walk, ValueShape]]] = {}
"""By the identity of a shape, which the value keeps alive; hashing it takes longer."""


def over_objects(cls: Any, members: Members, change: Change) -> Members:
    """Return the members with `change` applied to every object in them, innermost first.

    Containers of objects are copied. Bare names of unions and lists of tuples stay closed: they
    have no bags, and no names to change.
    """
    changed: Members = _WALKS.of(cls)[0](members, change)
    return changed


def _make_walk(cls: Any) -> Iterator[tuple[Walk, Steps]]:
    """Make the walk over a type's members, and its steps."""
    steps: Steps = []

    def walk(members: Members, change: Change) -> Members:
        copied = members
        for name, act in steps:
            if name in members and (value := members[name]) is not None:
                inner = act(value, change)
                if inner is not value:
                    if copied is members:
                        copied = {**members}
                    copied[name] = inner
        return change(cls, copied)

    yield walk, steps
    steps += [(name, _walk_value(held.value)) for name, held in holders_of(cls).items()]


_WALKS: Final = PerType(_make_walk)


def _over(shape: ValueShape, value: Any, change: Change) -> Any:
    if value is None:
        return None
    found = _VALUE_WALKS.get(id(shape))
    if found is None:
        found = _VALUE_WALKS[id(shape)] = _walk_value(shape), shape
    return found[0](value, change)


def _walk_value(shape: ValueShape) -> Walk:
    """Return the walk over the objects in a value; values of a wrong kind stay unchanged."""
    cls: Any = shape.type
    if cls is None:
        return _walk_items(shape.item)
    if cls.open_wire is not Shaped.open_wire:
        return _walk_closed(cls)
    if not holders_of(cls):
        return lambda value, change: change(cls, value) if type(value) is dict else value
    walk, _ = _WALKS.of(cls)
    return lambda value, change: walk(value, change) if type(value) is dict else value


def _walk_closed(cls: Any) -> Walk:
    walk, steps = _WALKS.of(cls)
    is_tuple = cls.FORM == "tuple"

    def over_closed(value: Any, change: Change) -> Any:
        if type(value) is dict:
            return cls.close_wire(walk(value, change))
        if not is_tuple or type(value) is not list:
            return value
        copied = value
        for name, act in steps:
            if int(name) < len(value) and (one := value[int(name)]) is not None:
                inner = act(one, change)
                if inner is not one:
                    if copied is value:
                        copied = value.copy()
                    copied[int(name)] = inner
        return copied

    return over_closed


def _walk_items(item: ValueShape | None) -> Walk:
    if item is None:
        return lambda value, _: value
    act = _walk_value(item)

    def over_items(value: Any, change: Change) -> Any:
        copied = value
        kind: Any = type(value)
        if kind is list or kind is dict:
            for key, one in enumerate(value) if kind is list else value.items():
                if one is not None and (made := act(one, change)) is not one:
                    if copied is value:
                        copied = value.copy()
                    copied[key] = made
        return copied

    return over_items


def closed(cls: Any, members: Members) -> Any:
    """Return stored members in which no union and no tuple is open."""
    if not has_wire_forms(cls):
        return members
    return cls.close_wire(over_objects(cls, members, lambda _, inner: inner))


@cache
def has_wire_forms(root: Any) -> bool:
    """Return whether objects of a type may be or contain a union or a tuple."""
    return any(cls.open_wire is not Shaped.open_wire for cls in types_within(root))


def stored_bags(cls: Any, members: Members) -> Members:
    """Return stored members with their bags checked. Raises DecodeError if one is damaged."""

    def check(_: Any, inner: Members) -> Members:
        if BAG_MEMBER not in inner:
            return inner
        bag = PropertyBag.read(inner[BAG_MEMBER])
        rest = {name: value for name, value in inner.items() if name != BAG_MEMBER}
        return rest if bag is None else {**rest, BAG_MEMBER: bag}

    return over_objects(cls, members, check)


def without_bags(value: Any, shape: ValueShape) -> Any:
    """Return a copy of a value in the form of a bag, without the bags of objects in it."""
    copied = _json.copy(value)
    for _, members in members_within(copied, shape):
        members.pop(BAG_MEMBER, None)
    return copied


def bag_origins(cls: Any, members: Members) -> set[str]:
    """Return the versions in the bags of an object, without opening unions."""
    found: set[str] = set()

    def look(_: Any, inner: Members) -> Members:
        found.update(inner.get(BAG_MEMBER) or ())
        return inner

    over_objects(cls, members, look)
    return found


def taken_in(cls: Any, members: Members) -> Members:
    """Return the members of an API document, with reserved names, which are user data there, moved
    to the bag.

    The bag keeps them until the object is written at that version again.
    """

    return over_objects(cls, members, _take_in)


def taken_in_value(shape: ValueShape, value: Any) -> Any:
    """Return a value of an API document in its stored form: the inverse of `bare_value`."""
    return _over(shape, value, _take_in)


def _take_in(cls: Any, inner: Members) -> Members:
    reserved = RESERVED.intersection(inner)
    if not reserved:
        return inner
    rest = {name: value for name, value in inner.items() if name not in reserved}
    kept = {key: inner[name] for key, name in USER_KEYS.items() if name in reserved}
    return {**rest, BAG_MEMBER: PropertyBag({cls.VERSION: kept})}


def lifted_bag(cls: Any, members: Members) -> PropertyBag | None:
    """Return a copy of an object's bag without what is user data in an API document."""
    bag = PropertyBag.own(members.get(BAG_MEMBER) or {})
    bag.drop_all(cls.VERSION, frozenset(USER_KEYS))
    return bag or None


def bare(cls: Any, members: Members, lifted: Lifted | None = None) -> Any:
    """Return the members in the form of an API document; bags go to `lifted` if given."""

    def strip(type_: Any, inner: Members) -> Members:
        if lifted is not None and (bag := lifted_bag(type_, inner)) is not None:
            lifted.append((type_.view_(inner), bag))
        return _bared(type_, inner)

    return cls.close_wire(over_objects(cls, members, _bared if lifted is None else strip))


def unrecorded(value: Any) -> Any:
    """Return a value without its recorded version, if it has one."""
    if type(value) is dict and ORIGINAL_VERSION_MEMBER in value:
        return {name: item for name, item in value.items() if name != ORIGINAL_VERSION_MEMBER}
    return value


def bare_value(shape: ValueShape, value: Any) -> Any:
    """Return a value with objects in the form of an API document, without bags."""
    return _over(shape, value, _bared)


def _bared(cls: Any, inner: Members) -> Members:
    is_recorded = cls.RECORDS_VERSION and ORIGINAL_VERSION_MEMBER in inner
    if BAG_MEMBER not in inner and not is_recorded:
        return inner
    rest = {**inner}
    if is_recorded:
        del rest[ORIGINAL_VERSION_MEMBER]
    own = (rest.pop(BAG_MEMBER, None) or {}).get(cls.VERSION)
    if own:
        rest.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    return rest


def shown_in_order(shape: ValueShape, value: Any) -> Any:
    """Return what `bare_value` returns, with the members of objects in the order of their types.

    Undeclared members and nulls come first. So its text does not depend on its history.
    """
    return _over(shape, value, _shown_in_order)


def _shown_in_order(cls: Any, inner: Members) -> Members:
    rest = _bared(cls, inner)
    if len(rest) == 1:
        return rest
    declared = shape_of(cls).members
    given = {name: rest[name] for name in declared if name in rest}
    if len(given) == len(rest) and None not in given.values():
        return given
    found = {name: rest[name] for name in sorted(rest.keys() - declared.keys())}
    found.update((name, None) for name, value in given.items() if value is None)
    found.update(given)
    return found
