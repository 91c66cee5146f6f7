"""Pairing the types of a group over its edges, each with what happens to their properties."""

from __future__ import annotations

from collections import deque

from holdall.errors import Problem
from holdall.plan.plans import LinkEnd, Side, TypeRef
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, Property
from holdall_codegen.plan.facts import Facts
from holdall_codegen.plan.matching import Matched, Matcher
from holdall_codegen.plan.model import Decision
from holdall_codegen.plan.values import ValuePlanner


class Pairing:
    """The pairs of types that need an edge; matching one may need further ones."""

    def __init__(self, group: Group, config: GroupConfig) -> None:
        self.group = group
        self.facts = Facts(config, group)
        self.problems: list[Problem] = []
        self.matched: dict[tuple[TypeRef, TypeRef], Matched] = {}
        self.rank = {version.name: index for index, version in enumerate(group.versions)}
        self._queue: deque[tuple[TypeRef, TypeRef]] = deque()

    def pair(self, one: TypeRef, other: TypeRef) -> tuple[TypeRef, TypeRef]:
        """Note that two types need an edge; it is matched with the queue."""
        older, newer = sorted((one, other), key=lambda ref: self.rank[ref.version])
        if (older, newer) not in self.matched:
            self.matched[older, newer] = Matched()
            self._queue.append((older, newer))
        return older, newer

    def leave_to_hook(self, older: LinkEnd, newer: LinkEnd) -> None:
        """Give the holders of a linked property an edge on which a hook converts that property.

        The hook sees holders with only this property: all others take other ways.
        """
        matched = self.matched.get((older.type, newer.type))
        if matched is None:
            apart = "not linked"
            matched = self.matched[older.type, newer.type] = Matched(
                left_older=dict.fromkeys(self._names(older.type), apart),
                left_newer=dict.fromkeys(self._names(newer.type), apart),
            )
        matched.left_older[older.name] = matched.left_newer[newer.name] = "strategy: hook"
        ends: tuple[tuple[Side, LinkEnd, str], ...]
        ends = ("older", older, newer.name), ("newer", newer, older.name)
        for side, end, partner in ends:
            location = self.property_of(end).location
            matched.decisions.append(
                Decision(side, end.name, "claimed by a hook", "strategy: hook", partner, location)
            )

    def _names(self, ref: TypeRef) -> list[str]:
        return [item.name for item in self.group.type(ref).properties]

    def match_queue(self) -> None:
        """Match every queued pair of types, and those that their properties need."""
        while self._queue:
            older, newer = self._queue.popleft()
            matcher = Matcher(
                older,
                newer,
                self.facts,
                self.values(older.version, newer.version),
                self.problems,
                self.group.head.version_at if self.group.head and older in self.roots() else None,
            )
            self.matched[older, newer] = matcher.match()

    def values(self, older: str, newer: str) -> ValuePlanner:
        """Return the planner of values between two versions; its pairs join the queue."""
        return ValuePlanner(self.group, older, newer, self.pair)

    def order(self, ref: TypeRef) -> int:
        """Return the place of a type's version in the version order."""
        return self.rank[ref.version]

    def property_of(self, end: LinkEnd) -> Property:
        """Return the property at one end of a link."""
        properties = self.group.type(end.type).properties
        return next(item for item in properties if item.name == end.name)

    def roots(self) -> set[TypeRef]:
        """Return the types of whole documents."""
        return {
            TypeRef(version.name, kind.type_name)
            for version in self.group.versions
            for kind in version.kinds
        }
