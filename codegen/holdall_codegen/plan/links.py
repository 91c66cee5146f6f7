"""Skip links: properties that are missing between two versions and return later.

Source: docs/conversions.md, "Skip links".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from holdall.errors import Problem
from holdall.plan.graph import neighbours, shortest_path
from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.config.model import PropertyFacts
from holdall_codegen.model import Location
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.facts import NO_FACTS, Options
from holdall_codegen.plan.model import Decision, PlannedLink, Refused
from holdall_codegen.plan.offers import fixes
from holdall_codegen.plan.pairing import Pairing


@dataclass(frozen=True, slots=True)
class _Gap:
    """A property that returns in another shape, its locations, and what would convert it."""

    ends: tuple[LinkEnd, LinkEnd]
    locations: tuple[Location, Location]
    why: str
    fixes: str

    @property
    def cause(self) -> tuple[str, ...]:
        """The key that the gaps of one property share."""
        names = (name for end in self.ends for name in (end.type.name, end.name))
        return (*names, self.why, self.fixes)


def _problem(gaps: Sequence[_Gap]) -> Problem:
    """Return the problem of gaps with one cause."""
    first = gaps[0]
    older, newer = (
        ", ".join(dict.fromkeys(f"{gap.ends[side].type} {gap.ends[side].name}" for gap in gaps))
        for side in (0, 1)
    )
    pairs = [" -> ".join(end.type.version for end in gap.ends) for gap in gaps]
    return Problem(
        "HA202",
        str(first.locations[0]),
        f"{older} -> {newer} ({first.locations[1]}),"
        f" which no version between them has: {first.why}",
        f"{first.fixes}, under {' and '.join(f'`{pair}`' for pair in pairs)}",
    )


class LinkFinder:
    """Finds the skip links of a group and the edges they need."""

    def __init__(self, planner: Pairing) -> None:
        self._planner = planner
        self._links: dict[tuple[LinkEnd, LinkEnd], PlannedLink] = {}
        self._far: dict[LinkEnd, list[LinkEnd]] = {}
        self._moved: set[tuple[LinkEnd, str]] = set()
        self._looked_at: set[tuple[LinkEnd, LinkEnd]] = set()
        self._gaps: dict[Problem, _Gap] = {}

    def find(self) -> tuple[PlannedLink, ...]:
        """Return all links, sorted; edges between their types join the planner's edges.

        Linked objects may have properties with a gap inside their own.
        """
        edges: list[tuple[TypeRef, TypeRef]] = []
        while len(edges) < len(self._planner.matched):
            edges = list(self._planner.matched)
            self._find_over(edges)
            self._planner.match_queue()
        self._far = neighbours(self._links)
        self._refuse_defaults(neighbours(edges))
        return tuple(self._links[key] for key in sorted(self._links))

    def told_once(self, problems: Sequence[Problem]) -> list[Problem]:
        """Return problems, with one for all gaps of a property, for all its versions."""
        causes: dict[tuple[str, ...], list[_Gap]] = {}
        for gap in filter(None, map(self._gaps.get, problems)):
            causes.setdefault(gap.cause, []).append(gap)
        gaps = {problem: self._gaps.get(problem) for problem in problems}
        told = (_problem(causes[gap.cause]) if gap else problem for problem, gap in gaps.items())
        return list(dict.fromkeys(told))

    def _refuse_defaults(self, graph: dict[TypeRef, list[TypeRef]]) -> None:
        """Refuse defaults within a gap: the other end decides what a property is there."""
        planner = self._planner
        for ends in self._links:
            for end, far in (ends, ends[::-1]):
                step = shortest_path(graph, end.type, far.type)[1]
                older, newer = sorted((end.type, step), key=planner.order)
                side = "older" if end.type == older else "newer"
                for default in planner.matched[older, newer].defaults:
                    if (default.side, default.name) == (side, end.name):
                        text = f"a default has no effect here: {far.type} has {far.name}, too"
                        where = str(default.location)
                        planner.problems.append(Problem("HA213", where, text, "remove it"))

    def _find_over(self, edges: list[tuple[TypeRef, TypeRef]]) -> None:
        graph, known = neighbours(edges), {*self._links}
        self._moved = {
            (LinkEnd(types[-1], path[-1]), far.version)
            for ends in edges
            for move in self._planner.matched[ends].moves
            for types, path, far in (
                (move.older_types, move.older, ends[1]),
                (move.newer_types, move.newer, ends[0]),
            )
        }
        for older, newer in edges:
            matched = self._planner.matched[older, newer]
            for name in matched.only_older:
                if name != matched.version_at:  # its value belongs to this version only
                    self._follow(graph, (older, newer), name)
            for name in matched.only_newer:
                if name != matched.version_at:
                    self._follow(graph, (newer, older), name)
        self._join(graph)
        for key, link in self._links.items():
            if key not in known:
                self._links[key] = replace(link, conversion=self._route(graph, link.conversion))

    def _follow(
        self, graph: dict[TypeRef, list[TypeRef]], path: tuple[TypeRef, ...], name: str
    ) -> None:
        """Walk on from a type that lacks the property until each branch has it again."""
        start, before = path[0], path[-1]
        seen = {ref.version for ref in path}
        for end in graph[before]:
            if end.version in seen:
                continue
            facts, wanted = self._wanted(start, end, name)
            if not self._has(end, wanted):
                self._follow(graph, (*path, end), name)
            elif facts.not_same:
                self._planner.facts.use(facts)
            elif self._appears(before, end, wanted) and not self._came_before(path, end, wanted):
                ends = LinkEnd(start, name), LinkEnd(end, wanted)
                # A moved property is not missing: it is at another place.
                if not self._moves(ends[0], path[1]) and not self._moves(ends[1], before):
                    self._link(*ends, facts)

    def _join(self, graph: dict[TypeRef, list[TypeRef]]) -> None:
        """Link two properties that are both linked to one of a version that is not between them.

        Through that version each shows the other's value, so it must on the direct way, too.
        """
        known = -1
        while known < len(self._links):
            known = len(self._links)
            links = neighbours(self._links)
            seen = {(end, far.type.version) for end, ends in links.items() for far in ends}
            for middle, ends in links.items():
                for one, other in combinations(ends, 2):
                    versions = one.type.version, other.type.version
                    is_linked = (one, versions[1]) in seen or (other, versions[0]) in seen
                    if not is_linked and versions[0] != versions[1]:
                        self._join_two(graph, one, middle, other)

    def _join_two(
        self, graph: dict[TypeRef, list[TypeRef]], one: LinkEnd, middle: LinkEnd, other: LinkEnd
    ) -> None:
        path = shortest_path(graph, one.type, other.type)
        if len(path) < 3 or middle.type in path:  # neighbours are paired, not linked
            return
        facts, _ = self._wanted(one.type, other.type, one.name)
        if facts.not_same:
            self._planner.facts.use(facts)
        elif facts is NO_FACTS and not (self._moves(one, path[1]) or self._moves(other, path[-2])):
            self._link(one, other, facts)

    def _wanted(self, start: TypeRef, end: TypeRef, name: str) -> tuple[PropertyFacts, str]:
        """Return the facts between two versions and the wire name at the far end."""
        order = self._planner.order
        older, newer = sorted((start, end), key=order)
        declared = [
            facts
            for facts in self._planner.facts.of_properties(older.version, newer.version, older.name)
            if len(facts.path) == 1
        ]
        if start == older:
            found = next((item for item in declared if item.path[0] == name), NO_FACTS)
            return found, found.rename or name
        found = next((item for item in declared if (item.rename or item.path[0]) == name), NO_FACTS)
        return found, found.path[0] if found.path else name

    def _has(self, ref: TypeRef, name: str) -> bool:
        return self._planner.group.type(ref).property(name) is not None

    def _appears(self, before: TypeRef, end: TypeRef, name: str) -> bool:
        """Tell whether a property of `end` has no partner in the type before on the path."""
        older, newer = sorted((before, end), key=self._planner.order)
        matched = self._planner.matched[older, newer]
        return name in (matched.only_newer if end == newer else matched.only_older)

    def _came_before(self, path: Sequence[TypeRef], end: TypeRef, name: str) -> bool:
        """Tell whether a type on the way has a property that the end has again.

        It has the name of the property at the start of the path, but is another one.
        """
        for ref, after in pairwise(path[1:]):
            facts, wanted = self._wanted(end, ref, name)
            if self._has(ref, wanted) and not facts.not_same and self._appears(after, ref, wanted):
                return True
        return False

    def _link(self, one: LinkEnd, other: LinkEnd, facts: PropertyFacts) -> None:
        older, newer = sorted((one, other), key=lambda end: self._planner.order(end.type))
        if (older, newer) in self._looked_at:
            return
        self._looked_at.add((older, newer))
        planner = self._planner
        before = planner.property_of(older)
        after = planner.property_of(newer)
        if facts.strategy is not None:
            planner.facts.use(facts)
            if facts.strategy == "hook":
                planner.leave_to_hook(older, newer)
                through = plan.Through(older, before.type, newer, after.type)
                self._links[older, newer] = PlannedLink(older, newer, through, "strategy: hook")
            return
        rename = newer.name if facts is NO_FACTS and older.name != newer.name else ""
        options = Options(facts)
        values = planner.values(older.type.version, newer.type.version).aside()
        converted = values.choose(before.type, after.type, options)
        if facts is not NO_FACTS:
            planner.facts.use(facts)
        if facts.retyped is not None:
            text = "functions have no effect here: they convert over an edge, but this is a gap"
            planner.problems.append(Problem("HA213", str(facts.location), text, "remove them"))
        if isinstance(converted, Refused):
            gap = _Gap(
                (older, newer),
                (before.location, after.location),
                converted.why,
                fixes(values, before.type, after.type, replace(facts, retyped=None), rename),
            )
            self._gaps[problem := _problem([gap])] = gap
            planner.problems.append(problem)
            return
        planner.problems.extend(
            Problem("HA213", str(facts.location), f"{option} has no effect here", "remove it")
            for option in options.unused()
        )
        if facts is not NO_FACTS:
            reason = "declared"
        else:
            reason = "same as in a third version" if rename else "same wire name"
        self._links[older, newer] = PlannedLink(older, newer, converted, reason)

    def _moves(self, end: LinkEnd, next_: TypeRef) -> bool:
        """Tell whether a property moves somewhere else in the version of the next type."""
        return (end, next_.version) in self._moved

    def _route(
        self, graph: dict[TypeRef, list[TypeRef]], conversion: plan.Conversion
    ) -> plan.Conversion:
        """Route every recursion over existing edges; without a path the two types get an edge."""
        match conversion:
            case plan.Recurse(steps=steps):
                path = shortest_path(graph, steps[0], steps[-1])
                if not path:
                    return plan.Recurse(self._planner.pair(steps[0], steps[-1]))
                return plan.Recurse(tuple(path))
            case plan.Each() | plan.Wrap() | plan.HidesZero() | plan.Keyed() | plan.Flipped():
                return replace(conversion, inner=self._route(graph, conversion.inner))
            case _:
                return conversion

    def explain(self, older: TypeRef, newer: TypeRef, decision: Decision) -> Decision:
        """Return a decision with the far end of its links, if it has any."""
        if decision.fate not in ("stashed", "pulled"):
            return decision
        end = LinkEnd(older if decision.side == "older" else newer, decision.name)
        far = ", ".join(f"{other.type} {other.name}" for other in self._far.get(end, ()))
        if not far:
            return decision
        return replace(decision, partner=far, reason=f"{decision.reason}; returns there")
