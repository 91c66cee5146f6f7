"""`holdall graph`: draw the versions and their edges."""

from __future__ import annotations

import click

from holdall.cli.common import Context, pass_run
from holdall_codegen.commands.common import loaded
from holdall_codegen.views.graphs import dot, graph_value, mermaid, svg
from holdall_codegen.views.hook_report import report_hooks
from holdall_codegen.views.lookup import find_groups, find_kind


@click.command("graph")
@click.option(
    "--format", "form", type=click.Choice(["mermaid", "dot", "svg", "json"]), default="mermaid"
)
@click.option("--svg", "as_svg", is_flag=True, help="The same as --format svg; needs Graphviz.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--group", metavar="NAME", help="Only this group.")
@click.option("--kind", metavar="NAME", help="Only this kind.")
@pass_run
def command(
    run: Context, form: str, as_svg: bool, as_json: bool, group: str | None, kind: str | None
) -> None:
    """Draw the conversion graph: API types, their storage twins, the hub, and what happens to
    properties on each edge.

    Exit codes: 0 fine, 1 refused properties, 2 unreadable input, unknown names, or no drawing.
    """
    project = loaded(run)
    groups = find_groups(project.plans, group)
    if kind is not None:
        plan, found = find_kind(groups, kind)
        kinds = [(plan, [found])]
    else:
        kinds = [(plan, list(plan.kinds)) for _, plan in groups]
    points = report_hooks(project).points
    hooked = frozenset(point.edge for point in points if point.hook is not None)
    if as_json or form == "json":
        run.echo_json(graph_value(kinds, hooked))
    elif as_svg or form == "svg":
        run.write(svg(dot(kinds, hooked)))
    else:
        run.write((dot if form == "dot" else mermaid)(kinds, hooked))
