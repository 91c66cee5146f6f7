"""The differences of two plans: what a schema edit changes, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from holdall.errors import Problem, SourceError
from holdall.plan.plans import Decision, GroupPlan
from holdall.text.files import as_written
from holdall.types import JsonValue
from holdall_codegen.output.files import inspect_output
from holdall_codegen.output.generation import new_plans
from holdall_codegen.project import Project, emit_project
from holdall_codegen.views.hook_report import HookNote, compare_hooks, report_hooks
from holdall_codegen.views.plan_view import NO_PLAN, EdgeView, PlanView, PropertyKey, read_plan
from holdall_codegen.views.renamed_types import RenamedType, renamed_types
from holdall_codegen.views.stored_report import StoredReport, report_stored

NO_OLDER_PLAN = "HA166"

Change = Literal["added", "removed", "renamed", "changed"]
Subject = Literal[
    "version", "hub", "kind", "carrier", "type", "property", "edge", "fate", "declaration"
]


_WHOLE: Final[PropertyKey] = "older", ""
"""Facts about whole objects."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `where` names the version, type, property or edge; `before` and `after`
    are what it was and is, empty where there is nothing on that side."""

    subject: Subject
    change: Change
    where: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        text = f"{self.subject} {self.where} {self.change}"
        if self.before and self.after:
            return f"{text}: {self.before} -> {self.after}"
        return f"{text}: {self.before or self.after}" if self.before or self.after else text

    def value(self) -> dict[str, JsonValue]:
        """Return the difference as JSON."""
        return {name: text for name, text in asdict(self).items() if text}


@dataclass(frozen=True, slots=True)
class ProjectDiff:
    """Everything that generating would change, by group, and what that means for hooks and stored
    objects.

    `files` are the paths of all generated files that differ.
    """

    groups: Mapping[str, tuple[Difference, ...]]
    notes: tuple[HookNote, ...]
    files: tuple[str, ...]
    stored: StoredReport
    renamed: tuple[RenamedType, ...]

    @property
    def is_empty(self) -> bool:
        return not self.files and not any(self.groups.values()) and not self.stored


def diff_project(project: Project, *, against: Path | None = None, shown: str = "") -> ProjectDiff:
    """Compare the live plans with those generated last, or with an older generated folder.

    `against` is an output folder as holdall wrote it, such as one of another checkout; errors call
    it `shown`. Raises SourceError if a plan cannot be read, or if it has none of the project's
    groups.
    """
    folder = against if against is not None else project.root / project.output
    shown = shown or folder.as_posix()
    old: dict[str, PlanView] = {}
    for package in project.plans:
        path = folder.joinpath(*package.split("."), "plan.json")
        name = project.plan_file(package)
        plan = read_plan(path, name if against is None else f"{shown}: {name}")
        if plan is not None:
            old[package] = plan
    if against is None:
        output = inspect_output(project.root, project.output, emit_project(project))
        files = [f"{output.shown}/{path}" for path in sorted((*output.written, *output.removed))]
    elif old:
        files = _differing(project, folder)
    else:
        fix = "name a revision or a generated folder with the plan.json of a group"
        message = "it has no plan of the project's groups"
        raise SourceError([Problem(NO_OLDER_PLAN, shown, message, fix)])
    new = new_plans(project)
    groups = {
        package: tuple(compare_plans(old.get(package, NO_PLAN), new[package])) for package in new
    }
    hooks = compare_hooks(project, report_hooks(project), old, new)
    stored = report_stored(project, old, new)
    return ProjectDiff(groups, hooks, tuple(files), stored, renamed_types(old, new))


def _differing(project: Project, folder: Path) -> list[str]:
    """Return the generated files that are missing or different in an older output folder."""
    return [
        path
        for path, text in emit_project(project).items()
        if not (older := folder / Path(path).relative_to(project.output)).is_file()
        or as_written(older.read_bytes()) != text.encode()
    ]


def compare_plans(before: PlanView, after: PlanView) -> Iterator[Difference]:
    """Yield the differences of two plans: versions, kinds, types, properties, edges, fates.

    The types of an added or removed version are not listed one by one.
    """
    old_plan, new_plan = before.group, after.group
    yield from _sets("version", old_plan.versions, new_plan.versions)
    if old_plan.hub != new_plan.hub and old_plan.hub:
        yield Difference("hub", "changed", "of the group", old_plan.hub, new_plan.hub)
    kinds = ([kind.name for kind in plan.kinds] for plan in (old_plan, new_plan))
    yield from _sets("kind", *kinds)
    carriers = {kind.name: kind.carrier for kind in old_plan.kinds}
    for kind in new_plan.kinds:
        carrier = carriers.get(kind.name, kind.carrier)
        if carrier != kind.carrier:
            yield Difference("carrier", "changed", f"of {kind.name}", carrier, kind.carrier)
    for version in new_plan.versions:
        if version in before.types:
            yield from _types(version, before.types[version], after.types[version])
    stayed = set(old_plan.versions) & set(new_plan.versions)
    for ends in dict.fromkeys((*before.edges, *after.edges)):
        old, new = before.edges.get(ends), after.edges.get(ends)
        name = f"{ends[0]} -> {ends[1]}"
        if old is None or new is None:
            known = {end.version for end in ends} <= stayed
            is_of_old_types = all(
                end.name in before.types[end.version] and end.name in after.types[end.version]
                for end in ends
                if known
            )
            if known and is_of_old_types:
                yield Difference("edge", "added" if old is None else "removed", name)
            continue
        for key, was, is_ in changed_fates(old, new):
            where = f"{ends[0] if key[0] == 'older' else ends[1]} {key[1]}"
            other = ends[1] if key[0] == "older" else ends[0]
            yield Difference(
                "fate",
                "changed",
                f"{where} (to {other.version})",
                spell_fate(was),
                spell_fate(is_),
            )
        for key in [*_in_both(old, new), _WHOLE]:
            end, other = ends if key[0] == "older" else ends[::-1]
            where = f"{end} {key[1]}".rstrip()
            yield from _declaration(old_plan, new_plan, name, key, where, other.version)
    yield from _links(old_plan, new_plan)


def _links(before: GroupPlan, after: GroupPlan) -> Iterator[Difference]:
    """Yield changed declarations of properties that skip versions in both plans."""
    ends = [{(link.older, link.newer) for link in plan.links} for plan in (before, after)]
    for older, newer in sorted(ends[0] & ends[1]):
        key = "older", older.name
        name = f"{older} -> {newer}"
        yield from _declaration(before, after, name, key, str(older), newer.type.version)


def _declaration(
    before: GroupPlan, after: GroupPlan, name: str, key: PropertyKey, where: str, other: str
) -> Iterator[Difference]:
    """Yield the changed declaration of a property of an edge or a link, if it changed."""
    if before.facts is not None and after.facts is not None:
        side, member = key
        was, is_ = (
            facts.get(name, {}).get(side, {}).get(member, "nothing")
            for facts in (before.facts, after.facts)
        )
        if was != is_:
            yield Difference("declaration", "changed", f"{where} (to {other})", was, is_)


def changed_fates(
    before: EdgeView, after: EdgeView
) -> Iterator[tuple[PropertyKey, Decision, Decision]]:
    """Yield the properties of an edge with another fate or another partner, older side first.

    Added and removed properties have nothing to compare.
    """
    for key in _in_both(before, after):
        was, is_ = before.fates[key], after.fates[key]
        if (was.fate, was.partner) != (is_.fate, is_.partner):
            yield key, was, is_


def _in_both(before: EdgeView, after: EdgeView) -> list[PropertyKey]:
    keys = before.fates.keys() & after.fates.keys()
    return sorted(keys, key=lambda key: (key[0] != "older", key[1]))


def spell_fate(decision: Decision) -> str:
    return decision.fate + (f" ({decision.partner})" if decision.partner else "")


def _sets(subject: Subject, before: Sequence[str], after: Sequence[str]) -> Iterator[Difference]:
    for name in before:
        if name not in after:
            yield Difference(subject, "removed", name)
    for name in after:
        if name not in before:
            yield Difference(subject, "added", name)


def _types(
    version: str, before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]
) -> Iterator[Difference]:
    gone = {name: before[name] for name in before if name not in after}
    new = {name: after[name] for name in after if name not in before}
    for name, members in gone.items():
        same = [other for other in new if new[other] == members and members]
        if len(same) == 1:
            del new[same[0]]
            yield Difference("type", "renamed", f"{version}.{name}", name, same[0])
        else:
            yield Difference("type", "removed", f"{version}.{name}")
    for name in new:
        yield Difference("type", "added", f"{version}.{name}")
    for name, members in before.items():
        if name in after:
            yield from _properties(f"{version}.{name}", members, after[name])


def _properties(
    owner: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Difference]:
    for name in sorted({*before, *after}):
        was, is_ = before.get(name, ""), after.get(name, "")
        if not is_:
            yield Difference("property", "removed", f"{owner} {name}", was)
        elif not was:
            yield Difference("property", "added", f"{owner} {name}", "", is_)
        elif was != is_:
            yield Difference("property", "changed", f"{owner} {name}", was, is_)
