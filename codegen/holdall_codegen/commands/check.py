"""`holdall check`: verify configuration, sources, plan, generated files and hooks."""

from __future__ import annotations

import click

from holdall.cli.common import Context, end, pass_run
from holdall.errors import Problem, problem_value
from holdall.words import counted
from holdall_codegen.commands.common import format_option, workflow_commands
from holdall_codegen.output.checking import check
from holdall_codegen.refusals.finding import Found, refusals_of
from holdall_codegen.refusals.model import ANSWERS, condensed, refusals_value


@click.command("check")
@format_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@pass_run
def command(run: Context, form: str, as_json: bool) -> None:
    """Verify configuration, sources, plan, generated files and hooks; write nothing, call no hook.

    Warnings come last: objects converted to a version that its schema may refuse.

    Exit codes: 0 fine, perhaps with warnings, 1 findings, all of which are listed; 2 wrong usage.
    """
    result = check(run.root)
    refusals: Found = {}
    unused: tuple[Problem, ...] = ()
    counts = {"groups": 0, "edges": 0, "hooks": 0}
    if result.looked_at is not None:
        _, project, report = result.looked_at
        refusals, unused = refusals_of(*result.looked_at)
        counts["groups"] = len(project.plans)
        counts["edges"], counts["hooks"] = len(report.points), len(report.hooks)
    told = [item for found in refusals.values() for item in condensed(found)]
    warnings = len(told) + len(unused)
    if as_json or form == "json":
        run.echo_json(
            {
                "problems": [problem_value(problem) for problem in result.problems],
                "warnings": refusals_value(refusals),
                "unused": [problem_value(problem) for problem in unused],
                **counts,
            }
        )
    elif form == "github":
        for line in workflow_commands(result.problems, run.root):
            run.echo(line)
        problems = [*(item.problem() for item in told), *unused]
        for line in workflow_commands(problems, run.root, "warning"):
            run.echo(line)
    else:
        for problem in result.problems:
            run.echo(str(problem))
        for warning in (*(item.warning() for item in told), *map(str, unused)):
            run.echo(f"{run.style('warning:', fg='yellow')} {warning}")
        if not all(item.is_declared for item in told):
            run.echo(f"\nFor each warning without a fix: {ANSWERS}")
        numbers = {"findings": len(result.problems), "warnings": warnings, **counts}
        if not warnings:
            del numbers["warnings"]
        run.note(", ".join(counted(number, noun[:-1]) for noun, number in numbers.items()))
    end(findings=bool(result.problems))
