"""Where hooks attach: the points that generated code offers, and running what is bound to one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from holdall import json as _json
from holdall.bag import BAG_MEMBER, PropertyBag
from holdall.edges import Crossing, Hook, HookNames, Way
from holdall.errors import BagError, HoldallError, HookFailure
from holdall.hooks import EXTRA_PREFIX, BagView, Claims, Composed
from holdall.objects import StorageObject
from holdall.two_way import TwoWay


@dataclass(frozen=True, slots=True)
class HookPoint:
    """One protocol `Assignable<Type>`: the edge of two storage twins that a hook may complete.

    `module` is the dotted module of the protocol and of the older twin, `newer_module` that of
    the newer one. Members are wire names. `must_claim` are the properties, older then newer,
    that no generated code handles (strategy hook).
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

    @property
    def title(self) -> str:
        """The point as messages name it."""
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
    """Attach a hook to one direction of an edge; `strict` watches what it changes."""
    parts = tuple(declared_claims(hook, direction))
    if strict:
        parts = tuple((_watched(act, allowed), allowed) for act, allowed in parts)
    crossing.hook_names = HookNames(
        keys=frozenset(key for _, allowed in parts for key in allowed.keys_read),
        extras=frozenset(
            name for _, allowed in parts for name in allowed.extras_read ^ allowed.extras_written
        ),
        reads=frozenset(
            name
            for _, allowed in parts
            for name in allowed.properties(allowed.reads) | allowed.extras_read
        ),
        writes=frozenset(
            name
            for _, allowed in parts
            for name in allowed.properties(allowed.writes) | allowed.extras_written
        ),
    )
    crossing.hook = _runner(crossing, type(hook), parts)
    crossing.ways = None if strict else _ways(crossing, direction, parts)
    crossing.watched = strict


def _ways(
    crossing: Crossing, direction: str, parts: tuple[tuple[Callable[..., None], Claims], ...]
) -> tuple[Way, ...] | None:
    """Return the parts of a hook as steps on JSON members; None if one needs objects."""
    ways = []
    for act, _ in parts:
        part = getattr(act, "__self__", None)
        own = getattr(type(part), f"assign_properties_{direction}", None)
        if not isinstance(part, TwoWay) or own is not getattr(
            TwoWay, f"assign_properties_{direction}"
        ):
            return None
        ways.append(part.way(direction, crossing.source_type, crossing.destination_type))
    return tuple(ways)


def _watched(act: Callable[..., None], allowed: Claims) -> Callable[..., None]:
    """Return a hook method that fails if it changes what it does not claim, or its source."""
    claimed = allowed.properties(allowed.writes) | {
        name.removeprefix(EXTRA_PREFIX) for name in allowed.writes
    }

    def watch(source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        given, before = _written(source), _written(destination)
        act(source, destination, bag)
        if not _json.same(_written(source), given):
            raise BagError("the hook changed its source; write to the destination only")
        after = _written(destination)
        for name in sorted({*before, *after} - claimed - {BAG_MEMBER}):
            if not _json.same([before.get(name), name in before], [after.get(name), name in after]):
                raise BagError(f"the hook changed {name!r} without a claim; add it to writes")

    return watch


def _written(twin: StorageObject) -> dict[str, Any]:
    return _json.copy(twin.write_members())


def _runner(
    crossing: Crossing, cls: type, parts: tuple[tuple[Callable[..., None], Claims], ...]
) -> Hook:
    left, entered = crossing.source, crossing.destination
    steps = [(act, allowed, _Pruning(crossing, allowed)) for act, allowed in parts]

    def run(source: StorageObject, destination: StorageObject) -> None:
        for act, allowed, pruning in steps:
            if destination.property_bag is not None:
                # What an earlier way back kept and did not use is not a hint for this one.
                destination.property_bag.drop_all(left, allowed.keys_written)
            try:
                act(source, destination, BagView(destination, left, entered, allowed))
            except HoldallError as error:
                raise HookFailure(f"{cls.__name__}: {error}", source, cls.__name__) from error
            except Exception as error:
                text = f"{cls.__name__} raised {type(error).__name__}: {error}"
                raise HookFailure(text, source, cls.__name__) from error
            if destination.property_bag is not None:
                pruning.apply(destination.property_bag)
        if destination.property_bag is not None and not destination.property_bag:
            destination.property_bag = None

    return run


class _Pruning:
    """Removes from a bag what a hook's claims cover."""

    __slots__ = ("entered", "left", "read", "written")

    def __init__(self, crossing: Crossing, allowed: Claims) -> None:
        self.left, self.entered = crossing.source, crossing.destination
        self.read = (allowed.properties(allowed.reads) | allowed.extras_read) - allowed.keys_written
        self.written = allowed.properties(allowed.writes) | allowed.keys_read

    def apply(self, bag: PropertyBag) -> None:
        if self.left in bag:
            bag.drop_all(self.left, self.read)
        if self.entered in bag:
            bag.drop_all(self.entered, self.written)
