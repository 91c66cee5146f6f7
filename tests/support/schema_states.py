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
    """Another line about the group."""
    kind: str = "Order"
    api_group: str = "shop.example.com"
    internal: str = ""
    spec: Properties = field(default_factory=dict[str, Any])
    """Members of the schema of `spec` beside its properties."""

    def config(self) -> str:
        """Return the configuration."""
        lines = ["groups:", "  shop:"]
        if self.api_group:
            lines.append(f"    api_group: {self.api_group}")
        lines.append("    sources:")
        for version in self.versions:
            lines.append(f"      - schemas: {version}.json")
            lines.append(f'        version: {version}\n        kinds: {{{self.kind}: ""}}')
        names = [*self.versions, *([self.internal] if self.internal else [])]
        lines.append(f"    versions: [{', '.join(names)}]")
        if self.between:
            lines.append(f"    between:\n      {self.between}")
        if self.more:
            lines.append(f"    {self.more}")
        return "\n".join(lines) + "\n"

    def files(self) -> dict[str, str]:
        """Return the schemas by their file names."""
        return {f"{version}.json": json.dumps(self.schema(version)) for version in self.versions}

    def schema(self, version: str) -> dict[str, Any]:
        """Return the schema of a version."""
        spec = {"type": "object", "properties": self.versions[version], **self.spec}
        return box(metadata={"type": "object"}, spec=spec)

    def write(self, root: Path) -> Path:
        """Write the project into a folder, and return it."""
        root.mkdir(parents=True, exist_ok=True)
        (root / "holdall.yaml").write_text(self.config())
        for name, text in self.files().items():
            (root / name).write_text(text)
        return root


def sample(schema: Any, number: int = 1) -> Any:
    """Return a value of a schema, two elements in each list; it differs by `number`."""
    match schema:
        case {"enum": [*values]}:
            return values[-1]
        case {"properties": members}:
            return {name: sample(item, number) for name, item in members.items()}
        case {"additionalProperties": item}:
            return {"k": sample(item, number)}
        case {"type": "array", "items": item}:
            return [sample(item, number), sample(item, number + 1)]
        case {"type": "string"}:
            return f"text {number}"
        case {"type": "number"}:
            return float(number)
        case {"type": "integer"}:
            return number
        case _:
            return {"free": number}


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
