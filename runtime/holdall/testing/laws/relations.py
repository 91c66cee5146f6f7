"""Which properties of one version may change when a property of another version is edited."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from holdall.explain.standing import steps_of
from holdall.objects.bag import BAG_MEMBER
from holdall.plan.graph import neighbours, reachable, shortest_path
from holdall.plan.plans import GroupPlan, Ref, TypeRef
from holdall.testing.laws.once import asked_once
from holdall.testing.laws.subjects import Claimed, Node
from holdall.types import JsonObject, JsonValue

_NOTHING: Final = frozenset[Node]()
_ABSENT: Final = object()


class Relations:
    """The properties of all types, joined where the plan or a hook lets one follow another.

    What a function `made` may follow everything in its inputs.
    """

    def __init__(self, plan: GroupPlan, claimed: Claimed, made: Claimed) -> None:
        self._plan = plan
        self._types = neighbours((edge.older, edge.newer) for edge in plan.edges)
        joined: list[tuple[Node, Node]] = []
        self._hiding: set[Node] = set()
        self._claimed, self._made = claimed, made
        for edge in plan.edges:
            for decision in edge.decided("older"):
                if decision.fate not in ("stashed", "pulled", "claimed by a hook"):
                    ends, partner = (edge.older, edge.newer), decision.partner or decision.name
                    pairs = [*self._pairs(ends, decision.name, partner)]
                    joined += pairs
                    joined.append((self._end(ends[0], decision.name), self._end(ends[1], partner)))
                    self._hiding |= _hiding(decision.lens, *pairs[0])
            hooked = claimed.get(frozenset((edge.older, edge.newer)), frozenset())
            first = next(iter(sorted(hooked)), None)
            joined += [(first, node) for node in hooked if first is not None]
        joined += [
            ((link.older.type, link.older.name), (link.newer.type, link.newer.name))
            for link in plan.links
        ]
        self._graph = neighbours(joined)
        self._followers: dict[TypeRef, list[Node]] = {}
        for edge in plan.edges:
            for decision in edge.decisions:
                if decision.follows_parent:
                    mine, parent = edge.older, edge.newer
                    if decision.side == "newer":
                        mine, parent = parent, mine
                    self._followers.setdefault(parent, []).append((mine, decision.name))

    def _pairs(
        self, ends: tuple[TypeRef, TypeRef], name: str, partner: str
    ) -> Iterator[tuple[Node, Node]]:
        """Yield the members that lead to two partners, within objects that become each other: a
        value may move there from one member to another."""
        ways = (steps_of(self._plan, *end) for end in zip(ends, (name, partner), strict=True))
        for one, other in zip(*ways, strict=False):
            yield (ends[0], one), (ends[1], other)
            inner, there = self._plan.types[ends[0]].get(one), self._plan.types[ends[1]].get(other)
            if not isinstance(inner, Ref) or not isinstance(there, Ref):
                return
            ends = inner.type, there.type
            if ends[1] not in self._types.get(ends[0], ()):
                return

    def _end(self, ref: TypeRef, path: str) -> Node:
        """Return what is at a path below a type as a member of the object that holds it."""
        *parents, name = steps_of(self._plan, ref, path)
        return self._plan.within(ref, parents) or ref, name

    @asked_once
    def related(self, ref: TypeRef, name: str, other: TypeRef) -> frozenset[str]:
        """Return the members of `other` that may follow a member of a type of another version."""
        if name not in self._plan.types[ref] and name not in self._plan.types[other]:
            return frozenset((name,))  # undeclared members keep their names
        return frozenset(member for type_, member in self._reached((ref, name)) if type_ == other)

    @asked_once
    def _reached(self, start: Node) -> frozenset[Node]:
        return frozenset(reachable(self._graph, start))

    @asked_once
    def _changing(self, ref: TypeRef, name: str, other: TypeRef) -> frozenset[str]:
        """Return the members of `other` that may change with a member of a type."""
        return self.related(ref, name, other) | self._following(ref, name, other)

    def _following(self, ref: TypeRef, name: str, other: TypeRef) -> frozenset[str]:
        """Return the members of `other` whose defaults are made of an object that has a member
        related to the one given."""
        found: set[str] = set()
        for parent, followers in self._followers.items():
            if self.related(ref, name, parent) or parent == ref:
                for follower in followers:
                    found |= self.related(*follower, other)
        return frozenset(found)

    def _stays(self, ref: TypeRef, path: tuple[str | int, ...], other: TypeRef) -> bool:
        """Return whether an edit keeps a union's variant and changes only its part; always true for
        other types."""
        if self._plan.form(ref) != "union":
            return True
        return len(path) > 1 and bool(self.related(ref, str(path[0]), other))

    @asked_once
    def _is_hooked(self, ref: TypeRef, name: str, other: TypeRef) -> bool:
        """Return whether a hook on the way to another type claims a member or a related one."""
        return self._leads_over(self._claimed, (ref, name), other)

    @asked_once
    def _is_made(self, ref: TypeRef, name: str, other: TypeRef) -> bool:
        """Return whether a function on the way to another type makes a member, as `_is_hooked`."""
        return self._leads_over(self._made, (ref, name), other)

    def _leads_over(self, members: Claimed, start: Node, other: TypeRef) -> bool:
        return any(
            not members.get(frozenset(edge), _NOTHING).isdisjoint(self._reached(start))
            for edge in pairwise(shortest_path(self._types, start[0], other))
        )

    @asked_once
    def _are_converted(self, ref: TypeRef, other: TypeRef) -> bool:
        """Return whether edges lead from one type to another."""
        return other in reachable(self._types, ref)

    def unrelated(
        self,
        ref: TypeRef,
        path: tuple[str | int, ...],
        other: TypeRef,
        document: JsonObject,
        *,
        is_hooked: bool = False,
    ) -> JsonObject:
        """Return what an edit at `path` of an object of type `ref` must not change in `document`,
        the same object as type `other`.

        What a hook claims, and everything in it, `is_hooked`: its objects may come and go.
        """
        name = path[0]
        if not isinstance(name, str):
            return document
        related = self.related(ref, name, other)
        moving = self._changing(ref, name, other)
        rest = {key: value for key, value in document.items() if key not in moving}
        if len(path) > 1 and len(related) == 1:
            (peer,) = related
            inner, there = self._plan.types[ref].get(name), self._plan.types[other].get(peer)
            value = document.get(peer, _ABSENT)
            if (
                isinstance(inner, Ref)
                and isinstance(there, Ref)
                and (value is None or isinstance(value, dict))
                # Without edges between the types, the whole value may follow.
                and self._are_converted(inner.type, there.type)
                and not self._is_made(ref, name, other)
                and self._stays(inner.type, path[1:], there.type)
            ):
                hooked = is_hooked or self._is_hooked(ref, name, other)
                # An object that a move made instead of null is equivalent to it.
                rest[peer] = value and self.unrelated(
                    inner.type, path[1:], there.type, value, is_hooked=hooked
                )
                if (hooked or (other, peer) in self._hiding) and _says_nothing(rest[peer]):
                    del rest[peer]  # an object is hidden with its last value
        return rest


def _hiding(lens: str, older: Node, newer: Node) -> set[Node]:
    """Return the property that is not shown where the other side has the zero value."""
    sides = {"older": {older}, "newer": {newer}, "both": {older, newer}}
    return sides.get(lens.removeprefix("hides_zero: "), set())


def _says_nothing(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return all(_says_nothing(item) for name, item in value.items() if name != BAG_MEMBER)
    return value is None or value == ""
