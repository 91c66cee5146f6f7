"""Finding in a project what a command line names: groups, versions, types, edges, kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from holdall.errors import PlanError, Problem
from holdall.suggest import nearest
from holdall_codegen.model import Group
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedKind

_EDGE = re.compile(r"(.+?)(?:\.\.|\s*->\s*)(.+)")


class UnknownNameError(PlanError):
    """The command line names what the project does not have."""

    code = "HA164"


def unknown(
    what: str, name: str, known: Iterable[str], fix: str = "", *, owner: str = ""
) -> UnknownNameError:
    """Return the error of a name that does not exist, or not in `owner`, with the nearest one."""
    names = list(dict.fromkeys(known))
    lacking = f"{owner} has no" if owner else "there is no"
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    text = f"{lacking} {what} {name!r}{nearest(name, names)}"
    return wrong_name(text, fix or f"name one of: {listed}")


def wrong_name(text: str, fix: str) -> UnknownNameError:
    """Return the error of a name that is ambiguous or misplaced."""
    return UnknownNameError([Problem("HA164", "", text, fix)])


G = TypeVar("G", GroupPlan, Group)


def find_groups(groups: Mapping[str, G], name: str | None) -> list[tuple[str, G]]:
    """Return the groups with a name or package, or all of them, each with its package."""
    found = [
        (package, group)
        for package, group in groups.items()
        if name is None or name in (group.name, package, group.api_group)
    ]
    if not found:
        names = [part for package, group in groups.items() for part in (group.name, package)]
        raise unknown("group", name or "", names)
    return found


def find_versions(
    groups: Iterable[tuple[str, GroupPlan | Group]], text: str, edges: Sequence[tuple[str, str]]
) -> tuple[str, str]:
    """Return the two versions of an edge written as `older..newer`, in the version order.

    `edges` are the possible ones: the first is the example.
    """
    match = _EDGE.fullmatch(text)
    orders = [[version.name for version in plan.versions] for _, plan in groups]
    versions = [name for order in orders for name in order]
    if match is None:
        example = "..".join(edges[0] if edges else versions[:2])
        raise unknown(
            "edge", text, (), f"write two versions with two dots between them, such as {example}"
        )
    for name in match.groups():
        if name not in versions:
            raise unknown("version", name, versions)
    one, other = match.groups()
    return (other, one) if (other, one) in edges else (one, other)


def edges_of(
    groups: Iterable[tuple[str, GroupPlan]], type_: str
) -> list[tuple[GroupPlan, PlannedEdge]]:
    """Return the edges of the older side's type, or of the protocol, with that name."""
    edges = ((plan, edge) for _, plan in groups for edge in plan.edges)
    return [(plan, edge) for plan, edge in edges if type_ in (edge.protocol, edge.older.name)]


def find_edge(
    groups: Sequence[tuple[str, GroupPlan]], type_: str, text: str
) -> tuple[GroupPlan, PlannedEdge]:
    """Return the edge of the older side's type, or of the protocol, with that name.

    The text names its two versions, as `older..newer`.
    """
    own = edges_of(groups, type_)
    edges = [edge for _, plan in groups for edge in plan.edges]
    versions = find_versions(groups, text, [_ends(edge) for edge in [*(e for _, e in own), *edges]])
    found = [(plan, edge) for plan, edge in own if _ends(edge) == versions]
    if not found:
        shown = "..".join(versions)
        if own:
            names = ["..".join(_ends(edge)) for _, edge in own]
            raise unknown("edge", shown, names, owner=type_)
        between = [edge.older.name for edge in edges if _ends(edge) == versions]
        known = between or [edge.older.name for edge in edges]
        raise unknown(f"edge {shown} of a type", type_, known)
    if len(found) > 1:
        protocols = ", ".join(f"{plan.name} {edge.protocol}" for plan, edge in found)
        text = f"{type_} has several edges between {' and '.join(versions)}: {protocols}"
        fix = "name the protocol instead of the type, and the group with --group"
        raise wrong_name(text, fix)
    return found[0]


def _ends(edge: PlannedEdge) -> tuple[str, str]:
    return edge.older.version, edge.newer.version


def find_kind(
    groups: Iterable[tuple[str, GroupPlan]], name: str, path: str = ""
) -> tuple[GroupPlan, PlannedKind]:
    """Return a kind with its group; `path` is the path on the command line that begins with it."""
    kinds = [(plan, kind) for _, plan in groups for kind in plan.kinds]
    found = [(plan, kind) for plan, kind in kinds if kind.name == name]
    if len(found) > 1:
        text = f"several groups have the kind {name}: {', '.join(plan.name for plan, _ in found)}"
        raise wrong_name(text, "name the group with --group")
    if not found:
        known = [kind.name for _, kind in kinds]
        fix = ""
        if path and not nearest(name, known) and known:
            slashed = path if "/" in path else path.strip(".").replace(".", "/")
            fix = f"begin with the kind, such as {known[0]}/{slashed}"
        raise unknown("kind", name, known, fix)
    return found[0]
