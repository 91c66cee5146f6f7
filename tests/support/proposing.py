"""Groups of two versions from literal schemas, and what is proposed for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from holdall_codegen.model import Group
from holdall_codegen.plan import GroupPlan
from holdall_codegen.project import load_project, read_project
from holdall_codegen.propose import Proposal, propose

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
FLAG = {"type": "boolean"}


def thing(**members: Any) -> dict[str, Any]:
    """Return the schema of an object."""
    return {"type": "object", "properties": members}


def many(item: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def mapped(value: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a map."""
    return {"type": "object", "additionalProperties": value}


def words(*values: str) -> dict[str, Any]:
    """Return the schema of an enum."""
    return {"type": "string", "enum": list(values)}


def write_versions(
    root: Path,
    between: Mapping[str, Any] | None = None,
    *,
    edges: str = "chain",
    hub: str = "",
    **versions: dict[str, Any],
) -> Path:
    """Write a project with one group `boxes` and one kind Box; each version is the schema of it."""
    names = list(versions)
    group: dict[str, Any] = {
        "edges": edges,
        "hub": hub or names[-1],
        "sources": [
            {"schemas": f"{name}.yaml", "version": name, "kinds": {"Box": ""}} for name in names
        ],
        "versions": names,
    }
    if between is not None:
        group["between"] = between
    (root / "holdall.yaml").write_text(
        yaml.safe_dump({"groups": {"boxes": group}}, sort_keys=False), "utf-8"
    )
    for name, schema in versions.items():
        (root / f"{name}.yaml").write_text(yaml.safe_dump(schema, sort_keys=False), "utf-8")
    return root


def proposals(root: Path) -> tuple[Proposal, ...]:
    """Return what is proposed for the group of a project."""
    reading = read_project(root)
    return propose(reading.models["boxes"], reading.config.groups[0])


def lines(root: Path) -> list[str]:
    """Return the proposals for a project, without the versions: `Box: old: new`."""
    return [
        item.line.removeprefix("between: v1 -> v2: ")
        if item.is_declarable
        else f"{item.type}: {item.property_path} ~ {'/'.join(item.target)}"
        for item in proposals(root)
    ]


def planned(root: Path) -> GroupPlan:
    """Return the plan of the group of a project."""
    return load_project(root).plans["boxes"]


def model(root: Path) -> Group:
    """Return the model of the group of a project."""
    return read_project(root).models["boxes"]
