"""The bags of members at the boundary of the API: taken off the objects, and put back on them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.boundary import Dropped, Load, Lost, lost_entries, put_parts, restore
from holdall.carriers.envelope import Cargo, Compartment, Envelope, compartment_of
from holdall.carriers.evolution import Evolution
from holdall.carriers.hidden_extras import Hidden
from holdall.objects.bag import BAG_MEMBER, USER_KEYS, PropertyBag
from holdall.objects.base import Object
from holdall.objects.shapes import MemberShape, ValueShape, holders_of
from holdall.objects.tolerance import Unused
from holdall.objects.view_type import EVERYWHERE, UNNOTED
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject

Members: TypeAlias = "dict[str, Any]"
Bag: TypeAlias = "dict[str, dict[str, Any]]"
Counts: TypeAlias = "tuple[int, int]"
"""Of bags and of lists."""
Listed: TypeAlias = "tuple[str, Elements]"
"""A list with bags below it, and its address."""
Lineages: TypeAlias = "frozenset[int]"
Take: TypeAlias = "Callable[[Any, Taken], Any]"
"""Takes the bags off the objects in a value, and returns it as a document holds it."""
_TAKERS: Final[dict[tuple[Any, Lineages], Take]] = {}
"""By type, and by the lineages of objects that may have bags: most documents of a route agree."""
_MOST: Final = 4096
_USER_KEYS: Final = frozenset(USER_KEYS)


class HidingBag(PropertyBag):
    """The bag of an object with extras that are hidden from an API server: those are `hidden`."""

    __slots__ = ("hidden",)

    hidden: PropertyBag


class Taken:
    """The bags that were taken off a tree, and the lists on the way to them, by their addresses.

    Of each bag the same index has its address, the JSON Pointer of its object in the document at
    hand, and the type of that. Below an element of a list or a value of a map addresses begin there
    until `lead_through` says how that is named, so nothing is worked out for objects without bags.
    """

    # Large documents have tens of thousands: texts cost the garbage collector nothing.
    __slots__ = ("addresses", "bags", "lists", "pointers", "types")

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.pointers: list[str] = []
        self.types: list[Any] = []
        self.bags: list[Bag] = []
        self.lists: list[Listed] = []

    def counts(self) -> Counts:
        """Return how many bags and lists there are."""
        return len(self.bags), len(self.lists)

    def lead_through(self, start: Counts, end: Counts, address: str, pointer: str) -> None:
        """Let the addresses that came between two counts begin with `address`."""
        for index in range(start[0], end[0]):
            self.addresses[index] = address + self.addresses[index]
            self.pointers[index] = pointer + self.pointers[index]
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
    taken = Taken()
    _taker(cls, frozenset(lineages))(members, taken)
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
    for address, bag in zip(taken.addresses, taken.bags, strict=True):
        compartment = compartment_of(address)
        if compartment not in parts:
            parts[compartment] = Cargo({})
        parts[compartment].bags[address] = bag
    if evolution is not None:
        bagged = zip(taken.addresses, taken.types, taken.bags, strict=True)
        for address, residues in evolution.residues(bagged, version).items():
            parts[compartment_of(address)].residues[address] = residues
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
    return lost_entries(omitted, dict(zip(taken.addresses, taken.pointers, strict=True)))


def _taker(cls: Any, lineages: Lineages) -> Take:
    """Return what takes the bags off objects of a type; their addresses begin at the object."""
    found = _TAKERS.get((cls, lineages))
    if found is None:
        if len(_TAKERS) >= _MOST:
            _TAKERS.clear()
        found = _TAKERS[cls, lineages] = _object_taker(cls, "", (), lineages)
    return found


def _ways(cls: Any, lineages: Lineages) -> list[tuple[str, MemberShape]]:
    """Return the members of a type in which objects of some lineages may be."""
    return [
        (name, held)
        for name, held in holders_of(cls).items()
        if lineages.issuperset(EVERYWHERE)
        or not lineages_in(held.value, set()).isdisjoint({UNNOTED, *lineages})
    ]


def _object_taker(cls: Any, address: str, above: tuple[Any, ...], lineages: Lineages) -> Take:
    """Return what takes the bags off objects of a type; `above` are the types that hold it.

    The address, from where addresses begin, is worked out here once, not for each document.
    """
    steps = [
        (name, _value_taker(held, join(address, name), (*above, cls), lineages))
        for name, held in _ways(cls, lineages)
    ]
    is_closed = _is_closed(cls)
    version = cls.VERSION

    def take(value: Any, taken: Taken) -> Any:
        members = cls.open_wire(value) if is_closed else value
        is_changed = members is value
        for name, act in steps:
            child = members.get(name)
            if child is not None:
                made = act(child, taken)
                if made is not child:
                    members[name] = made
                    is_changed = True
        if members is value and BAG_MEMBER in value:
            bag = _taken_off(value, version)
            if bag:
                taken.addresses.append(address)
                taken.pointers.append(address)
                taken.types.append(cls)
                taken.bags.append(bag)
        return cls.close_wire(members) if is_closed and is_changed else value

    return take


def _is_closed(cls: Any) -> bool:
    """Tell whether objects of a type look otherwise on the wire."""
    return cls.open_wire is not Object.open_wire


def _taken_off(members: Members, version: str) -> Bag:
    """Take the bag off members that have one."""
    bag: Bag = members.pop(BAG_MEMBER)
    if type(bag) is HidingBag or (version in bag and not _USER_KEYS.isdisjoint(bag[version])):
        return _given_back(members, bag, version)
    return bag


def _given_back(members: Members, bag: Bag, version: str) -> PropertyBag:
    """Give user data under reserved names back to its object; return the rest of the bag."""
    rest = PropertyBag({origin: {**entries} for origin, entries in bag.items()})
    own = rest.get(version, {})
    members.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    rest.drop_all(version, _USER_KEYS)
    if isinstance(bag, HidingBag):
        rest.put_all(bag.hidden)
    return rest


def _value_taker(
    held: MemberShape, address: str, above: tuple[Any, ...], lineages: Lineages
) -> Take:
    """Return what takes the bags off the objects in a member at an address."""
    cls = held.value.type
    if cls is None:
        return _items_taker(held.value, held.map_keys, address, lineages)
    if cls in above:
        return _led_through(cls, address, lineages)
    return _object_taker(cls, address, above, lineages)


def _items_taker(
    shape: ValueShape, keys: tuple[str, ...], address: str, lineages: Lineages
) -> Take:
    """Return what takes the bags off the objects in a list or map at an address."""
    if shape.item is None:
        raise TypeError("there are no objects in it")
    item = shape.item
    held: Any = item.type
    is_list = shape.container == "list"

    def named(value: Any, bagged: list[Any]) -> tuple[list[str], list[str], list[Listed]]:
        """Return addresses and pointers of what has bags in a value, and the value if a list."""
        if not is_list:
            pointers = [join(address, key) for key in bagged]
            return pointers, pointers, []
        pointers = [f"{address}/{index}" for index in bagged]
        # Names of elements are those that they have without bags.
        elements = Elements(value, keys, item, value)
        return elements.addresses(address, bagged), pointers, [(address, elements)]

    def take_leaves(value: Any, taken: Taken) -> Any:
        bagged: list[Any] = []
        for key, one in enumerate(value) if is_list else value.items():
            if one is not None and BAG_MEMBER in one and (bag := _taken_off(one, version)):
                bagged.append(key)
                taken.bags.append(bag)
        if bagged:
            addresses, pointers, lists = named(value, bagged)
            taken.lists += lists
            taken.addresses += addresses
            taken.pointers += pointers
            taken.types += [held] * len(bagged)
        return value

    if held is not None and not _ways(held, lineages) and not _is_closed(held):
        version = held.VERSION
        return take_leaves
    # That of a type is looked up when it is needed: the type may hold itself.
    own = None if held else _items_taker(item, (), "", lineages)

    def take(value: Any, taken: Taken) -> Any:
        act = own or _taker(held, lineages)
        before = start = taken.counts()
        bagged: list[Any] = []
        ends: list[Counts] = []
        for key, one in enumerate(value) if is_list else value.items():
            if one is not None:
                made = act(one, taken)
                if made is not one:
                    value[key] = made
                if len(taken.bags) != (ends[-1] if ends else start)[0]:
                    bagged.append(key)
                    ends.append(taken.counts())
        if bagged:
            addresses, pointers, lists = named(value, bagged)
            for at, pointer, end in zip(addresses, pointers, ends, strict=True):
                taken.lead_through(start, end, at, pointer)
                start = end
            taken.lists[before[1] : before[1]] = lists
        return value

    return take


def _led_through(cls: Any, address: str, lineages: Lineages) -> Take:
    """Return what takes the bags off objects of a type that may hold itself, at an address."""

    def take(value: Any, taken: Taken) -> Any:
        before = taken.counts()
        made = _taker(cls, lineages)(value, taken)
        taken.lead_through(before, taken.counts(), address, address)
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
