"""Small states of one schema: what it is before an edit, and after it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STRING: Any = {"type": "string"}
INTEGER: Any = {"type": "integer"}
Properties = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """One state of a project: the properties of `spec` by version, oldest first."""

    versions: Mapping[str, Properties]
    between: str = ""
    more: str = ""
    kind: str = "Order"
    api_group: str = "shop.example.com"
    internal: str = ""
    spec: Properties = field(default_factory=dict[str, Any])
    """Members of the schema of `spec` beside its properties."""

    def write(self, root: Path) -> Path:
        """Write the project into a folder, in place of the state that is there."""
        (root / "schemas").mkdir(parents=True, exist_ok=True)
        lines = ["groups:", "  shop:"]
        if self.api_group:
            lines.append(f"    api_group: {self.api_group}")
        lines.append("    sources:")
        for version, properties in self.versions.items():
            spec = {"type": "object", "properties": properties, **self.spec}
            members = {"metadata": {"type": "object"}, "spec": spec}
            schema = {"type": "object", "properties": members}
            (root / f"schemas/{version}.json").write_text(json.dumps(schema))
            lines.append(f"      - schemas: schemas/{version}.json")
            lines.append(f'        version: {version}\n        kinds: {{{self.kind}: ""}}')
        lines.append(f"    versions: [{', '.join(self.versions)}{self.internal}]")
        if self.between:
            lines.append(f"    between:\n      {self.between}")
        (root / "holdall.yaml").write_text("\n".join(lines) + "\n" + self.more)
        return root


def both(**properties: Any) -> dict[str, Properties]:
    """Return versions v1 and v2 with the same properties."""
    return {"v1": properties, "v2": properties}


def box(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with some properties."""
    return {"type": "object", "properties": properties}


def items(item: Properties, **more: Any) -> dict[str, Any]:
    """Return the schema of a list of objects with some properties."""
    return {"type": "array", "items": {"type": "object", "properties": item}, **more}


def keyed(*keys: str) -> dict[str, Any]:
    """Return what makes a list one of type map."""
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}
