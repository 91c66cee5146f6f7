"""Small literal projects, built in a folder and imported from there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdall.scheme.scheme import Scheme
from holdall_codegen.plan.model import GroupPlan
from holdall_codegen.project import load_project
from tests.support.projects import build_project, scheme_of

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
OPAQUE: Schema = {"x-kubernetes-preserve-unknown-fields": True}
INT_OR_STRING: Schema = {"x-kubernetes-int-or-string": True}


def ref(name: str) -> Schema:
    """Return the schema of a named type."""
    return {"$ref": f"#/definitions/{name}"}


def many(item: Schema, **more: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": item, **more}


def mapped(value: Schema) -> Schema:
    """Return the schema of a map."""
    return {"type": "object", "additionalProperties": value}


def nullable(schema: Schema) -> Schema:
    """Return a schema that allows null."""
    return {**schema, "nullable": True}


@dataclass(frozen=True, slots=True)
class Specimen:
    """A group in a few literals: types by version, the facts between versions, the graph.

    `types` maps version to type name to properties. The kind is `Thing` unless `kinds` says more.
    """

    types: Mapping[str, Mapping[str, Mapping[str, Schema]]]
    between: Mapping[str, Any] | None = None
    kinds: Sequence[str] = ("Thing",)
    group: Mapping[str, Any] | None = None
    versions: Sequence[Any] = ()
    api_group: str = ""

    def project(self) -> tuple[str, dict[str, str]]:
        """Return the configuration, and the schemas by their files."""
        sources, files = [], {}
        for version, types in self.types.items():
            kinds = {kind: f"/definitions/{kind}" for kind in self.kinds if kind in types}
            definitions = {
                name: {"type": "object", "properties": dict(properties)}
                for name, properties in types.items()
            }
            files[f"{version}.json"] = json.dumps({"definitions": definitions})
            sources.append({"schemas": f"{version}.json", "version": version, "kinds": kinds})
        group: dict[str, Any] = {
            "api_group": self.api_group,
            "sources": sources,
            "versions": list(self.versions or self.types),
            **({"between": self.between} if self.between else {}),
            **(self.group or {}),
        }
        return f"groups: {json.dumps({'things': group})}\n", files


@dataclass(frozen=True, slots=True)
class Built:
    """A generated and imported group."""

    plan: GroupPlan
    scheme: Scheme
    root: Path


def built(root: Path, config: str, files: Mapping[str, str]) -> Built:
    """Generate a project with one group in a folder, and import it."""
    (plan,) = load_project(build_project(root, config, files)).plans.values()
    scheme = scheme_of(root)
    scheme.load()
    return Built(plan, scheme, root)


def built_specimen(specimen: Specimen, root: Path, hook: str = "") -> Built:
    """Generate and import a specimen in a folder, with a module of hooks if it is given."""
    config, files = specimen.project()
    return built(root, config, {**files, **({"hooks/__init__.py": hook} if hook else {})})
