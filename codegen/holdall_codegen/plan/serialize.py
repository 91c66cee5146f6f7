"""The plan as JSON: what audits, laws and `--json` read."""

from __future__ import annotations

from holdall import json
from holdall.types import JsonValue
from holdall_codegen.plan.model import GroupPlan, PlannedEdge


def plan_json(group: GroupPlan) -> str:
    """Return the text of plan.json."""
    return json.encode_pretty(plan_value(group))


def plan_value(group: GroupPlan) -> dict[str, JsonValue]:
    """Return the plan as a JSON value; keys and lists are in a fixed order.

    Shape: versions (oldest first), hub, kinds, edges with a decision for every property of both
    sides, skip links, suggestions, warnings.
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
            }
            for kind in group.kinds
        ],
        "edges": [_edge(edge) for edge in group.edges],
        "links": [
            {
                "older": f"{link.older.type}/{link.older.name}",
                "newer": f"{link.newer.type}/{link.newer.name}",
                "reason": link.reason,
            }
            for link in group.links
        ],
        "suggestions": list(group.suggestions),
        "warnings": list(group.warnings),
    }


def _edge(edge: PlannedEdge) -> dict[str, JsonValue]:
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
                "reason": decision.reason,
                "at": str(decision.location) if decision.location.file else "",
            }
            for decision in edge.decisions
        ],
    }
