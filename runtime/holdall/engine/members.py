"""The operations of converters on members: copying them, and applying the differences.

Every function works on a dictionary that the converter owns; nested values may be shared with the
source and are never changed. The bag is shared, too, until it is changed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from holdall.engine.edges import Converter, Crossing
from holdall.engine.lossy_pairs import Linked
from holdall.engine.member_ways import Way, by_itself, relocated
from holdall.engine.open_bag import OpenBag
from holdall.engine.uncertain import note_unused
from holdall.errors import DecodeError, ValueProblem
from holdall.objects.bag import BAG_MEMBER, PropertyBag, WaitingBag, key_of, own_bag
from holdall.objects.codec import WrongKind
from holdall.objects.container_kinds import read_entry
from holdall.objects.stored_forms import closed
from holdall.objects.view_type import UNNOTED
from holdall.objects.views import SOURCE
from holdall.objects.wire_forms import opened_tuple, opened_union
from holdall.text import json as _json
from holdall.types import Members

BAG: Final = BAG_MEMBER
NO_NAMES: Final = frozenset[str]()


# --- one object -----------------------------------------------------------------------------


def start(old: Members, crossing: Crossing) -> Members:
    """Return a copy to work on.

    Stale entries leave its bag, because the live object decides. Undeclared members whose name the
    other version declares are put into it. If nothing changes, the bag is the source's.
    """
    new = old.copy()
    if BAG in old or (crossing.aliens and not crossing.awaited.isdisjoint(old)):
        _open(old, new, crossing)
    return new


def _open(old: Members, new: Members, crossing: Crossing) -> None:
    shared = old.get(BAG)
    for name in crossing.aliens:
        if name in old:
            break
    else:
        if shared and crossing.source not in shared and type(shared) is not WaitingBag:
            return
    bag = PropertyBag.own(shared) if shared else PropertyBag()
    if crossing.source in bag:
        bag.drop_all(crossing.source, crossing.source_members)
    for name in crossing.aliens:
        if name in old:
            key = key_of(name)
            if bag.is_gone(crossing.source, key):
                note_unused(old, crossing.source, key, "name")
            bag.drop(crossing.source, key)  # with its marks
            bag.put(crossing.source, key, new.pop(name))
    if bag:
        new[BAG] = bag
    else:
        new.pop(BAG, None)


def stash(new: Members, origin: str, name: str) -> None:
    """Put a member into the bag, because the other version has no place for it."""
    value = new.pop(name)
    if BAG not in new:
        new[BAG] = {origin: {name: value}}
        return
    bag = new[BAG]
    if origin not in bag:  # it may be the source's
        bag = new[BAG] = PropertyBag.own(bag)
    bag.setdefault(origin, {})[name] = value


def pull(new: Members, old: Members, crossing: Crossing, name: str) -> None:
    """Take a member out of the bag.

    Raises BagError, with the entry still in place, if it does not have its origin's shape; if that
    is tolerated, the member stays absent.
    """
    bag = new.get(BAG, {})
    if crossing.destination not in bag or name not in bag[crossing.destination]:
        return
    value = bag[crossing.destination][name]
    if value is not None and name not in crossing.plain:
        try:
            value = read_entry(crossing.destination_type, name, value)
        except DecodeError as error:
            refusing = open_bag(new, old, crossing)
            refusing.refuse(crossing.destination, name, error)
            new[BAG] = PropertyBag(refusing)
            return
    if len(bag) == len(bag[crossing.destination]) == 1:
        del new[BAG]
    else:
        PropertyBag.drop(own_bag(new, old), crossing.destination, name)
    new[name] = value


def pull_linked(new: Members, old: Members, crossing: Crossing, name: str, linked: Linked) -> None:
    """Take a member out of the bag, or the entry of a linked version."""
    if BAG in new and linked.concerns(new[BAG]):
        bag = open_bag(new, old, crossing)
        put(new, name, linked.pull(bag))
        new[BAG] = bag.copy()


def finish(crossing: Crossing, old: Members, new: Members, way: Way) -> Members:
    """Return the converted object: its bag is settled, and its hook has run."""
    if BAG not in new:
        return new if crossing.ends_bare else complete(crossing, old, new, way)
    bag = new[BAG]
    if crossing.destination in bag or (crossing.is_declared and crossing.source in bag):
        if wrong := crossing.wrong_kinds(bag):
            refusing = open_bag(new, old, crossing)
            refusing.refuse_all(wrong)
            new[BAG] = PropertyBag(refusing)
        bag = own_bag(new, old)
        if type(bag) is dict:
            bag = new[BAG] = PropertyBag(bag)
        crossing.settle(bag, old, new)
    if not bag:
        del new[BAG]
    elif (
        crossing.bound is None
        and (crossing.judge is None or way.is_fresh)
        and not crossing.makes_objects
    ):
        way.bags.add(crossing.lineage)
        return new
    return complete(crossing, old, new, way)


def complete(crossing: Crossing, old: Members, new: Members, way: Way) -> Members:
    """Return the converted object after its hook, if it has one, and the judge of its bag."""
    hook = crossing.bound
    if hook is not None and (way.unhooked is None or way.runs_hook(old)):
        if BAG in new:
            own_bag(new, old)
        hook(old, new, way)
    if crossing.makes_objects:
        way.bags.add(UNNOTED)
    if BAG in new:
        way.bags.add(crossing.lineage)
    elif not crossing.looks_inside:
        return new
    judge = crossing.judge
    if judge is not None and not way.is_fresh and judge.concerns(new):
        # Values that move away are live, too: entries of versions beyond are about these.
        source = crossing.source_type.view_(way.whole(old), SOURCE)
        judge(source, crossing.destination_type.view_(new))
    return new


def alike(crossing: Crossing) -> Converter:
    """Return the converter of objects that are the same in both versions, without nested ones."""

    def convert_alike(old: Members, way: Way) -> Members:
        return finish(crossing, old, start(old, crossing), way)

    return convert_alike


# --- objects whose properties are converted one by one -----------------------------------------


def open_bag(new: Members, old: Members, crossing: Crossing) -> OpenBag:
    """Return the bag for what needs both objects; its entries are those of `new`.

    The properties that the converter looks at one by one leave `new`.
    """
    bag = OpenBag.own(new[BAG]) if BAG in new else OpenBag()
    bag.crossing, bag.old, bag.new = crossing, old, new
    bag._source = bag._destination = None
    bag.nulls = NO_NAMES
    for name in crossing.apart.intersection(new):
        if new.pop(name) is None:
            bag.nulls |= {name}
    return bag


def put(new: Members, name: str, value: Any) -> None:
    """Set a property; None leaves it absent, or null if it was made null."""
    if value is not None:
        new[name] = value


def take(bag: OpenBag, new: Members, name: str) -> None:
    """Take a member without partner out of the bag, as `pull` does."""
    crossing = bag.crossing
    entries = bag.get(crossing.destination)
    if entries is None or name not in entries:
        return
    value = entries[name]
    if value is not None and name not in crossing.plain:
        try:
            value = read_entry(crossing.destination_type, name, value)
        except DecodeError as error:
            bag.refuse(crossing.destination, name, error)
            return
    bag.take(crossing.destination, name)
    new[name] = value


def keep(bag: OpenBag, old: Members, name: str) -> None:
    """Keep a member without partner in the bag."""
    if name in old:
        bag.put(bag.crossing.source, name, old[name])


def end(bag: OpenBag, old: Members, new: Members) -> Members:
    """Return the converted object, once all its properties are assigned and stashed."""
    crossing = bag.crossing
    if bag._destination is not None:
        bag._destination.settled_()
    if bag.nulls:
        bag.carry_nulls()
    if bag:
        if crossing.destination in bag:
            bag.refuse_all(crossing.wrong_kinds(bag))
        crossing.settle(bag, old, new)
    if bag:
        new[BAG] = bag.copy()
    elif BAG in new:
        del new[BAG]
    return new


# --- nested objects ---------------------------------------------------------------------------


def inner(crossing: Crossing) -> Converter:
    """Return the converter of objects within others, which shares what no converter changes."""
    act, within = crossing.convert, crossing.within
    touched = crossing.touched or NO_NAMES

    def convert_touched(value: Any, way: Way) -> Any:
        return value if touched.isdisjoint(value) else act(value, way)

    found = act if crossing.touched is None else convert_touched

    def convert_thoroughly(value: Any, way: Way) -> Any:
        if not way.thorough or way.thorough.isdisjoint(within):
            return value
        return found(value, way)

    return convert_thoroughly if crossing.same else found


def convert(crossing: Crossing, value: Any, way: Way) -> Any:
    """Convert an object within another one; null stays."""
    return None if value is None else crossing.convert_inner(value, way)


def convert_each(crossing: Crossing, items: Any, way: Way) -> Any:
    """Convert the objects in a list; nulls stay."""
    if items is None or (
        crossing.same and (not way.thorough or way.thorough.isdisjoint(crossing.within))
    ):
        return items
    act, touched = crossing.convert, crossing.touched
    if touched is None:
        return [None if item is None else act(item, way) for item in items]
    return [item if item is None or touched.isdisjoint(item) else act(item, way) for item in items]


def convert_values(crossing: Crossing, items: Any, way: Way) -> Any:
    """Convert the objects in a map; nulls stay."""
    if items is None or (
        crossing.same and (not way.thorough or way.thorough.isdisjoint(crossing.within))
    ):
        return items
    act, touched = crossing.convert, crossing.touched
    if touched is None:
        return {key: None if item is None else act(item, way) for key, item in items.items()}
    return {
        key: item if item is None or touched.isdisjoint(item) else act(item, way)
        for key, item in items.items()
    }


def convert_deep(crossing: Crossing, value: Any, way: Way, depth: int) -> Any:
    """Convert the objects below `depth` lists and maps; nulls stay."""
    if value is None or (
        crossing.same and (not way.thorough or way.thorough.isdisjoint(crossing.within))
    ):
        return value
    if depth == 0:
        return crossing.convert(value, way)
    if type(value) is list:
        return [convert_deep(crossing, item, way, depth - 1) for item in value]
    return {key: convert_deep(crossing, item, way, depth - 1) for key, item in value.items()}


class Steps:
    """Converts an object over several edges, through the types of versions between."""

    def __init__(self, *types: type) -> None:
        self._types: Any = types

    @property
    def _crossings(self) -> list[Crossing]:
        return [source.crossings_[destination] for source, destination in pairwise(self._types)]

    @property
    def same(self) -> bool:
        """Whether the object stays unchanged, with everything in it."""
        return all(crossing.same for crossing in self._crossings)

    touched = None
    """Each edge checks itself whether it has something to do."""

    @property
    def within(self) -> frozenset[int]:
        """The lineages of the object and of everything in it."""
        return self._crossings[0].within

    def convert(self, value: Any, way: Way) -> Any:
        """Return the members at the end of the way."""
        for crossing in self._crossings:
            value = crossing.convert_inner(value, way)
        return value

    convert_inner = convert


def assign(source: Any, destination: Any) -> None:
    """Give one view the other's members, converted; they share nothing."""
    crossing: Crossing = type(source).crossings_[type(destination)]
    crossing.load_hooks()  # the names of hooks must be known first
    way = Way()
    copied = _json.copy(closed(type(source), source.settled_()))
    try:
        made = by_itself(crossing.convert, copied, way)
        destination.adopt_(type(destination).open_wire(made))
    except ValueProblem as error:
        raise relocated(error, source, copied, way) from error.__cause__


def union_members(value: Any, way: Way) -> Members:
    """Return the members of a union."""
    return _noted("union", opened_union(value), value, way)


def tuple_members(value: Any, way: Way) -> Members:
    """Return the members of a tuple."""
    return _noted("tuple", opened_tuple(value), value, way)


def _noted(form: str, opened: object, value: Any, way: Way) -> Members:
    if type(opened) is not dict:
        raise WrongKind(form, opened)
    if opened is not value:
        way.copies[id(opened)] = opened, value
    return opened


def require_hook(crossing: Crossing, old: Members) -> None:
    """Refuse to convert an object of a skipped type as long as no hook does it."""
    crossing.require_hook(crossing.source_type.view_(old, SOURCE))
