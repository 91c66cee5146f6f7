"""Definitions whose names were taken: a warning, with a line that names them alike."""

from __future__ import annotations

import json
from pathlib import Path

from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, Location
from holdall_codegen.read import read_group
from tests.support.notation import schema_of

AT = Location("holdall.yaml", 7)


def _read(
    root: Path, task: str = "step", *, versions: int = 2, pins: dict[str, str] | None = None
) -> Group:
    """Read kinds `Pipe` whose spec is more than the definition that steps are."""
    sources = []
    names = [f"v{number}" for number in range(1, versions + 1)]
    for name in names:
        spec = {"$ref": f"#/definitions/{name}.PipeSpec"}
        embedded = schema_of("{title: string}")
        embedded["properties"][task if name == "v1" else "step"] = spec
        pipe = {"properties": {"spec": {"allOf": [spec, schema_of("{more: string}")]}}}
        definitions = {"Pipe": pipe, f"{name}.PipeSpec": embedded}
        (root / f"{name}.json").write_text(json.dumps({"definitions": definitions}))
        sources.append(SchemaSource(f"{name}.json", name, AT, {"Pipe": "/definitions/Pipe"}))
    listed = tuple(VersionConfig(name, AT) for name in names)
    return read_group(
        GroupConfig("g", "g", AT, tuple(sources), listed, type_names=pins or {}), root
    )


def test_a_definition_with_two_names(tmp_path: Path) -> None:
    """The line of the warning names it alike; then there is no warning."""
    group = _read(tmp_path)
    assert [sorted(version.types) for version in group.versions] == [
        ["Pipe", "PipeSpec", "V1PipeSpec"],
        ["Pipe", "PipeSpec", "V2PipeSpec"],
    ]
    assert group.warnings == (
        "PipeSpec is V1PipeSpec in v1 and V2PipeSpec in v2, because another type has its name; for "
        "one name, add to `type_names`: Pipe/spec/step: PipeSpecType",
    )
    group = _read(tmp_path, pins={"Pipe/spec/step": "PipeSpecType"})
    assert [sorted(version.types) for version in group.versions] == [
        ["Pipe", "PipeSpec", "PipeSpecType"]
    ] * 2
    assert group.warnings == ()


def test_at_different_paths(tmp_path: Path) -> None:
    """The line of each version."""
    (warning,) = _read(tmp_path, task="task").warnings
    lines = "Pipe/spec/task: PipeSpecType, Pipe/spec/step: PipeSpecType"
    assert warning.endswith(f"`type_names`: {lines}")
    pins = {"Pipe/spec/task": "PipeSpecType", "Pipe/spec/step": "PipeSpecType"}
    assert _read(tmp_path, task="task", pins=pins).warnings == ()


def test_one_version_is_not_compared(tmp_path: Path) -> None:
    """There is nothing that differs."""
    assert _read(tmp_path, versions=1).warnings == ()
