"""Entries of versions beyond an edge, interpreted: the live value wins there, too (section 5.7).

A property is the same over all versions that its pairs, moves and links connect. What is kept of
it for one of them must agree with the live value at hand, step by step, or is merged or dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from holdall.plan.plans import TypeRef
from holdall.text.json import same
from holdall_codegen.plan.model import Conversion, GroupPlan, PlannedEdge, Recurse
from tests.laws.interpreter_moves import value_at
from tests.laws.interpreter_values import ValueConverter, is_exact
from tests.laws.json_form import ABSENT, Bag, Json, drop, entry, put

Path = tuple[str, ...]
Place = tuple[TypeRef, Path]
Step = tuple[Place, Conversion, bool, bool]
"""Where it leads, what it does, whether upward, and whether something may be kept of it."""


class DistantEntries:
    """Judges the entries that an edge has no part in by the values on its two sides."""

    def __init__(self, plan: GroupPlan, values: ValueConverter) -> None:
        self._plan = plan
        self._values = values
        self._edges: dict[TypeRef, list[PlannedEdge]] = {}
        for edge in plan.edges:
            for ref in (edge.older, edge.newer):
                self._edges.setdefault(ref, []).append(edge)
        self._depth = max((len(path) for edge in plan.edges for path in _moved(edge)), default=1)

    def judge(self, edge: PlannedEdge, up: bool, source: Json, target: Json, bag: Bag) -> None:
        """Judge the bag of `target` by the object that was left and by the one that was made."""
        if not bag:
            return
        start, end = (edge.older, edge.newer) if up else (edge.newer, edge.older)
        alone = edge.only_newer if up else edge.only_older
        for ref, members, names in ((start, source, ()), (end, target, alone)):
            for path in self._paths(ref):
                if path[0] not in names:
                    seen = {start.version, end.version}
                    self._follow((ref, path), value_at(members, path), bag, seen)

    def _paths(self, ref: TypeRef) -> list[Path]:
        """Return the properties of a type, and those inside of it that move somewhere."""
        return [*self._inside(ref, self._depth)]

    def _inside(self, ref: TypeRef, depth: int) -> Iterator[Path]:
        for member in self._plan.type(ref).members:
            yield (member.name,)
            inner = getattr(member.property.type, "type_name", "")
            if depth > 1 and inner:
                for path in self._inside(TypeRef(ref.version, inner), depth - 1):
                    yield (member.name, *path)

    def _follow(self, place: Place, live: Any, bag: Bag, seen: set[str]) -> None:
        steps = [step for step in self._steps(place) if step[0][0].version not in seen]
        times = Counter(step[0][0].version for step in steps)
        seen |= times.keys()
        for there, conversion, up, keeps in steps:
            version, key = there[0].version, "/".join(there[1])
            if times[version] > 1:
                continue
            kept = entry(bag, version, key) if keeps else ABSENT
            value = self._values.apply(conversion, live, up)
            if kept is not ABSENT:
                if self._values.agrees(conversion, kept, live, up):
                    value = kept
                else:
                    merged = self._values.merge(conversion, kept, live, up)
                    drop(bag, version, key)
                    if merged is not ABSENT and not same(merged, value):
                        value = merged
                        put(bag, version, key, value)
            self._follow(there, value, bag, seen)

    def _steps(self, place: Place) -> Iterator[Step]:
        ref, path = place
        for edge in self._edges.get(ref, ()):
            for up, here, there in (
                (True, edge.older, edge.newer),
                (False, edge.newer, edge.older),
            ):
                if here == ref:
                    found = self._over(edge, up, path)
                    if found is not None:
                        yield (there, found[0]), found[1], up, not is_exact(found[1])
        for link in self._plan.links:
            for up, one, other in ((True, link.older, link.newer), (False, link.newer, link.older)):
                if (one.type, (one.name,)) == place:
                    yield (other.type, (other.name,)), link.conversion, up, True

    def _over(self, edge: PlannedEdge, up: bool, path: Path) -> tuple[Path, Conversion] | None:
        for move in edge.moves:
            here, there = (move.older, move.newer) if up else (move.newer, move.older)
            if here == path:
                return there, move.conversion
        for pair in edge.pairs:
            own, other = (pair.older, pair.newer) if up else (pair.newer, pair.older)
            if own != path[0]:
                continue
            if len(path) == 1:
                return (other,), pair.conversion
            if isinstance(pair.conversion, Recurse) and len(pair.conversion.steps) == 2:
                ends = pair.conversion.steps
                inner = next(e for e in self._plan.edges if (e.older, e.newer) == ends)
                found = self._over(inner, up, path[1:])
                if found is not None and is_exact(found[1]):
                    return (other, *found[0]), found[1]
        return None


def _moved(edge: PlannedEdge) -> Iterator[Path]:
    return (path for move in edge.moves for path in (move.older, move.newer))
