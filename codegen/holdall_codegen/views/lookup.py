"""Finding in a project what a command line names: groups, versions, types, edges, kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
    """Return the error of a name that nothing has, or that its owner lacks, with the nearest real
    one."""
    names = list(dict.fromkeys(known))
    lacking = f"{owner} has no" if owner else "there is no"
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    text = f"{lacking} {what} {name!r}{nearest(name, names)}"
    return wrong_name(text, fix or f"name one of: {listed}")


def wrong_name(text: str, fix: str) -> UnknownNameError:
    """Return the error of a name that does not say one thing of the project."""
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


def find_versions(groups: Iterable[tuple[str, GroupPlan | Group]], text: str) -> tuple[str, str]:
    """Return the two versions of an edge written as `older..newer`, in the version order."""
    match = _EDGE.fullmatch(text)
    versions = [version.name for _, plan in groups for version in plan.versions]
    if match is None:
        example = "..".join(versions[:2])
        raise unknown("edge", text, (), f"write the two versions with two dots, as {example}")
    for name in match.groups():
        if name not in versions:
            raise unknown("version", name, versions)
    older, newer = sorted(match.groups(), key=versions.index)
    return older, newer


def find_edge(
    groups: Iterable[tuple[str, GroupPlan]], type_: str, versions: tuple[str, str]
) -> tuple[GroupPlan, PlannedEdge]:
    """Return the edge of the older side's type, or of the protocol, with that name."""
    between = [
        (plan, edge)
        for _, plan in groups
        for edge in plan.edges
        if (edge.older.version, edge.newer.version) == versions
    ]
    found = [(p, e) for p, e in between if type_ in (e.protocol, e.older.name)]
    if not found:
        shown = f"{versions[0]}..{versions[1]}"
        if not between:
            edges = [
                f"{edge.older.version}..{edge.newer.version}"
                for _, plan in groups
                for edge in plan.edges
            ]
            raise unknown("edge", shown, edges)
        raise unknown(f"edge {shown} of a type", type_, [edge.older.name for _, edge in between])
    if len(found) > 1:
        protocols = ", ".join(f"{plan.name} {edge.protocol}" for plan, edge in found)
        text = f"{type_} has several edges between {' and '.join(versions)}: {protocols}"
        fix = "name the protocol instead of the type, and the group with --group"
        raise wrong_name(text, fix)
    return found[0]


def find_kind(
    groups: Iterable[tuple[str, GroupPlan]], name: str, path: str = ""
) -> tuple[GroupPlan, PlannedKind]:
    """Return a kind with its group; `path` is what begins with its name."""
    known: list[str] = []
    for _, plan in groups:
        for kind in plan.kinds:
            if kind.name == name:
                return plan, kind
            known.append(kind.name)
    fix = ""
    if path and not nearest(name, known) and known:
        fix = f"begin with the kind, as {known[0]}/{path}"
    raise unknown("kind", name, known, fix)
