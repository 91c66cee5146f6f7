"""Properties that change their nesting level between two versions.

Source: property-conversion contract, section 2 step 3.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from holdall.engine.conversions import Conversion
from holdall.engine.edges import Crossing
from holdall.engine.hops import Path
from holdall.engine.lossy_pairs import Pair
from holdall.engine.open_bag import OpenBag
from holdall.objects.bag import CREATED_KEY, PropertyBag
from holdall.objects.base import StorageObject
from holdall.objects.shapes import shape_of

T = TypeVar("T", bound=StorageObject)
_Step: TypeAlias = tuple[type[StorageObject], str]
Moved: TypeAlias = tuple[Any, bool]
"""A moved value as the other side has it, and whether it is an explicit null."""


class MovePath:
    """A path of wire names from a twin of `version` to a property of a nested object.

    Each step names the type it starts from; the last step names the property itself.
    """

    __slots__ = ("name", "parents", "steps", "version")

    def __init__(self, version: str, *steps: _Step) -> None:
        self.version = version
        self.steps = steps
        self.parents = steps[:-1]
        self.name = steps[-1][1]

    @property
    def names(self) -> Path:
        """The wire names on the path."""
        return tuple(name for _, name in self.steps)

    def holder(self, root: StorageObject) -> StorageObject | None:
        """Return the object that holds the property, none if a parent is absent."""
        found: StorageObject | None = root
        for _, name in self.parents:
            if found is None:
                return None
            found = _get(found, name)
        return found

    def create_holder(self, root: StorageObject, origin: str) -> StorageObject:
        """Return the object that holds the property; missing parents are made and marked."""
        found = root
        for (_, name), (parent_type, _) in zip(self.parents, self.steps[1:], strict=True):
            parent: StorageObject | None = _get(found, name)
            if parent is None:
                parent = parent_type()
                mark = "null" if name in found.extra_ else "absent"
                parent.property_bag = PropertyBag({origin: {CREATED_KEY: mark}})
                _set(found, name, parent, is_null=False)
            found = parent
        return found


class Move:
    """A property at one path of the older twin and another path of the newer one."""

    __slots__ = ("_conversion", "_misfit_is_error", "newer", "older")

    def __init__(
        self,
        older: MovePath,
        newer: MovePath,
        conversion: Conversion,
        *,
        misfit_is_error: bool = False,
    ) -> None:
        self.older, self.newer = older, newer
        self._conversion, self._misfit_is_error = conversion, misfit_is_error

    def pair(self, edge: Crossing) -> Pair:
        """Return the pair of both properties on the edge to the newer twin."""
        return Pair(
            edge,
            self.older.names,
            self.newer.names,
            self._conversion,
            misfit_is_error=self._misfit_is_error,
        )


class _Moving:
    """The moves of an edge in one direction, in three steps of a converter.

    `leave` comes before everything is assigned, `carry` while the bag is open, `enter` when
    nulls and extras have settled.
    """

    __slots__ = ("_moves",)

    def __init__(self, moves: Sequence[tuple[MovePath, MovePath, Any]]) -> None:
        self._moves = moves

    def leave(self, source: T) -> T:
        """Return the source without the nested properties that move; it is not changed.

        Only the objects on the way to them are copied. A parent that an earlier move made, and
        that is empty without them, is what it was before.
        """
        rest = copy.copy(source)
        copied: dict[tuple[str, ...], StorageObject] = {(): rest}
        for left, _, _ in self._moves:
            names: tuple[str, ...] = ()
            for _, name in left.parents:
                above, names = copied[names], (*names, name)
                parent = _get(above, name)
                if parent is None:
                    break
                if names not in copied:
                    copied[names] = copy.copy(parent)
                    _set(above, name, copied[names], is_null=False)
            else:
                if left.parents:
                    _set(copied[names], left.name, None, is_null=False)
        arrival = self._moves[0][1].version
        for names in sorted(copied, key=len, reverse=True):
            if names:
                _unmake(copied[names[:-1]], names[-1], arrival)
        return rest

    def carry(self, source: StorageObject, bag: OpenBag) -> list[Moved]:
        """Return the moved values of the whole source, converted; residue goes to the bag."""
        carried = []
        for left, _, convert in self._moves:
            holder = left.holder(source)
            value = None if holder is None else _get(holder, left.name)
            is_null = holder is not None and value is None and left.name in holder.extra_
            carried.append((convert(value, bag, is_null=is_null), is_null))
        return carried

    def enter(self, destination: StorageObject, carried: list[Moved]) -> None:
        """Give the moved properties of the destination their values."""
        for (left, entered, _), (value, is_null) in zip(self._moves, carried, strict=True):
            holder: StorageObject | None
            if value is None and not is_null:
                holder = entered.holder(destination)
            else:
                holder = entered.create_holder(destination, left.version)
            if holder is not None:
                _set(holder, entered.name, value, is_null=is_null and value is None)


class Moves:
    """All moves of the edge to a newer twin, in both directions."""

    __slots__ = ("back", "to")

    def __init__(self, edge: Crossing, *moves: Move) -> None:
        pairs = [(move, move.pair(edge)) for move in moves]
        self.to = _Moving([(move.older, move.newer, pair.to) for move, pair in pairs])
        self.back = _Moving([(move.newer, move.older, pair.back) for move, pair in pairs])


def _unmake(above: StorageObject, name: str, arrival: str) -> None:
    """Take the mark off a parent that a move made, and the parent away if nothing else is in it."""
    parent = _get(above, name)
    if parent.property_bag is None or not parent.property_bag.has(arrival, CREATED_KEY):
        return
    bag = PropertyBag.clone(parent.property_bag)
    mark = bag.take(arrival, CREATED_KEY)
    parent.property_bag = bag or None
    if not parent.write_members():
        _set(above, name, None, is_null=mark == "null")


def _get(twin: StorageObject, name: str) -> Any:
    return getattr(twin, shape_of(type(twin)).attributes[name])


def _set(twin: StorageObject, name: str, value: object, *, is_null: bool) -> None:
    """Set a property and its null mark; the extras of a copied twin stay those of its original."""
    setattr(twin, shape_of(type(twin)).attributes[name], value)
    if is_null != (name in twin.extra_):
        rest = {key: item for key, item in twin.extra_.items() if key != name}
        twin.extra_ = {**rest, name: None} if is_null else rest
