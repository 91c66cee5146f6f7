"""Two-way hooks for matters that go across several objects: edges convert them, hooks complete."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from typing_extensions import override

from holdall.engine.member_ways import crossed
from holdall.engine.surroundings import Informed
from holdall.engine.two_way import TwoWay
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Function, InformedStep, TwoWayStep
from holdall.objects.bag_forms import ObjectForm
from holdall.objects.shapes import shape_of
from holdall.text.json import copy
from holdall.types import Members

Convert: TypeAlias = Callable[[Any], Any]


class Completing(TwoWay):
    """A two-way hook that completes what declarations and edges make of its members.

    The functions get the members of one side, and what would be made of them without the hook:
    by renames, moves and options, and by the edges of objects with their hooks. They complete
    that. So a value can go from one object into another one, at any depth. What does not come
    back by itself is kept as residue of the whole, as with any two-way hook.
    """

    @abstractmethod
    def complete_newer(self, older: Members, newer: Members) -> Members:
        """Return the newer members for the older ones; `newer` is what the edges make of them."""

    @abstractmethod
    def complete_older(self, newer: Members, older: Members) -> Members:
        """Return the older members for the newer ones; `older` is what the edges make of them."""

    @override
    def to_newer(self, older: Members) -> Members:
        return self.complete_newer(older, {})

    @override
    def to_older(self, newer: Members) -> Members:
        return self.complete_older(newer, {})

    @override
    def _named(self, function: Function) -> str:
        return super()._named(function).replace(".to_", ".complete_")

    @override
    def _step(self, ends: tuple[End, End], functions: tuple[Function, Function]) -> TwoWayStep:
        left, entered = ends
        to, back = self.complete_newer, self.complete_older
        there, here = (to, back) if functions[0] == self.to_newer else (back, to)
        own = _after_edges(left, entered, there), _after_edges(entered, left, here)
        # Hooks of the types inside may ask for more than the members.
        to_, back_ = (Informed(function, self.given) for function in own)
        return InformedStep(self._key, *ends, to_, back_)


def _after_edges(
    source: End, destination: End, complete: Callable[[Members, Members], Members]
) -> Function:
    before, after = ObjectForm(source.cls), ObjectForm(destination.cls)
    alone = _alone(source, destination)
    together = source.names - alone.keys()

    def act(members: Members) -> Members:
        made = {name: convert(members[name]) for name, convert in alone.items() if name in members}
        rest = {name: members[name] for name in together if name in members}
        if rest:
            stored: Any = before.read(rest, stored=False)
            there = crossed(before.cls, after.cls, stored, hooked=False)
            whole: Any = after.write(there, stored=False)
            made |= {name: value for name, value in whole.items() if name in destination.names}
        return complete(members, made)

    return act


def _alone(source: End, destination: End) -> dict[str, Convert]:
    """Return what is made of members of one name about which nothing is declared, one by one.

    Objects go over their edges. What no generated code handles stays if it has none.
    """
    crossing = source.cls.crossings_[destination.cls]
    declared = shape_of(source.cls).members, shape_of(destination.cls).members
    left = crossing.left & crossing.opposite.left
    for way in (crossing, crossing.opposite):
        left = left.difference(path[0] for path in way.hops if len(path) == 1)
    paired = {path[0] for way in (crossing, crossing.opposite) for path in way.hops}
    alone: dict[str, Convert] = {}
    for name in sorted(source.names & destination.names & declared[0].keys() & declared[1].keys()):
        one, other = (members[name].value for members in declared)
        has_edge = one.type is not None and other.type in getattr(one.type, "crossings_", ())
        if name not in left and (name in paired or crossing.partner(name) != name):
            continue
        if has_edge:
            alone[name] = partial(_of_object, ObjectForm(one.type), ObjectForm(other.type))
        elif name in left or one.innermost is None is other.innermost:
            alone[name] = copy
    return alone


def _of_object(before: ObjectForm, after: ObjectForm, value: Any) -> Any:
    if value is None:
        return None
    there: Any = crossed(before.cls, after.cls, before.read(value, stored=False))
    return after.write(there, stored=False)
