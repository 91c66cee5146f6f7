"""Small literal projects, built in a folder and imported from there."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdall.scheme.scheme import Scheme
from holdall_codegen.plan.model import GroupPlan
from holdall_codegen.project import emit_project, load_project

_numbers = itertools.count()

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
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


@dataclass(frozen=True, slots=True)
class Built:
    """A generated and imported group."""

    plan: GroupPlan
    scheme: Scheme
    root: Path


def write_specimen(specimen: Specimen, root: Path, output: str) -> None:
    """Write the schemas and the configuration of a specimen."""
    sources = []
    for version, types in specimen.types.items():
        kinds = {kind: f"/definitions/{kind}" for kind in specimen.kinds if kind in types}
        definitions = {
            name: {"type": "object", "properties": dict(properties)}
            for name, properties in types.items()
        }
        (root / f"{version}.json").write_text(json.dumps({"definitions": definitions}))
        sources.append({"schemas": f"{version}.json", "version": version, "kinds": kinds})
    group: dict[str, Any] = {
        "package": "things",
        "api_group": specimen.api_group,
        "sources": sources,
        "versions": list(specimen.versions or specimen.types),
    }
    if specimen.between:
        group["between"] = specimen.between
    group.update(specimen.group or {})
    config = {"output": output, "hooks": f"{output}_hooks", "groups": {"things": group}}
    (root / "holdall.yaml").write_text(json.dumps(config, indent=1))


def new_name() -> str:
    """Return a package name that no other project of this process has."""
    return f"made_{next(_numbers)}"


@contextmanager
def built(root: Path, output: str) -> Iterator[dict[str, Built]]:
    """Generate the project in `root`, import its groups, and forget them at the end."""
    project = load_project(root)
    for path, text in emit_project(project).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with imported(root, output):
        yield {
            package: Built(plan, scheme_of(output, package), root)
            for package, plan in project.plans.items()
        }


def scheme_of(output: str, package: str) -> Scheme:
    """Return the loaded scheme of a generated group."""
    scheme: Scheme = importlib.import_module(f"{output}.{package}").SCHEME
    scheme.load()
    return scheme


@contextmanager
def imported(root: Path, *packages: str) -> Iterator[None]:
    """Let packages be imported from a folder, and forget them at the end."""
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))
        for name in list(sys.modules):
            if name.split(".")[0] in {item for one in packages for item in (one, f"{one}_hooks")}:
                del sys.modules[name]


@contextmanager
def built_specimen(specimen: Specimen, root: Path) -> Iterator[Built]:
    """Generate and import a specimen in an empty folder."""
    output = new_name()
    write_specimen(specimen, root, output)
    with built(root, output) as groups:
        yield groups["things"]
