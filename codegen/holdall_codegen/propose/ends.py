"""What a proposal may join: the properties without a partner that a path from an edge reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdall.plan.plans import Side, TypeRef
from holdall_codegen.model import Opaque, Property, Ref
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.matching import Matched
from holdall_codegen.propose.trial import Trial

Edge = tuple[TypeRef, TypeRef]
_DEPTH = 5
_MANY = 30
"""How many ways lead from one edge to a type; types that hold each other by many properties have
an unlimited number."""
_NOTHING = Property("", Opaque())


@dataclass(frozen=True, slots=True)
class End:
    """A property that is free to get a partner, by its path from a type of an edge.

    `holders` are the types along the path. `through` are the edges of the pairs and moves that it
    passes, `lost` the names of the objects after these, which have no partner themselves.
    `in_moved` says that an object on the path moves: then nothing else moves into or out of it.
    """

    path: tuple[str, ...]
    member: Property
    holders: tuple[TypeRef, ...]
    through: tuple[Edge, ...] = ()
    lost: tuple[str, ...] = ()
    in_moved: bool = False

    @property
    def key(self) -> tuple[TypeRef, str]:
        return self.holders[-1], self.path[-1]

    @property
    def above(self) -> list[tuple[TypeRef, str]]:
        """The objects along the path, each as a property of the type that holds it."""
        return list(zip(self.holders[:-1], self.path, strict=False))

    def is_below(self, other: End) -> bool:
        """Tell whether this is a member of another end's object, at any depth."""
        size = len(other.path)
        return len(self.path) > size and self.path[:size] == other.path


def free_ends(trial: Trial, edge: Edge, side: Side) -> list[End]:
    """Return the free properties of one side of an edge, those of nested objects included."""
    return list(_Walk(trial, edge, side).run())


class _Walk:
    def __init__(self, trial: Trial, edge: Edge, side: Side) -> None:
        self._trial, self._edge = trial, edge
        self._side: Side = side
        self._moved = {
            move.older if side == "older" else move.newer: _ends(move.conversion)
            for move in trial.matched[edge].moves
        }
        self._ways: Counter[TypeRef] = Counter()
        self._opened = {path[:depth] for path in self._moved for depth in range(1, len(path))}

    def run(self) -> Iterator[End]:
        start = self._edge[0] if self._side == "older" else self._edge[1]
        return self._walk(self._trial.matched[self._edge], End((), _NOTHING, (start,)))

    def _walk(self, matched: Matched | None, above: End) -> Iterator[End]:
        ref = above.holders[-1]
        self._ways[ref] += 1
        if self._ways[ref] > _MANY:
            return
        for item in self._trial.properties(ref):
            path = (*above.path, item.name)
            nested = self._moved.get(path)
            is_lost = path not in self._moved and (
                matched is None or matched.is_free(self._side, item.name)
            )
            if not is_lost and not isinstance(item.type, Ref):
                continue
            end = replace(above, path=path, member=item)
            # From outside, each way to a property counts separately.
            counts = len(path) > 1 or end.key not in self._trial.moved_from_outside
            if is_lost and counts and path not in self._opened:
                yield end
            if not isinstance(item.type, Ref) or len(path) >= _DEPTH:
                continue
            if not is_lost and nested is None and matched is not None:
                nested = _nested(matched, self._side, item.name)
            holders = (*above.holders, TypeRef(ref.version, item.type.type_name))
            if holders[-1] in above.holders:
                continue
            if is_lost:
                lost = (*above.lost, item.name)
                yield from self._walk(None, replace(end, holders=holders, lost=lost))
            elif nested is not None and nested in self._trial.matched:
                through = (*above.through, nested)
                in_moved = above.in_moved or path in self._moved
                inner = replace(end, holders=holders, through=through, in_moved=in_moved)
                yield from self._walk(self._trial.matched[nested], inner)
            elif text := "" if matched is None else _text_of(matched, self._side, item.name):
                lost = (*above.lost, item.name)
                inside = self._walk(None, replace(end, holders=holders, lost=lost))
                yield from (one for one in inside if one.path[len(path)] != text)


def _nested(matched: Matched, side: Side, name: str) -> Edge | None:
    """Return the edge that the object of a paired property crosses."""
    conversion = _conversion(matched, side, name)
    return None if conversion is None else _ends(conversion)


def _text_of(matched: Matched, side: Side, name: str) -> str:
    """Return the member that takes the string of a property's partner, "" if there is none.

    The other members are free.
    """
    conversion = _conversion(matched, side, name)
    return "" if conversion is None else plan.reference_member(conversion)


def _conversion(matched: Matched, side: Side, name: str) -> plan.Conversion | None:
    for pair in matched.pairs:
        if (pair.older if side == "older" else pair.newer) == name:
            return pair.conversion
    return None


def _ends(conversion: plan.Conversion) -> Edge | None:
    if isinstance(conversion, plan.Recurse) and len(conversion.steps) == 2:
        return conversion.steps[0], conversion.steps[1]
    return None
