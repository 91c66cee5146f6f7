"""Hook points: where hooks attach to generated code, and running the bound hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdall.engine.always import Always, sides
from holdall.engine.edges import Crossing, Hook, HookNames
from holdall.engine.failures import hook_failure
from holdall.engine.hooks import EXTRA_PREFIX, BagView, Claims, Composed
from holdall.engine.member_ways import Way
from holdall.engine.running import Steps, bag_of, source_of
from holdall.engine.two_way import TwoWay
from holdall.errors import BagError
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER, PropertyBag
from holdall.objects.shapes import shape_of
from holdall.objects.stored_forms import unrecorded
from holdall.objects.views import DESTINATION, SOURCE, StorageObject
from holdall.text import json as _json
from holdall.types import Members

Act = Callable[[Any, Any, BagView], None]


class LinkEnd(NamedTuple):
    """A property with a skip link to a version `far`.

    Both ends of a link have the same `between`, its versions, and the same `link`.
    """

    name: str
    far: str
    between: str
    link: str


@dataclass(frozen=True, slots=True)
class HookPoint:
    """One protocol `Assignable<Type>`: the edge of two storage twins that a hook may complete.

    `module` is the dotted module of the protocol and of the older twin, `newer_module` that of
    the newer one. Members are wire names. `must_claim` are the properties, older then newer,
    that no generated code handles (strategy hook). `partners` are the members, older and newer,
    between which generated code passes values on: as they are, converted, or moved out of an
    object in one or into one. `links` are the ends of skip links, older then newer, that lead over
    this edge. One that `is_of_link` converts values of a skip link, alone or beside objects.
    """

    protocol: str
    module: str
    older_version: str
    older_type: str
    newer_version: str
    newer_module: str
    newer_type: str
    older_members: frozenset[str]
    newer_members: frozenset[str]
    must_claim_older: frozenset[str] = frozenset()
    must_claim_newer: frozenset[str] = frozenset()
    partners: frozenset[tuple[str, str]] = frozenset()
    links: tuple[frozenset[LinkEnd], frozenset[LinkEnd]] = (frozenset(), frozenset())
    is_of_link: bool = False

    @property
    def title(self) -> str:
        """The name of the point in messages."""
        return f"{self.protocol} ({self.older_version} -> {self.newer_version})"


def declared_claims(hook: object, direction: str) -> Iterator[tuple[Any, Claims]]:
    """Yield every part of a hook with its claims for `to` or `from`, in running order."""
    name = f"assign_properties_{direction}"
    if isinstance(hook, Composed):
        for part in hook.parts:
            yield getattr(part, name), getattr(part, f"claims_{direction}")()
    else:
        method = getattr(hook, name)
        yield method, getattr(method, "__holdall_claims__", Claims())


def bind(crossing: Crossing, hook: object, direction: str, *, strict: bool) -> None:
    """Attach a hook to one direction of an edge; with `strict`, its changes are checked."""
    declared = tuple(declared_claims(hook, direction))
    fills = [part for act, _ in declared if (part := _always(act)) is not None]
    crossing.always = sides(fills, direction)
    own = [(act, allowed) for act, allowed in declared if _always(act) is None]
    ways = [_two_way(act, direction) for act, _ in own]
    # The results of a two-way hook's functions are checked where they are called.
    parts = tuple(
        (act, allowed, way is None) for (act, allowed), way in zip(own, ways, strict=True)
    )
    if strict:
        parts = tuple(
            (_watched(act, allowed, crossing, settles), allowed, False)
            for act, allowed, settles in parts
        )
    made = frozenset(name for _, allowed in own for name in allowed.writes)
    crossing.hook_names = HookNames(
        keys=frozenset(key for _, allowed in declared for key in allowed.keys_read),
        extras=frozenset(
            name for _, allowed in declared for name in allowed.extras_read ^ allowed.extras_written
        ),
        reads=frozenset(
            name
            for _, allowed in declared
            for name in allowed.properties(allowed.reads) | allowed.extras_read
        ),
        writes=frozenset(
            name
            for _, allowed in declared
            for name in allowed.properties(allowed.writes) | allowed.extras_written
        ),
        fills=frozenset(path[0] for path, _ in crossing.always[1]) - made,
    )
    types = crossing.source_type, crossing.destination_type
    steps = [None if way is None else way.way(direction, *types) for way in ways]
    two_way = tuple(step for step in steps if step is not None)
    crossing.two_way, crossing.steps = two_way, None
    if not own:
        crossing.steps = _nothing
    elif not strict and None not in steps:
        crossing.steps = Steps(crossing, two_way)
    crossing.bound = crossing.steps or _runner(crossing, type(hook), parts)
    crossing.hook_class = type(hook).__name__


def _nothing(_old: Members, _new: Members, _way: Way) -> None:
    """Run a hook that only fills in members that are always there, which converters do."""


def _always(act: Any) -> Always | None:
    """Return a part of a hook as `Always`, if it is one."""
    part = getattr(act, "__self__", None)
    return part if isinstance(part, Always) else None


def _two_way(act: Any, direction: str) -> TwoWay | None:
    """Return a part as a two-way hook, if its method is the engine's."""
    part, name = getattr(act, "__self__", None), f"assign_properties_{direction}"
    own = getattr(type(part), name, None) is getattr(TwoWay, name)
    return part if own and isinstance(part, TwoWay) else None


def _watched(act: Act, allowed: Claims, crossing: Crossing, settles: bool) -> Act:
    """Return a hook method that fails if it changes its source, or what it does not claim."""
    claimed = allowed.properties(allowed.writes) | {
        name.removeprefix(EXTRA_PREFIX) for name in allowed.writes
    }

    def unclaimed(twin: StorageObject) -> Any:
        bag = PropertyBag.clone(twin.property_bag)
        bag.drop_all(crossing.source, allowed.keys_written)
        bag.drop_all(crossing.destination, allowed.keys_read)
        return {**bag}

    def watch(source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        given, before = source.write_members(), destination.write_members()
        kept = unclaimed(destination)
        act(source, destination, bag)
        if settles:
            destination.settle_()
        if not _json.same(source.write_members(), given):
            raise BagError("the hook changed its source; write to the destination only")
        after = destination.write_members()
        for name in sorted({*before, *after} - claimed - {BAG_MEMBER}):
            if not _json.same([before.get(name), name in before], [after.get(name), name in after]):
                raise BagError(f"the hook changed {name!r} without a claim; add it to writes")
        if not _json.same(unclaimed(destination), kept):
            raise BagError("the hook changed the property bag itself; use its view, `bag`")

    return watch


def _runner(crossing: Crossing, cls: type, parts: Sequence[tuple[Act, Claims, bool]]) -> Hook:
    """Return a function that runs the parts of a hook, and settles the view where they say so."""
    left, entered = crossing.source, crossing.destination
    steps = [
        (
            act,
            allowed,
            settles,
            (allowed.properties(allowed.reads) | allowed.extras_read) - allowed.keys_written,
            allowed.properties(allowed.writes) | allowed.keys_read,
        )
        for act, allowed, settles in parts
    ]

    source_type: Any = crossing.source_type
    destination_type: Any = crossing.destination_type
    may_leak = _records_version(source_type) and not _records_version(destination_type)

    def run(old: Members, new: Members, _way: Way) -> None:
        source = source_type.view_(old, SOURCE)
        destination = destination_type.view_(new, DESTINATION)
        bag = bag_of(new) if BAG_MEMBER in new else None
        for act, allowed, settles, read, written in steps:
            if bag is not None and left in bag:
                # What an earlier way back kept and did not use is not a hint for this one.
                bag.drop_all(left, allowed.keys_written)
            view = BagView(destination, left, entered, allowed, bag)
            try:
                act(source, destination, view)
                if settles and destination.is_touched_():
                    destination.settle_()
                if new.get(BAG_MEMBER) is not bag:
                    kept, bag = bag, destination.property_bag if BAG_MEMBER in new else None
                    if kept is not None or type(bag) is not PropertyBag:
                        raise BagError("the hook replaced the property bag; use its view, `bag`")
            except (Exception, SystemExit) as error:
                failure = hook_failure(error, cls.__name__, source_of(crossing, old))
                raise failure from error
            if bag is not None:  # claimed entries leave it
                if left in bag:
                    bag.drop_all(left, read)
                if entered in bag:
                    bag.drop_all(entered, written)
        if bag is not None and not bag:
            destination.property_bag = None
        if destination.is_touched_():
            destination.settle_()
        if may_leak:
            _hide_version(old.get("spec"), new)

    return run


def _records_version(cls: type[StorageObject]) -> bool:
    """Return whether the spec of a type records the version in which it was written."""
    spec = shape_of(cls).members.get("spec")
    return spec is not None and getattr(spec.value.type, "RECORDS_VERSION", False)


def _hide_version(spec: Any, new: Members) -> None:
    """Remove the recorded version from a spec without a place for it, where `to_dict` wrote it."""
    made, name = new.get("spec"), ORIGINAL_VERSION_MEMBER
    if type(made) is dict and name in made and type(spec) is dict and spec.get(name) == made[name]:
        new["spec"] = unrecorded(made)
