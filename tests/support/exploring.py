"""A project with hostile names and values, and one with a thousand properties, for the explorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.projects import build_project, group_of

HOSTILE = (
    "</script><script>window.hit = 1</script>",
    '"><img src=x onerror="window.hit = 2">',
    "<!--<script>",
    "{{model}}",
    "javascript:window.hit = 3",
    "\u2028\u2029\u202e\x00",
    "__proto__",
    "constructor",
)
"""Names and texts that a page must show as they are."""


def hostile_project(root: Path) -> Path:
    """Build a project whose properties, descriptions and objects try to be markup or script."""
    names = [name for name in HOSTILE if name.isprintable()]
    older: dict[str, Any] = {
        name: {"type": "string", "description": name, "default": name} for name in names
    }
    newer: dict[str, Any] = {**older, "added": {"type": "string", "enum": names}}
    del newer[names[0]]
    root = build_project(root, *group_of({"v1": _schema(older), "v2": _schema(newer)}))
    value = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": HOSTILE[0], "annotations": dict.fromkeys(HOSTILE, HOSTILE[1])},
        "spec": {**dict.fromkeys(names, HOSTILE[0]), "free": dict.fromkeys(HOSTILE, HOSTILE)},
    }
    (root / "samples").mkdir()
    (root / "samples/thing.json").write_text(json.dumps(value), encoding="utf-8")
    return root


def wide_project(root: Path, properties: int = 1000) -> Path:
    """Build a project of four versions whose kind has so many properties, in objects of twenty."""
    versions = ["v1", "v2", "v3", "v4"]
    schemas = {}
    for age, version in enumerate(versions):
        groups: dict[str, Any] = {}
        for index in range(properties):
            # Of ten properties one is new in v3, one is gone in v4, one has another type.
            if (index % 10 == 3 and age < 2) or (index % 10 == 7 and age == 3):
                continue
            kinds = ("integer", "number") if index % 10 == 5 else ("string", "string")
            kind = kinds[age > 1]
            group = groups.setdefault(f"group{index // 20:03}", {})
            group[f"property{index:04}"] = {"type": kind, "description": f"Property {index}."}
        spec = {name: {"type": "object", "properties": held} for name, held in groups.items()}
        schemas[version] = _schema(spec)
    return build_project(root, *group_of(schemas))


def _schema(spec: dict[str, Any]) -> Any:
    metadata = {"type": "object", "additionalProperties": True}
    properties = {"metadata": metadata, "spec": {"type": "object", "properties": spec}}
    return {"type": "object", "properties": properties}
