"""The hooks of a project and its plan: what is bound, and what a change of the plan means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from holdall.engine.hook_points import HookPoint, LinkEnd, declared_claims
from holdall.errors import Problem
from holdall.plan.graph import first_steps, neighbours
from holdall.plan.plans import TypeRef
from holdall.types import JsonValue
from holdall.verification import WAYS, HookClass, ImportedHooks, Way, check_package, verify_hooks
from holdall.words import counted
from holdall_codegen.plan.model import LEFT, Decision, GroupPlan, PlannedEdge, Through
from holdall_codegen.plan.python_names import module_names
from holdall_codegen.project import Project
from holdall_codegen.views.hook_import import imported_hooks
from holdall_codegen.views.plan_view import NO_PLAN, EdgeView, Ends, PlanView
from holdall_codegen.views.renamed_types import renamed_types

Urgency = Literal["needed", "possible", "obsolete", "affected"]


def claims_of(hook: HookClass) -> frozenset[tuple[str, str]]:
    """Return the properties that a hook or a part of it claims, each with its side."""
    found: set[tuple[str, str]] = set()
    for way in WAYS:
        ends = ("older", "newer") if way == "to" else ("newer", "older")
        for _, claims in declared_claims(hook.instance, way):
            for side, names in zip(ends, (claims.reads, claims.writes), strict=True):
                found |= {(side, name) for name in claims.properties(names)}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class BoundPoint:
    """One hook point with the hook that is bound to it, if any."""

    package: str
    edge: PlannedEdge
    point: HookPoint
    hook: HookClass | None

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """The properties of a hooked edge that go through the bag without a claim, older first."""
        if self.hook is None:
            return ()
        claimed, edge = claims_of(self.hook), self.edge
        return (
            *(f"{edge.older} {n}" for n in edge.only_older if ("older", n) not in claimed),
            *(f"{edge.newer} {n}" for n in edge.only_newer if ("newer", n) not in claimed),
        )

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The fates of the edge's properties, those that its hook handles included."""
        return tuple(map(self.decided, self.edge.decisions))

    def decided(self, decision: Decision) -> Decision:
        """Return a decision as the hook changes it."""
        shown = self.shown_by_hook(decision)
        if shown is None or decision.fate not in LEFT:
            return decision
        text = f"its hook shows it as {', '.join(shown)}" if shown else "its hook covers it"
        return replace(decision, fate="claimed by a hook", reason=text)

    def shown_by_hook(self, decision: Decision) -> tuple[str, ...] | None:
        """Return what the hook writes where it reads a property; None if it does not claim it."""
        if self.hook is None or (decision.side, decision.name) not in claims_of(self.hook):
            return None
        way: Way = "to" if decision.side == "older" else "from"
        return tuple(
            name
            for _, claims in declared_claims(self.hook.instance, way)
            if decision.name in claims.reads
            for name in claims.writes
            if name in claims.properties(claims.writes)
        )


@dataclass(frozen=True, slots=True)
class HookReport:
    """All hook points of a project, and all mistakes in its hooks."""

    points: tuple[BoundPoint, ...]
    problems: tuple[Problem, ...]
    imported: ImportedHooks

    @property
    def hooks(self) -> tuple[HookClass, ...]:
        return tuple(item.hook for item in self.points if item.hook is not None)


@dataclass(frozen=True, slots=True)
class HookNote:
    """What a changed plan means for hooks; `where` is `file:line` of a hook, or an edge."""

    urgency: Urgency
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.urgency}: {self.where}: {self.message}"

    def value(self) -> dict[str, JsonValue]:
        """Return the note as JSON."""
        return {"urgency": self.urgency, "where": self.where, "message": self.message}


def hook_points(plan: GroupPlan, output: str) -> dict[PlannedEdge, HookPoint]:
    """Return the hook point of every edge of a group; `output` is the dotted output package."""
    modules = {version.name: version.module for version in plan.versions}
    members = {
        type_.ref: frozenset(member.name for member in type_.members)
        for version in plan.versions
        for type_ in version.types.values()
    }
    package = f"{output}.{plan.package}"
    linked = {
        (link.older.type, link.newer.type)
        for link in plan.links
        if isinstance(link.conversion, Through)
    }
    ways = []
    for link in plan.links:
        between = f"{link.older.type.version} -> {link.newer.type.version}"
        text = f"{link.older} {link.newer}"
        for here, there in permutations((link.older, link.newer)):
            end = LinkEnd(here.name, there.type.version, between, text)
            ways.append((here.type, end, there.type))
    graph = neighbours(edge.ends for edge in plan.edges if edge.ends not in linked)
    steps = first_steps(graph, ways)
    return {
        edge: replace(
            _point(package, modules, edge.ends, edge.protocol, members),
            must_claim_older=frozenset(edge.must_claim_older),
            must_claim_newer=frozenset(edge.must_claim_newer),
            partners=frozenset(
                [(pair.older, pair.newer) for pair in edge.pairs]
                + [(move.older[0], move.newer[0]) for move in edge.moves]
            ),
            links=(
                frozenset(steps.get((edge.older, edge.newer), ())),
                frozenset(steps.get((edge.newer, edge.older), ())),
            ),
            is_of_link=edge.ends in linked,
        )
        for edge in plan.edges
    }


def _point(
    package: str,
    modules: Mapping[str, str],
    ends: Ends,
    protocol: str,
    members: Mapping[TypeRef, frozenset[str]],
) -> HookPoint:
    older, newer = ends
    return HookPoint(
        protocol=protocol,
        module=f"{package}.{modules[older.version]}.storage",
        older_version=older.version,
        older_type=older.name,
        newer_version=newer.version,
        newer_module=f"{package}.{modules[newer.version]}.storage",
        newer_type=newer.name,
        older_members=members[older],
        newer_members=members[newer],
    )


def report_hooks(project: Project) -> HookReport:
    """Import the hooks of a project, and verify them."""
    output = project.config.output
    found: list[tuple[str, PlannedEdge, HookPoint]] = []
    for package, plan in project.plans.items():
        found += [(package, edge, point) for edge, point in hook_points(plan, output).items()]
    imported = imported_hooks(project)
    hooks, problems = verify_hooks(
        imported,
        [point for _, _, point in found],
        # holdall owns the whole output: a hook for a group that is gone is a mistake, too.
        [output],
    )
    if (named := project.config.hooks_at) is not None:
        problems = [*check_package(project.config.hooks, project.root, str(named)), *problems]
    bound = {hook.point: hook for hook in hooks}
    points = tuple(
        BoundPoint(package, edge, point, bound.get(point)) for package, edge, point in found
    )
    return HookReport(points, tuple(problems), imported)


def mistakes_in_hooks(report: HookReport) -> str:
    """Return the number of mistakes, as text."""
    count = len(report.problems)
    return f"{counted(count, 'mistake')} in hooks; `holdall check` lists them"


def compare_hooks(
    project: Project,
    report: HookReport,
    old: Mapping[str, PlanView],
    new: Mapping[str, PlanView],
) -> tuple[HookNote, ...]:
    """Return what the change from the old plans to the new ones means for hooks.

    Needed: properties that a hook must claim. Possible: properties that have just lost their
    partner. Obsolete: hooks whose edge or whose claimed properties are gone. Affected: hooks that
    claim properties whose fate has changed.
    """
    notes = [
        HookNote("needed", problem.where, problem.message)
        for problem in report.problems
        if problem.code == "HA316"
    ]
    for package in dict.fromkeys((*old, *new)):
        before, after = old.get(package), new.get(package, NO_PLAN)
        if before is None:
            continue
        covered = {item.edge.ends: item for item in report.points if item.package == package}
        notes += _newly_alone(before, after, covered)
        notes += _aged(project.config.output, package, before, after, report.imported)
    return tuple(notes)


def _newly_alone(
    before: PlanView, after: PlanView, covered: Mapping[Ends, BoundPoint]
) -> Iterator[HookNote]:
    for ends, edge in after.edges.items():
        earlier = before.edges.get(ends)
        new = edge.alone() - (earlier.alone() if earlier else frozenset())
        bound = covered.get(ends)
        claimed = claims_of(bound.hook) if bound and bound.hook else frozenset()
        parts = []
        for side, ref in zip(("older", "newer"), ends, strict=True):
            names = sorted(
                name
                for at, name in new - claimed
                if at == side and not after.moves_whole(ends, (at, name))
            )
            if names:
                parts.append(f"{', '.join(names)} of {ref.version}")
        if parts:
            text = f"without a partner, kept in the bag: {'; '.join(parts)}"
            yield HookNote("possible", f"{ends[0]} -> {ends[1]}", text)


def _aged(
    output: str, package: str, before: PlanView, after: PlanView, imported: ImportedHooks
) -> Iterator[HookNote]:
    """Yield the hooks that were right for the old plan and are now obsolete or affected."""
    points = {
        point: edge
        for edge in before.edges.values()
        if (point := _old_point(output, package, before, edge))
    }
    hooks, _ = verify_hooks(imported, list(points), [f"{output}.{package}"])
    now = {
        TypeRef(version, item.before): TypeRef(version, item.after)
        for item in renamed_types({package: before}, {package: after})
        for version in item.versions
    }
    for hook in hooks:
        old = points[hook.point]
        new = after.edges.get(old.ends)
        where = f"{hook.file}:{hook.line}"
        if new is None or new.protocol != old.protocol:
            text = f"{hook.name}: the edge {old.ends[0]} -> {old.ends[1]} is gone"
            ends = [now.get(end, end) for end in old.ends]
            if (ends[0], ends[1]) in after.edges:
                text += f"; it is now {ends[0]} -> {ends[1]}"
            yield HookNote("obsolete", where, text)
            continue
        claimed = sorted(claims_of(hook), key=lambda key: (key[0] != "older", key[1]))
        gone = [_titled(old, key) for key in claimed if _is_gone(before, after, old, *key)]
        if gone:
            yield HookNote(
                "obsolete",
                where,
                f"{hook.name}: it claims properties that are gone: {', '.join(gone)}",
            )
        changed = [_titled(old, key) for key in claimed if _fate(old, key) != _fate(new, key)]
        if changed and changed != gone:
            text = f"{hook.name}: the fate of {', '.join(changed)} has changed"
            yield HookNote("affected", where, text)


def _titled(edge: EdgeView, key: tuple[str, str]) -> str:
    side, name = key
    return f"{_end(edge, side)} {name}"


def _end(edge: EdgeView, side: str) -> TypeRef:
    return edge.ends[0 if side == "older" else 1]


def _fate(edge: EdgeView, key: tuple[str, str]) -> tuple[str, str, str] | None:
    found = edge.fates.get(key)
    return None if found is None else (found.fate, found.partner, found.reason)


def _is_gone(before: PlanView, after: PlanView, edge: EdgeView, side: str, name: str) -> bool:
    ref = _end(edge, side)
    return name in _members(before, ref) and name not in _members(after, ref)


def _members(plan: PlanView, ref: TypeRef) -> frozenset[str]:
    return frozenset(plan.types.get(ref.version, {}).get(ref.name, {}))


def _old_point(output: str, package: str, plan: PlanView, edge: EdgeView) -> HookPoint:
    modules, members = module_names(plan.group.versions), {r: _members(plan, r) for r in edge.ends}
    return _point(f"{output}.{package}", modules, edge.ends, edge.protocol, members)
