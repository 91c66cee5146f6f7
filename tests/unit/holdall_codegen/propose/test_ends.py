"""The properties without partner that a path from an edge reaches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdall_codegen.project import read_project
from holdall_codegen.propose.ends import free_ends
from holdall_codegen.propose.trial import Trial

CONFIG = """
groups:
  things:
    sources:
      - {schemas: v1.json, version: v1, kinds: {Thing: ""}}
      - {schemas: v2.json, version: v2, kinds: {Thing: ""}}
    versions: [v1, v2]
"""


def write(root: Path, types: int) -> Trial:
    """Return the plan of a kind with types that hold each other, each with a property of its
    version alone."""
    (root / "holdall.yaml").write_text(CONFIG)
    for version in ("v1", "v2"):
        refs = {f"p{i}": {"$ref": f"#/definitions/T{i}"} for i in range(types)}
        holder: dict[str, Any] = {"properties": {**refs, f"of_{version}": {"type": "string"}}}
        schema = {**holder, "definitions": {f"T{i}": holder for i in range(types)}}
        (root / f"{version}.json").write_text(json.dumps(schema))
    reading = read_project(root)
    return Trial(reading.models["things"], reading.config.groups[0])


def ends_of(trial: Trial) -> list[tuple[str, ...]]:
    edge = next(edge for edge in trial.matched if edge[0].name == "Thing")
    return [end.path for end in free_ends(trial, edge, "older")]


def test_all_ways_through_a_few_types(tmp_path: Path) -> None:
    """Each path on which no type is there twice is a way."""
    assert ends_of(write(tmp_path, 2)) == [
        ("p0", "p1", "of_v1"),
        ("p0", "of_v1"),
        ("p1", "p0", "of_v1"),
        ("p1", "of_v1"),
        ("of_v1",),
    ]


def test_ways_through_many_types_have_an_end(tmp_path: Path) -> None:
    """Types that all hold each other do not keep anyone waiting: there are millions of ways."""
    assert 12 < len(ends_of(write(tmp_path, 12))) < 12 * 30 + 2
