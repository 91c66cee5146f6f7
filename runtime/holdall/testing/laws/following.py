"""Whether a conversion does what the plan says about properties that are simply carried over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from holdall.explain.standing import are_alike, fits, steps_of
from holdall.objects.bag import BAG_MEMBER, WHOLE_KEY
from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import (
    Decision,
    Edge,
    GroupPlan,
    LinkEnd,
    ListOf,
    MapOf,
    Ref,
    Scalar,
    Type,
    TypeRef,
    object_within,
)
from holdall.testing.laws.differences import (
    MISSING,
    Difference,
    Found,
    Missing,
    Tokens,
    differences,
)
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.once import asked_once
from holdall.testing.laws.subjects import Claimed
from holdall.types import JsonObject, members

Ends: TypeAlias = tuple[TypeRef, TypeRef]
"""The types that are converted from and to."""

_SAME = frozenset({"copied", "renamed"})
_Step: TypeAlias = "tuple[str, str, Decision, Edge, tuple[Type | None, Type | None] | None]"
"""Two partners, the decision about them, and their types, if their values are compared."""


class Followed:
    """Compares the two sides of an edge with the plan, except for what a hook claims."""

    def __init__(self, plan: GroupPlan, claimed: Claimed) -> None:
        self._plan = plan
        self._claimed = claimed
        self._edges = {frozenset((edge.older, edge.newer)): edge for edge in plan.edges}
        self._links: dict[TypeRef, list[tuple[LinkEnd, LinkEnd]]] = {}
        for link in plan.links:
            ends = frozenset((link.older.type, link.newer.type))
            hooked = claimed.get(ends, frozenset())
            is_claimed = any((end.type, end.name) in hooked for end in (link.older, link.newer))
            if not link.values and not is_claimed:
                for near, far in ((link.older, link.newer), (link.newer, link.older)):
                    self._links.setdefault(near.type, []).append((near, far))

    def broken(
        self, ends: Ends, given: JsonObject, made: JsonObject, path: Tokens = ()
    ) -> Iterator[Difference]:
        """Yield the places of `made`, converted from `given`, that are not as the plan says."""
        if ends[1] in self._links:
            yield from self._linked(ends, given, made, path)
        for name, peer, decision, edge, types in self._steps(*ends):
            one, other = given.get(name, MISSING), made.get(peer, MISSING)
            if decision.fate in _SAME:
                if one is not other:
                    yield from differences(one, other, (*path, peer))
            elif types is None:
                yield from self._renamed(decision, edge, given, one, other, (*path, peer))
            else:
                yield from self._inside(*types, one, other, (*path, peer))

    @asked_once
    def _steps(self, source: TypeRef, destination: TypeRef) -> list[_Step]:
        """Return what to compare of two types: what both have, except what a hook claims."""
        ends = frozenset((source, destination))
        edge = self._edges.get(ends)
        if edge is None:
            return []
        steps: list[_Step] = []
        claimed = self._claimed.get(ends, frozenset())
        upward = edge.older == source
        for decision in edge.decided("older"):
            partner = decision.partner or decision.name
            if (edge.older, decision.name) in claimed or (edge.newer, partner) in claimed:
                continue
            name, peer = (decision.name, partner) if upward else (partner, decision.name)
            if decision.fate in _SAME or (decision.values and upward):
                steps.append((name, peer, decision, edge, None))
            elif decision.fate in ("recursed", "converted"):
                types = self._plan.types[source].get(name), self._plan.types[destination].get(peer)
                steps.append((name, peer, decision, edge, types))
        return steps

    def _linked(
        self, ends: Ends, given: JsonObject, made: JsonObject, path: Tokens
    ) -> Iterator[Difference]:
        """Compare values kept for a skip link with the results, except live ones."""
        source, destination = ends
        edge = self._edges.get(frozenset(ends))
        if edge is None:
            return
        live = set[str]()
        for decision in edge.decided("older"):
            upward = edge.older == source
            way = (decision.partner or decision.name) if upward else decision.name
            steps = steps_of(self._plan, destination, way)
            if len(steps) > 1:  # it moves, into an object that may have been linked
                made = Edit(steps, MISSING).apply(made)
            elif decision.fate not in ("stashed", "pulled"):
                live.add(way)
        waiting = [
            (near, far, entry)
            for near, far in self._links.get(destination, ())
            if not isinstance(entry := _entry(given, far.type.version, far.name), Missing)
        ]
        names = [near.name for near, _, _ in waiting]
        for near, far, entry in waiting:
            if (
                near.name in live
                or names.count(near.name) > 1
                or _is_kept(given, destination.version, near.name)
            ):
                continue  # one entry of several is the value
            type_, peer = (self._plan.types[end.type].get(end.name) for end in (far, near))
            if type_ is None or not (fits(self._plan, entry, type_) and are_alike(type_, peer)):
                continue
            found, place = made.get(near.name, MISSING), (*path, near.name)
            if object_within(type_) is None:
                yield from differences(entry, found, place)
            else:
                yield from self._inside(type_, peer, entry, found, place)

    def _inside(
        self, type_: Type | None, peer: Type | None, one: Found, other: Found, path: Tokens
    ) -> Iterator[Difference]:
        match type_, peer:
            case Ref(type=source), Ref(type=destination):
                one, other = (self._opened(*it) for it in ((source, one), (destination, other)))
                if isinstance(one, dict) and isinstance(other, dict):
                    ends = source, destination
                    if self._plan.form(source) == "union" and self._turned(ends, one):
                        return
                    yield from self.broken(ends, one, other, path)
            case ListOf(item=inner), ListOf(item=there):
                if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
                    for index, (left, right) in enumerate(zip(one, other, strict=True)):
                        yield from self._inside(inner, there, left, right, (*path, index))
            case ListOf(item=inner), Ref():
                first = one[0] if isinstance(one, list) and one else MISSING
                yield from self._inside(inner, peer, first, other, path)
            case Ref(), ListOf(item=there):
                first = other[0] if isinstance(other, list) and other else MISSING
                yield from self._inside(type_, there, one, first, (*path, 0))
            case MapOf(value=inner), MapOf(value=there):
                if isinstance(one, dict) and isinstance(other, dict):
                    for key in one.keys() & other.keys():
                        yield from self._inside(inner, there, one[key], other[key], (*path, key))

    def _opened(self, ref: TypeRef, value: Found) -> Found:
        """Return a union or a tuple as the object that it is in a plan."""
        match self._plan.form(ref), value:
            case "union", str():
                return {UNIT: value}
            case "tuple", list():
                return {str(index): item for index, item in enumerate(value)}
            case _:
                return value

    def _turned(self, ends: Ends, union: JsonObject) -> bool:
        """Return whether a union becomes another variant: a kept one, or a fallback."""
        if _is_kept(union, ends[1].version, WHOLE_KEY):
            return True
        edge = self._edges.get(frozenset(ends))
        if edge is None:
            return True
        decided = edge.decided(edge.side_of(ends[0]))
        shared = {decision.name for decision in decided if decision.partner}
        return not shared & union.keys() or self._is_alone(edge, ends, union)

    def _is_alone(self, edge: Edge, ends: Ends, union: JsonObject) -> bool:
        """Return whether a bare name is a variant that only its own side has."""
        own, there = (self._plan.types[ref].get(UNIT) for ref in ends)
        bare = union.get(UNIT)
        if not isinstance(own, Scalar) or not isinstance(there, Scalar) or bare not in own.enum:
            return False
        names = {name: new for it in edge.decided("older") for name, new in it.values.items()}
        if ends[0] == edge.newer:
            names = {new: name for name, new in names.items()}
        return names.get(str(bare), bare) not in there.enum

    def _expected(self, decision: Decision, edge: Edge, value: str) -> str | None:
        """Return the value of an enum in the newer version; None if it is a fallback."""
        if value in decision.values or edge.newer not in self._plan.forms:
            return decision.values.get(value, value)
        type_ = self._plan.types[edge.newer].get(decision.partner or decision.name)
        return value if isinstance(type_, Scalar) and value in type_.enum else None

    def _renamed(
        self,
        decision: Decision,
        edge: Edge,
        given: JsonObject,
        one: Found,
        other: Found,
        path: Tokens,
    ) -> Iterator[Difference]:
        if not isinstance(one, str) or not isinstance(other, str):
            return
        expected = self._expected(decision, edge, one)
        # A value kept for the way back has priority over the declaration.
        kept = _is_kept(given, edge.newer.version, str(path[-1]))
        if expected is not None and expected != other and not kept:
            yield Difference(path, expected, other)


def _entry(holder: JsonObject, origin: str, key: str) -> Found:
    return members(holder, BAG_MEMBER, origin).get(key, MISSING)


def _is_kept(holder: JsonObject, origin: str, key: str) -> bool:
    return _entry(holder, origin, key) is not MISSING
