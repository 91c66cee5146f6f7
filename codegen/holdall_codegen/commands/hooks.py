"""`holdall hooks`: start hooks, and list where hooks attach."""

from __future__ import annotations

from pathlib import Path

import click

from holdall.cli.common import FINDINGS, Context, json_option, pass_run
from holdall.types import JsonValue
from holdall_codegen.commands.common import loaded
from holdall_codegen.output.scaffold import scaffold, write_scaffold
from holdall_codegen.views.hook_report import BoundPoint, mistakes_in_hooks, report_hooks
from holdall_codegen.views.lookup import find_edge, find_groups

_COLUMNS = ("EDGE", "PROTOCOL", "HOOK", "MUST CLAIM")


@click.group("hooks")
def command() -> None:
    """Write the start of a hook, or list where hooks can attach."""


@command.command("scaffold")
@click.argument("type_", metavar="TYPE")
@click.argument("edge", metavar="EDGE")
@click.option("--group", metavar="NAME", help="The group of TYPE, if several have it.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, in the folder of hooks; default: a file named after TYPE.",
)
@click.option("--two-way", is_flag=True, help="Two functions for the members that differ.")
@click.option(
    "--each",
    multiple=True,
    metavar="PROPERTY",
    help="Two functions for each value of a property; OLDER:NEWER if its name differs. "
    "May be given several times.",
)
@json_option
@pass_run
def scaffold_command(
    run: Context,
    type_: str,
    edge: str,
    group: str | None,
    output: Path | None,
    two_way: bool,
    each: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the start of a hook for TYPE on EDGE, fully typed, with what it must claim.

    TYPE is the type of the older version, or a protocol; EDGE is two versions, such as
    v20210101..v20220601. Nothing is overwritten.
    """
    if two_way and each:
        raise click.UsageError("--two-way and --each exclude each other")
    project = loaded(run)
    groups = find_groups(project.plans, group)
    plan, found = find_edge(groups, type_, edge)
    made = scaffold(plan, found, project.config, "two-way" if two_way else "claims", each)
    written = write_scaffold(project.root, made, report_hooks(project), found, output)
    if as_json:
        run.echo_json({"written": [path.as_posix() for path in written]})
    for path in written if not as_json else ():
        run.echo(f"wrote {path.as_posix()}")
    run.note("next: write both directions, then run `holdall check`")


@command.command("list")
@click.option("--group", metavar="NAME", help="Only this group.")
@click.option("--bound", is_flag=True, help="Only edges with a hook, or that need one.")
@json_option
@pass_run
def list_command(run: Context, group: str | None, bound: bool, as_json: bool) -> None:
    """List every edge where a hook can attach, with its hook and what a hook must claim.

    Exit codes: 0 fine, 1 mistakes in hooks or refused properties, 2 unreadable input.
    """
    project = loaded(run)
    packages = {package for package, _ in find_groups(project.plans, group)}
    report = report_hooks(project)
    points = [
        point
        for point in report.points
        if point.package in packages and (not bound or point.hook or _must_claim(point))
    ]
    if as_json:
        run.echo_json([_value(point) for point in points])
    else:
        rows = [
            (
                f"{point.edge.older} -> {point.edge.newer}",
                point.point.protocol,
                f"{point.hook.name} {point.hook.file}:{point.hook.line}"
                if point.hook
                else "no hook",
                ", ".join(_must_claim(point)),
            )
            for point in points
        ]
        run.table(rows, _COLUMNS)
    if report.problems:
        run.note(mistakes_in_hooks(report))
        raise click.exceptions.Exit(FINDINGS)


def _must_claim(point: BoundPoint) -> list[str]:
    edge = point.edge
    return [
        *(f"{edge.older.version} {name}" for name in edge.must_claim_older),
        *(f"{edge.newer.version} {name}" for name in edge.must_claim_newer),
    ]


def _value(point: BoundPoint) -> JsonValue:
    hook = point.hook
    return {
        "group": point.package,
        "older": str(point.edge.older),
        "newer": str(point.edge.newer),
        "protocol": f"{point.point.module}.{point.point.protocol}",
        "hook": f"{hook.module}.{hook.name}" if hook else None,
        "at": f"{hook.file}:{hook.line}" if hook else None,
        "must_claim_older": list(point.edge.must_claim_older),
        "must_claim_newer": list(point.edge.must_claim_newer),
        "unclaimed": list(point.unclaimed),
    }
