"""Hooks of two pure functions: the engine keeps what does not come back, and checks it.

Source: docs/hooks.md, "Two functions instead of a hook".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import override

from holdall.engine.hooks import BAG_PREFIX, EXTRA_PREFIX, BagView, Claims, SharedHook
from holdall.engine.surroundings import Informed
from holdall.engine.two_way_ends import End
from holdall.engine.two_way_steps import EachStep, Function, InformedStep, TwoWayStep
from holdall.objects.bag import RESIDUE_PREFIX
from holdall.objects.views import StorageObject
from holdall.types import Members


class TwoWay(SharedHook, ABC):
    """A shared hook of two functions that convert the members of one side to those of the other.

    `older` and `newer` name the members of each side for the same information, by wire name
    (`extra:<name>` for undeclared ones). `to_newer` and `to_older` get those that are present, as
    plain JSON, and return those of the other side. They may change their argument. They need not be
    inverse to each other: a member that is left out of the result is not lost.

    What does not come back by itself is kept as residue: differences, each with the value that it
    replaces. On the way back a difference is applied if that value is still there, and stays only
    if the live members then look as they do without it; if each side is one scalar, only if it
    looks unchanged. So live members always win, and an edit loses only the residue that it
    contradicts.

    `given` names further members that the functions get: `settings:NAME` for a setting of the
    project, `object:namespace` and `object:name` from the converted object's metadata, if it has
    them.
    """

    older: Sequence[str] = ()
    newer: Sequence[str] = ()
    given: Sequence[str] = ()

    @abstractmethod
    def to_newer(self, older: Members) -> Members:
        """Return the newer members for the older ones."""

    @abstractmethod
    def to_older(self, newer: Members) -> Members:
        """Return the older members for the newer ones."""

    @override
    def claims_to(self) -> Claims:
        return self._claims(self.older, self.newer)

    @override
    def claims_from(self) -> Claims:
        return self._claims(self.newer, self.older)

    @override
    def assign_properties_to(self, source: Any, destination: Any, bag: BagView) -> None:
        self.way("to", type(source), type(destination)).run(source, destination, bag)

    @override
    def assign_properties_from(self, source: Any, destination: Any, bag: BagView) -> None:
        self.way("from", type(source), type(destination)).run(source, destination, bag)

    @property
    def _key(self) -> str:
        return f"{RESIDUE_PREFIX}{(*self.older, *self.newer)[0].removeprefix(EXTRA_PREFIX)}"

    def _claims(self, reads: Sequence[str], writes: Sequence[str]) -> Claims:
        key = f"{BAG_PREFIX}{self._key}"
        return Claims(reads=(*reads, key), writes=(*writes, key))

    def way(
        self, direction: str, source: type[StorageObject], destination: type[StorageObject]
    ) -> TwoWayStep:
        """Return one direction, `to` or `from`, between two types."""
        # Constructors of subclasses need not call that of this class.
        ways: dict[Any, TwoWayStep] = vars(self).setdefault("_ways", {})
        key = direction, source, destination
        way = ways.get(key)
        if way is None:
            older = self.older, self.to_newer
            newer = self.newer, self.to_older
            left, entered = (older, newer) if direction == "to" else (newer, older)
            ends = (
                End(source, left[0], self._named(entered[1])),
                End(destination, entered[0], self._named(left[1])),
            )
            way = ways[key] = self._step(ends, (left[1], entered[1]))
        return way

    def _named(self, function: Function) -> str:
        return f"{type(self).__name__}.{getattr(function, '__name__', 'its function')}"

    def _step(self, ends: tuple[End, End], functions: tuple[Function, Function]) -> TwoWayStep:
        if self.given:
            to, back = (Informed(function, self.given) for function in functions)
            return InformedStep(self._key, *ends, to, back)
        return TwoWayStep(self._key, *ends, *functions)


class EachValue(TwoWay):
    """A two-way hook for one property, whose value two functions convert.

    `depth` is the number of lists and maps around each value: 0 for the property's own value, 2
    for the elements of the lists in a map. A value is None for null; a value in fewer containers
    stays unchanged. `newer_name` is the newer property's name if it differs. Residue of a scalar is
    dropped once that has changed; in lists and objects, what an edit does not contradict stays.
    """

    def __init__(
        self,
        name: str,
        to_newer: Callable[[Any], Any],
        to_older: Callable[[Any], Any],
        *,
        depth: int = 0,
        newer_name: str = "",
    ) -> None:
        self.older, self.newer = (name,), (newer_name or name,)
        self._names = [one.removeprefix(EXTRA_PREFIX) for one in (*self.older, *self.newer)]
        self._functions = (to_newer, to_older)
        self._each = _each(to_newer, depth), _each(to_older, depth)

    @override
    def to_newer(self, older: Members) -> Members:
        for value in older.values():
            return {self._names[1]: self._each[0](value)}
        return {}

    @override
    def to_older(self, newer: Members) -> Members:
        for value in newer.values():
            return {self._names[0]: self._each[1](value)}
        return {}

    @override
    def _step(self, ends: tuple[End, End], functions: tuple[Function, Function]) -> TwoWayStep:
        return EachStep(self._key, *ends, *functions)


def _each(act: Callable[[Any], Any], depth: int) -> Callable[[Any], Any]:
    """Return a function that applies `act` to all values inside `depth` lists and maps."""
    if depth == 0:
        return act
    inner = _each(act, depth - 1)

    def over(value: Any) -> Any:
        # A comprehension takes half as long again for few elements.
        if type(value) is dict:
            members = {}
            for key, item in value.items():
                members[key] = inner(item)
            return members
        if type(value) is list:
            items = []
            for item in value:
                items.append(inner(item))
            return items
        return value

    return over
