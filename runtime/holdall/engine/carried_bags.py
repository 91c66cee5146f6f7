"""The bags of objects inside what a hook completes: edges convert them, without the hook.

The bag that edges make for an object is attached to the object that the hook returns, if that is
certainly the same one. Source: docs/conversions.md, "Skip links".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from holdall.engine.edges import Crossing
from holdall.engine.element_names import guessed_names, names_of, unique_names
from holdall.engine.same_elements import same_elements
from holdall.engine.traced import Traced
from holdall.objects.bag import BAG_MEMBER, MARKS, PropertyBag, key_of
from holdall.objects.shapes import (
    MemberShape,
    Shaped,
    ValueShape,
    holders_of,
    members_within,
    types_within,
)
from holdall.objects.stored_forms import without_bags
from holdall.text import json as _json
from holdall.types import Members

_NUMBER: Final = "$number"
"""Origin and key of the number of an object."""
Combine: TypeAlias = Callable[[Any, Members, Members], Members]
"""Returns the last members, which have a type, combined with the first ones."""


class Holders:
    """The claimed members of a type that contain objects."""

    __slots__ = ("_held", "cls")

    def __init__(self, cls: type[Any], names: frozenset[str]) -> None:
        self.cls = cls
        self._held = {name: held for name, held in holders_of(cls).items() if name in names}

    def types(self) -> set[Any]:
        """Return the types of the objects, and of those in them."""
        return set[Any]().union(*(types_within(one.value.innermost) for one in self._held.values()))

    def objects(self, members: Members) -> Iterator[tuple[Any, Members]]:
        """Yield type and members of each object, outer ones first."""
        for name, held in self._held.items():
            if name in members:
                yield from members_within(members[name], held.value)

    def have_bags(self, members: Members) -> bool:
        """Return whether an object has a bag."""
        return any(BAG_MEMBER in inner for _, inner in self.objects(members))

    def numbered(self, members: Members) -> Members:
        """Return members in which the bag of each object has its number, and nothing else."""
        found: Members = _json.copy(members)
        for number, (_, one) in enumerate(self.objects(found)):
            one[BAG_MEMBER] = PropertyBag({_NUMBER: {_NUMBER: number}})
        return found

    def numbers(self, members: Members) -> list[int | None]:
        """Return the numbers that objects have in their bags, None for those without one."""
        bags = (one.get(BAG_MEMBER, _NO_BAG) for _, one in self.objects(members))
        return [bag.get(_NUMBER, _NO_BAG).get(_NUMBER) for bag in bags]

    def same(self, first: Members, members: Members, *, edited: bool = True) -> dict[int, int]:
        """Return which of the first objects each one is, both counted in order.

        Elements of lists may count as `edited` in place; see `same_elements`.
        """
        numbers = {id(one): number for number, (_, one) in enumerate(self.objects(first))}
        found: dict[int, int] = {}

        def note(_: Any, one: Members, other: Members) -> Members:
            copied = {**other}
            found[id(copied)] = numbers[id(one)]
            return copied

        noted = self.combined(first, members, note, edited=edited)
        ids = (id(one) for _, one in self.objects(noted))
        return {at: found[one] for at, one in enumerate(ids) if one in found}

    def traced(self, members: Members, given: Members) -> Traced:
        """Return the objects given to a function, which have the structure of `members`."""
        found = Traced()
        for name, held in self._held.items():
            if name in members:
                _note(held.value, members[name], given[name], found)
        return found

    def combined(
        self,
        first: Members,
        members: Members,
        combine: Combine = lambda _cls, one, other: with_bag(one, other),
        made: Members | None = None,
        originals: Traced | None = None,
        *,
        edited: bool = True,
    ) -> Members:
        """Return members with `combine` applied to each object and its first form.

        By default, objects get the bags of their first forms. `made` are the members as a function
        made them, which may have moved some of the `originals`. Elements of lists may count as
        `edited` in place; see `same_elements`.
        """
        walk = _Combining(combine, originals or Traced(), edited=edited)
        return walk.members(self._held, first, members, members if made is None else made)


class _Combining:
    """A walk through two values of a shape, and the result of a function for the first one."""

    def __init__(self, combine: Combine, originals: Traced, *, edited: bool) -> None:
        self._combine, self._originals, self._edited = combine, originals, edited

    def members(
        self, held: Mapping[str, MemberShape], first: Members, members: Members, made: Members
    ) -> Members:
        found = {
            name: self._value(one.value, first.get(name), members[name], made[name])
            for name, one in held.items()
            if name in members and type(made) is dict and name in made
        }
        return {**members, **found} if found else members

    def _value(self, shape: ValueShape, first: Any, value: Any, made: Any) -> Any:
        original = self._originals.original(made)
        if original is not None and type(original) is type(value):
            first = original
        if type(first) is not type(value) or type(made) is not type(value):
            return value
        if shape.type is not None:
            if type(value) is not dict or shape.type.open_wire is not Shaped.open_wire:
                return value
            inside = self.members(holders_of(shape.type), first, value, made)
            return self._combine(shape.type, first, inside)
        if shape.item is None:
            return value
        if type(value) is dict:
            return {
                key: self._value(shape.item, first.get(key), item, made.get(key))
                for key, item in value.items()
            }
        if type(value) is list and len(value) == len(made):
            places = {there: here for here, there in self._same(shape, first, value, made)}
            return [
                self._value(shape.item, first[places[at]] if at in places else None, item, one)
                for at, (item, one) in enumerate(zip(value, made, strict=True))
            ]
        return value

    def _same(
        self, shape: ValueShape, first: list[Any], value: list[Any], made: list[Any]
    ) -> Iterator[tuple[int, int]]:
        """Yield index pairs of both lists: for elements that a function moved, and for others."""
        if first is value:
            yield from ((at, at) for at in range(len(first)))
            return
        originals = [self._originals.original(one) for one in made]
        moved = {id(one) for one in originals if one is not None}
        item = shape.item or shape
        old, new = ([without_bags(one, item) for one in items] for items in (first, value))
        prints = (
            [
                id(one) if id(one) in moved else _json.canonical(bare)
                for one, bare in zip(*both, strict=True)
            ]
            for both in ((first, old), (originals, new))
        )
        names: tuple[dict[str, int], dict[str, int]] = {}, {}
        if item.type is not None:
            names = _names(shape, item.type, old), _names(shape, item.type, new)
        by_index = {at: name for name, at in names[0].items()}
        found = same_elements(*prints, old_names=by_index, new_names=names[1], edited=self._edited)
        yield from found.items()


def _names(shape: ValueShape, held: Any, items: list[Any]) -> dict[str, int]:
    """Return the indexes of elements by texts that name no other one."""
    if shape.keys:
        return unique_names([name] if name else [] for name in names_of(items, shape.keys, held))
    return guessed_names(items, held)


def _note(shape: ValueShape, value: Any, given: Any, found: Traced) -> None:
    """Record what is given for a value, in all places where its shape may have objects."""
    if type(value) is not type(given):
        return
    if type(value) is dict and shape.type is not None:
        found.give_object(given, value)
        for name, held in holders_of(shape.type).items():
            if name in value and name in given:
                _note(held.value, value[name], given[name], found)
    elif type(value) in (dict, list):
        found.give(given, value)
        if shape.item is not None:
            for key in value if type(value) is dict else range(len(value)):
                _note(shape.item, value[key], given[key], found)


def with_bag(first: Members, members: Members) -> Members:
    """Return members with the bag of others, whose entries take precedence."""
    if BAG_MEMBER not in first:
        return members
    bag = PropertyBag.own(first[BAG_MEMBER])
    said = {key for entries in bag.values() for key in entries}
    for origin, entries in members.get(BAG_MEMBER, _NO_BAG).items():
        rest = {key: value for key, value in entries.items() if key not in said}
        if rest:
            bag.setdefault(origin, {}).update(rest)
    return {**members, BAG_MEMBER: bag}


_NO_BAG: Final[Mapping[str, Any]] = {}


def are_aligned(
    left: Iterable[tuple[Any, Members]], entered: Iterable[tuple[Any, Members]]
) -> bool:
    """Return whether the types of objects have edges to those of the others, pair by pair."""
    types = [[cls for cls, _ in objects] for objects in (left, entered)]
    return all(other in getattr(cls, "crossings_", ()) for cls, other in zip_longest(*types))


def includes(bag: Members, other: Members) -> bool:
    """Return whether an object's bag has all entries of another one's."""
    has = bag.get(BAG_MEMBER, _NO_BAG)
    return all(
        key in has.get(origin, ()) and _json.same(has[origin][key], value)
        for origin, entries in other.get(BAG_MEMBER, _NO_BAG).items()
        for key, value in entries.items()
    )


def ways_of(cls: Any, origin: str) -> list[Crossing]:
    """Return the crossings to a type from types of a version."""
    return [peer.crossings_[cls] for peer in cls.crossings_ if origin == peer.VERSION]


def only_linked(origin: str, made: frozenset[tuple[Any, str]] | None = frozenset()) -> Combine:
    """Return a function that drops an edge's entries from bags, except other ends of skip links.

    The hook handles those, and what it has `made` itself of types of the origin, None for all.
    """

    def act(cls: Any, _: Members, members: Members) -> Members:
        entries = members.get(BAG_MEMBER, _NO_BAG).get(origin)
        if entries is None:
            return members
        put = {*MARKS}
        for way in ways_of(cls, origin):
            told = () if made is None else way.linked
            linked = {name for name in told if (way.source_type, name) not in (made or ())}
            put |= {*way.source_members - linked, *map(key_of, way.aliens)}
            put |= way.opposite.hook_names.keys if way.opposite.hook_names else set()
        kept = {key: value for key, value in entries.items() if key not in put}
        if len(kept) == len(entries):
            return members
        bag = {**members[BAG_MEMBER], origin: kept}
        if not kept:
            del bag[origin]
        rest = without_bag(members)
        return {**rest, BAG_MEMBER: PropertyBag(bag)} if bag else rest

    return act


def without_bag(members: Members) -> Members:
    """Return the members of an object without its bag."""
    return {name: value for name, value in members.items() if name != BAG_MEMBER}
