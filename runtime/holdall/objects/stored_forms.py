"""Members in other forms: in documents of the API, in stored documents, in bags."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from holdall.objects.bag import (
    BAG_MEMBER,
    ORIGINAL_VERSION_MEMBER,
    RESERVED,
    USER_KEYS,
    PropertyBag,
)
from holdall.objects.shapes import Shaped, ValueShape, holders_of, shape_of, types_within

Members = dict[str, Any]
Lifted = list[tuple[Any, PropertyBag]]
"""Storage objects with the bags that were taken off them."""


def over_objects(cls: Any, members: Members, change: Callable[[Any, Members], Members]) -> Members:
    """Return the members with `change` made of every object in them, the innermost first.

    What has objects in it is copied. Unions and tuples are opened for it and closed again.
    """
    copied = members
    for name, holder in holders_of(cls).items():
        value = members.get(name)
        if value is not None:
            inner = _over(holder.value, value, change)
            if inner is not value:
                if copied is members:
                    copied = {**members}
                copied[name] = inner
    return change(cls, copied)


def _over(shape: ValueShape, value: Any, change: Callable[[Any, Members], Members]) -> Any:
    if value is None:
        return None
    if shape.type is not None:
        cls: Any = shape.type
        opened = cls.open_wire(value)
        if type(opened) is not dict:
            return value  # of a wrong kind
        return cls.close_wire(over_objects(cls, opened, change))
    if shape.item is None:
        return value
    if type(value) is list:
        items = [_over(shape.item, item, change) for item in value]
        return items if any(map(_is_other, items, value)) else value
    if type(value) is not dict:
        return value
    values = {key: _over(shape.item, item, change) for key, item in value.items()}
    return values if any(map(_is_other, values.values(), value.values())) else value


def _is_other(one: object, other: object) -> bool:
    return one is not other


def closed(cls: Any, members: Members) -> Any:
    """Return stored members in which no union and no tuple is open."""
    return cls.close_wire(over_objects(cls, members, lambda _, inner: inner))


@cache
def has_wire_forms(root: Any) -> bool:
    """Tell whether an object of a type may be a union or a tuple, or hold one."""
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


def bag_origins(cls: Any, members: Members) -> set[str]:
    """Return the versions that the bags of an object name; no union in it is opened."""
    found: set[str] = set()

    def look(_: Any, inner: Members) -> Members:
        found.update(inner.get(BAG_MEMBER) or ())
        return inner

    over_objects(cls, members, look)
    return found


def taken_in(cls: Any, members: Members) -> Members:
    """Return the members of an API document: there reserved names are user data.

    The bag of their object keeps them until it is written at that version again.
    """

    return over_objects(cls, members, _take_in)


def taken_in_value(shape: ValueShape, value: Any) -> Any:
    """Return a value of an API document with objects in it: the inverse of `bare_value`."""
    return _over(shape, value, _take_in)


def _take_in(cls: Any, inner: Members) -> Members:
    reserved = RESERVED.intersection(inner)
    if not reserved:
        return inner
    rest = {name: value for name, value in inner.items() if name not in reserved}
    kept = {key: inner[name] for key, name in USER_KEYS.items() if name in reserved}
    return {**rest, BAG_MEMBER: PropertyBag({cls.VERSION: kept})}


def without_bag(cls: Any, members: Members) -> tuple[Members, PropertyBag | None]:
    """Return the members of one object as a document of the API has them, and the bag apart."""
    rest = {**members}
    if cls.RECORDS_VERSION:
        rest.pop(ORIGINAL_VERSION_MEMBER, None)
    found = rest.pop(BAG_MEMBER, None)
    if found is None:
        return rest, None
    bag = PropertyBag({origin: {**entries} for origin, entries in found.items()})
    own = bag.get(cls.VERSION, {})
    rest.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    bag.drop_all(cls.VERSION, frozenset(USER_KEYS))
    return rest, bag or None


def bare(cls: Any, members: Members, lifted: Lifted) -> Any:
    """Return the members as a document of the API has them; bags go into `lifted`."""
    return cls.close_wire(over_objects(cls, members, _stripping(lifted)))


def bare_value(shape: ValueShape, value: Any) -> Any:
    """Return a value with objects in it as a document of the API has it, without bags."""
    return _over(shape, value, _stripping([]))


def _stripping(lifted: Lifted) -> Callable[[Any, Members], Members]:
    def strip(type_: Any, inner: Members) -> Members:
        if BAG_MEMBER not in inner and ORIGINAL_VERSION_MEMBER not in inner:
            return inner
        rest, bag = without_bag(type_, inner)
        if bag is not None:
            lifted.append((type_.view_(inner), bag))
        return rest

    return strip


def in_order(shape: ValueShape, value: Any) -> Any:
    """Return a value with the members of its objects in the order of their types.

    Undeclared ones and nulls come first. A text of it then does not depend on its past.
    """

    def order(cls: Any, inner: Members) -> Members:
        declared = shape_of(cls).members
        found = {name: inner[name] for name in sorted(inner.keys() - declared.keys())}
        given = [name for name in declared if name in inner]
        found.update((name, None) for name in given if inner[name] is None)
        found.update((name, inner[name]) for name in given)
        return found

    return _over(shape, value, order)
