"""`holdall plan`: show what happens to every property."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import click

from holdall.cli.common import Context, end, json_option, pass_run, problems_in_json
from holdall.errors import PlanError, problem_value
from holdall.types import JsonValue
from holdall.words import counted
from holdall_codegen.commands.common import PROPOSED
from holdall_codegen.commands.proposing import write_proposals
from holdall_codegen.plan.model import Fate, GroupPlan
from holdall_codegen.plan.serialize import plan_value
from holdall_codegen.project import plan_project, read_project
from holdall_codegen.propose import Proposal
from holdall_codegen.refusals.finding import refusals_of
from holdall_codegen.refusals.model import refusal_lines, refusals_value
from holdall_codegen.views.hook_report import BoundPoint, mistakes_in_hooks, report_hooks
from holdall_codegen.views.lookup import find_groups
from holdall_codegen.views.plan_report import Filter, count_fates, report_edges
from holdall_codegen.views.proposals import (
    choose,
    group_title,
    proposal_lines,
    proposals_value,
    propose_all,
)

_COLUMNS = ("VERSION", "PROPERTY", "FATE", "PARTNER", "REASON", "AT")


@click.command("plan")
@click.option("--group", metavar="NAME", help="Only this group.")
@click.option("--type", "type_", metavar="NAME", help="Only edges of this type.")
@click.option("--edge", metavar="A..B", help="Only edges between these versions.")
@click.option(
    "--only",
    "fate",
    type=click.Choice(get_args(Fate)),
    metavar="FATE",
    help=f"Only this fate: {', '.join(get_args(Fate))}.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List properties that are simply copied or recursed, too.",
)
@click.option("--declare", is_flag=True, help="Write the proposals into holdall.yaml.")
@click.option(
    "--interactive", is_flag=True, help="Ask about each proposal, then write the chosen ones."
)
@json_option
@pass_run
def command(
    run: Context,
    group: str | None,
    type_: str | None,
    edge: str | None,
    fate: str | None,
    everything: bool,
    declare: bool,
    interactive: bool,
    as_json: bool,
) -> None:
    """Show the fate of every property on every edge, with its reason and its place in the source.

    Properties that are simply copied or recursed are only counted, unless --all or --only asks for
    them. Then come objects that the schema of the version they were converted to may refuse, and
    last, proposals: lines for holdall.yaml where two names probably mean the same property.
    JSON is the whole plan of each group; options select among its edges.

    Exit codes: 0 fine, 1 refused properties, 2 unreadable input, or unknown names.
    """
    if declare or interactive:
        with problems_in_json(run, as_json=as_json):
            choice = choose(read_project(run.root), group, type_, edge)
            write_proposals(run, choice, interactive=interactive, as_json=as_json)
    with problems_in_json(run, as_json=as_json):
        reading = read_project(run.root)
        choice = choose(reading, group, type_, edge)
    proposals = propose_all(reading, choice)
    try:
        project = plan_project(reading)
    except PlanError as error:
        run.error(error)
        if as_json:
            problems: list[JsonValue] = [problem_value(problem) for problem in error.problems]
            run.echo_json({"problems": problems, "proposals": proposals_value(proposals)})
        else:
            for package, items in proposals.items():
                _print_proposals(run, items, group_title(reading.config, package))
        end(findings=True)
    groups = find_groups(project.plans, group)
    wanted = Filter(choice, fate, everything)
    report = report_hooks(project)
    points = {
        package: [point for point in report.points if point.package == package]
        for package, _ in groups
    }
    refusals = {
        package: tuple(
            item for item in found if choice.takes(item.subject.source, item.subject.target)
        )
        for package, found in refusals_of(reading, project, report, proposals)[0].items()
    }
    if as_json:
        shown, warned = proposals_value(proposals), refusals_value(refusals)
        value: dict[str, JsonValue] = {
            package: {
                **_value(plan, points[package], wanted),
                "refusals": warned[package],
                "proposals": shown[package],
            }
            for package, plan in groups
        }
        run.echo_json(value)
        return
    for package, plan in groups:
        _print(run, plan, points[package], wanted)
        for text in refusal_lines(refusals[package]):
            run.echo(text)
        _print_proposals(run, proposals[package], group_title(reading.config, package))
    if report.problems:
        run.note(mistakes_in_hooks(report))


def _print_proposals(run: Context, items: Sequence[Proposal], group: str) -> None:
    if not items:
        return
    run.echo(f"\n{PROPOSED}")
    for text in proposal_lines(items, group):
        run.echo(f"  {text}")


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
        for item, decision in zip(_objects(decisions), point.decisions, strict=True):
            item |= {"fate": decision.fate, "reason": decision.reason}
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


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _print(run: Context, plan: GroupPlan, points: list[BoundPoint], wanted: Filter) -> None:
    versions = ", ".join(version.name for version in plan.versions)
    run.echo(run.style(f"{plan.name}: versions {versions}; hub {plan.hub}", bold=True))
    for report in report_edges(points, wanted):
        edge = report.edge
        link = ", a skip link" if edge.is_link else ""
        hook = f"; hook {report.hook}" if report.hook else ""
        run.echo(f"\n{edge.older} -> {edge.newer}{link}{hook}")
        run.table(report.rows(), _COLUMNS, indent=2)
    chosen = [point for point in points if wanted.takes_edge(point.edge)]
    counts = ", ".join(f"{count} {fate}" for fate, count in count_fates(chosen).items())
    run.echo(f"\n{counted(len(chosen), 'edge')}: {counts or 'no properties'}")
    unclaimed = [name for point in chosen for name in point.unclaimed]
    if unclaimed:
        run.echo("\nKept in the bag on edges with a hook that does not claim them:")
        for name in unclaimed:
            run.echo(f"  {name}")
    if plan.warnings and wanted.choice.type_ is None and wanted.choice.edge is None:
        run.echo("\nWarnings:")
        for text in plan.warnings:
            run.echo(f"  {text}")
