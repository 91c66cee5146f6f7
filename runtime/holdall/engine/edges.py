"""What every converter of a type edge does beside assigning properties: nulls, extras, the bag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from holdall.engine.conversions import Conversion
from holdall.engine.hops import Hop, Path
from holdall.engine.open_bag import OpenBag
from holdall.engine.ways import EntryJudge, Way
from holdall.errors import NoConverter
from holdall.objects.bag import (
    BAG_MEMBER,
    RESERVED,
    PropertyBag,
    WaitingBag,
    is_mark,
    key_of,
    name_of,
)
from holdall.objects.base import StorageObject
from holdall.objects.shapes import holds_objects, members_of, shape_of
from holdall.plan.misfits import has_types
from holdall.text import json as _json

Hook = Callable[[Any, Any], None]
Converter = Callable[[Any, Any], Any]
"""Returns members of the other version; the second argument is a `member_ways.Way`."""
TwinTypes = tuple[type[StorageObject], type[StorageObject]]


def _no_hooks() -> None:
    """Stand in for the loading of hooks where there is no scheme."""


@dataclass(frozen=True, slots=True)
class HookNames:
    """The names of one direction that belong to its hook: bag keys it reads, extras it claims.

    An extra that the hook only reads or only writes is not carried over: it waits in the bag, as
    a property without partner does. One that it reads and writes is carried, for it to change.
    `reads` are the members of the source that it claims, `writes` those of the destination.
    """

    keys: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()


class Crossing:
    """One direction of a type edge; `opposite` is the other.

    `stashed` are the properties without a partner, `left` those that moves or a hook take care
    of; the others have the partner `renamed` names, or one of their own name. `hops` are the pairs
    whose conversion may lose something, moves included, by their paths in the source.
    `hook` is what converters run at their end, None for nothing: the `bound` hook, or that and the
    `judge` of what waits for versions farther away; until the hooks are loaded it loads them.
    `ways` are the steps of a hook that needs no objects, None if it needs them, and `two_way` those
    of its parts that keep residue; `watched` says that what it changes is checked.
    A `plain` crossing copies the values of partners, or converts the objects in them by their own
    edges, and does nothing else. `piecewise` are the properties whose plain values convert element
    by element, each with its conversion and whether the source is its older side.
    """

    __slots__ = (
        "_bound",
        "_judge",
        "aliens",
        "alike",
        "apart",
        "awaited",
        "convert",
        "destination",
        "destination_type",
        "hook",
        "hook_class",
        "hook_names",
        "hops",
        "is_declared",
        "left",
        "load_hooks",
        "looks_into_objects",
        "opposite",
        "piecewise",
        "plain",
        "renamed",
        "same",
        "source",
        "source_type",
        "stashed",
        "two_way",
        "watched",
        "ways",
    )

    def __init__(
        self,
        source: tuple[str, type[StorageObject]],
        destination: tuple[str, type[StorageObject]],
        renamed: Mapping[str, str],
        stashed: frozenset[str],
        left: frozenset[str],
        *,
        plain: bool = False,
        convert: Converter | None = None,
        alike: bool = False,
        apart: frozenset[str] = frozenset(),
    ) -> None:
        self.source, self.source_type = source
        self.destination, self.destination_type = destination
        self.renamed = renamed
        self.stashed = stashed
        self.left = left
        self.plain = plain
        self.hook: Hook | None = None
        self._bound: Hook | None = None
        self._judge: EntryJudge | None = None
        self.hops: dict[Path, tuple[Hop, Path]] = {}
        self.ways: tuple[Way, ...] | None = ()
        self.two_way: tuple[Way, ...] = ()
        self.watched = False
        self.hook_names: HookNames | None = None
        self.opposite = self
        self.piecewise: dict[str, tuple[Conversion, bool]] = {}
        self.load_hooks: Callable[[], None] = _no_hooks
        self.hook_class = ""
        self.alike = alike
        self.apart = apart
        self.same = False
        self.is_declared = False
        self.looks_into_objects = False
        self.awaited: frozenset[str] = frozenset()
        self.aliens: tuple[str, ...] = ()
        if convert is not None:
            self.convert = convert

    def prepare(self, same: bool) -> None:
        """Work out what converting members needs; call it once the hook is bound.

        `same` says that the objects stay as they are, with all that is in them.
        """
        names = self.destination_members | self._of_hook().extras
        self.aliens = tuple(sorted(names - self.source_members))
        self.awaited = frozenset((BAG_MEMBER, *self.aliens))
        self.is_declared = has_types(self.source_type, self.source)
        self.same = same
        members = shape_of(self.destination_type).members
        self.looks_into_objects = any(
            holds_objects(members[name].value) for name in self.opposite.apart
        )

    @property
    def bound(self) -> Hook | None:
        """The hook that is bound to this direction, None if there is none."""
        return self._bound

    @bound.setter
    def bound(self, hook: Hook | None) -> None:
        self._bound = hook
        self._finish()

    @property
    def judge(self) -> EntryJudge | None:
        """What judges entries of versions farther away, None if there can be none."""
        return self._judge

    @judge.setter
    def judge(self, judge: EntryJudge | None) -> None:
        self._judge = judge
        self._finish()

    def _finish(self) -> None:
        bound, judge = self._bound, self._judge
        if bound is None or judge is None:
            self.hook = bound if judge is None else judge
            return

        def run(source: StorageObject, destination: StorageObject) -> None:
            bound(source, destination)
            judge(source, destination)

        self.hook = run

    @property
    def source_members(self) -> frozenset[str]:
        """The wire names that the source's type declares."""
        return members_of(self.source_type)

    @property
    def destination_members(self) -> frozenset[str]:
        """The wire names that the destination's type declares."""
        return members_of(self.destination_type)

    def require_hook(self, source: StorageObject) -> None:
        """Refuse to convert an object of a skipped type as long as no hook does it."""
        if self.hook_names is None:
            self.load_hooks()
        if self.hook is None:
            raise NoConverter(
                f"nothing is generated between {self.source} and {self.destination} of"
                f" {self.source_type.__name__}, and no hook converts it",
                source,
            )

    def partner(self, name: str) -> str | None:
        """Return what a property of the source is called at the destination, None if nowhere."""
        if name in self.stashed or name in self.left:
            return None
        partner = self.renamed.get(name, name)
        return partner if partner in self.destination_members else None

    def open(self, source: StorageObject, destination: StorageObject) -> OpenBag:
        """Return a clone of the source's bag without entries that the live source supersedes."""
        stored = source.property_bag
        bag = OpenBag() if stored is None else OpenBag(_json.copy(stored))
        bag.source, bag.destination, bag.crossing = source, destination, self
        destination.extra_ = {}
        if bag:
            bag.drop_all(self.source, self.source_members)
        return bag

    def close(self, bag: OpenBag) -> PropertyBag | None:
        """Carry nulls and extras over, settle the bag, and return it; none if it is empty.

        All properties must be assigned and stashed before.
        """
        if bag.source.extra_:
            self.carry_extras(bag)
        return self.settled(bag)

    def settled(self, bag: OpenBag) -> PropertyBag | None:
        """Give extras back and drop what the destination has now; the rest of the bag stays."""
        if not bag:
            return None
        if self.source in bag:
            bag.mark_misfits()
        if self.destination in bag:
            self._return_extras(bag)
            foreign = self.destination_members - self._of_hook().keys
            waiting = bag.source.property_bag
            if type(waiting) is WaitingBag:
                waiting.untaken |= foreign.intersection(bag.get(self.destination, ()))
            bag.drop_all(self.destination, foreign)
        return PropertyBag(bag) if bag else None

    def carry(self, source: StorageObject, destination: StorageObject) -> None:
        """Carry extras and bag over for a type whose properties all have partners."""
        destination.property_bag = self.close(self.open(source, destination))

    def carry_extras(self, bag: OpenBag) -> None:
        """Carry nulls and unknown members over; a second time changes nothing."""
        source, destination = bag.source, bag.destination
        extras = destination.extra_
        for name, value in source.extra_.items():
            if name in self.source_members:
                if getattr(source, shape_of(type(source)).attributes[name]) is not None:
                    continue  # set after reading: the value wins over the null that was read
                if name in self.stashed:
                    bag.put(self.source, name, None)
                elif name not in self.left:
                    extras.setdefault(self.renamed.get(name, name), None)
            elif name in self.destination_members or name in self._of_hook().extras:
                bag.drop(self.source, key_of(name))
                bag.put(self.source, key_of(name), _json.copy(value))
            else:
                extras[name] = _json.copy(value)

    def _of_hook(self) -> HookNames:
        """Return the names that belong to the hook; they are known once the hooks are loaded."""
        if self.hook_names is None:
            self.load_hooks()
        return self.hook_names or HookNames()

    def _return_extras(self, bag: OpenBag) -> None:
        # Only what this edge would have stashed comes back: other entries are foreign.
        stashed = self.source_members | self.opposite._of_hook().extras
        stashed -= self.destination_members | self._of_hook().keys | RESERVED
        for key in list(bag.get(self.destination, ())):
            name = name_of(key)
            if name in stashed and not is_mark(key) and not bag.is_gone(self.destination, key):
                value = bag.take(self.destination, key)
                bag.destination.extra_.setdefault(name, value)


class TypeEdge:
    """Both directions between a storage twin and its newer peer."""

    __slots__ = ("back", "to")

    def __init__(
        self,
        older: tuple[str, type[StorageObject]],
        newer: tuple[str, type[StorageObject]],
        *,
        renamed: Mapping[str, str],
        only_older: Iterable[str],
        only_newer: Iterable[str],
        left_older: Iterable[str],
        left_newer: Iterable[str],
        plain: bool = False,
        convert: tuple[Converter | None, Converter | None] = (None, None),
        alike: bool = False,
        apart_older: Iterable[str] = (),
        apart_newer: Iterable[str] = (),
    ) -> None:
        back = {partner: name for name, partner in renamed.items()}
        alone, left = frozenset(only_older), frozenset(left_older)
        ways: list[Any] = [
            {"plain": plain, "alike": alike, "convert": made, "apart": frozenset(apart)}
            for made, apart in zip(convert, (apart_older, apart_newer), strict=True)
        ]
        self.to = Crossing(older, newer, renamed, alone, left, **ways[0])
        alone, left = frozenset(only_newer), frozenset(left_newer)
        self.back = Crossing(newer, older, back, alone, left, **ways[1])
        self.to.opposite, self.back.opposite = self.back, self.to


@dataclass(frozen=True, slots=True)
class EdgeEntry:
    """An edge as its generated module registered it, with the protocol of its hook."""

    protocol: type
    older: tuple[str, type[StorageObject]]
    newer: tuple[str, type[StorageObject]]
    edge: TypeEdge
    must_claim_older: tuple[str, ...]
    must_claim_newer: tuple[str, ...]


def crossings_of(entries: Iterable[EdgeEntry]) -> dict[TwinTypes, Crossing]:
    """Return both directions of edges by the types at their ends: source, destination."""
    ways = [way for entry in entries for way in (entry.edge.to, entry.edge.back)]
    return {(way.source_type, way.destination_type): way for way in ways}
