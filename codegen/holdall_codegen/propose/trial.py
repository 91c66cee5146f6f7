"""A trial plan: what a configuration would decide, refused properties included."""

from __future__ import annotations

from collections.abc import Mapping

from holdall.errors import Problem
from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.config.model import GroupConfig, PropertyFacts
from holdall_codegen.model import Group, Property, Type
from holdall_codegen.plan.build import Planner
from holdall_codegen.plan.facts import NO_FACTS
from holdall_codegen.plan.matching import Matched

REFUSED = ("HA201", "HA202")


class Trial:
    """What one configuration decides about a group."""

    def __init__(self, group: Group, config: GroupConfig) -> None:
        planner = Planner(group, config)
        _, links = planner.decide()
        self.group, self.config = group, config
        self._planner = planner
        self.matched: Mapping[tuple[TypeRef, TypeRef], Matched] = planner.matched
        self.problems: tuple[Problem, ...] = tuple(planner.problems)
        self.moved_from_outside: frozenset[tuple[TypeRef, str]] = frozenset(
            (holders[-1], path[-1])
            for matched in planner.matched.values()
            for move in matched.moves
            for holders, path in (
                (move.older_types, move.older),
                (move.newer_types, move.newer),
            )
            if len(path) > 1
        )
        self._links: frozenset[tuple[LinkEnd, LinkEnd]] = frozenset(
            (link.older, link.newer) for link in links
        )

    def properties(self, ref: TypeRef) -> tuple[Property, ...]:
        """Return the properties of a type."""
        return self.group.type(ref).properties

    def property(self, ref: TypeRef, name: str) -> Property:
        """Return a property of a type."""
        return next(item for item in self.properties(ref) if item.name == name)

    def is_declared(self, edge: tuple[TypeRef, TypeRef], name: str) -> bool:
        """Tell whether something is declared about a property of the older type of an edge."""
        older, newer = edge
        declared = self._planner.facts.of_properties(older.version, newer.version, older.name)
        return any(facts.path == (name,) for facts in declared)

    def fits(
        self,
        edge: tuple[TypeRef, TypeRef],
        older: Type,
        newer: Type,
        facts: PropertyFacts = NO_FACTS,
    ) -> bool:
        """Tell whether two types convert by a declaration all of which they need, or without."""
        values = self._planner.values(edge[0].version, edge[1].version)
        return values.fits(older, newer, facts)

    def is_worse(self, before: Trial, *, fixing: bool = False) -> bool:
        """Tell whether something is refused or hidden that was not before.

        While `fixing`, types that are paired for the first time may bring refusals of their own.
        """
        known = {_key(problem) for problem in before.problems}
        fresh = [problem for problem in self.problems if _key(problem) not in known]
        if any(not fixing or problem.code not in REFUSED for problem in fresh):
            return True
        return not (before._shown() <= self._shown() and before._links <= self._links)

    def _shown(self) -> set[tuple[str, TypeRef, str]]:
        """Return the properties that another version shows, each with that version."""
        found = set()
        for (older, newer), matched in self.matched.items():
            for pair in matched.pairs:
                found.add((newer.version, older, pair.older))
                found.add((older.version, newer, pair.newer))
            for move in matched.moves:
                found.add((newer.version, move.older_types[-1], move.older[-1]))
                found.add((older.version, move.newer_types[-1], move.newer[-1]))
        return found


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.code, problem.where, problem.message
