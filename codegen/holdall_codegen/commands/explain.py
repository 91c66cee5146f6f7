"""`holdall explain`: follow one property through the versions."""

from __future__ import annotations

from collections.abc import Sequence

import click

from holdall.cli.common import Context, json_option, pass_run
from holdall_codegen.commands.common import loaded
from holdall_codegen.views.explain import Step, explain
from holdall_codegen.views.hook_report import report_hooks
from holdall_codegen.views.lookup import find_groups

_COLUMNS = ("FROM", "TO", "PLACE", "FATE", "SHOWN AS", "REASON", "HOOK")


@click.command("explain")
@click.argument("path")
@click.option(
    "--from",
    "source",
    required=True,
    metavar="VERSION",
    help="The version to start from; PATH is a path of it.",
)
@click.option(
    "--to", "destination", required=True, metavar="VERSION", help="The version to follow it to."
)
@click.option("--group", metavar="NAME", help="Only this group.")
@json_option
@pass_run
def command(
    run: Context, path: str, source: str, destination: str, group: str | None, as_json: bool
) -> None:
    """Follow the property at PATH through the versions, there and back.

    PATH begins with the kind: BatchAccount/spec/pools/*/quota, where * means the elements of a list
    or the values of a map, and ~1 is a slash in a name.

    Exit codes: 0 fine, 1 refused properties, 2 unreadable input, or unknown names.
    """
    project = loaded(run)
    groups = find_groups(project.plans, group)
    found = explain(groups, report_hooks(project).points, path, source, destination)
    if as_json:
        run.echo_json(
            {
                "there": [step.value() for step in found.there],
                "back": [step.value() for step in found.back],
            }
        )
        return
    _print(run, f"{path}, {source} to {destination}", found.there)
    run.echo()
    _print(run, f"and back, {destination} to {source}", found.back)


def _print(run: Context, title: str, steps: Sequence[Step]) -> None:
    run.echo(run.style(title, bold=True))
    rows = [
        (
            step.source,
            step.destination,
            step.path or "(not shown)",
            step.fate,
            step.result or ("(by the hook)" if step.fate == "claimed by a hook" else "(not shown)"),
            step.reason,
            step.hook,
        )
        for step in steps
    ]
    if not rows:
        run.echo("  it stays where it is: both versions are the same")
        return
    run.table(rows, _COLUMNS, indent=2)
