"""The bags of members at the boundary of the API: taken off the objects, and put back on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from holdall.carriers import Cargo, Dropped, Envelope, Evolution, Load, Lost, put_bags, restore
from holdall.carriers.addresses import Elements, Lists, holders_of
from holdall.objects.bag import BAG_MEMBER, USER_KEYS, PropertyBag
from holdall.objects.base import Object
from holdall.objects.shapes import ValueShape
from holdall.objects.stored_forms import Lifted
from holdall.objects.tolerance import Unused
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject

Members: TypeAlias = "dict[str, Any]"
Bag: TypeAlias = "dict[str, dict[str, Any]]"
Taken: TypeAlias = "list[Bagged]"
Take: TypeAlias = "Callable[[Any, Taken], Any]"
"""Takes the bags off the objects in a value, and returns it as it stands in a document."""
_TAKERS: Final[dict[tuple[Any, bool], Take]] = {}


class HidingBag(PropertyBag):
    """The bag of an object with extras that are hidden from an API server: those are `hidden`."""

    __slots__ = ("hidden",)

    hidden: PropertyBag


class Bagged:
    """An object that had a bag: its type, and the way to it from the root, innermost step first.

    A step is a segment of the address, or the elements of a list with the index of one.
    """

    __slots__ = ("bag", "steps", "type")

    def __init__(self, cls: Any, bag: Bag) -> None:
        self.type, self.bag = cls, bag
        self.steps: list[str | tuple[Elements, int]] = []

    def address(self, lists: Lists) -> str:
        """Return the way as an address; `lists` takes the fingerprints that it depends on."""
        address = ""
        for step in reversed(self.steps):
            if isinstance(step, str):
                address += step
            else:
                elements, index = step
                elements.note_prints(address, lists)
                address += join("", elements.segment(index))
        return address

    def pointer(self) -> str:
        """Return the way as a JSON Pointer into the document at hand."""
        steps = reversed(self.steps)
        return "".join(step if isinstance(step, str) else f"/{step[1]}" for step in steps)


def attach(
    cls: Any,
    members: Members,
    load: Load,
    version: str,
    strict: tuple[str, ...],
    evolution: Evolution | None,
) -> list[Dropped | Unused]:
    """Give the objects of a tree their bags, and say what is not used. The tree is changed."""
    return restore(load, version, cls.view_(members), strict, evolution, members)


def take_bags(cls: Any, members: Members, hidden: Lifted, *, everywhere: bool) -> Taken:
    """Take the bags off the objects of a tree, which is changed; `hidden` are further ones.

    It looks where converters can leave bags, or `everywhere`.
    """
    for view, bag in hidden:
        hiding = HidingBag(view.property_bag or ())
        hiding.hidden = bag
        view.property_bag = hiding
    taken: Taken = []
    _taker(cls, everywhere)(members, taken)
    return taken


def lift(
    envelope: Envelope,
    version: str,
    taken: Taken,
    document: JsonObject,
    evolution: Evolution | None,
) -> list[Lost]:
    """Put bags that were taken off into their API document, and say what is lost."""
    cargo = Cargo({})
    found: dict[str, Bagged] = {}
    for bagged in taken:
        address = bagged.address(cargo.lists)
        found[address] = bagged
        # Plain JSON, with the bags within.
        bag = cargo.bags[address] = _json.copy(bagged.bag)
        if evolution is not None:
            cargo.residues.update(evolution.residues(address, bagged.type, version, bag))
    return put_bags(envelope, version, cargo, document, lambda address: found[address].pointer())


def _taker(cls: Any, everywhere: bool) -> Take:
    found = _TAKERS.get((cls, everywhere))
    return _object_taker(cls, everywhere) if found is None else found


def _object_taker(cls: Any, everywhere: bool) -> Take:
    steps: list[tuple[str, str, Take]] = []
    is_closed = cls.open_wire is not Object.open_wire
    version, user_keys = cls.VERSION, USER_KEYS.keys()

    def take(value: Any, taken: Taken) -> Any:
        members = cls.open_wire(value) if is_closed else value
        is_changed = members is value
        for name, segment, act in steps:
            child = members.get(name)
            if child is not None:
                before = len(taken)
                made = act(child, taken)
                if made is not child:
                    members[name] = made
                    is_changed = True
                if len(taken) != before:
                    for bagged in taken[before:]:
                        bagged.steps.append(segment)
        if members is value and BAG_MEMBER in value:
            bag = value.pop(BAG_MEMBER)
            if type(bag) is HidingBag or (
                version in bag and not user_keys.isdisjoint(bag[version])
            ):
                bag = _given_back(value, bag, version)
            if bag:
                taken.append(Bagged(cls, dict(bag)))
        return cls.close_wire(members) if is_closed and is_changed else value

    _TAKERS[cls, everywhere] = take  # before its members are looked at: a type may hold itself
    for name, held in holders_of(cls).items():
        if everywhere or _may_have_bags(held.value, set()):
            act = _value_taker(held.value, held.map_keys, everywhere)
            steps.append((name, join("", name), act))
    return take


def _given_back(members: Members, bag: Bag, version: str) -> PropertyBag:
    """Give user data under reserved names back to its object; return the rest of the bag."""
    rest = PropertyBag({origin: {**entries} for origin, entries in bag.items()})
    own = rest.get(version, {})
    members.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    rest.drop_all(version, frozenset(USER_KEYS))
    if isinstance(bag, HidingBag):
        rest.put_all(bag.hidden)
    return rest


def _value_taker(shape: ValueShape, keys: tuple[str, ...], everywhere: bool) -> Take:
    if shape.type is not None:
        return _taker(shape.type, everywhere)
    if shape.item is None:
        raise TypeError("there are no objects in it")
    item_shape, act = shape.item, _value_taker(shape.item, (), everywhere)

    def take_each(value: Any, taken: Taken) -> Any:
        elements: Elements | None = None
        for index, item in enumerate(value):
            if item is not None:
                before = len(taken)
                made = act(item, taken)
                if made is not item:
                    value[index] = made
                if len(taken) != before:
                    if elements is None:
                        elements = Elements(value, keys, item_shape, value)
                    for bagged in taken[before:]:
                        bagged.steps.append((elements, index))
        return value

    def take_values(value: Any, taken: Taken) -> Any:
        for key, item in value.items():
            if item is not None:
                before = len(taken)
                made = act(item, taken)
                if made is not item:
                    value[key] = made
                if len(taken) != before:
                    for bagged in taken[before:]:
                        bagged.steps.append(join("", key))
        return value

    return take_each if shape.container == "list" else take_values


def _may_have_bags(shape: ValueShape, seen: set[Any]) -> bool:
    """Tell whether converters can leave bags in the objects in a value."""
    if shape.item is not None:
        return _may_have_bags(shape.item, seen)
    cls: Any = shape.type
    if cls is None or cls in seen:
        return False
    seen.add(cls)
    return bool(cls.may_have_bag_) or any(
        _may_have_bags(held.value, seen) for held in holders_of(cls).values()
    )
