"""The plan as people read it: rows of fates, filtered, with the hooks that cover them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdall_codegen.plan.model import Decision, Fate, PlannedEdge, is_reversible
from holdall_codegen.views.hook_report import BoundPoint
from holdall_codegen.views.proposals import Choice

PLAIN_FATES: frozenset[Fate] = frozenset(("copied", "recursed"))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows of the plan to show; None: no restriction."""

    choice: Choice
    fate: str | None = None
    everything: bool = False

    def takes_edge(self, edge: PlannedEdge) -> bool:
        """Tell whether rows of an edge are shown."""
        return self.choice.takes(edge.older, edge.newer)

    def takes(self, decision: Decision, *, is_lossy: bool) -> bool:
        """Tell whether a row is shown: by default all that are not simply copied or recursed."""
        if self.fate is not None:
            return decision.fate == self.fate
        if self.everything or is_lossy or decision.doubtful:
            return True
        return decision.fate not in PLAIN_FATES


@dataclass(frozen=True, slots=True)
class EdgeReport:
    """The rows of one edge, with its hook as `file:line`, if any."""

    edge: PlannedEdge
    decisions: tuple[Decision, ...]
    hook: str
    unclaimed: frozenset[str]

    def rows(self) -> Iterator[tuple[str, str, str, str, str, str]]:
        """Yield version, property, fate, partner, reason and location of each property."""
        for decision in self.decisions:
            ref = self.edge.older if decision.side == "older" else self.edge.newer
            reason = decision.reason
            if f"{ref} {decision.name}" in self.unclaimed:
                reason += "; unclaimed by the hook"
            at = str(decision.location) if decision.location.file else ""
            yield ref.version, decision.name, decision.fate, decision.partner, reason, at


def report_edges(points: Iterable[BoundPoint], wanted: Filter) -> Iterator[EdgeReport]:
    """Yield the edges with rows that a filter selects, in the order of the plan."""
    for bound in points:
        edge = bound.edge
        if not wanted.takes_edge(edge):
            continue
        lossy = _lossy(edge)
        decisions = tuple(
            decision
            for decision in bound.decisions
            if wanted.takes(decision, is_lossy=(decision.side, decision.name) in lossy)
        )
        if decisions:
            hook = f"{bound.hook.name} {bound.hook.file}:{bound.hook.line}" if bound.hook else ""
            yield EdgeReport(edge, decisions, hook, frozenset(bound.unclaimed))


def _lossy(edge: PlannedEdge) -> frozenset[tuple[str, str]]:
    """Return the properties that are recursed with a lossy conversion below."""
    found = set()
    for pair in edge.pairs:
        if not is_reversible(pair.conversion):
            found |= {("older", pair.older), ("newer", pair.newer)}
    return frozenset(found)


def count_fates(points: Sequence[BoundPoint]) -> Mapping[str, int]:
    """Return how many properties have each fate, most frequent first."""
    counts = Counter(decision.fate for point in points for decision in point.decisions)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
