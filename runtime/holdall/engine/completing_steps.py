"""A completing hook on one edge: edges convert the objects in its members, and it completes them.

Its functions and its residue do not see bags. What edges keep of nested objects for other versions,
including skip links, bypasses them: see `carried_bags`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy as copied
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from typing_extensions import override

from holdall.engine.carried_bags import (
    Holders,
    are_aligned,
    includes,
    only_linked,
    ways_of,
    with_bag,
    without_bag,
)
from holdall.engine.member_ways import crossed
from holdall.engine.surroundings import Informed
from holdall.engine.traced import Traced
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Crossed, InformedStep, TwoWayStep
from holdall.engine.uncertain import count_lost, counting_lost
from holdall.errors import HoldallError, RefusedError
from holdall.objects.bag import BAG_MEMBER, PropertyBag
from holdall.objects.bag_forms import PLAIN, Form, ObjectForm
from holdall.objects.shapes import shape_of
from holdall.text.json import copy, same
from holdall.types import Members

Complete: TypeAlias = Callable[[Members, Members], Members]


class Made(NamedTuple):
    """What edges make of members: in their stored form, with bags, and as the hook gets them.

    `bag` has what they keep for the way back of members that are not shown.
    """

    stored: Members
    given: Members
    bag: PropertyBag | None = None


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

    def made(
        self, members: Members, first: Members | None = None, bag: PropertyBag | None = None
    ) -> Made:
        """Return what edges make of members; their objects have the bags of the `first` ones.

        `bag` is what the way there has kept of all of them.
        """
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
        if bag:
            rest = {**rest, BAG_MEMBER: bag}
        kept: PropertyBag | None = None
        if rest:
            there = crossed(*ends, rest, hooked=False)
            kept = there.get(BAG_MEMBER)
            whole: Any = ObjectForm(ends[1]).write(there, stored=False)
            names = self.destination.names
            stored |= {name: value for name, value in there.items() if name in names}
            given |= {name: value for name, value in whole.items() if name in names}
        return Made(stored, given, kept)


class _Along:
    """A function whose members have objects with bags, which it does not see."""

    def __init__(
        self,
        function: AfterEdges,
        with_bags: Callable[[Members], Members],
        there: Holders,
        untold: frozenset[int] = frozenset(),
    ) -> None:
        self._function, self._with_bags, self._there = function, with_bags, there
        self._untold = untold
        self._told: Members = {}
        self._traced = Traced()

    def __call__(self, members: Members) -> Members:
        stored, given, _ = self._function.made(members, self._with_bags(members))
        linked = only_linked(self._function.source.cls.VERSION)
        self._told = self._there.combined(stored, stored, linked)
        if self._untold:
            self._told = copy(self._told)
            for index, (_, one) in enumerate(self._there.objects(self._told)):
                if index in self._untold:
                    bag = PropertyBag(one.pop(BAG_MEMBER, {}))
                    bag.pop(self._function.source.cls.VERSION, None)
                    one |= {BAG_MEMBER: bag} if bag else {}
        self._traced = self._there.traced(self._told, given)
        return self._function.complete(members, given)

    def with_bags(self, stored: Members, made: Members) -> Members:
        """Return what it made last, in its stored form, with the bags of the objects."""
        self._traced.note_copies(made)
        return self._there.combined(self._told, stored, made=made, originals=self._traced)

    def through(
        self, function: Informed, members: Members, ends: tuple[End, End]
    ) -> tuple[Members, Members]:
        """Return the result of a whole function for members, without bags and with them."""
        made = function.around(self)(ends[0].wire(members))
        bare = ends[1].stored(made)
        return bare, self.with_bags(bare, made)


class _Carried:
    """The bags of the objects in some members, for members in which the objects show more or less.

    Residue brings back what an edge hides, and edits change what is shown. So where contents and
    names do not tell all of them, objects are the same if a function, which converts both, makes
    the same of them.
    """

    def __init__(self, members: Members, function: Informed, ends: tuple[End, End]) -> None:
        self._members, self._function, self._ends = members, function, ends
        self._after: AfterEdges = function.function  # type: ignore[assignment]
        self._held, self._there = (Holders(end.cls, end.names) for end in ends)

    @cached_property
    def _bare(self) -> Members:
        return self._ends[0].fitted(self._ends[0].wire(self._members))

    @cached_property
    def _made(self) -> Members:
        return self._numbered(self._members)

    def _numbered(self, members: Members) -> Members:
        """Return what the function makes of members, with the numbers that objects had before.

        Without objects if it refuses them.
        """
        numbered = self._held.numbered(members)
        along = _Along(self._after, lambda _: numbered, self._there)
        try:
            return along.through(self._function, members, self._ends)[1]
        except RefusedError:
            return {}

    def places(self, members: Members) -> dict[int, int]:
        """Return which of the objects with the bags each one is, both counted in order."""
        if same(members, self._bare):
            return {at: at for at, _ in enumerate(self._held.objects(members))}
        found = self._held.same(self._members, members, edited=False)
        if len(found) == sum(1 for _ in self._held.objects(self._members)):
            return found
        made, there = self._numbered(members), self._there
        numbers, others = there.numbers(self._made), there.numbers(made)
        pairs = ((others[at], numbers[one]) for at, one in there.same(self._made, made).items())
        return {at: one for at, one in pairs if at is not None and one is not None}

    def over(self, members: Members) -> Members:
        """Return stored members whose objects have the bags."""
        objects = [one for _, one in self._held.objects(self._members)]
        places, found = self.places(members), copy(members)
        for at, (_, one) in enumerate(self._held.objects(found)):
            if at in places:
                one |= with_bag(objects[places[at]], one)
        return found

    def over_wire(self, members: Members) -> Members:
        """Return members on the wire in stored form, whose objects have the bags."""
        return self.over(self._ends[0].fitted(copy(members)))


class CompletingStep(InformedStep):
    """One direction of a completing hook."""

    _act: Informed
    _inverse: Informed

    @cached_property
    def _functions(self) -> tuple[AfterEdges, AfterEdges]:
        return self._act.function, self._inverse.function  # type: ignore[return-value]

    @cached_property
    def _tells(self) -> bool:
        """Whether an object may have entries for the other end of a skip link."""
        to, back = self._functions
        origin = to.source.cls.VERSION
        return any(way.linked for cls in back.held.types() for way in ways_of(cls, origin))

    @override
    def _crossed(self, live: Members, kept: Any) -> Crossed:
        found = None
        if self._tells or self._functions[0].held.have_bags(live):
            try:
                found = self._past(live, kept)
            except HoldallError:  # raised again, unless a bag caused it
                found = None
        return super()._crossed(live, kept) if found is None else found

    def _past(self, live: Members, kept: Any) -> Crossed | None:
        """Convert members with the bags of their objects; None if no bag bypasses the hook.

        A bag that would not come back to its object is kept with the residue, and so are entries
        for other ends of links that would not come back.
        """
        to, back = self._functions
        held, there, origin = to.held, back.held, to.source.cls.VERSION
        usable = only_linked(back.source.cls.VERSION)

        def all_usable(cls: Any, _: Members, members: Members) -> Members:
            return members if usable(cls, _, members) is members else without_bag(members)

        first = held.combined(live, live, all_usable)
        made: frozenset[tuple[Any, str]] | None = frozenset()
        untold = frozenset[int]()
        while True:
            bags = _Carried(first, self._act, self._ends)
            along = _Along(to, bags.over_wire, there, untold)
            bare, carried = along.through(self._act, live, self._ends)
            if any(origin in one.get(BAG_MEMBER, ()) for _, one in there.objects(carried)):
                made = None if made is None else self._made_by_hook(bare)
                carried = there.combined(carried, carried, only_linked(origin, made))
            if not held.have_bags(first) and not there.have_bags(carried):
                return None
            step = copied(self)
            arrived = _Carried(carried, self._inverse, (self._entered, self._left))
            step._act = self._act.around(_Along(to, bags.over_wire, there, untold))
            step._inverse = self._inverse.around(_Along(back, arrived.over_wire, held))
            behind = held.combined(first, live, _unless_there)
            cross = partial(TwoWayStep._crossed, step, behind, kept)
            found, lost = counting_lost(cross)
            result = arrived.over(found[0])
            rest, unreturned = self._not_returning(first, live, result, made)
            if held.have_bags(rest):
                first = held.combined(rest, first, _unless_there)
            elif made is None or untold.issuperset(unreturned):
                count_lost(lost)
                return result, found[1], found[2] and not there.have_bags(result)
            elif are_aligned(held.objects(first), there.objects(to.made(live, first).stored)):
                untold |= unreturned
            else:
                made = None

    @property
    def _ends(self) -> tuple[End, End]:
        return self._left, self._entered

    def _made_by_hook(self, bare: Members) -> frozenset[tuple[Any, str]]:
        """Return the linked properties that come back without a bag, with their types."""
        seen = self._left.stored(self._returned(self._entered.wire(bare)))
        return frozenset(
            (cls, name)
            for cls, members in self._functions[0].held.objects(seen)
            for name in self._linked(cls) & members.keys()
        )

    def _linked(self, cls: Any) -> frozenset[str]:
        """Return the entries for other ends of links of objects that leave a type."""
        version = self._entered.cls.VERSION
        ways = (cls.crossings_[peer] for peer in cls.crossings_ if version == peer.VERSION)
        return frozenset[str]().union(*(way.linked for way in ways))

    def _not_returning(
        self,
        first: Members,
        live: Members,
        result: Members,
        made: frozenset[tuple[Any, str]] | None,
    ) -> tuple[Members, frozenset[int]]:
        """Return members with those bags of the `first` ones that do not come back to their objects
        as by the edges alone; and the objects with linked values that do not come back, and that
        the hook has not `made`.
        """
        to, back = self._functions
        held, ends = to.held, (self._entered, self._left)
        try:
            along = _Along(back, lambda _: result, held)
            _, seen = along.through(self._inverse, result, ends)
        except RefusedError:
            seen = {}
        there = to.made(self._left.wire(live), first)
        alone = back.made(there.given, there.stored, there.bag).stored
        alone = held.combined(alone, alone, only_linked(back.source.cls.VERSION))
        places = _Carried(seen, self._act, self._ends).places(live)
        wanted = held.same(alone, first)
        returned, expected = ([one for _, one in held.objects(it)] for it in (seen, alone))
        rest: Members = copy(first)
        unreturned: set[int] = set()
        for at, (cls, one) in enumerate(held.objects(rest)):
            names = () if made is None else self._linked(cls)
            told = {name for name in names if (cls, name) not in (made or ())}
            if at in places:
                again = returned[places[at]]
                for name in told & one.keys() & again.keys():
                    if same(again[name], one[name]):
                        del one[name]
                if at in wanted and includes(again, expected[wanted[at]]):
                    one.pop(BAG_MEMBER, None)
            if told & one.keys():
                unreturned.add(at)
        return rest, frozenset(unreturned)


def _unless_there(_: Any, there: Members, members: Members) -> Members:
    """Return members without their bag if the other ones have one."""
    return without_bag(members) if BAG_MEMBER in there else members


def _alone(source: End, destination: End) -> dict[str, tuple[Form, Form]]:
    """Return the forms of members with the same name and no declaration.

    Each is converted by itself, objects by their edges. Members that generated code does not handle
    stay if they have no objects.
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
