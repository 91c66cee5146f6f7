"""The conversion graph as text: API types, their storage twins, and the way to the hub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from holdall.types import JsonValue
from holdall_codegen.plan.model import GroupPlan, PlannedKind

GroupKinds = Sequence[tuple[GroupPlan, Sequence[PlannedKind]]]


def graph_value(groups: GroupKinds) -> list[JsonValue]:
    """Return the combs as JSON: per kind its versions, oldest first, and its edges."""
    return [
        {
            "group": plan.api_group or plan.name,
            "kind": kind.name,
            "hub": hub_of(plan, kind),
            "versions": [
                {"version": name, "type": kind.types[name], "internal": internal}
                for name, internal in _versions(plan, kind)
            ],
            "edges": [list(edge) for edge in kind.edges],
        }
        for plan, kinds in groups
        for kind in kinds
    ]


def hub_of(plan: GroupPlan, kind: PlannedKind) -> str:
    """Return the version in which a kind is stored; empty if the hub lacks it."""
    return plan.hub if plan.hub in kind.types else ""


def mermaid(groups: GroupKinds) -> str:
    """Return the combs as a Mermaid flowchart, one subgraph per kind."""
    lines = ["flowchart LR"]
    for number, plan, kind in _numbered(groups):
        lines.append(f"  subgraph k{number}[{_quoted(_title(plan, kind))}]")
        ids = {}
        for place, (version, internal) in enumerate(_versions(plan, kind)):
            ids[version] = twin = f"k{number}s{place}"
            label = f"storage {version}" + (" (hub)" if version == plan.hub else "")
            shape = ("{{", "}}") if version == plan.hub else ("(", ")")
            lines.append(f"    {twin}{shape[0]}{_quoted(label)}{shape[1]}")
            if not internal:
                lines.append(f"    k{number}a{place}[{_quoted(version)}] <--> {twin}")
        lines += [f"    {ids[older]} <--> {ids[newer]}" for older, newer in kind.edges]
        lines.append("  end")
    return "\n".join(lines) + "\n"


def dot(groups: GroupKinds) -> str:
    """Return the combs as a Graphviz digraph, one cluster per kind."""
    lines = ["digraph holdall {", "  rankdir=LR;", "  edge [dir=both];"]
    for number, plan, kind in _numbered(groups):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(_title(plan, kind))};"]
        ids = {}
        for place, (version, internal) in enumerate(_versions(plan, kind)):
            ids[version] = twin = f"k{number}s{place}"
            is_hub = version == plan.hub
            label = f"storage {version}" + (" (hub)" if is_hub else "")
            style = "shape=doubleoctagon" if is_hub else "shape=ellipse"
            lines.append(f"    {twin} [label={_quoted(label)}, {style}];")
            if not internal:
                lines.append(f"    k{number}a{place} [label={_quoted(version)}, shape=box];")
                lines.append(f"    k{number}a{place} -> {twin};")
        lines += [f"    {ids[older]} -> {ids[newer]};" for older, newer in kind.edges]
        lines.append("  }")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _numbered(groups: GroupKinds) -> Iterator[tuple[int, GroupPlan, PlannedKind]]:
    pairs = [(plan, kind) for plan, kinds in groups for kind in kinds]
    for number, (plan, kind) in enumerate(pairs):
        yield number, plan, kind


def _versions(plan: GroupPlan, kind: PlannedKind) -> Iterator[tuple[str, bool]]:
    for version in plan.versions:
        if version.name in kind.types:
            yield version.name, version.internal


def _title(plan: GroupPlan, kind: PlannedKind) -> str:
    return f"{kind.name} ({plan.api_group or plan.name})"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
