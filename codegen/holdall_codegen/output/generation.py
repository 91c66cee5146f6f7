"""Generating a project: read, plan, emit, write what changed, and say what it means for hooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdall.errors import Problem, SourceError
from holdall.types import JsonValue, is_json_object
from holdall_codegen.output.files import Output, inspect_output, write_output
from holdall_codegen.output.fingerprint import recall, remember
from holdall_codegen.plan.serialize import plan_value
from holdall_codegen.project import Project, Reading, emit_project, plan_project, read_project
from holdall_codegen.views.hook_report import HookNote, HookReport, compare_hooks, report_hooks
from holdall_codegen.views.plan_view import PlanView, read_plan, view_plan
from holdall_codegen.views.proposals import group_title, proposal_lines, propose_all
from holdall_codegen.views.stored_report import StoredReport, report_stored


@dataclass(frozen=True, slots=True)
class GenerateResult:
    """What a generation did, or with `check` would do. Paths are relative to the project's root.

    `problems` are the mistakes in hooks; the generated files are written all the same, because
    hooks are written against them. `diff` is only made with `check`.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unchanged: int = 0
    diff: str = ""
    notes: tuple[HookNote, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    stored: StoredReport = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Tell whether the files on disk were what would be generated."""
        return not self.written and not self.removed


def generate(root: Path, *, check: bool = False, force: bool = False) -> GenerateResult:
    """Generate the project in the folder `root`; with `check` nothing is written.

    `force` overwrites files that were edited by hand, after saving each as `<file>.edited`.
    Raises SourceError and PlanError for what cannot be read or planned, OutputError for files
    that cannot be written, InternalError for a defect of the generator.
    """
    known = None if check else _result(recall(root))
    if known is not None:
        return known
    reading = read_project(root)
    project = plan_project(reading)
    output = inspect_output(root, project.output, emit_project(project), force=force)
    old, new = old_plans(project), new_plans(project)
    stored = report_stored(project, old, new)
    if check:
        return replace(_describe(project, output, diff=output.diff()), stored=stored)
    write_output(output)
    hooks = report_hooks(project)
    result = _describe(project, output, hooks, compare_hooks(project, hooks, old, new))
    result = replace(result, stored=stored, suggestions=_suggestions(reading))
    if not result.problems:
        remember(project, _report(result))
    return result


def _suggestions(reading: Reading) -> tuple[str, ...]:
    """Return the lines that could be added to the configuration."""
    found = propose_all(reading)
    return tuple(
        line
        for package, items in found.items()
        for line in proposal_lines(
            [item for item in items if item.is_declarable], group_title(reading.config, package)
        )
    )


def old_plans(project: Project) -> dict[str, PlanView]:
    """Return the plans that were generated last, by package.

    A plan that cannot be read tells nothing; the file itself is compared and reported elsewhere.
    """
    found: dict[str, PlanView] = {}
    for package in project.plans:
        shown = project.plan_file(package)
        try:
            plan = read_plan(project.root / shown, shown)
        except SourceError:
            continue
        if plan is not None:
            found[package] = plan
    return found


def new_plans(project: Project) -> Mapping[str, PlanView]:
    """Return the plans of a project as plan.json would state them, by package."""
    return {
        package: view_plan(plan_value(plan, locations=False))
        for package, plan in project.plans.items()
    }


def _describe(
    project: Project,
    output: Output,
    hooks: HookReport | None = None,
    notes: tuple[HookNote, ...] = (),
    diff: str = "",
) -> GenerateResult:
    plans = project.plans.values()
    return GenerateResult(
        written=_shown(output, output.written),
        removed=_shown(output, output.removed),
        edited=_shown(output, output.edited),
        unchanged=len(output.unchanged),
        diff=diff,
        notes=notes,
        problems=hooks.problems if hooks else (),
        warnings=tuple(text for plan in plans for text in plan.warnings),
    )


def _shown(output: Output, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{output.shown}/{path}" for path in paths)


def _report(result: GenerateResult) -> JsonValue:
    """Return what a run without changes has to say again."""
    return {
        "files": result.unchanged + len(result.written),
        "warnings": list(result.warnings),
        "suggestions": list(result.suggestions),
    }


def _result(report: JsonValue) -> GenerateResult | None:
    if not is_json_object(report):
        return None
    files, warnings, suggestions = (report.get(k) for k in ("files", "warnings", "suggestions"))
    if not (
        isinstance(files, int) and isinstance(warnings, list) and isinstance(suggestions, list)
    ):
        return None
    return GenerateResult(
        unchanged=files,
        warnings=tuple(str(text) for text in warnings),
        suggestions=tuple(str(text) for text in suggestions),
    )
