"""Properties that change their nesting level between two versions.

Source: docs/conversions.md, "Moves".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from holdall.engine.conversions import Conversion
from holdall.engine.edges import Crossing
from holdall.engine.hops import ABSENT, Path, is_within
from holdall.engine.lossy_pairs import Pair
from holdall.engine.made_objects import is_emptied_within, make, unmake
from holdall.engine.member_ways import Way
from holdall.engine.open_bag import OpenBag
from holdall.engine.zero_values import hides_zero
from holdall.objects.views import StorageObject
from holdall.types import Members

_Step: TypeAlias = tuple[type[StorageObject], str]


class MovePath:
    """A path of wire names from a twin of `version` to a property of a nested object.

    Each step names the type it starts from; the last step names the property itself.
    """

    def __init__(self, version: str, *steps: _Step) -> None:
        self.version = version
        self.steps = steps
        self.names: Path = tuple(name for _, name in steps)
        self.top, self.parents, self.name = self.names[0], self.names[:-1], self.names[-1]


class Move(NamedTuple):
    """A property at one path of the older twin and another path of the newer one."""

    older: MovePath
    newer: MovePath
    conversion: Conversion
    misfit_is_error: bool = False

    def pair(self, edge: Crossing) -> Pair:
        """Return the pair of both properties on the edge to the newer twin."""
        older, newer, by, is_strict = self
        by = by.moving() if isinstance(by, hides_zero) else by
        return Pair(edge, older.names, newer.names, by, misfit_is_error=is_strict)


class Moving:
    """The moves of an edge in one direction, in three steps of a converter.

    `leave` comes before everything is assigned, `carry` while the bag is open, `enter` when
    nulls and extras have settled.
    """

    def __init__(self, moves: Sequence[tuple[MovePath, MovePath, Any]]) -> None:
        # An object arrives before what moves into it.
        self._moves = sorted(moves, key=lambda move: len(move[1].steps))
        lefts, arrival = [left for left, _, _ in moves], moves[0][1].version
        self._nested = _Removal([left.steps for left in lefts if left.parents], arrival)
        self._inner: dict[Path, _Removal] = {}
        for left in lefts:
            at = len(left.steps)
            inner = [
                one.steps[at - 1 :]
                for one in lefts
                if len(one.steps) > at and one.names[:at] == left.names
            ]
            self._inner[left.names] = _Removal(inner, arrival)

    def leave(self, source: Members, way: Way) -> Members:
        """Return the source without the nested properties that move; it is not changed.

        Only the objects on the way to them are copied.
        """
        rest = source.copy()
        way.copies[id(rest)] = rest, source
        self._nested.take_out(rest, way)
        return rest

    def carry(self, source: Members, bag: OpenBag, way: Way) -> list[Any]:
        """Return the moved values of the whole source, converted; residue goes to the bag.

        What moves out of a moved object by a move of its own is not in it any more.
        """
        carried = []
        for left, _, convert in self._moves:
            holder = _holder(left, source) if left.top in source else None
            value = ABSENT if holder is None else holder.get(left.name, ABSENT)
            if value is ABSENT and not bag:
                carried.append(ABSENT)  # nothing waits for it
                continue
            if value is not ABSENT and (inner := self._inner[left.names]):
                held = {left.name: value}
                inner.take_out(held, way)
                value = held.get(left.name, ABSENT)
            carried.append(convert(value, bag, source))
        return carried

    def enter(self, destination: Members, carried: list[Any], way: Way) -> None:
        """Give the moved properties of the destination their values."""
        for (left, entered, _), value in zip(self._moves, carried, strict=True):
            if value is ABSENT:
                holder = _holder(entered, destination) if entered.top in destination else None
                if holder is not None:
                    holder.pop(entered.name, None)
            else:
                _create_holder(entered, destination, left.version, way)[entered.name] = value


class Moves:
    """All moves of the edge to a newer twin, in both directions."""

    def __init__(self, edge: Crossing, *moves: Move) -> None:
        pairs = [(move, move.pair(edge)) for move in moves]
        for move in moves:
            _leave_out(edge, move.newer.names)
            _leave_out(edge.opposite, move.older.names)
        self.to = Moving([(move.older, move.newer, pair.moved_to) for move, pair in pairs])
        self.back = Moving([(move.newer, move.older, pair.moved_back) for move, pair in pairs])


class _Removal:
    """Takes properties out of the objects within a copied one; what leads to them is copied, too.

    A parent that an earlier move made, and that is empty without them, is what it was before. What
    is deeper goes first: an object that moves may hold others that do. Where edges of the objects
    within take something out of a parent as well, it may be empty only after that.
    """

    def __init__(self, steps: Sequence[Sequence[_Step]], arrival: str) -> None:
        self._arrival = arrival
        self._tree: _Tree = {}
        for one in steps:
            tree = self._tree
            for end, (_, name) in enumerate(one, 1):
                leaving = tree.setdefault(name, _Leaving(one[:end]))
                leaving.moves |= end == len(one)
                tree = leaving.below

    def __bool__(self) -> bool:
        return bool(self._tree)

    def take_out(self, root: Members, way: Way) -> None:
        self._take_out(self._tree, root, way)

    def _take_out(self, tree: _Tree, holder: Members, way: Way) -> None:
        for name, leaving in tree.items():
            if name not in holder:
                continue
            if leaving.below and holder[name] is not None:
                inner = holder[name] = way.take_from(holder[name])
                self._take_out(leaving.below, inner, way)
                is_of_others = leaving.is_of_others(self._arrival)
                unmake(holder, name, self._arrival, is_of_others=is_of_others)
            if leaving.moves:
                holder.pop(name, None)


class _Leaving:
    """A property that moves, or an object on the way to one."""

    def __init__(self, steps: Sequence[_Step]) -> None:
        self._steps = steps
        self._is_of_others: bool | None = None
        self.below: _Tree = {}
        self.moves = False

    def is_of_others(self, arrival: str) -> bool:
        """Return whether edges of the objects within take something out of it as well."""
        if self._is_of_others is None:  # edges know their moves once all modules are loaded
            holders, path = zip(*self._steps, strict=True)
            self._is_of_others = is_emptied_within(holders, path, arrival)
        return self._is_of_others


_Tree: TypeAlias = dict[str, _Leaving]


def _leave_out(crossing: Crossing, moved: Path) -> None:
    """Let the pairs of the objects into which a value moves leave its place to it."""
    for hop, end in crossing.hops.values():
        if is_within(end, moved):
            hop.leave_out(moved[len(end) :])


def _holder(path: MovePath, root: Members) -> Members | None:
    """Return the object that holds the property, none if a parent is absent."""
    found = root
    for name in path.parents:
        inner: Members | None = found.get(name)
        if inner is None:
            return None
        found = inner
    return found


def _create_holder(path: MovePath, root: Members, origin: str, way: Way) -> Members:
    """Return the object that holds the property; missing parents are made and marked.

    Parents that are there are copied: they may be those of the source.
    """
    found = root
    for name in path.parents:
        parent = found.get(name)
        if parent is None:
            found = make(found, name, origin, way)
        else:
            found[name] = found = parent.copy()
    return found
