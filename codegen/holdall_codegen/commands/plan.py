"""`holdall plan`: show what happens to every property."""

from __future__ import annotations

from typing import get_args

import click

from holdall.cli.common import FINDINGS, Context, fail, json_option, pass_run, table
from holdall.errors import PlanError
from holdall.types import JsonValue
from holdall_codegen.plan.fates import Fate
from holdall_codegen.plan.model import GroupPlan
from holdall_codegen.plan.serialize import plan_value
from holdall_codegen.project import load_project
from holdall_codegen.views.hook_report import BoundPoint, report_hooks
from holdall_codegen.views.lookup import find_groups, find_versions, unknown
from holdall_codegen.views.plan_report import Filter, count_fates, report_edges

_COLUMNS = ("VERSION", "PROPERTY", "FATE", "PARTNER", "REASON", "AT")


@click.command("plan")
@click.option("--group", metavar="NAME", help="Only this group.")
@click.option("--type", "type_", metavar="NAME", help="Only edges of this type.")
@click.option("--edge", metavar="A..B", help="Only edges between these versions.")
@click.option("--only", "fate", type=click.Choice(get_args(Fate)), help="Only this fate.")
@click.option("--all", "everything", is_flag=True, help="Plainly copied and recursed ones, too.")
@json_option
@pass_run
def command(
    run: Context,
    group: str | None,
    type_: str | None,
    edge: str | None,
    fate: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show the fate of every property on every edge, with its reason and its place in the source.

    What is plainly copied or recursed is counted only, unless --all or --only asks for it. JSON
    is the whole plan of each group; options select among its edges.

    Exit codes: 0 fine, 1 refused properties, 2 what cannot be read, or unknown names.
    """
    try:
        project = load_project(run.root)
    except PlanError as error:
        fail(error, FINDINGS)
    groups = find_groups(project, group)
    versions = find_versions(groups, edge) if edge is not None else None
    if type_ is not None:
        names = {name for _, plan in groups for version in plan.versions for name in version.types}
        if type_ not in names:
            raise unknown("type", type_, sorted(names))
    wanted = Filter(type_, versions, fate, everything)
    report = report_hooks(project)
    points = {
        package: [point for point in report.points if point.package == package]
        for package, _ in groups
    }
    if as_json:
        value: dict[str, JsonValue] = {
            package: _value(plan, points[package], wanted) for package, plan in groups
        }
        run.echo_json(value)
        return
    for package, plan in groups:
        _print(run, plan, points[package], wanted)
    if report.problems:
        run.note(f"{len(report.problems)} mistakes in hooks; `holdall check` lists them")


def _value(plan: GroupPlan, points: list[BoundPoint], wanted: Filter) -> dict[str, JsonValue]:
    value = plan_value(plan)
    edges = value["edges"]
    if not isinstance(edges, list):
        return value
    chosen: list[JsonValue] = []
    for point, edge in zip(points, edges, strict=True):
        if not wanted.takes_edge(point.edge) or not isinstance(edge, dict):
            continue
        decisions = edge["decisions"]
        if wanted.fate is not None and isinstance(decisions, list):
            edge["decisions"] = [
                item for item in decisions if isinstance(item, dict) and item["fate"] == wanted.fate
            ]
        if point.hook is not None:
            edge["hook"] = f"{point.hook.file}:{point.hook.line}"
            edge["unclaimed"] = list(point.unclaimed)
        chosen.append(edge)
    value["edges"] = chosen
    return value


def _print(run: Context, plan: GroupPlan, points: list[BoundPoint], wanted: Filter) -> None:
    versions = ", ".join(version.name for version in plan.versions)
    run.echo(run.style(f"{plan.name}: versions {versions}; hub {plan.hub}", bold=True))
    for report in report_edges(points, wanted):
        edge = report.edge
        link = ", a skip link" if edge.is_link else ""
        hook = f"; hook {report.hook}" if report.hook else ""
        run.echo(f"\n{edge.older} -> {edge.newer}{link}{hook}")
        for line in table(report.rows(), _COLUMNS).splitlines():
            run.echo(f"  {line}")
    edges = [point.edge for point in points if wanted.takes_edge(point.edge)]
    counts = ", ".join(f"{count} {fate}" for fate, count in count_fates(edges).items())
    run.echo(f"\n{len(edges)} edges: {counts or 'no properties'}")
    unclaimed = [
        name for point in points if wanted.takes_edge(point.edge) for name in point.unclaimed
    ]
    if unclaimed:
        run.echo("\nKept in the bag on edges with a hook that does not claim them:")
        for name in unclaimed:
            run.echo(f"  {name}")
    if wanted.type_ is not None or wanted.edge is not None:
        return
    if plan.warnings:
        run.echo("\nWarnings:")
        for text in plan.warnings:
            run.echo(f"  {text}")
    if plan.suggestions:
        run.echo("\nProbable renames; where it is one, add to the group in holdall.yaml:")
        for text in plan.suggestions:
            run.echo(f"  {text}")
