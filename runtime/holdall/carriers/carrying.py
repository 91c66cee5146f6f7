"""The bags of members at the boundary of the API: taken off the objects, and put back on them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements, holders_of
from holdall.carriers.boundary import Dropped, Load, Lost, lost_entries, put_parts, restore
from holdall.carriers.envelope import Cargo, Compartment, Envelope, compartment_of
from holdall.carriers.evolution import Evolution
from holdall.carriers.hidden_extras import Hidden
from holdall.objects.bag import BAG_MEMBER, USER_KEYS, PropertyBag
from holdall.objects.base import Object
from holdall.objects.shapes import ValueShape
from holdall.objects.tolerance import Unused
from holdall.objects.view_type import EVERYWHERE, UNNOTED
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject

Members: TypeAlias = "dict[str, Any]"
Bag: TypeAlias = "dict[str, dict[str, Any]]"
Bagged: TypeAlias = "tuple[str, str, Any, Bag]"
"""Address of an object, JSON Pointer into the document at hand, type and bag."""
Counts: TypeAlias = "tuple[int, int]"
"""Of bags and of lists."""
Take: TypeAlias = "Callable[[Any, Taken], Any]"
"""Takes the bags off the objects in a value, and returns it as a document holds it."""
_TAKERS: Final[dict[Any, Take]] = {}


class HidingBag(PropertyBag):
    """The bag of an object with extras that are hidden from an API server: those are `hidden`."""

    __slots__ = ("hidden",)

    hidden: PropertyBag


class Taken:
    """The bags that were taken off a tree, and the lists on the way to them, by their addresses.

    Below an element of a list or a value of a map addresses begin there until `lead_through` says
    how that is named, so nothing is worked out for objects without bags.
    """

    __slots__ = ("bags", "lineages", "lists")

    def __init__(self, lineages: AbstractSet[int] = EVERYWHERE) -> None:
        self.bags: list[Bagged] = []
        self.lineages = lineages
        self.lists: list[tuple[str, Elements]] = []

    def lead_through(self, start: Counts, end: Counts, address: str, pointer: str) -> None:
        """Let the addresses that came between two counts begin with `address`."""
        for index in range(start[0], end[0]):
            at, place, cls, bag = self.bags[index]
            self.bags[index] = address + at, pointer + place, cls, bag
        if start[1] != end[1]:
            for index in range(start[1], end[1]):
                at, elements = self.lists[index]
                self.lists[index] = address + at, elements


def attach(
    cls: Any,
    members: Members,
    load: Load,
    version: str,
    strict: tuple[str, ...],
    evolution: Evolution | None,
    bagged: set[int] | None = None,
) -> list[Dropped | Unused]:
    """Give the objects of a tree their bags, and say what is not used. The tree is changed.

    `bagged` takes the lineages of these objects.
    """
    return restore(load, version, cls.view_(members), strict, evolution, members, bagged)


def take_bags(
    cls: Any, members: Members, hidden: Hidden, lineages: AbstractSet[int] = EVERYWHERE
) -> Taken:
    """Take the bags off the objects of a tree, which is changed; `hidden` are further ones.

    Objects of these lineages have bags, and maybe some of which nothing is known.
    """
    for holder, bag in hidden:
        hiding = holder[BAG_MEMBER] = HidingBag(holder.get(BAG_MEMBER) or ())
        hiding.hidden = bag
    taken = Taken({UNNOTED, *lineages})
    _taker(cls)(members, taken)
    return taken


def forget_takers() -> None:
    """Forget what was worked out from lineages of types: they have changed."""
    _TAKERS.clear()


def lift(
    envelope: Envelope,
    version: str,
    taken: Taken,
    document: JsonObject,
    evolution: Evolution | None,
) -> list[Lost]:
    """Put bags that were taken off into their API document, and say what is lost."""
    if not taken.bags:
        return []
    parts: dict[Compartment, Cargo] = {}
    for address, _, cls, bag in taken.bags:
        compartment = compartment_of(address)
        if compartment not in parts:
            parts[compartment] = Cargo({})
        part = parts[compartment]
        part.bags[address] = bag
        if evolution is not None:
            residues = evolution.residues(address, cls, version, bag)
            if residues:
                part.residues.update(residues)
    for address, elements in taken.lists:
        elements.note_prints(address, parts[compartment_of(address)].lists)
    if len(parts) > 1:  # in the order of what is in them
        parts = dict(sorted(parts.items(), key=lambda part: min(part[1].bags)))
    if envelope.carrier == "field":  # nothing but a text or a copy leaves
        for part in parts.values():
            part.bags = _json.copy(dict(sorted(part.bags.items())))
    omitted = put_parts(envelope, version, parts, document)
    if not omitted:
        return []
    pointers = {address: pointer for address, pointer, _, _ in taken.bags}
    return lost_entries(omitted, pointers.__getitem__)


def _taker(cls: Any) -> Take:
    """Return what takes the bags off objects of a type; their addresses begin at the object."""
    found = _TAKERS.get(cls)
    if found is None:
        found = _TAKERS[cls] = _object_taker(cls, "", ())
    return found


def _object_taker(cls: Any, address: str, above: tuple[Any, ...]) -> Take:
    """Return what takes the bags off objects of a type; `above` are the types that hold it.

    The address, from where addresses begin, is worked out here once, not for each document.
    """
    steps: list[tuple[str, Take, frozenset[int]]] = []
    for name, held in holders_of(cls).items():
        act = _value_taker(held.value, held.map_keys, join(address, name), (*above, cls))
        steps.append((name, act, EVERYWHERE | lineages_in(held.value, set())))
    is_closed = _is_closed(cls)
    version, user_keys = cls.VERSION, USER_KEYS.keys()

    def take(value: Any, taken: Taken) -> Any:
        members = cls.open_wire(value) if is_closed else value
        is_changed = members is value
        lineages = taken.lineages
        for name, act, within in steps:
            child = members.get(name)
            if child is not None and not within.isdisjoint(lineages):
                made = act(child, taken)
                if made is not child:
                    members[name] = made
                    is_changed = True
        if members is value and BAG_MEMBER in value:
            bag = value.pop(BAG_MEMBER)
            if type(bag) is HidingBag or (
                version in bag and not user_keys.isdisjoint(bag[version])
            ):
                bag = _given_back(value, bag, version)
            if bag:
                taken.bags.append((address, address, cls, bag))
        return cls.close_wire(members) if is_closed and is_changed else value

    return take


def _is_closed(cls: Any) -> bool:
    """Tell whether objects of a type look otherwise on the wire."""
    return cls.open_wire is not Object.open_wire


def _given_back(members: Members, bag: Bag, version: str) -> PropertyBag:
    """Give user data under reserved names back to its object; return the rest of the bag."""
    rest = PropertyBag({origin: {**entries} for origin, entries in bag.items()})
    own = rest.get(version, {})
    members.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    rest.drop_all(version, frozenset(USER_KEYS))
    if isinstance(bag, HidingBag):
        rest.put_all(bag.hidden)
    return rest


def _value_taker(
    shape: ValueShape, keys: tuple[str, ...], address: str, above: tuple[Any, ...]
) -> Take:
    """Return what takes the bags off the objects in a value at an address."""
    if shape.type is not None:
        if shape.type in above:
            return _led_through(shape.type, address)
        return _object_taker(shape.type, address, above)
    if shape.item is None:
        raise TypeError("there are no objects in it")
    item = shape.item
    # That of a type is looked up when it is needed: the type may hold itself.
    own = None if item.type else _value_taker(item, (), "", ())

    is_leaf = item.type is not None and not holders_of(item.type) and not _is_closed(item.type)

    def take_each(value: Any, taken: Taken) -> Any:
        act = own or _taker(item.type)
        bags = taken.bags
        bagged: list[int] = []
        counts: list[Counts] = []
        count = len(bags)
        before = count, len(taken.lists)
        for index, one in enumerate(value):
            if one is not None and (not is_leaf or BAG_MEMBER in one):
                made = act(one, taken)
                if made is not one:
                    value[index] = made
                if len(bags) != count:
                    count = len(bags)
                    bagged.append(index)
                    counts.append((count, len(taken.lists)))
        if bagged:
            # Names of elements are those that they have without bags.
            elements = Elements(value, keys, item, value)
            start = before
            for index, end in zip(bagged, counts, strict=True):
                at = join(address, elements.segment(index))
                taken.lead_through(start, end, at, f"{address}/{index}")
                start = end
            taken.lists.insert(before[1], (address, elements))
        return value

    def take_values(value: Any, taken: Taken) -> Any:
        act = own or _taker(item.type)
        bags = taken.bags
        before = len(bags), len(taken.lists)
        for key, one in value.items():
            if one is not None and (not is_leaf or BAG_MEMBER in one):
                made = act(one, taken)
                if made is not one:
                    value[key] = made
                if len(bags) != before[0]:
                    at, after = join(address, key), (len(bags), len(taken.lists))
                    taken.lead_through(before, after, at, at)
                    before = after
        return value

    return take_each if shape.container == "list" else take_values


def _led_through(cls: Any, address: str) -> Take:
    """Return what takes the bags off objects of a type that may hold itself, at an address."""

    def take(value: Any, taken: Taken) -> Any:
        before = len(taken.bags), len(taken.lists)
        made = _taker(cls)(value, taken)
        taken.lead_through(before, (len(taken.bags), len(taken.lists)), address, address)
        return made

    return take


def lineages_in(shape: ValueShape, seen: set[Any]) -> set[int]:
    """Return the lineages of the types of all objects in a value."""
    if shape.item is not None:
        return lineages_in(shape.item, seen)
    cls: Any = shape.type
    if cls is None or cls in seen:
        return set()
    seen.add(cls)
    within = (lineages_in(held.value, seen) for held in holders_of(cls).values())
    return {cls.lineage_}.union(*within)
