"""The bags of members at the API boundary: taking them off objects, and putting them back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain, count
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import Elements
from holdall.carriers.boundary import lost_entries, put_parts
from holdall.carriers.bundles import (
    ADDRESSES_ROOM,
    FIELD_ROOM,
    Bag,
    Bundle,
    Taken,
    lead_through,
)
from holdall.carriers.envelope import Cargo, Compartment, Entry, Envelope, compartment_of
from holdall.carriers.evolution import Evolution
from holdall.carriers.pruning import Hidden
from holdall.carriers.reports import Lost
from holdall.objects.bag import BAG_MEMBER, USER_KEYS, PropertyBag
from holdall.objects.base import Object
from holdall.objects.shapes import MemberShape, ValueShape, holders_of
from holdall.objects.view_type import EVERYWHERE, UNNOTED
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, Members

Lineages: TypeAlias = "frozenset[int]"
Take: TypeAlias = "Callable[[Any, Taken], Any]"
"""Takes the bags off the objects in a value, and returns it in the form of a document."""
Steps: TypeAlias = "list[tuple[str, Take]]"
_TAKERS: Final[dict[tuple[Any, Lineages], tuple[Take, int]]] = {}
"""By type, and by the lineages of objects that may have bags, which most documents of a route
share. Each comes with the number of places for which it was computed."""
_MOST: Final = 1 << 16
"""Maximum places of all of them, a few hundred bytes each: documents choose which objects have
bags."""
_PLACES: Final = 512
"""Places below a type that are computed with it; deeper ones are computed for each document."""
_NUMBERS: Final = count(1)
"""Numbers of lists, see `Elements`."""
_USER_KEYS: Final = frozenset(USER_KEYS)


class HidingBag(PropertyBag):
    """The bag of an object whose extras in `hidden` are hidden from an API server."""

    __slots__ = ("hidden",)

    hidden: PropertyBag


def take_bags(
    cls: Any, members: Members, hidden: Hidden, lineages: AbstractSet[int] = EVERYWHERE
) -> Taken:
    """Take the bags off the objects of a tree, in place; `hidden` are further bags.

    Only objects of these lineages, and perhaps untracked ones, have bags.
    """
    for holder, bag in hidden:
        hiding = holder[BAG_MEMBER] = HidingBag(holder.get(BAG_MEMBER) or ())
        hiding.hidden = bag
        hiding.setdefault(cls.VERSION, {})  # so that takers look at it
    taken: Taken = []
    _taker(cls, frozenset(lineages))(members, taken)
    return taken


def forget_takers() -> None:
    """Clear what was computed from lineages of types, which have changed."""
    _TAKERS.clear()


def lift(
    envelope: Envelope,
    version: str,
    taken: Taken,
    document: JsonObject,
    evolution: Evolution | None,
) -> list[Lost]:
    """Put bags that were taken off into their API document, and return what is lost."""
    if not taken:
        return []
    parts, far = _parts(envelope, taken, evolution)
    if envelope.carrier == "field":  # only texts or copies leave
        for part in parts.values():
            part.bags = _json.copy(dict(sorted(part.bags.items())))
    omitted = put_parts(envelope, version, parts, document)
    if far:
        omitted.append((far, "the names that lead to it are too long"))
    if not omitted:
        return []
    pointers: dict[str, str] = {}
    for bundle in taken:
        is_elsewhere = bundle.elements is not None or bundle.pointer != bundle.address
        if is_elsewhere and bundle.bags:  # not given up
            pointers.update(zip(bundle.addresses(), bundle.pointers(), strict=True))
    return lost_entries(omitted, pointers)


def _parts(
    envelope: Envelope, taken: Taken, evolution: Evolution | None
) -> tuple[dict[Compartment, Cargo], list[Entry]]:
    """Return the bags by compartment, and the entries whose addresses are too long."""
    parts: dict[Compartment, Cargo] = {}
    room = envelope.limits.budget if envelope.carrier == "annotation" else None
    addresses_room = ADDRESSES_ROOM
    if envelope.carrier == "field":
        for bundle in taken:
            addresses_room += FIELD_ROOM * bundle.count()
    note = None if evolution is None else evolution.noting.note
    far: list[Entry] = []
    hopeless: list[tuple[Cargo, Bundle]] = []
    for bundle in taken:
        if bundle.above is not None:  # its address has names from the document
            size = bundle.settle(addresses_room)
            if size > addresses_room:
                far += bundle.given_up()
                continue
            addresses_room -= size
        compartment, at = bundle.compartment, bundle.address
        if compartment in parts:
            part = parts[compartment]
        else:
            part = parts[compartment] = Cargo({})
        if bundle.keys is None:
            bag = part.bags[at] = bundle.bags[0]
            if note is not None:
                note(bundle.type, at, bag, bundle.value, part)
            continue
        if bundle.elements is not None:
            bundle.elements.note_prints(at, part.lists, room)
            if part.lists.get(at, "") is None and bundle.bags:
                hopeless.append((part, bundle))
                continue
        if bundle.bags:
            _put(part, bundle, evolution)
    if len(parts) > 1:  # in the order of their contents
        (first, one), (second, other) = parts.items()
        if min(chain(other.bags, other.lists)) < min(chain(one.bags, one.lists)):
            parts = {second: other, first: one}
    if hopeless:
        # Their entries only count among others, some of which may have room.
        given_up = [not part.bags for part, _ in hopeless]
        for (part, bundle), is_given_up in zip(hopeless, given_up, strict=True):
            if is_given_up:
                part.lists = {}
                part.hopeless += bundle.given_up()
            else:
                _put(part, bundle, evolution)
    return parts, far


def _put(part: Cargo, bundle: Bundle, evolution: Evolution | None) -> None:
    """Put the bags in a list or map into a part of the cargo."""
    cls, bags = bundle.type, bundle.bags
    addresses = bundle.addresses()
    part.bags.update(zip(addresses, bags, strict=True))
    if evolution is not None and evolution.noting.concerns(cls, bags):
        for address, bag, holder in zip(addresses, bags, bundle.holders(), strict=True):
            evolution.noting.note(cls, address, bag, holder, part)


def _taker(cls: Any, lineages: Lineages) -> Take:
    """Return the taker of bags of a type's objects; addresses begin at the object."""
    found = _TAKERS.get((cls, lineages))
    if found is None:
        places = iter(range(_PLACES))
        act = _object_taker(cls, "", (), lineages, places)
        found = act, next(places, _PLACES) + 1
        if sum(size for _, size in [*_TAKERS.values()]) + found[1] > _MOST:
            _TAKERS.clear()
        _TAKERS[cls, lineages] = found
    return found[0]


def _ways(cls: Any, lineages: Lineages) -> list[tuple[str, MemberShape]]:
    """Return the members of a type that may have objects of some lineages."""
    return [
        (name, held)
        for name, held in holders_of(cls).items()
        if lineages.issuperset(EVERYWHERE)
        or not lineages_in(held.value, set()).isdisjoint({UNNOTED, *lineages})
    ]


def _object_taker(
    cls: Any, address: str, above: tuple[Any, ...], lineages: Lineages, places: Iterator[int]
) -> Take:
    """Return the taker of bags of a type's objects; `above` are the types that contain it.

    The address is computed here once, not for each document, while there are `places`: recursive
    types that branch would take more than the memory.
    """
    leaves: Steps = []
    steps: Steps = []
    for name, held in _ways(cls, lineages):
        act = _value_taker(held, join(address, name), (*above, cls), lineages, places)
        inner = held.value.type
        (steps if inner is None or _leads_on(inner, lineages) else leaves).append((name, act))
    version, compartment = cls.VERSION, compartment_of(address)

    def take(members: Any, taken: Taken) -> Any:
        for name, act in leaves:
            if name in members and (child := members[name]) is not None and BAG_MEMBER in child:
                act(child, taken)
        for name, act in steps:
            if name in members and (child := members[name]) is not None:
                made = act(child, taken)
                if made is not child:
                    members[name] = made
        if BAG_MEMBER in members:
            bag: Bag = members.pop(BAG_MEMBER)
            if version in bag:
                bag = _given_back(members, bag, version)
            if bag:
                taken.append(Bundle(compartment, cls, address, address, [bag], members))
        return members

    if not _is_closed(cls):
        return take
    return lambda value, taken: cls.close_wire(take(cls.open_wire(value), taken))


def _leads_on(cls: Any, lineages: Lineages) -> bool:
    """Return whether there is more to take off objects of a type than their own bags."""
    return _is_closed(cls) or bool(_ways(cls, lineages))


def _is_closed(cls: Any) -> bool:
    """Return whether objects of a type have another form on the wire."""
    return cls.open_wire is not Object.open_wire


def _given_back(members: Members, bag: Bag, version: str) -> Bag:
    """Return user data under reserved names to its object; return the rest of the bag."""
    if type(bag) is not HidingBag and _USER_KEYS.isdisjoint(bag[version]):
        return bag
    rest = PropertyBag.own(bag)
    own = rest.get(version, {})
    members.update({name: own[key] for key, name in USER_KEYS.items() if key in own})
    rest.drop_all(version, _USER_KEYS)
    if isinstance(bag, HidingBag):
        rest.put_all(bag.hidden)
    return rest


def _value_taker(
    held: MemberShape,
    address: str,
    above: tuple[Any, ...],
    lineages: Lineages,
    places: Iterator[int],
) -> Take:
    """Return the taker of bags of the objects in a member at an address."""
    cls = held.value.type
    if cls is None:
        return _items_taker(held.value, address, lineages)
    if cls in above or next(places, None) is None:
        return _led_through(cls, address, lineages)
    return _object_taker(cls, address, above, lineages, places)


def _items_taker(shape: ValueShape, address: str, lineages: Lineages) -> Take:
    """Return the taker of bags of the objects in a list or map at an address."""
    if shape.item is None:
        raise TypeError("there are no objects in it")
    item, keys = shape.item, shape.keys
    held: Any = item.type
    is_list, number = shape.container == "list", next(_NUMBERS)
    compartment = compartment_of(address)

    def take_leaves(value: Any, taken: Taken) -> Any:
        bagged: list[Any] = []
        bags: list[Bag] = []
        for key, one in enumerate(value) if is_list else value.items():
            if one is not None and BAG_MEMBER in one:
                bag = one.pop(BAG_MEMBER)
                if version in bag:
                    bag = _given_back(one, bag, version)
                if bag:
                    bagged.append(key)
                    bags.append(bag)
        if bagged:
            # Names of elements are those without bags.
            elements = Elements(value, keys, item, value, number) if is_list else None
            bundle = Bundle(compartment, held, address, address, bags, value, bagged, elements)
            taken.append(bundle)
        return value

    if held is not None and not _leads_on(held, lineages):
        version = held.VERSION
        return take_leaves
    # The taker of a type is looked up when it is needed, because types may be recursive.
    own = None if held else _items_taker(item, "", lineages)

    def take(value: Any, taken: Taken) -> Any:
        act = own or _taker(held, lineages)
        start = end = len(taken)
        bagged: list[Any] = []
        ends: list[int] = []
        for key, one in enumerate(value) if is_list else value.items():
            if one is not None:
                made = act(one, taken)
                if made is not one:
                    value[key] = made
                if len(taken) != end:
                    end = len(taken)
                    bagged.append(key)
                    ends.append(end)
        if not bagged:
            return value
        elements = Elements(value, keys, item, value, number) if is_list else None
        on_way = Bundle(compartment, held, address, address, [], value, bagged, elements)
        before = start
        for at, pointer, end in zip(on_way.addresses(), on_way.pointers(), ends, strict=True):
            lead_through(taken, start, end, at, pointer)
            start = end
        if is_list:
            on_way.keys = []
            taken.insert(before, on_way)
        return value

    return take


def _led_through(cls: Any, address: str, lineages: Lineages) -> Take:
    """Return a taker of bags of a type's objects that is made when it is needed."""

    def take(value: Any, taken: Taken) -> Any:
        start = len(taken)
        made = _taker(cls, lineages)(value, taken)
        lead_through(taken, start, len(taken), address, address)
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
