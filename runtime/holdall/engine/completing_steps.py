"""What a completing hook does on one edge: edges convert the objects in its members, it completes.

Its functions and its residue know no bags. What edges keep of the objects inside for other versions
goes past them, skip links included: see `carried_bags`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy as copied
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from typing_extensions import override

from holdall.engine.carried_bags import (
    Holders,
    Originals,
    includes,
    only_linked,
    ways_of,
    without_bag,
)
from holdall.engine.member_ways import crossed
from holdall.engine.surroundings import Informed
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Crossed, InformedStep, TwoWayStep
from holdall.errors import HoldallError, RefusedError
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.bag_forms import PLAIN, Form, ObjectForm
from holdall.objects.shapes import shape_of
from holdall.types import Members

Complete: TypeAlias = Callable[[Members, Members], Members]


class Made(NamedTuple):
    """What edges make of members: in their stored form, with bags, and as the hook gets them."""

    stored: Members
    given: Members


class AfterEdges:
    """A function of a completing hook, after the edges of the objects in its members."""

    def __init__(self, source: End, destination: End, complete: Complete) -> None:
        self.complete = complete
        self.source, self.destination = source, destination
        self.held = Holders(source.cls, source.names)
        self._alone = _alone(source, destination)
        self._together = source.names - self._alone.keys()

    def __call__(self, members: Members) -> Members:
        return self.complete(members, self.made(members).given)

    def made(self, members: Members, first: Members | None = None) -> Made:
        """Return what edges make of members; their objects have the bags of the `first` ones."""
        ends = self.source.cls, self.destination.cls
        alone = {
            name: forms[0].read(members[name], stored=False)
            for name, forms in self._alone.items()
            if members.get(name) is not None
        }
        rest: Any = {name: members[name] for name in self._together if name in members}
        if rest:
            rest = ObjectForm(ends[0]).read(rest, stored=False)
        if first is not None:
            alone, rest = (self.held.combined(first, one) for one in (alone, rest))
        stored: Members = {
            name: None for name in self._alone if name in members and members[name] is None
        }
        given = {**stored}
        for name, value in alone.items():
            before, after = self._alone[name]
            stored[name] = _over(before, after, value)
            given[name] = after.write(stored[name], stored=False)
        if rest:
            there = crossed(*ends, rest, hooked=False)
            whole: Any = ObjectForm(ends[1]).write(there, stored=False)
            names = self.destination.names
            stored |= {name: value for name, value in there.items() if name in names}
            given |= {name: value for name, value in whole.items() if name in names}
        return Made(stored, given)


class _Along:
    """A function whose members have objects with bags that it does not see."""

    def __init__(self, function: AfterEdges, first: Members, there: Holders) -> None:
        self._function, self._first, self._there = function, first, there
        self._told: Members = {}
        self._originals: Originals = {}

    def __call__(self, members: Members) -> Members:
        stored, given = self._function.made(members, self._first)
        linked = only_linked(self._function.source.cls.VERSION)
        self._told = self._there.combined(stored, stored, linked)
        self._originals = self._there.originals(self._told, given)
        return self._function.complete(members, given)

    def with_bags(self, stored: Members, made: Members) -> Members:
        """Return what it made last, in its stored form, with the bags of the objects."""
        return self._there.combined(self._told, stored, made=made, originals=self._originals)


class CompletingStep(InformedStep):
    """One direction of a completing hook."""

    _act: Informed
    _inverse: Informed

    @cached_property
    def _functions(self) -> tuple[AfterEdges, AfterEdges]:
        return self._act.function, self._inverse.function  # type: ignore[return-value]

    @cached_property
    def _tells(self) -> bool:
        """Whether an object may have what the other end of a skip link is told."""
        to, back = self._functions
        origin = to.source.cls.VERSION
        return any(way.linked for cls in back.held.types() for way in ways_of(cls, origin))

    @override
    def _crossed(self, live: Members, kept: Any) -> Crossed:
        has_bags = self._functions[0].held.have_bags(live)
        if has_bags or self._tells:
            try:
                found = self._past(live, kept, has_bags)
            except HoldallError:  # it happens again, unless a bag is at fault
                found = None
            if found is not None:
                return found
        return super()._crossed(live, kept)

    def _past(self, live: Members, kept: Any, has_bags: bool) -> Crossed | None:
        """Return what members become with the bags of their objects; None if there are none."""
        to, back = self._functions
        held, there = to.held, back.held
        bare, carried = self._with_bags(_Along(to, live, there), self._act, live, self._ends)
        if not has_bags and not there.have_bags(carried):
            return None
        origin = held.cls.VERSION
        if any(origin in one.get(BAG_MEMBER, ()) for _, one in there.objects(carried)):
            own = only_linked(origin, self._made_by_hook(bare))
            carried = there.combined(carried, carried, own)
        step = copied(self)
        step._act = self._act.around(_Along(to, live, there))
        step._inverse = self._inverse.around(_Along(back, carried, held))
        found = TwoWayStep._crossed(step, held.without_bags(live), kept)
        if has_bags:
            rest = self._not_carried(live, there.combined(carried, found[0]))
            if held.have_bags(rest):
                found = TwoWayStep._crossed(step, rest, kept)
        made = there.combined(carried, found[0])
        return made, found[1], found[2] and not there.have_bags(made)

    @property
    def _ends(self) -> tuple[End, End]:
        return self._left, self._entered

    def _with_bags(
        self, along: _Along, function: Informed, members: Members, ends: tuple[End, End]
    ) -> tuple[Members, Members]:
        """Return what a function makes of members, without bags and with them."""
        made = function.around(along)(ends[0].wire(members))
        bare = ends[1].stored(made)
        return bare, along.with_bags(bare, made)

    def _made_by_hook(self, bare: Members) -> frozenset[tuple[Any, str]]:
        """Return the linked properties that come back without a bag, with their types."""
        seen = self._left.stored(self._returned(self._entered.wire(bare)))
        origin = self._entered.cls.VERSION
        return frozenset(
            (cls, name)
            for cls, members in self._functions[0].held.objects(seen)
            for peer in cls.crossings_
            if origin == peer.VERSION
            for name in cls.crossings_[peer].linked & members.keys()
        )

    def _not_carried(self, live: Members, made: Members) -> Members:
        """Return live members with those bags that do not come back as the edges alone have them.

        With what the hook has `made` of them comes back what it has moved, or else is residue.
        """
        to, back = self._functions
        held, left = to.held, self._left
        try:
            _, seen = self._with_bags(
                _Along(back, made, held), self._inverse, made, (self._entered, left)
            )
        except RefusedError:
            return live
        there = to.made(left.wire(live), live)
        alone = back.made(there.given, there.stored).stored
        alone = held.combined(alone, alone, only_linked(back.source.cls.VERSION))

        def compared(_: Any, expected: Members, members: Members) -> Members:
            rest = without_bag(members)
            return {**rest, BAG_MEMBER: {}} if includes(members, expected) else rest

        def without(_: Any, carried: Members, members: Members) -> Members:
            return without_bag(members) if BAG_MEMBER in carried else members

        return held.combined(held.combined(alone, seen, compared), live, without)


def _alone(source: End, destination: End) -> dict[str, tuple[Form, Form]]:
    """Return the forms of members of one name about which nothing is declared.

    Each is converted by itself: objects go over their edges. What no generated code handles stays
    if it has none.
    """
    crossing = source.cls.crossings_[destination.cls]
    declared = shape_of(source.cls).members, shape_of(destination.cls).members
    left = crossing.left & crossing.opposite.left
    for way in (crossing, crossing.opposite):
        left = left.difference(path[0] for path in way.hops if len(path) == 1)
    paired = {path[0] for way in (crossing, crossing.opposite) for path in way.hops}
    alone: dict[str, tuple[Form, Form]] = {}
    for name in sorted(source.names & destination.names & declared[0].keys() & declared[1].keys()):
        one, other = (members[name].value for members in declared)
        has_edge = one.type is not None and other.type in getattr(one.type, "crossings_", ())
        if name not in left and (name in paired or crossing.partner(name) != name):
            continue
        if has_edge:
            alone[name] = ObjectForm(one.type), ObjectForm(other.type)
        elif name in left or one.innermost is None is other.innermost:
            alone[name] = PLAIN, PLAIN
    return alone


def _over(before: Form, after: Form, value: Any) -> Any:
    if isinstance(before, ObjectForm) and isinstance(after, ObjectForm):
        return crossed(before.cls, after.cls, value)
    return value
