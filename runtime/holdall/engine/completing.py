"""Two-way hooks for matters that go across several objects: edges convert them, hooks complete."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from typing_extensions import override

from holdall.engine.member_ways import crossed
from holdall.engine.surroundings import Informed
from holdall.engine.two_way import Members, TwoWay
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Function, InformedStep, TwoWayStep
from holdall.objects.bag_forms import ObjectForm
from holdall.objects.shapes import shape_of


class Completing(TwoWay):
    """A two-way hook whose members are objects that their own edges convert, hooks included.

    The functions get the members of one side, and what the edges make of them, and complete that.
    So a value can go from one object into another one, at any depth. What does not come back by
    itself is kept as residue of the whole, as with any two-way hook.
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
    declared = shape_of(source.cls).members, shape_of(destination.cls).members
    forms: dict[str, tuple[ObjectForm, ObjectForm]] = {}
    for name in sorted(source.names & destination.names):
        types = [members[name].value.type for members in declared]
        if None not in types:
            one, other = types
            forms[name] = ObjectForm(one), ObjectForm(other)

    def act(members: Members) -> Members:
        made: Members = {}
        for name, (before, after) in forms.items():
            if members.get(name) is not None:
                there: Any = crossed(
                    before.cls, after.cls, before.read(members[name], stored=False)
                )
                made[name] = after.write(there, stored=False)
        return complete(members, made)

    return act
