"""References by `$id`, anchors and dynamic anchors: what they lead to, and from where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.model import Opaque, Ref, Scalar, Type
from holdall_codegen.read.identifiers import identify
from tests.unit.holdall_codegen.read.test_schema import (
    OBJECT,
    STRING,
    problem_of,
    read,
    read_property,
    types_of,
)

DEFINITIONS = {
    "part": {
        "$id": "https://example.org/part",
        "$anchor": "whole",
        "$defs": {"name": STRING, "deep": {"$id": "deep", "type": "integer"}},
        "properties": {"n": {"$ref": "#/$defs/name"}, "again": {"$ref": "#"}},
    },
    "name": {"$anchor": "number", "type": "integer"},
    "old": {"$id": "#older", "type": "boolean"},
    "outer": {"$id": "https://example.org/outer", "properties": {"o": {"$ref": "#/$defs/name"}}},
}

REFERENCES: list[tuple[str, Type]] = [
    ("https://example.org/part", Ref("Part")),
    ("https://example.org/part#/$defs/name", Scalar("string")),
    ("https://example.org/part#whole", Ref("Part")),
    ("https://example.org/deep", Scalar("integer")),
    ("part", Ref("Part")),
    ("#number", Scalar("integer")),
    ("#older", Scalar("boolean")),
    ("https://example.org/root#/$defs/name", Scalar("integer")),
]


def types_with(root: Path, reference: str, definitions: object) -> dict[str, dict[str, Type]]:
    """Return the types of the properties of an object with the one property `x`, by type."""
    schema = {"properties": {"x": {"$ref": reference}}, "$defs": definitions}
    return {
        name: {item.name: item.type for item in found.properties}
        for name, found in types_of(read(root, schema)).items()
    }


@pytest.mark.parametrize(("reference", "expected"), REFERENCES)
def test_names_of_parts(tmp_path: Path, reference: str, expected: Type) -> None:
    """References lead to parts of the file by their names, relative to the part they are in."""
    more = {"$id": "https://example.org/root", "$defs": DEFINITIONS}
    assert read_property(tmp_path, {"$ref": reference}, **more).type == expected


def test_references_inside_a_part(tmp_path: Path) -> None:
    """They are relative to the part; what only the file has is found all the same."""
    found = types_with(tmp_path, "https://example.org/part", DEFINITIONS)
    assert found["Part"] == {"n": Scalar("string"), "again": Ref("Part")}
    found = types_with(tmp_path, "https://example.org/outer", DEFINITIONS)
    assert found["Outer"] == {"o": Scalar("integer")}


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_dynamic_references(tmp_path: Path, keyword: str) -> None:
    """They mean what they do where no other schema extends theirs."""
    reference = "#node" if keyword == "$dynamicRef" else "#"
    node = {"$dynamicAnchor": "node", "properties": {"next": {keyword: reference}}}
    definitions = {"node": {**node, "$id": "https://example.org/node"}}
    found = types_with(tmp_path, "#/$defs/node", definitions)
    assert found == {"Node": {"next": Ref("Node")}, "Order": {"x": Ref("Node")}}


def test_file_beside_has_the_address(tmp_path: Path) -> None:
    """A reference to another host leads to the file of the folder that has this `$id`."""
    address = "https://example.org/line.json"
    problem = problem_of(tmp_path, {"$ref": f"{address}#/$defs/Name"})
    assert "no file in the same folder has this `$id`; holdall fetches nothing" in problem
    assert f'fix: copy the file with the `$id` "{address}" into the same folder' in problem
    (tmp_path / "broken.json").write_text("{")
    line = {"$id": address, "$defs": {"Name": STRING}, **OBJECT}
    (tmp_path / "some.json").write_text(json.dumps(line))
    assert read_property(tmp_path, {"$ref": f"{address}#/$defs/Name"}).type == Scalar("string")
    found = read_property(tmp_path, {"$ref": "line.json"}, **{"$id": "https://example.org/order"})
    assert found.type == Ref("Some")
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "id": f"{address}#", **OBJECT}
    (tmp_path / "some.json").write_text(json.dumps(old))
    assert read_property(tmp_path, {"$ref": address}).type == Ref("Some")


def test_what_is_no_name() -> None:
    """Values and properties may look like names of parts."""
    schema: Any = {
        "properties": {"$id": STRING, "default": {"$id": "a"}, "id": {"const": {"$id": "b"}}},
        "examples": [{"$id": "c", "$anchor": "d"}],
        "$id": 1,
    }
    names = identify(schema)
    assert names.resources == {"a": "/properties/default"}
    assert not names.anchors


def test_nothing_is_known_of_other_parts(tmp_path: Path) -> None:
    """A schema that is true for everything says nothing, also by its name."""
    found = read_property(tmp_path, {"$ref": "#/$defs/any"}, **{"$defs": {"any": True}})
    assert found.type == Opaque()
