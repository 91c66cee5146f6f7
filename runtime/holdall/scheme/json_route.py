"""Converting documents on their JSON, where no object has to be made for it.

A second executor of what generated converters do, for routes on which values are copied, renamed,
stashed or left to hooks. It makes the same documents, up to the order of members, in a fraction of
the time. Whatever it does not know how to do, and every error, it leaves to the first:
`PlainRoute.convert` then returns None, and the document is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from holdall.carriers import Load
from holdall.carriers.addresses import holders_of
from holdall.carriers.envelope import Bag
from holdall.engine.distant import is_any_in
from holdall.engine.edges import Crossing, HookNames
from holdall.engine.lazy_twins import lazy_twins
from holdall.objects.bag import MARKS, UNUSED_KEY, PropertyBag, wrong_mark
from holdall.objects.base import StorageObject
from holdall.objects.readable import Check, check_of, without_reserved
from holdall.objects.shapes import ValueShape, holds_objects, shape_of
from holdall.scheme.json_steps import (
    Convert,
    State,
    Step,
    UnknownStep,
    check_only,
    convert_member,
    over_list,
    over_map,
    rename,
    same_object,
    stash,
)
from holdall.text import json as _json
from holdall.text.pointer import split
from holdall.types import JsonObject, JsonValue

Crossings: TypeAlias = Mapping[tuple[type[StorageObject], type[StorageObject]], Crossing]
"""One direction of every edge of a scheme, by its source and its destination."""


class PlainRoute:
    """A whole route from one version of a kind to another."""

    __slots__ = ("_may_seal", "_root", "_steps", "_ways")

    def __init__(
        self,
        root: type[StorageObject],
        steps: Sequence[tuple[Convert, frozenset[str]]],
        *,
        may_seal: bool,
    ) -> None:
        self._root, self._steps = root, steps
        self._may_seal = may_seal
        self._ways: dict[str, tuple[str, ...]] = {}

    def convert(
        self, members: JsonObject, load: Load | None, *, sealed: bool = False
    ) -> tuple[JsonObject, dict[str, Bag]] | None:
        """Return the members of the converted root, and its bags by address.

        `load` is what the document carried. None if the twins have to do it; nothing is changed
        then. Values are shared with `members`. With `sealed` the result is only to be encoded.
        """
        try:
            state = State({} if load is None else self._placed(members, load))
            for number, (convert, touched) in enumerate(self._steps, 1):
                for bag, _ in state.lifted:
                    if not touched.isdisjoint(bag) or not touched:
                        raise UnknownStep  # the step before left a bag that matters to this one
                state.sealed = sealed and self._may_seal and number == len(self._steps)
                members = convert(members, state)
                if state.kept:
                    raise UnknownStep  # a bag on an object that is not looked at
        except (Exception, SystemExit):  # noqa: BLE001 - the twins do it again, and say where it fails
            return None
        bags = state.lifted
        return members, {"".join(names[::-1]): bag for bag, names in bags} if bags else {}

    def _placed(self, members: JsonObject, load: Load) -> dict[int, Bag]:
        if load.dropped or load.earlier:
            raise UnknownStep
        kept: dict[int, Bag] = {}
        for address, bag in load.cargo.bags.items():
            if any(map(_has_damage, bag.values())):
                raise UnknownStep
            way = self._ways.get(address)
            if way is None:
                way = self._ways[address] = _way_to(self._root, address)
            place: Any = members
            for name in way:
                place = place[name]
            kept[id(place)] = bag
        return kept


def plain_route(crossings: Crossings, twins: Sequence[type[StorageObject]]) -> PlainRoute | None:
    """Return the executor of a route that leads over `twins`; None if it needs objects."""
    compiler = _Compiler(crossings)
    try:
        steps = [compiler.step(*ends) for ends in pairwise(twins)]
    except UnknownStep:
        return None
    return PlainRoute(twins[0], steps, may_seal=not compiler.runs_hooks)


def _has_damage(entries: dict[str, JsonValue]) -> bool:
    """Tell whether entries hold what cannot be used, or could not be used elsewhere."""
    marks = MARKS.intersection(entries)
    return UNUSED_KEY in marks or any(wrong_mark(key, entries[key]) for key in marks)


def _way_to(root: type[StorageObject], address: str) -> tuple[str, ...]:
    """Return the names of the members that lead to an object. Raises for other addresses."""
    names = tuple(split(address))
    cls: Any = root
    for name in names:
        shape = holders_of(cls)[name].value
        if shape.type is None:
            raise UnknownStep
        cls = shape.type
    return names


class _Compiler:
    """Compiles what the converters of a route do with each member; once for every edge.

    `runs_hooks` says that hooks on twins are among it: they cannot look into sealed values.
    """

    def __init__(self, crossings: Crossings) -> None:
        self.runs_hooks = False
        self._crossings = crossings
        self._made: dict[Crossing, Convert | None] = {}

    def step(
        self, source: type[StorageObject], destination: type[StorageObject]
    ) -> tuple[Convert, frozenset[str]]:
        """Return what converts documents, and the versions whose bags are kept from it.

        None are named where all bags are: where documents do not stay as they are.
        """
        convert = self.object(source, destination)
        if convert is not None:
            return convert, frozenset()
        crossing = self._crossings[source, destination]
        return same_object(source), frozenset((crossing.source, crossing.destination))

    def object(
        self, source: type[StorageObject], destination: type[StorageObject]
    ) -> Convert | None:
        """Return what converts objects; None if they stay as they are, once checked."""
        crossing = self._crossings.get((source, destination))
        if crossing is None or not crossing.plain or crossing.watched:
            raise UnknownStep
        if source.open_wire is not StorageObject.open_wire:
            raise UnknownStep
        if crossing not in self._made:

            def again(value: Any, state: State) -> Any:
                convert = self._made[crossing]
                return value if convert is None else convert(value, state)

            self._made[crossing] = again  # a type may hold itself
            self._made[crossing] = self._object(crossing)
        return self._made[crossing]

    def _object(self, crossing: Crossing) -> Convert | None:
        source, destination = shape_of(crossing.source_type), shape_of(crossing.destination_type)
        names = crossing.hook_names or HookNames()
        on_twins = crossing.ways is None
        self.runs_hooks = self.runs_hooks or on_twins
        read = names.reads
        # A hook on twins finds the destination finished, and changes it.
        written = frozenset() if on_twins else names.writes
        apart = names.extras if on_twins else read | written
        staying: list[tuple[str, Check]] = []
        leaving: dict[str, Step | None] = {}
        alone = crossing.opposite.stashed - written
        changes = bool(
            crossing.bound or crossing.stashed or crossing.left or crossing.opposite.stashed
        )
        # Members that the source does not declare keep their name where that is free.
        for name in (destination.names | apart) - source.names:
            leaving[name] = None if name in read else stash(crossing, name, None)
        for name, member in source.members.items():
            check = check_of(member.value)
            target = crossing.renamed.get(name, name)
            if name in crossing.stashed and name not in read:
                leaving[name] = stash(crossing, name, check)
            elif name in crossing.left or name in crossing.stashed or target in written:
                # What a two-way hook reads it checks itself.
                unchecked = check is None or (name in read and not on_twins)
                leaving[name] = None if check is None or unchecked else check_only(check)
            else:
                partner = destination.members[target]
                convert = self._value(member.value, partner.value)
                changes = changes or convert is not None or target != name
                if convert is not None:
                    leaving[name] = convert_member(target, convert)
                elif target != name:
                    leaving[name] = rename(target, check)
                elif check is not None:
                    staying.append((name, check))
        pulled = {name: check_of(destination.members[name].value) for name in alone}
        return _walk(crossing, staying, leaving, pulled) if changes else None

    def _value(self, here: ValueShape, there: ValueShape) -> Convert | None:
        """Return what converts the values of partners; None if they stay as they are."""
        if here.container != there.container:
            raise UnknownStep
        if not (holds_objects(here) or holds_objects(there)):
            return None
        if here.type is not None and there.type is not None:
            return self.object(here.type, there.type)  # type: ignore[arg-type]
        if here.item is None or there.item is None:
            raise UnknownStep
        item = self._value(here.item, there.item)
        if item is None:
            return None
        return over_list(item) if here.container == "list" else over_map(item)


# --- what becomes of an object ------------------------------------------------------------------


def _walk(
    crossing: Crossing,
    staying: Sequence[tuple[str, Check]],
    leaving: Mapping[str, Step | None],
    pulled: Mapping[str, Check | None],
) -> Convert:
    """Return what converts an object: `staying` members keep their name, `leaving` ones do not.

    What is in neither stays as it is. `pulled` are the properties that come out of the bag.
    """
    left, entered = crossing.source, crossing.destination
    ways = crossing.ways or ()
    crosses = [(way.key, way.cross) for way in ways]
    hints = frozenset(way.key for way in ways)
    judge = crossing.judge
    run = _on_twins(crossing) if crossing.ways is None else None
    keys = crossing.hook_names.keys if run is not None and crossing.hook_names else frozenset()

    def convert(source: Any, state: State) -> Any:
        if source is None:
            return None
        if type(source) is not dict:
            raise UnknownStep
        if not without_reserved(source):
            raise UnknownStep
        destination: JsonObject = {}
        bag: Bag = {}
        before = len(state.lifted)
        brought = state.kept.pop(id(source), None) if state.kept else None
        if run is not None and state.kept:
            raise UnknownStep  # the hook would see the bags of the objects within
        for name, check in staying:
            value = source.get(name)
            if value is not None and not check(value):
                raise UnknownStep
        for name, value in source.items():
            if name not in leaving:
                destination[name] = value
            elif (step := leaving[name]) is not None:
                step(value, destination, state, bag)
        if judge is not None and brought is not None and is_any_in(judge.keys, brought):
            raise UnknownStep
        own = {} if brought is None else _pull(brought, destination, bag)
        if run is not None:
            if len(state.lifted) != before:
                raise UnknownStep
            bag = run(source, destination, brought, bag)
        elif crosses:
            residues: JsonObject = {}
            sealed = state.sealed
            for key, cross in crosses:
                residue = cross(source, destination, own.get(key), sealed)
                if residue is not None:
                    residues[key] = residue
            if residues:
                bag[left] = {**bag[left], **residues} if left in bag else residues
        if judge is not None and brought is not None:
            for kept in judge.residues:
                if kept.there.key in bag.get(kept.origin, ()):
                    members = source if kept.of_source else destination
                    kept.settle(_json.unseal(kept.there.members_of(members)), bag)
        if bag:
            state.lifted.append((bag, []))
        return destination

    def _pull(brought: Bag, destination: JsonObject, bag: Bag) -> JsonObject:
        """Return the entries for this version; those of other versions stay in the bag."""
        entries = brought.get(entered, {})
        for key, value in entries.items():
            if key in hints:
                if value is None:
                    raise UnknownStep
                continue
            if key in keys:
                bag.setdefault(entered, {})[key] = value
                continue
            check = pulled[key]
            if check is not None and not check(value):
                raise UnknownStep
            destination[key] = value
        for origin, others in brought.items():
            if origin == left:
                raise UnknownStep
            if origin != entered:
                bag[origin] = others
        return entries

    return convert


def _on_twins(crossing: Crossing) -> Callable[[JsonObject, JsonObject, Bag | None, Bag], Bag]:
    """Return what runs a hook that works on twins: on lazy ones, and returns the bag it leaves."""
    sources, destinations = (
        lazy_twins(crossing.source_type),
        lazy_twins(crossing.destination_type),
    )
    hook = crossing.bound
    if hook is None:
        raise UnknownStep

    def run(source: JsonObject, destination: JsonObject, brought: Bag | None, bag: Bag) -> Bag:
        twin = destinations.open(destination, PropertyBag.clone(bag) if bag else None)
        hook(sources.open(source, PropertyBag.clone(brought) if brought else None), twin)
        destinations.settle(twin)
        return twin.property_bag or {}

    return run
