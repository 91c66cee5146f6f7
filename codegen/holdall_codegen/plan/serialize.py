"""The plan as JSON: what audits, laws and `--json` read."""

from __future__ import annotations

import re

from holdall import json
from holdall.types import JsonValue
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedVersion
from holdall_codegen.plan.values import describe

_LINE = re.compile(r"(?<=\.yaml):\d+")


def plan_json(group: GroupPlan) -> str:
    """Return the text of plan.json; it names no lines, which change with every edit."""
    return json.encode_pretty(plan_value(group, locations=False))


def plan_value(group: GroupPlan, *, locations: bool = True) -> dict[str, JsonValue]:
    """Return the plan as a JSON value; keys and lists are in a fixed order.

    Shape: versions (oldest first), hub, kinds, types (by version, each property with its type),
    edges with a decision for every property of both sides, skip links, suggestions, warnings.
    With `locations`, decisions say `at` which line the property stands, and reasons name lines.
    """
    return {
        "group": group.api_group or group.name,
        "versions": [version.name for version in group.versions],
        "hub": group.hub,
        "kinds": [
            {
                "kind": kind.name,
                "types": dict(kind.types),
                "edges": [list(edge) for edge in kind.edges],
                "carrier": kind.carrier,
                **({"names": dict(kind.names)} if kind.names else {}),
            }
            for kind in group.kinds
        ],
        "types": {version.name: _types(version) for version in group.versions},
        "edges": [_edge(edge, locations=locations) for edge in group.edges],
        "links": [
            {
                "older": f"{link.older.type}/{link.older.name}",
                "newer": f"{link.newer.type}/{link.newer.name}",
                "reason": _reason(link.reason, locations=locations),
            }
            for link in group.links
        ],
        "suggestions": list(group.suggestions),
        "warnings": [_reason(warning, locations=locations) for warning in group.warnings],
    }


def _types(version: PlannedVersion) -> dict[str, JsonValue]:
    return {
        name: {member.name: describe(member.property.type) for member in type_.members}
        for name, type_ in version.types.items()
    }


def _reason(text: str, *, locations: bool) -> str:
    return text if locations else _LINE.sub("", text)


def _edge(edge: PlannedEdge, *, locations: bool) -> dict[str, JsonValue]:
    return {
        "older": str(edge.older),
        "newer": str(edge.newer),
        "protocol": edge.protocol,
        "link": edge.is_link,
        "decisions": [
            {
                "side": decision.side,
                "property": decision.name,
                "fate": decision.fate,
                **({"partner": decision.partner} if decision.partner else {}),
                "reason": _reason(decision.reason, locations=locations),
                **({"at": str(decision.location)} if locations and decision.location.file else {}),
            }
            for decision in edge.decisions
        ],
    }
