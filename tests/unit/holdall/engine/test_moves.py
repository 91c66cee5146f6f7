"""Properties that change their nesting level: parents are made, marked and unmade."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import holdall as h
from tests.support.projects import build_project, group_of, scheme_of

STRING: Any = {"type": "string"}
NUMBER: Any = {"type": "number"}
INTEGER: Any = {"type": "integer"}


def thing(spec: dict[str, Any], **types: dict[str, Any]) -> dict[str, Any]:
    definitions = {name: {"type": "object", "properties": found} for name, found in types.items()}
    definitions["Spec"] = {"type": "object", "properties": spec}
    properties = {"metadata": {"type": "object"}, "spec": {"$ref": "#/$defs/Spec"}}
    return {"type": "object", "properties": properties, "$defs": definitions}


V1 = thing(
    {"key": {"$ref": "#/$defs/Key"}, "only": {"$ref": "#/$defs/Only"}, "flat": STRING},
    Key={"vaultName": STRING, "size": INTEGER},
    Only={"level": NUMBER},
)
V2 = thing(
    {
        "key": {"$ref": "#/$defs/Key"},
        "vaultName": STRING,
        "level": INTEGER,
        "deep": {"$ref": "#/$defs/Deep"},
    },
    Key={"size": INTEGER},
    Deep={"flat": STRING},
)
FACTS = {
    "v1 -> v2": {
        "Spec": {
            "key/vaultName": {"move": "vaultName"},
            "only/level": {"move": "level"},
            "flat": {"move": "deep/flat"},
        }
    }
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    """One property moves up, one moves out of a parent that ends, one moves down."""
    group = group_of(
        {"v1": V1, "v2": V2}, group="moves", api_group="moves.example.com", between=FACTS
    )
    return scheme_of(build_project(tmp_path_factory.mktemp("moved"), *group))


def twin(scheme: h.Scheme, version: str, spec: Any) -> h.StorageRoot:
    return scheme.twin("Thing", version).from_dict({"spec": spec})


def spec_of(obj: h.StorageRoot) -> Any:
    """Return the spec as it is stored, without what records the version."""
    spec = obj.to_dict()["spec"]
    spec.pop("$originalVersion", None)
    return spec


def convert(scheme: h.Scheme, version: str, spec: Any, to: str) -> Any:
    return spec_of(scheme.convert(twin(scheme, version, spec), to=to))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({}, {}),
        ({"key": {"vaultName": "v", "size": 1}}, {"vaultName": "v", "key": {"size": 1}}),
        ({"key": {"vaultName": "v"}}, {"vaultName": "v", "key": {}}),
        ({"key": {"vaultName": ""}}, {"vaultName": "", "key": {}}),
        ({"key": {"vaultName": None}}, {"vaultName": None, "key": {}}),
        ({"key": {}}, {"key": {}}),
        ({"key": None}, {"key": None}),
        ({"key": {"vaultName": "v", "more": 1}}, {"vaultName": "v", "key": {"more": 1}}),
        # A parent that is missing on one side is made, and what it was is remembered.
        (
            {"flat": "f"},
            {"deep": {"flat": "f", "$propertyBag": {"v1": {"$created": "absent"}}}},
        ),
        (
            {"flat": None},
            {"deep": {"flat": None, "$propertyBag": {"v1": {"$created": "absent"}}}},
        ),
    ],
    ids=str,
)
def test_older_newer_older(scheme: h.Scheme, older: Any, newer: Any) -> None:
    """Every state of a moved property has one form on the newer side, and comes back."""
    assert convert(scheme, "v1", older, "v2") == newer
    assert convert(scheme, "v2", newer, "v1") == older


@pytest.mark.parametrize(
    ("newer", "older"),
    yaml.safe_load("""
- [{vaultName: v}, {key: {vaultName: v, $propertyBag: {v2: {$created: absent}}}}]
- [{vaultName: v, key: null}, {key: {vaultName: v, $propertyBag: {v2: {$created: "null"}}}}]
- [{vaultName: v, key: {}}, {key: {vaultName: v}}]
- [{deep: {flat: f}}, {flat: f, $propertyBag: {v2: {deep: {}}}}]
- [{level: 2}, {only: {level: 2, $propertyBag: {v2: {$created: absent}}}}]
"""),
    ids=str,
)
def test_newer_older_newer(scheme: h.Scheme, newer: Any, older: Any) -> None:
    """The same from the newer side: made parents are marked, absent ones and nulls apart."""
    assert convert(scheme, "v2", newer, "v1") == older
    assert convert(scheme, "v1", older, "v2") == newer


def test_a_made_parent_that_was_filled_stays(scheme: h.Scheme) -> None:
    """What a user added to a made parent keeps the parent alive."""
    there = convert(scheme, "v2", {"vaultName": "v"}, "v1")
    there["key"]["size"] = 3
    assert convert(scheme, "v1", there, "v2") == {"vaultName": "v", "key": {"size": 3}}


def test_the_mark_alone_tells_a_made_parent_from_a_written_one(scheme: h.Scheme) -> None:
    """Both lead to the same members, so one of them needs a mark (see "Moves" in the decisions)."""
    made = convert(scheme, "v1", {"flat": "f"}, "v2")
    written = {"deep": {"flat": "f"}}
    assert {**made["deep"], "$propertyBag": None} == {**written["deep"], "$propertyBag": None}
    for there, left in ((made, {}), (written, {"deep": {}})):
        older = convert(scheme, "v2", there, "v1")
        del older["flat"]  # a client of v1, whose edit must change nothing else
        assert convert(scheme, "v1", older, "v2") == left


def test_the_mark_alone_tells_an_absent_parent_from_an_empty_one(scheme: h.Scheme) -> None:
    """A parent that both versions have comes back empty or absent, as it was."""
    empty = convert(scheme, "v2", {"vaultName": "v", "key": {}}, "v1")
    absent = convert(scheme, "v2", {"vaultName": "v"}, "v1")
    assert {**absent["key"], "$propertyBag": None} == {**empty["key"], "$propertyBag": None}
    assert convert(scheme, "v1", empty, "v2") == {"vaultName": "v", "key": {}}
    assert convert(scheme, "v1", absent, "v2") == {"vaultName": "v"}


def test_an_edit_of_a_moved_value_arrives(scheme: h.Scheme) -> None:
    """The live value is taken, at its new place, nothing of the old one stays."""
    there = convert(scheme, "v1", {"key": {"vaultName": "old", "size": 1}}, "v2")
    there["vaultName"] = "new"
    assert convert(scheme, "v2", there, "v1") == {"key": {"vaultName": "new", "size": 1}}
    del there["vaultName"]
    assert convert(scheme, "v2", there, "v1") == {"key": {"size": 1}}


@pytest.mark.parametrize("level", [2.0, 2.5])
def test_a_moved_value_leaves_its_residue(scheme: h.Scheme, level: float) -> None:
    """A moved value that narrows comes back with its own text; its key is the whole path."""
    older = {"only": {"level": level}}
    there = convert(scheme, "v1", older, "v2")
    assert there["$propertyBag"]["v1"]["only/level"] == level
    assert there.get("level") == (2 if level == 2.0 else None)
    back = convert(scheme, "v2", there, "v1")
    assert back == older
    assert type(back["only"]["level"]) is float


def test_the_source_is_not_changed(scheme: h.Scheme) -> None:
    """Taking a value out of its parent happens on a copy."""
    spec = {"key": {"vaultName": "v", "size": 1}, "only": {"level": 1.5}, "flat": "f"}
    source = twin(scheme, "v1", spec)
    scheme.convert(source, to="v2")
    assert spec_of(source) == spec
