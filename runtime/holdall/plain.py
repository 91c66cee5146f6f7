"""Converting documents on their JSON, where no object has to be made for it.

A second executor of what generated converters do, for routes on which values are copied, renamed,
stashed or left to two-way hooks. It makes the same documents, up to the order of members, in a
fraction of the time. Whatever it does not know how to do, and every error, it leaves to the first:
`PlainRoute.convert` then returns None, and the document is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from holdall.bag import RESERVED
from holdall.carriers import Load
from holdall.carriers.addresses import holders_of
from holdall.carriers.envelope import Bag
from holdall.edges import Crossing, Way
from holdall.objects import StorageObject
from holdall.pointer import join, split
from holdall.readable import Check, check_of, holds_objects, object_check
from holdall.shapes import ValueShape, shape_of
from holdall.types import JsonObject

Crossings: TypeAlias = Mapping[tuple[type[StorageObject], type[StorageObject]], Crossing]
"""One direction of every edge of a scheme, by its source and its destination."""


class State:
    """What one conversion knows beside the values.

    `kept` are the bags that came with the document, by the identity of their object. `lifted` are
    those that go with its result, each with the address of its object: segments, innermost first.
    `sealed` says that the result is only to be encoded.
    """

    __slots__ = ("kept", "lifted", "sealed")

    def __init__(self, kept: dict[int, Bag]) -> None:
        self.kept = kept
        self.sealed = False
        self.lifted: list[tuple[Bag, list[str]]] = []


_Convert: TypeAlias = Callable[[Any, State], Any]
_Step: TypeAlias = Callable[[Any, JsonObject, State, Bag], None]


class _Unknown(Exception):
    """This executor does not do that."""


class PlainRoute:
    """A whole route from one version of a kind to another."""

    __slots__ = ("_root", "_steps", "_ways")

    def __init__(
        self, root: type[StorageObject], steps: Sequence[tuple[_Convert, frozenset[str]]]
    ) -> None:
        self._root, self._steps = root, steps
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
                        raise _Unknown  # the step before left a bag that matters to this one
                state.sealed = sealed and number == len(self._steps)
                members = convert(members, state)
                if state.kept:
                    raise _Unknown  # a bag on an object that is not looked at
        except Exception:  # noqa: BLE001 - the twins do it again, and say where it fails
            return None
        return members, {"".join(names[::-1]): bag for bag, names in state.lifted}

    def _placed(self, members: JsonObject, load: Load) -> dict[int, Bag]:
        if load.dropped:
            raise _Unknown
        kept: dict[int, Bag] = {}
        for address, bag in load.bags.items():
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
    except _Unknown:
        return None
    return PlainRoute(twins[0], steps)


def _way_to(root: type[StorageObject], address: str) -> tuple[str, ...]:
    """Return the names of the members that lead to an object. Raises for other addresses."""
    names = tuple(split(address))
    cls: Any = root
    for name in names:
        shape = holders_of(cls)[name].value
        if shape.type is None:
            raise _Unknown
        cls = shape.type
    return names


class _Compiler:
    """Compiles what the converters of a route do with each member; once for every edge."""

    def __init__(self, crossings: Crossings) -> None:
        self._crossings = crossings
        self._made: dict[Crossing, _Convert | None] = {}

    def step(
        self, source: type[StorageObject], destination: type[StorageObject]
    ) -> tuple[_Convert, frozenset[str]]:
        """Return what converts documents, and the versions whose bags are kept from it.

        None are named where all bags are: where documents do not stay as they are.
        """
        convert = self.object(source, destination)
        if convert is not None:
            return convert, frozenset()
        crossing = self._crossings[source, destination]
        return _same_object(source), frozenset((crossing.source, crossing.destination))

    def object(
        self, source: type[StorageObject], destination: type[StorageObject]
    ) -> _Convert | None:
        """Return what converts objects; None if they stay as they are, once checked."""
        crossing = self._crossings.get((source, destination))
        if crossing is None or not crossing.plain or crossing.ways is None:
            raise _Unknown
        if source.open_wire is not StorageObject.open_wire:
            raise _Unknown
        if crossing not in self._made:

            def again(value: Any, state: State) -> Any:
                convert = self._made[crossing]
                return value if convert is None else convert(value, state)

            self._made[crossing] = again  # a type may hold itself
            self._made[crossing] = self._object(crossing, crossing.ways)
        return self._made[crossing]

    def _object(self, crossing: Crossing, ways: tuple[Way, ...]) -> _Convert | None:
        source, destination = shape_of(crossing.source_type), shape_of(crossing.destination_type)
        read = frozenset(name for way in ways for name in way.reads)
        written = frozenset(name for way in ways for name in way.writes)
        steps: dict[str, _Step | None] = dict.fromkeys(RESERVED, _refuse)
        alone = crossing.opposite.stashed - written
        changes = bool(ways or crossing.stashed or crossing.left or crossing.opposite.stashed)
        # Members that the source does not declare keep their name where that is free.
        for name in (destination.names | read | written) - source.names:
            steps[name] = None if name in read else _stash(crossing, name, None)
        for name, member in source.members.items():
            check = check_of(member.value)
            target = crossing.renamed.get(name, name)
            if name in crossing.stashed and name not in read:
                steps[name] = _stash(crossing, name, check)
            elif name in crossing.left or name in crossing.stashed or target in written:
                # What a hook reads it checks itself.
                steps[name] = None if check is None or name in read else _leave(check)
            else:
                partner = destination.members[target]
                convert = self._value(member.value, partner.value)
                changes = changes or convert is not None or target != name
                if convert is not None:
                    steps[name] = _converted(target, convert)
                elif check is not None:
                    steps[name] = _checked(target, check)
                elif target != name:
                    steps[name] = _renamed(target)
        pulled = {name: check_of(destination.members[name].value) for name in alone}
        return _walk(crossing, steps, ways, pulled) if changes else None

    def _value(self, here: ValueShape, there: ValueShape) -> _Convert | None:
        """Return what converts the values of partners; None if they stay as they are."""
        if here.container != there.container:
            raise _Unknown
        if not (holds_objects(here) or holds_objects(there)):
            return None
        if here.type is not None and there.type is not None:
            return self.object(here.type, there.type)  # type: ignore[arg-type]
        if here.item is None or there.item is None:
            raise _Unknown
        item = self._value(here.item, there.item)
        if item is None:
            return None
        return _over_list(item) if here.container == "list" else _over_map(item)


# --- what becomes of an object ------------------------------------------------------------------


def _walk(
    crossing: Crossing,
    steps: dict[str, _Step | None],
    ways: tuple[Way, ...],
    pulled: dict[str, Check | None],
) -> _Convert:
    left, entered = crossing.source, crossing.destination
    crosses = [(way.key, way.cross) for way in ways]
    hints = frozenset(way.key for way in ways)

    def convert(source: Any, state: State) -> Any:
        if source is None:
            return None
        if type(source) is not dict:
            raise _Unknown
        destination: JsonObject = {}
        bag: Bag = {}
        for name, value in source.items():
            if name not in steps:
                destination[name] = value
            elif (step := steps[name]) is not None:
                step(value, destination, state, bag)
        brought = state.kept.pop(id(source), None) if state.kept else None
        own = {} if brought is None else _pull(brought, destination, bag)
        residues: JsonObject = {}
        sealed = state.sealed
        for key, cross in crosses:
            residue = cross(source, destination, own.get(key), sealed)
            if residue is not None:
                residues[key] = residue
        if residues:
            bag[left] = {**bag[left], **residues} if left in bag else residues
        if bag:
            state.lifted.append((bag, []))
        return destination

    def _pull(brought: Bag, destination: JsonObject, bag: Bag) -> JsonObject:
        """Return the entries for this version; those of other versions stay in the bag."""
        entries = brought.get(entered, {})
        for key, value in entries.items():
            if key in hints:
                if value is None:
                    raise _Unknown
                continue
            check = pulled[key]
            if check is not None and not check(value):
                raise _Unknown
            destination[key] = value
        for origin, others in brought.items():
            if origin == left:
                raise _Unknown
            if origin != entered:
                bag[origin] = others
        return entries

    return convert


def _same_object(cls: type[StorageObject]) -> _Convert:
    check = object_check(cls)

    def convert(value: Any, state: State) -> Any:
        if not check(value):
            raise _Unknown
        return value

    return convert


def _over_list(item: _Convert) -> _Convert:
    def convert(value: Any, state: State) -> Any:
        if value is None:
            return None
        if type(value) is not list:
            raise _Unknown
        before = len(state.lifted)
        converted = [item(element, state) for element in value]
        if len(state.lifted) != before:
            raise _Unknown  # only the twins know how elements of a list are addressed
        return converted

    return convert


def _over_map(item: _Convert) -> _Convert:
    def convert(value: Any, state: State) -> Any:
        if value is None:
            return None
        if type(value) is not dict:
            raise _Unknown
        converted = {}
        for key, element in value.items():
            before = len(state.lifted)
            converted[key] = item(element, state)
            for _, names in state.lifted[before:]:
                names.append(join("", key))
        return converted

    return convert


# --- what becomes of a member -------------------------------------------------------------------


def _refuse(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
    raise _Unknown


def _leave(check: Check) -> _Step:
    """Return the step of a member that is left to the hook, or to nobody."""

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if not check(value):
            raise _Unknown

    return step


def _renamed(target: str) -> _Step:
    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        destination[target] = value

    return step


def _checked(target: str, check: Check) -> _Step:
    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if not check(value):
            raise _Unknown
        destination[target] = value

    return step


def _converted(target: str, convert: _Convert) -> _Step:
    segment = join("", target)

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        before = len(state.lifted)
        destination[target] = convert(value, state)
        if len(state.lifted) != before:
            for _, names in state.lifted[before:]:
                names.append(segment)

    return step


def _stash(crossing: Crossing, name: str, check: Check | None) -> _Step:
    """Return the step of a member that the other version has no place for."""
    origin: Final = crossing.source

    def step(value: Any, destination: JsonObject, state: State, bag: Bag) -> None:
        if check is not None and not check(value):
            raise _Unknown
        bag.setdefault(origin, {})[name] = value

    return step
