"""Two-way hooks that complete what edges make of members, across several objects."""

from __future__ import annotations

from abc import abstractmethod

from typing_extensions import override

from holdall.engine.completing_steps import AfterEdges, CompletingStep
from holdall.engine.surroundings import Informed
from holdall.engine.two_way import TwoWay
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import Function, TwoWayStep
from holdall.types import Members


class Completing(TwoWay):
    """A two-way hook that completes what declarations and edges make of its members.

    The functions get the members of one side, and their conversion without the hook: by renames,
    moves and options, and by the edges of objects with their hooks. They complete that. So a value
    can move from one object to another one, at any depth. What does not come back by itself is kept
    as residue of the whole, as with any two-way hook.
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
        own = AfterEdges(left, entered, there), AfterEdges(entered, left, here)
        # Hooks of nested types may need more than the members.
        to_, back_ = (Informed(function, self.given) for function in own)
        return CompletingStep(self._key, *ends, to_, back_)
