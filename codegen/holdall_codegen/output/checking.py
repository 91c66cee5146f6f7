"""Checking a project without converting: configuration, sources, plan, generated files, hooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from holdall.errors import PlanError, Problem, SourceError
from holdall_codegen.output.files import inspect_output
from holdall_codegen.output.manifest import OutputError
from holdall_codegen.project import (
    CONFIG_FILE,
    Project,
    Reading,
    emit_project,
    load_project,
    plan_project,
    read_project,
)
from holdall_codegen.views.hook_report import HookReport, report_hooks
from holdall_codegen.views.unhandled import unhandled_claims

STALE = "HA167"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All findings, in order from sources to hooks.

    `looked_at` is the project as it was read and planned, and its hooks; None without a plan.
    """

    problems: tuple[Problem, ...]
    looked_at: tuple[Reading, Project, HookReport] | None = None


def check(root: Path) -> CheckResult:
    """Return all problems of the project in the folder `root`; nothing is written or run.

    Without a plan, generated files and hooks have nothing to be compared with; then only the
    problems of the configuration and the sources are reported. Raises SourceError if there is
    no configuration.
    """
    if not (root / CONFIG_FILE).is_file():
        load_project(root)
    try:
        reading = read_project(root)
        project = plan_project(reading)
    except (SourceError, PlanError) as error:
        return CheckResult(tuple(error.problems))
    problems: list[Problem] = []
    try:
        output = inspect_output(root, project.output, emit_project(project))
    except OutputError as error:
        problems += error.problems
    else:
        problems += output.conflicts
        known = {problem.where for problem in output.conflicts}
        for path in sorted((*output.written, *output.removed)):
            where = f"{output.shown}/{path}"
            if where not in known:
                problems.append(_stale(where, path in output.before, path in output.texts))
    hooks = report_hooks(project)
    problems += (*hooks.problems, *unhandled_claims(project, hooks))
    return CheckResult(tuple(problems), (reading, project, hooks))


def _stale(where: str, exists: bool, is_generated: bool) -> Problem:
    if not exists:
        message = "it is missing, but the plan has it"
    elif is_generated:
        message = "it differs from what the configuration and the sources generate now"
    else:
        message = "it is no longer generated, but still there"
    return Problem(STALE, where, message, "run `holdall generate`, and commit what it writes")
