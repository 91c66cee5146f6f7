"""Breaking changes of plans, hooks and functions: the levels conversion and stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from holdall.explain.standing import steps_of
from holdall.plan.plans import LinkEnd
from holdall.text.pointer import join
from holdall.verification import HookClass
from holdall.verification.behaviour import SourceCode, texts_below
from holdall_codegen.breaking.rules import Finding
from holdall_codegen.model import NOWHERE
from holdall_codegen.output.compare import changed_fates, spell_fate
from holdall_codegen.output.generation import new_plans
from holdall_codegen.plan.declared_facts import Key, declared_about, declared_in
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedKind
from holdall_codegen.project import Project
from holdall_codegen.views.hook_import import functions_in
from holdall_codegen.views.hook_report import BoundPoint, claims_of, report_hooks
from holdall_codegen.views.plan_view import EdgeView, Ends, PlanView
from holdall_codegen.views.stored import Becomes, Touched
from holdall_codegen.views.stored_report import report_stored

_STORED: Final[Mapping[Becomes, str]] = {
    "dropped": "stored-lost",
    "unread": "stored-lost",
    "pruned": "stored-lost",
    "unfit": "stored-changed",
    "checked": "stored-changed",
    "found": "stored-changed",
}
"""What breaks; entries that are used or kept, and members that stay, hurt nobody."""
_LIVE: Final = {"value": "live values", "elements": "elements"}
_BY_HOOK: Final = "claimed by a hook"
_OF_KINDS: Final = ("objects", "bags")
"""Kinds, versions and carriers have rules of their own."""


@dataclass(frozen=True)
class State:
    """A project with what is compared: plans by package, hooks by edge, code."""

    project: Project

    @cached_property
    def views(self) -> Mapping[str, PlanView]:
        return new_plans(self.project)

    @cached_property
    def hooks(self) -> Mapping[tuple[str, Ends], BoundPoint]:
        return {
            (item.package, item.edge.ends): item
            for item in report_hooks(self.project).points
            if item.hook is not None
        }

    @cached_property
    def code(self) -> SourceCode:
        return SourceCode(texts_below(self.project.root), self.project.config.output)

    def digest(self, module: str, name: str) -> str:
        """Return the digest of a definition; empty if the project does not have its module."""
        return self.code.digest([(module, name)]) if self.code.knows(module) else ""


def compare_projects(before: Project, after: Project) -> Iterator[Finding]:
    """Yield what breaks between two states of a project; groups are matched by name."""
    old, new = State(before), State(after)
    packages = {_name(plan): package for package, plan in before.plans.items()}
    for package, plan in after.plans.items():
        if (known := packages.get(_name(plan))) is not None:
            yield from _Group(old, known, new, package).findings()


def _name(plan: GroupPlan) -> str:
    return plan.api_group or plan.name


@dataclass(frozen=True)
class _Group:
    """One group in two states."""

    old: State
    old_package: str
    new: State
    package: str

    @cached_property
    def plans(self) -> tuple[GroupPlan, GroupPlan]:
        return self.old.project.plans[self.old_package], self.new.project.plans[self.package]

    @cached_property
    def views(self) -> tuple[PlanView, PlanView]:
        return self.old.views[self.old_package], self.new.views[self.package]

    def findings(self) -> Iterator[Finding]:
        yield from self._route()
        yield from self._head()
        for kind in self.plans[1].kinds:
            for other in self.plans[0].kinds:
                if other.name == kind.name:
                    yield from self._carrier(other, kind)
        edges = {edge.ends: edge for edge in self.plans[0].edges}
        for edge in self.plans[1].edges:
            if edge.ends in edges:
                yield from self._edge(edges[edge.ends], edge)
                yield from self._hook(edge)
        yield from self._links()
        yield from self._stored()

    def _route(self) -> Iterator[Finding]:
        """Yield edges that are gone although no version was added or removed."""
        before, after = self.plans
        names = [[version.name for version in plan.versions] for plan in self.plans]
        gone = set(before.version_edges) - set(after.version_edges)
        if sorted(names[0]) == sorted(names[1]) and gone:
            for older, newer in sorted(gone):
                what = "no edge joins them now"
                yield self._found("route-changed", "", f"{older} -> {newer}", "", what)

    def _head(self) -> Iterator[Finding]:
        """Yield versions that documents state in another way, or no longer by default."""
        before, after = self.plans
        kept = [version.name for version in before.versions if not version.internal]
        for name in kept:
            was, is_ = _said(before, name), _said(after, name)
            if is_ and was != is_:
                yield self._found("head-changed", "", name, "", f"documents say {was} -> {is_}")
        defaults = [plan.head.default if plan.head else "" for plan in self.plans]
        if defaults[0] and defaults[0] != defaults[1]:
            what = f"documents that do not say it are now of {defaults[1] or 'no version'}"
            yield self._found("head-changed", "", defaults[0], "", what)

    def _carrier(self, old: PlannedKind, new: PlannedKind) -> Iterator[Finding]:
        for what, was, is_ in (
            ("the carrier", old.carrier, new.carrier),
            ("drop_first", old.limits.drop_first, new.limits.drop_first),
            ("strict", old.limits.strict, new.limits.strict),
            ("tracking", old.tracking.track, new.tracking.track),
            ("tolerant", old.tracking.tolerant, new.tracking.tolerant),
        ):
            if was != is_:
                text = f"{what} {_shown(was)} -> {_shown(is_)}"
                yield self._found("carrier-changed", new.name, "", "", text)
        if new.limits.budget < old.limits.budget:
            text = f"budget {old.limits.budget} -> {new.limits.budget}"
            yield self._found("carrier-changed", new.name, "", "", text)

    # --- gaps ---------------------------------------------------------------------------------

    def _links(self) -> Iterator[Finding]:
        """Yield changed declarations of properties that skip versions."""
        before, after = (
            {(link.older, link.newer): declared_about(link.conversion) for link in plan.links}
            for plan in self.plans
        )
        for ends in sorted(before.keys() | after.keys(), key=str):
            was, is_ = before.get(ends), after.get(ends)
            if was == is_ or not all(self._waits(end) for end in ends):
                continue
            older, newer = ends
            text = ["kept in the bag" if said is None else said or "linked" for said in (was, is_)]
            versions = f"{older.type.version} -> {newer.type.version}"
            yield self._found(
                "declaration-changed", older.type.name, versions, older.name, " -> ".join(text)
            )

    def _waits(self, end: LinkEnd) -> bool:
        """Tell whether a property has one type in both states, and the bag keeps it in both."""
        ref, name = end.type, end.name
        types = [view.types.get(ref.version, {}).get(ref.name, {}) for view in self.views]
        if types[0].get(name) != types[1].get(name):
            return False
        waiting = [
            {
                ends
                for ends, edge in view.edges.items()
                for side, end in zip(("older", "newer"), ends, strict=True)
                if end == ref
                and (fate := edge.fates.get((side, name)))
                and fate.fate in ("stashed", "pulled")
            }
            for view in self.views
        ]
        return bool(waiting[0] & waiting[1])

    # --- edges -------------------------------------------------------------------------------

    def _edge(self, old: PlannedEdge, new: PlannedEdge) -> Iterator[Finding]:
        ends = new.ends
        before, after = (view.edges[ends] for view in self.views)
        at: dict[tuple[str, str], str] = {
            (item.side, item.name): str(item.location) for item in new.decisions
        }
        declared = {}
        for key, was, is_ in changed_fates(before, after):
            is_same_pair = was.partner == is_.partner != "" and _BY_HOOK not in (was.fate, is_.fate)
            # Another conversion of the same pair follows from its types.
            if not is_same_pair and self._is_declared(ends, key[0], (was.partner, is_.partner)):
                declared[key] = f"{spell_fate(was)} -> {spell_fate(is_)}"
        facts = declared_in(old), declared_in(new)
        for key in facts[0].keys() | facts[1].keys():
            was_said, now_said = (said.get(key, "") for said in facts)
            if was_said != now_said and key not in declared and self._is_old(before, after, key):
                declared[key] = f"{was_said or 'nothing declared'} -> {now_said or 'nothing'}"
        for (side, name), what in sorted(declared.items()):
            where = at.get((side, name), self._where)
            yield self._at_edge("declaration-changed", new, side, name, what, where)
        yield from self._functions(old, new, at)

    def _is_declared(self, ends: Ends, side: str, partners: tuple[str, str]) -> bool:
        """Tell whether both partners exist in both states: then a declaration changed the fate."""
        other = ends[1] if side == "older" else ends[0]
        return all(
            steps_of(view.group, other, name)[0] in view.types[other.version][other.name]
            for view in self.views
            for name in partners
            if name
        )

    def _is_old(self, before: EdgeView, after: EdgeView, key: tuple[str, str]) -> bool:
        """Tell whether the property of a declaration existed before, with the same type."""
        if key not in before.fates or key not in after.fates:
            return not key[1]
        ref = before.ends[0 if key[0] == "older" else 1]
        old, new = (
            view.types[ref.version][ref.name].get(steps_of(view.group, ref, key[1])[0])
            for view in self.views
        )
        return old == new

    def _functions(
        self, old: PlannedEdge, new: PlannedEdge, at: Mapping[tuple[str, str], str]
    ) -> Iterator[Finding]:
        known = _functions_of(old)
        for (side, name), paths in _functions_of(new).items():
            for path in sorted(set(paths) & set(known.get((side, name), ()))):
                module, _, function = path.partition(":")
                digests = [state.digest(module, function) for state in (self.old, self.new)]
                if digests[0] != digests[1]:
                    where = at.get((side, name), self._where)
                    what = f"the code of {path} has changed"
                    yield self._at_edge("function-changed", new, side, name, what, where)

    def _hook(self, edge: PlannedEdge) -> Iterator[Finding]:
        was = self.old.hooks.get((self.old_package, edge.ends))
        is_ = self.new.hooks.get((self.package, edge.ends))
        old, new = was.hook if was else None, is_.hook if is_ else None
        if new is None:
            if old is not None:
                what = f"{old.name} is gone, or `holdall check` refuses it"
                yield self._at_edge("hook-removed", edge, "", "", what, self._where)
            return
        where = f"{new.file}:{new.line}"
        if old is None:
            if self._claims_old(edge, new):
                what = f"{new.name} converts properties that had no hook"
                yield self._at_edge("hook-changed", edge, "", "", what, where)
            return
        digests = (
            self.old.digest(old.module, old.name),
            self.new.digest(new.module, new.name),
        )
        if digests[0] != digests[1]:
            what = f"the code of {new.name} has changed"
            yield self._at_edge("hook-changed", edge, "", "", what, where)

    def _claims_old(self, edge: PlannedEdge, hook: HookClass) -> bool:
        """Tell whether a hook claims a property that existed before it."""
        types = self.views[0].types
        refs = {"older": edge.older, "newer": edge.newer}
        return any(
            name in types[refs[side].version][refs[side].name] for side, name in claims_of(hook)
        )

    # --- stored objects ----------------------------------------------------------------------

    def _stored(self) -> Iterator[Finding]:
        old, new = self.views
        report = report_stored(self.new.project, {self.package: old}, {self.package: new})
        for item in report.get(self.package, ()):
            rule = _STORED.get(item.becomes)
            if rule is not None and item.subject not in _OF_KINDS:
                yield self._found(rule, item.kind, ", ".join(item.stored), *_touched(item))

    # --- findings ----------------------------------------------------------------------------

    @property
    def _where(self) -> str:
        return str(self.new.project.config.group(self.package).location)

    def _found(self, rule: str, kind: str, version: str, path: str, what: str) -> Finding:
        return Finding(rule, kind, version, path, what, self._where)

    def _at_edge(
        self, rule: str, edge: PlannedEdge, side: str, name: str, what: str, where: str
    ) -> Finding:
        own = edge.newer if side == "newer" else edge.older
        versions = f"{edge.older.version} -> {edge.newer.version}"
        # In a state without the property, a slash in its name looks like a step.
        steps = min((steps_of(view.group, own, name) for view in self.views), key=len)
        return Finding(rule, own.name, versions, join("", *steps)[1:], what, where)


def _functions_of(edge: PlannedEdge) -> dict[Key, tuple[str, ...]]:
    """Return the import paths of the functions that convert properties of an edge."""
    found: dict[Key, tuple[str, ...]] = {}
    for pair in edge.pairs:
        found["older", pair.older] = _named(pair.conversion)
    for default in edge.defaults:
        found[default.side, default.name] = _named(default.default)
    if edge.union is not None:
        found["older", ""] = _named(edge.union)
    return {key: paths for key, paths in found.items() if paths}


def _named(value: object) -> tuple[str, ...]:
    return tuple(path for path, _ in functions_in(value, NOWHERE))


def _said(plan: GroupPlan, version: str) -> str:
    """Return what documents of a version say about version and kind; "" without the version."""
    if version not in [item.name for item in plan.versions]:
        return ""
    if plan.head is None:
        return f"apiVersion: {'/'.join(filter(None, (plan.api_group, version)))}"
    values = " or ".join(map(_shown, plan.head.said_in(version)))
    said = f"{plan.head.version_at}: {values}"
    return f"{said}, and their kind in {plan.head.kind_at}" if plan.head.kind_at else said


def _touched(item: Touched) -> tuple[str, str]:
    path = item.path.rstrip("/")
    path = (join(path, item.property) if item.property else path).removeprefix("/")
    what = f"entries of {item.origin}" if item.origin else _LIVE.get(item.subject, item.subject)
    return path, f"{what} are {item.becomes}: {item.why}"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
