"""Any schema, sound or not: reading ends with a model or with problems, and always the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from holdall.errors import SourceError
from holdall_codegen.config.keys import SchemaSource, VersionConfig
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.model import Group, ListOf, Location, MapOf, Ref
from holdall_codegen.read import read_group

AT = Location("holdall.yaml", 1)
_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]
_REFS = ["#", "#/$defs/A", "#/$defs/B", "#/$defs/C", "#/$defs/D"]
_FLAGS = [
    "nullable",
    "deprecated",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
]
_NAMES = st.sampled_from(["a", "b", "spec", "status", "metadata", "a-b", "aB", "items", "class"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def _schemas(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    parts: dict[str, st.SearchStrategy[object]] = {
        "type": st.sampled_from(_TYPES) | st.lists(st.sampled_from(_TYPES), max_size=3),
        "properties": st.dictionaries(_NAMES, inner, max_size=4),
        "additionalProperties": st.booleans() | inner,
        "items": inner,
        "oneOf": st.lists(inner, max_size=3),
        "anyOf": st.lists(inner, max_size=3),
        "allOf": st.lists(inner, max_size=3),
        "not": inner,
        "$ref": st.sampled_from(_REFS),
        "enum": st.lists(_JSON, max_size=3),
        "default": _JSON,
        "required": st.lists(_NAMES, max_size=2),
        **{flag: st.booleans() for flag in _FLAGS},
    }
    return st.fixed_dictionaries({}, optional=parts)


_SOUND = st.recursive(
    st.sampled_from(_TYPES[1:3] + _TYPES[4:]).map(lambda name: {"type": name}) | st.just({}),
    _schemas,
    max_leaves=8,
)
_GARBAGE = st.recursive(_SOUND | _JSON, lambda inner: _schemas(inner | _JSON), max_leaves=8)


def _read(schema: object, definitions: list[object]) -> Group | list[str]:
    root = {"title": "K", "type": "object", "properties": {"x": schema}}
    document = {**root, "$defs": dict(zip("ABCD", definitions, strict=False))}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.json").write_text(json.dumps(document), encoding="utf-8")
        source = SchemaSource("k.json", "v1", AT)
        config = GroupConfig("g", "g", AT, (source,), (VersionConfig("v1", AT),))
        try:
            return read_group(config, Path(folder))
        except SourceError as error:
            assert error.problems
            return [str(problem) for problem in error.problems]


def _check(schema: object, definitions: list[object]) -> None:
    group = _read(schema, definitions)
    assert group == _read(schema, definitions)
    if isinstance(group, list):
        assert all("fix: " in problem for problem in group)
        return
    types = group.versions[0].types
    assert list(types) == sorted(types)
    for name, found in types.items():
        assert found.name == name
        assert found.paths
        for item in found.properties:
            value = item.type
            while isinstance(value, (ListOf, MapOf)):
                value = value.item if isinstance(value, ListOf) else value.value
            assert not isinstance(value, Ref) or value.type_name in types


@given(_SOUND, st.lists(_SOUND, max_size=4))
def test_sound_schemas_never_crash_the_reader(schema: object, definitions: list[object]) -> None:
    """Any combination of constructs gives a closed model or located problems, twice the same."""
    _check(schema, definitions)


@given(_GARBAGE, st.lists(_GARBAGE, max_size=4))
def test_garbage_never_crashes_the_reader(schema: object, definitions: list[object]) -> None:
    """Values of any kind at any place of a schema end in a model or in located problems."""
    _check(schema, definitions)
