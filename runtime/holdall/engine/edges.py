"""The edges between storage twins: facts for converters, and how bags are settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypedDict, Unpack

from holdall.engine.conversions import Conversion
from holdall.engine.hops import Hop, Path
from holdall.engine.open_bag import mark_misfits
from holdall.errors import DecodeError, NoConverter
from holdall.objects.bag import (
    BAG_MEMBER,
    ORIGINAL_VERSION_MEMBER,
    RESERVED,
    PropertyBag,
    WaitingBag,
    key_of,
)
from holdall.objects.container_kinds import read_entry
from holdall.objects.shapes import holders_of, members_of, shape_of
from holdall.objects.view_type import ALONE, EVERYWHERE
from holdall.objects.views import StorageObject
from holdall.plan.misfits import has_types

if TYPE_CHECKING:
    from holdall.engine.two_way_steps import TwoWayStep

Hook = Callable[[Any, Any, Any], None]
"""Completes the converted members of an object; the last argument is a `member_ways.Way`."""
Converter = Callable[[Any, Any], Any]
"""Returns members of the other version; the second argument is a `member_ways.Way`."""
TwinTypes = tuple[type[StorageObject], type[StorageObject]]


class EntryJudge(Protocol):
    """Judges the entries beyond one direction of an edge: see `distant`."""

    def concerns(self, members: dict[str, Any]) -> bool: ...

    def __call__(self, source: StorageObject, destination: StorageObject) -> None: ...


def _no_hooks() -> None:
    """The loader of hooks without a scheme."""


@dataclass(frozen=True, slots=True)
class HookNames:
    """The names of one direction that belong to its hook: bag keys it reads, extras it claims.

    An extra that the hook only reads or only writes is not copied: the bag keeps it, like a
    property without partner. One that it reads and writes is copied for the hook to change. `reads`
    are the claimed members of the source, `writes` those of the destination, some of which it only
    `fills` in if they are absent.
    """

    keys: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    fills: frozenset[str] = frozenset()


NO_HOOK: Final = HookNames()


class Crossing:
    """One direction of a type edge; `opposite` is the other.

    `stashed` are the properties without a partner, among them the `linked` ones, which a version
    beyond has again; `left` are those that moves or a hook take care of; the others have the
    partner `renamed` names, or one of their own name. `hops` are the pairs whose conversion may
    lose something, moves included, by their paths in the source.
    `bound` is the hook that converters run at their end, None for none, and `judge` judges what
    waits for versions farther away; it `looks_inside` if objects inside may have such entries.
    `steps` run a hook that needs no views, None if it needs them; `two_way` are those of its parts
    that keep residue. `piecewise` are the properties whose plain values convert element by element,
    each with its conversion and whether the source is its older side. A crossing `makes_objects` if
    there may be some whose bags nobody notes, in what conversions of single values or views of a
    hook make. It `runs_views` if a hook on views, which may do anything, converts the object or one
    within. `lineage` is that of an object, `within` also those of all that it holds.
    Entries of `plain` members of the destination may be anything.
    `convert` converts members: what is `generated`, and around it what fills in members that are
    `always` there. `convert_inner` does it for an object within another one, which stays as it is
    where nothing in it changes. A crossing is `alike` if it does nothing but convert objects
    within, and the `same` if they stay as they are, too. Without a member that is `touched` an
    object stays as it is; None if every object has to be looked at. `apart` are the properties that
    are looked at one by one. `awaited` are the members without which there is nothing to do about
    bags: the bag, and the `aliens`, which only the other side declares. `returned` are the
    undeclared members that come back at the destination, by their key in the bag; the entries of
    the destination whose keys are `foreign` leave it. If it `ends_bare`, an object without a bag
    needs neither its hook nor its judge.
    """

    passes_over: ClassVar[bool] = True
    """Whether objects without a touched member are passed through unchecked."""

    def __init__(
        self,
        source: type[StorageObject],
        destination: type[StorageObject],
        renamed: Mapping[str, str],
        stashed: Iterable[str],
        left: Iterable[str],
        apart: Iterable[str],
        convert: Converter | None,
        *,
        alike: bool,
    ) -> None:
        self.source, self.source_type = source.VERSION, source
        self.destination, self.destination_type = destination.VERSION, destination
        self.source_members, self.destination_members = members_of(source), members_of(destination)
        self.renamed = renamed
        self.stashed, self.left = frozenset(stashed), frozenset(left)
        self.linked: frozenset[str] = frozenset()
        self.bound: Hook | None = None
        self.judge: EntryJudge | None = None
        self.looks_inside = False
        self.hops: dict[Path, tuple[Hop, Path]] = {}
        self.steps: Hook | None = None
        self.two_way: tuple[TwoWayStep, ...] = ()
        self.hook_names: HookNames | None = None
        self.opposite = self
        self.piecewise: dict[str, tuple[Conversion, bool]] = {}
        self.plain: frozenset[str] = frozenset()
        self.load_hooks: Callable[[], None] = _no_hooks
        self.hook_class = ""
        self.makes_objects = False
        self.runs_views = True
        self.within: frozenset[int] = EVERYWHERE
        self.lineage = ALONE
        self.alike = alike
        self.apart = frozenset(apart)
        self.same = False
        self.touched: frozenset[str] | None = None
        self.is_declared = False
        self.always: tuple[list[Any], list[Any]] = [], []
        self.awaited: frozenset[str] = frozenset()
        self.foreign: frozenset[str] = frozenset()
        self.returned: dict[str, str] = {}
        self.aliens: tuple[str, ...] = ()
        self.ends_bare = False
        self.generated = convert
        if convert is not None:
            self.convert = self.convert_inner = convert

    def prepare(self, same: bool) -> None:
        """Compute what converting members needs; call it once the hook is bound.

        `same` says that the objects stay unchanged, with everything in them.
        """
        names = self.destination_members | self._of_hook().extras
        declared = shape_of(self.destination_type).members
        self.plain = frozenset(
            name for name, member in declared.items() if member.value.container == "value"
        )
        self.aliens = tuple(sorted(names - self.source_members))
        self.awaited = frozenset((BAG_MEMBER, *self.aliens))
        self.is_declared = has_types(self.source_type, self.source)
        self.same = same
        self.ends_bare = self.bound is None and not self.looks_inside
        self.touched = self._touched()
        self.foreign = self.destination_members - self._of_hook().keys
        # Only what this edge would stash comes back: other entries are foreign.
        extras = self.source_members | self.opposite._of_hook().extras
        extras -= self.destination_members | self._of_hook().keys | RESERVED
        self.returned = {key_of(name): name for name in extras}

    def _touched(self) -> frozenset[str] | None:
        """Return members of which every object that changes has one, None if there are none."""
        ends = self.source_type, self.destination_type
        is_straight = self.alike or self.stashed or self.opposite.stashed or self.renamed
        if (
            not self.passes_over
            or self.bound is not None
            or not is_straight
            or self.apart
            or self.opposite.apart
            or self.left
            or self.opposite.left
            or any(end.FORM != "object" for end in ends)
        ):
            return None
        touched = {*self.awaited, *self.stashed, *self.renamed, *holders_of(self.source_type)}
        if self.source_type.RECORDS_VERSION and not self.destination_type.RECORDS_VERSION:
            touched.add(ORIGINAL_VERSION_MEMBER)
        return frozenset(touched)

    def require_hook(self, source: StorageObject) -> None:
        """Raise NoConverter for an object of a skipped type without a hook."""
        if self.hook_names is None:
            self.load_hooks()
        if self.bound is None:
            raise NoConverter(
                f"nothing is generated between {self.source} and {self.destination} of"
                f" {self.source_type.__name__}, and no hook converts it",
                source,
            )

    def partner(self, name: str) -> str | None:
        """Return the name of a source property at the destination, None if it has no partner."""
        if name in self.stashed or name in self.left:
            return None
        partner = self.renamed.get(name, name)
        return partner if partner in self.destination_members else None

    def wrong_kinds(self, bag: Mapping[str, Any]) -> list[tuple[str, DecodeError]]:
        """Return the entries of paired properties that were never kept beside a live value.

        They have a kind that the property cannot have now: they were stored when it had another
        type and no partner, so the live value does not decide about them.
        """
        found: list[tuple[str, DecodeError]] = []
        entries = bag.get(self.destination, {})
        for name in sorted(self.foreign.intersection(entries) - self.plain):
            try:
                read_entry(self.destination_type, name, entries[name])
            except DecodeError as error:
                found.append((name, error))
        return found

    def settle(self, bag: PropertyBag, old: Any, new: Any) -> None:
        """Restore extras, and drop what the destination has now; the rest of the bag stays.

        `old` and `new` are the members of the source and of the destination.
        """
        if self.is_declared and self.source in bag:
            mark_misfits(bag, self.source, self.source_type)
        entries = bag.get(self.destination)
        if entries is None:
            return
        if not self.returned.keys().isdisjoint(entries):
            for key in [key for key in entries if key in self.returned]:
                if not bag.is_gone(self.destination, key):
                    new.setdefault(self.returned[key], bag.take(self.destination, key))
        waiting = old.get(BAG_MEMBER)
        if type(waiting) is WaitingBag:
            waiting.untaken |= self.foreign.intersection(bag.get(self.destination, ()))
        bag.drop_all(self.destination, self.foreign)

    def _of_hook(self) -> HookNames:
        """Return the names that belong to the hook, known once the hooks are loaded."""
        if self.hook_names is None:
            self.load_hooks()
        return self.hook_names or NO_HOOK


class EdgeFacts(TypedDict, total=False):
    """The facts of generated code about both sides of an edge: see `Crossing`."""

    renamed: Mapping[str, str]
    only_older: Iterable[str]
    only_newer: Iterable[str]
    left_older: Iterable[str]
    left_newer: Iterable[str]
    convert: tuple[Converter | None, Converter | None]
    alike: bool
    apart_older: Iterable[str]
    apart_newer: Iterable[str]


class TypeEdge:
    """Both directions between a storage twin and its newer peer."""

    def __init__(
        self,
        older: type[StorageObject],
        newer: type[StorageObject],
        **facts: Unpack[EdgeFacts],
    ) -> None:
        renamed, alike = facts.get("renamed", {}), facts.get("alike", False)
        back = {partner: name for name, partner in renamed.items()}
        to_newer, to_older = facts.get("convert", (None, None))
        self.to = Crossing(
            older,
            newer,
            renamed,
            facts.get("only_older", ()),
            facts.get("left_older", ()),
            facts.get("apart_older", ()),
            to_newer,
            alike=alike,
        )
        self.back = Crossing(
            newer,
            older,
            back,
            facts.get("only_newer", ()),
            facts.get("left_newer", ()),
            facts.get("apart_newer", ()),
            to_older,
            alike=alike,
        )
        self.to.opposite, self.back.opposite = self.back, self.to


@dataclass(frozen=True, slots=True)
class EdgeEntry:
    """An edge registered by a generated module, with the protocol of its hook."""

    protocol: type
    older: type[StorageObject]
    newer: type[StorageObject]
    edge: TypeEdge
    must_claim_older: tuple[str, ...]
    must_claim_newer: tuple[str, ...]


def crossings_of(entries: Iterable[EdgeEntry]) -> dict[TwinTypes, Crossing]:
    """Return both directions of edges by source and destination type."""
    ways = [way for entry in entries for way in (entry.edge.to, entry.edge.back)]
    return {(way.source_type, way.destination_type): way for way in ways}
