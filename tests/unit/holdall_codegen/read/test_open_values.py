"""Values by the pattern of their names, or by their position: maps, lists, or open JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdall_codegen.model import MapOf, Opaque, Ref, Scalar, Type
from holdall_codegen.read.open_values import BY_PATTERN
from tests.unit.holdall_codegen.read.test_schema import (
    OBJECT,
    STRING,
    read,
    read_property,
    types_of,
)

CLOSED = {"additionalProperties": False}
MAP = MapOf(Scalar("string"))
OPEN = Opaque(BY_PATTERN)

MAPS: list[tuple[object, Type]] = [
    ({"patternProperties": {"^a": STRING, "^b": STRING}, **CLOSED}, MAP),
    ({"patternProperties": {"^a": STRING}, "additionalProperties": STRING}, MAP),
    ({"patternProperties": {"^a": STRING}, "unevaluatedProperties": False}, MAP),
    ({"patternProperties": {".*": STRING}}, MAP),
    ({"patternProperties": {"^.+$": STRING, "^a": {"minLength": 2}}}, MAP),
    ({"patternProperties": {"^a": OBJECT}, **CLOSED}, MapOf(Ref("X"))),
    ({"patternProperties": {"^a/b": OBJECT}, **CLOSED}, MapOf(Ref("X"))),
    ({"patternProperties": {"^a": STRING, "^b": {"type": "integer"}}, **CLOSED}, OPEN),
    ({"patternProperties": {"^a": STRING}, "additionalProperties": True}, OPEN),
    ({"patternProperties": {"^a": STRING}, "additionalProperties": {"type": "integer"}}, OPEN),
    # Names that fit no pattern may have anything.
    ({"allOf": [{"patternProperties": {"^a": STRING}}, CLOSED]}, OPEN),
    ({"patternProperties": {}, "additionalProperties": STRING}, MAP),
]


@pytest.mark.parametrize(("schema", "expected"), MAPS, ids=[json.dumps(s) for s, _ in MAPS])
def test_patterns_of_names(tmp_path: Path, schema: object, expected: Type) -> None:
    """What all names share is a map; what depends on the name is open JSON."""
    assert read_property(tmp_path, schema).type == expected


def test_what_is_left_open_is_told(tmp_path: Path) -> None:
    """A warning for objects and lists in it, once for each construct, by its first place."""
    line = {"type": "object", "properties": {"a": STRING}}
    schema = {
        "properties": {
            "silent": {"patternProperties": {"^x": STRING, "^y": True, "^z": {"type": "object"}}},
            "told": {"patternProperties": {"^x": line}},
            "beside": {"properties": {"a": STRING}, "patternProperties": {"^x-": line}},
            "point": {"prefixItems": [STRING, {"type": "array", "items": STRING}]},
            "numbers": {"items": [STRING, STRING]},
            "more": {"properties": {"a": STRING}, "additionalProperties": line},
            "scalars": {"properties": {"a": STRING}, "additionalProperties": STRING},
        }
    }
    group = read(tmp_path, schema)
    beside = types_of(group)["OrderBeside"]
    assert ([item.name for item in beside.properties], beside.preserve_unknown) == (["a"], True)
    end = "are open JSON: they stay as they are, and nothing inside is converted"
    by_pattern, by_position, by_name = group.warnings
    assert by_pattern.endswith(
        f", and 1 other place of v1: members by the pattern of their names {end}"
    )
    assert by_position.endswith(f": elements by their position {end}")
    assert by_name.endswith(f": members beside the declared ones {end}")
    assert all(text.startswith("order.json:1:") for text in group.warnings)


def test_what_may_be_one_of_several_is_told(tmp_path: Path) -> None:
    """Once for each union, at its place, if it has objects or lists with anything inside."""
    code, text = ({"properties": {"kind": {"enum": [k]}, k: STRING}} for k in ("code", "text"))
    several = {"type": "object", "oneOf": [code, text]}
    schema = {
        "properties": {
            "cells": {"type": "array", "items": {"$ref": "#/definitions/Cell"}},
            "list": {"oneOf": [STRING, {"type": "array", "items": STRING}]},
            "silent": {"oneOf": [STRING, {"type": "object"}]},
            "scalar": {"oneOf": [STRING, {"type": "integer"}]},
            "any": {"anyOf": [{}, code]},
        },
        "definitions": {"Cell": several},
    }
    (warning,) = read(tmp_path, schema).warnings
    assert ", and 2 other places of v1: " in warning
    assert "values that may be one of several objects or lists are open JSON" in warning
