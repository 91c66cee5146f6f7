"""What is drawn from schemas is valid, says much, and is the same for the same seed."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.kubernetes.conform.specimens import draw_objects
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.validity import flaws

TEXT: Any = {"type": "string"}


def draw(spec: Any, seed: int = 0, root: Any = None) -> Any:
    schema = {"type": "object", **(root or {})}
    schema["properties"] = {"spec": spec, **schema.get("properties", {})}
    version = Version("v1", schema, stored=True)
    return draw_objects(Kind("example.com", "Thing", True, (version,)), version, seed), schema


def obj(required: list[str] | None = None, rules: list[str] | None = None, **members: Any) -> Any:
    return {
        "type": "object",
        "properties": members,
        "required": required or [],
        "x-kubernetes-validations": [{"rule": rule} for rule in rules or []],
    }


CASES = {
    "a pattern": obj(quota={**TEXT, "pattern": "^(0|[1-9][0-9]{0,8})$"}),
    "a pattern and a length": obj(a={**TEXT, "pattern": "^[a-z]+$", "maxLength": 3}),
    "an enum": obj(a={**TEXT, "enum": ["x", "y"]}),
    "limits": obj(a={"type": "integer", "minimum": 3, "maximum": 3}, b={"type": "number",
        "maximum": -1}),
    "a list": obj(a={"type": "array", "minItems": 3, "maxItems": 4, "items": TEXT}),
    "a set of few values": obj(a={"type": "array", "x-kubernetes-list-type": "set",
        "items": {**TEXT, "enum": ["x", "y", "z"]}}),
    "quantities": obj(a={"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+Mi$",
        "anyOf": [{"type": "integer"}, TEXT]}),
    "formats": {"type": "object", "properties": {name: {**TEXT, "format": name} for name in
        ("date-time", "date", "duration", "ipv4", "ipv6", "uuid", "byte", "cidr", "hostname")}},
    "an embedded resource": obj(a={"type": "object", "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True}),
    "one of two": obj(rules=["has(self.a) != has(self.b)"], a=TEXT, b=TEXT),
    "one at most": {**obj(a=TEXT, b=TEXT, c=TEXT), "maxProperties": 1, "minProperties": 1},
    "exclusive alternatives": {**obj(a=TEXT, b=TEXT),
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "an order": obj(["low", "high"], ["self.low < self.high"],
        low={"type": "integer"}, high={"type": "integer"}),
    "a word of a rule": obj(["a"], ["self.a in ['Yes', 'No']"], a=TEXT),
    "a pattern of a rule": obj(["a"], ["true"],
        a={**TEXT, "x-kubernetes-validations": [{"rule": "self.matches('^x[0-9]$')"}]}),
    "elements that fit": obj(a={"type": "array", "items": obj(["n"], n=TEXT, s=TEXT),
        "x-kubernetes-validations": [{"rule": "self.all(x, has(x.s) ? x.n == 'Both' : true)"}]}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_object_is_valid(name: str) -> None:
    """Nothing that schema and rules forbid, and something that they are about."""
    for seed in range(5):
        found, schema = draw(CASES[name], seed)
        assert found.objects
        assert [flaw for item in found.objects for flaw in flaws(item, schema)] == []
        assert found.objects[0]["spec"]
        assert not found.left_out
    assert draw(CASES[name])[0].objects == draw(CASES[name])[0].objects


def test_both_sides_of_an_alternative_are_drawn() -> None:
    """What does not fit beside another member shows in an object of its own."""
    found, _ = draw(CASES["one of two"])
    assert {"a"} & found.objects[0]["spec"].keys()
    assert any("b" in item["spec"] for item in found.objects[1:])


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({**TEXT, "x-kubernetes-validations": [{"rule": "isURL(self)"}]}, "not judged: the rule"),
        ({**TEXT, "pattern": "(?=a)"}, "not judged: the pattern"),
        ({**TEXT, "pattern": "^a$", "minLength": 2}, "no text was found that matches ^a$"),
    ],
)
def test_what_cannot_be_drawn_is_left_out_and_told(schema: Any, reason: str) -> None:
    """The rest of the object is drawn; if it is required, no object is."""
    found, _ = draw(obj(a=schema, b=TEXT))
    assert [*found.objects[0]["spec"]] == ["b"]
    assert reason in found.left_out["/spec/a"]
    none, _ = draw(obj(["a"], a=schema), root={"required": ["spec"]})
    assert none.objects == ()
    assert reason in none.left_out[""]


def test_names_are_valid_too() -> None:
    """Where the schema wants another one."""
    metadata = {"type": "object", "properties": {"name": {**TEXT, "pattern": "^[a-z]{3}$"}}}
    found, _ = draw(obj(a=TEXT), root={"properties": {"metadata": metadata}})
    assert len(found.objects[0]["metadata"]["name"]) == 3
    rule = [{"rule": "self.metadata.name == 'singleton'"}]
    found, _ = draw(obj(a=TEXT), root={"x-kubernetes-validations": rule})
    assert found.objects[0]["metadata"]["name"] == "singleton"
