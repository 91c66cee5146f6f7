"""What an API server refuses, with its own meaning of schemas."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.kubernetes.conform.validity import defaulted, flaws, is_valid

ITEMS: Any = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b"],
    "items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
}
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (1, {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, TEXT]}),
        ("1", {"x-kubernetes-int-or-string": True}),
        (None, {**TEXT, "nullable": True}),
        (None, {"x-kubernetes-preserve-unknown-fields": True}),
        (1, {"type": "number"}),
        ("x", {**TEXT, "format": "nobody-knows"}),
        ("1h30m", {**TEXT, "format": "duration"}),
        ("2024-05-06T07:08:09.5+02:00", {**TEXT, "format": "date-time"}),
        ("2024-02-29", {**TEXT, "format": "date"}),
        ("2001:db8::/32", {**TEXT, "format": "cidr"}),
        (0.3, {"type": "number", "multipleOf": 0.1}),
        ({}, {"type": "object", "required": [["a"], None]}),
        ("éé", {**TEXT, "maxLength": 2}),
        (5, {"type": "integer", "maximum": 5}),
        (1.0, {"type": "integer"}),
        (
            {"apiVersion": "v1", "kind": "X"},
            {"type": "object", "x-kubernetes-embedded-resource": True},
        ),
        ([{"a": "x", "b": 1}, {"a": "x", "b": 2}], ITEMS),
        ({"a": 1, "zz": 2}, {"type": "object", "properties": {"a": {"type": "integer"}}}),
        (2, {"type": "integer", "not": {"enum": [1]}}),
    ],
)
def test_the_valid_is_accepted(value: Any, schema: Any) -> None:
    """Nothing is wrong with it."""
    assert [*flaws(value, schema)] == []


@pytest.mark.parametrize(
    ("value", "schema", "text"),
    [
        ("quota-7", {**TEXT, "pattern": "^[0-9]+$"}, "/: does not match ^[0-9]+$"),
        (True, {"type": "integer"}, "/: boolean instead of integer"),
        (None, TEXT, "/: null instead of string"),
        (1.5, {"x-kubernetes-int-or-string": True}, "/: number instead of integer or string"),
        ({}, {"type": "object", "required": ["a"]}, "/: lacks a"),
        ({"a": [1]}, {"type": "object", "properties": {"a": {"type": "array", "items": TEXT}}},
         "/a/0: integer instead of string"),
        ([{"a": "x", "b": 1}] * 2, ITEMS, "/: has elements with equal keys"),
        (["x", "x"], {"type": "array", "x-kubernetes-list-type": "set"}, "/: has equal elements"),
        (5, {"type": "integer", "maximum": 5, "exclusiveMaximum": True}, "/: more than 5"),
        (2**31, {"type": "integer", "format": "int32"}, "/: beyond int32"),
        (7, {"type": "integer", "multipleOf": 2}, "/: is not a multiple of 2"),
        ("x", {**TEXT, "enum": ["y"]}, '/: "x" is not one of "y"'),
        ("x", {**TEXT, "format": "ipv4"}, "/: is not a valid ipv4"),
        ("2024-5-6", {**TEXT, "format": "date-time"}, "/: is not a valid date-time"),
        ("2024-5-6", {**TEXT, "format": "date"}, "/: is not a valid date"),
        ("2024-02-30", {**TEXT, "format": "date"}, "/: is not a valid date"),
        ("fe80::1%eth0", {**TEXT, "format": "ipv6"}, "/: is not a valid ipv6"),
        ("10.0.0.1", {**TEXT, "format": "cidr"}, "/: is not a valid cidr"),
        (1e308, {"type": "number", "multipleOf": 0.01}, "/: is not a multiple of 0.01"),
        (1, {"type": "integer", "oneOf": [{"minimum": 0}, {"maximum": 5}]},
         "/: 2 of 2 in oneOf hold"),
        ({"a": "b"}, {"type": "object", "maxProperties": 0}, "/: 1 is more than maxProperties 0"),
        ({}, {"type": "object", "minProperties": 1}, "/: 0 is less than minProperties 1"),
        ([], {"type": "array", "minItems": 1}, "/: 0 is less than minItems 1"),
        ([1], {"type": "array", "maxItems": 0}, "/: 1 is more than maxItems 0"),
        ([1, 1], {"type": "array", "uniqueItems": True}, "/: has equal elements"),
        ("", {**TEXT, "minLength": 1}, "/: 0 is less than minLength 1"),
        ("xx", {**TEXT, "maxLength": 1}, "/: 2 is more than maxLength 1"),
        ("x", {**TEXT, "allOf": [{"maxLength": 0}]}, "/: 0 of 1 in allOf hold"),
        ([], {"type": "array", "anyOf": [{"minItems": 1}]}, "/: 0 of 1 in anyOf hold"),
        ({}, {"type": "object", "oneOf": [{"required": ["a"]}]}, "/: 0 of 1 in oneOf hold"),
        ({}, {"type": "object", "not": {"type": "object"}}, "/: is what `not` forbids"),
        ({"kind": "x"}, {"type": "object", "x-kubernetes-embedded-resource": True},
         "/: lacks apiVersion"),
        ("a", {**TEXT, "pattern": "(?=a)"}, "/: not judged: the pattern "),
        ("a", {**TEXT, "x-kubernetes-validations": [{"rule": "isURL(self)"}]},
         "/: not judged: the rule `isURL(self)`"),
        ("a", {**TEXT, "x-kubernetes-validations": [{"rule": "self == 'b'"}]},
         "/: breaks the rule `self == 'b'`"),
    ],
)  # fmt: skip
def test_the_rest_is_refused(value: Any, schema: Any, text: str) -> None:
    """With its place; what nobody can tell is no less refused."""
    assert str(next(flaws(value, schema))).startswith(text)
    assert not is_valid(value, schema)


def test_defaults_are_filled_in() -> None:
    """Where the parent is there, in lists and in other defaults, and in the place of null."""
    inner = {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}}
    schema: Any = {
        "type": "object",
        "properties": {
            "one": {**inner, "default": {}},
            "two": inner,
            "many": {"type": "array", "items": inner},
            "null": {**TEXT, "default": "x"},
        },
    }
    assert defaulted({"many": [{}, {"b": 2}], "null": None}, schema) == {
        "one": {"b": 1},
        "many": [{"b": 1}, {"b": 2}],
        "null": "x",
    }
