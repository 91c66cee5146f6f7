"""Schemas in the short notation of tests are those that people write."""

from __future__ import annotations

import pytest

from tests.support.notation import Schema, schema_of

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("string", TEXT),
        ("string~", {**TEXT, "nullable": True}),
        ("a|b", {**TEXT, "enum": ["a", "b"]}),
        ("a|", {**TEXT, "enum": ["a"]}),
        ("$Part", {"$ref": "#/definitions/Part"}),
        ("port", {"x-kubernetes-int-or-string": True}),
        ("[string]", {"type": "array", "items": TEXT}),
        ("{}", {"type": "object", "properties": {}}),
        ("{a!: string}", {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}),
        ('{"*": string}', {"type": "object", "additionalProperties": TEXT}),
        ('{"*": true}', {"type": "object", "additionalProperties": True}),
        ("{$: [string], $maxItems: 1}", {"type": "array", "items": TEXT, "maxItems": 1}),
        ("{a: string, $default: {}}", {"type": "object", "properties": {"a": TEXT}, "default": {}}),
        ("{$format: x}", {"format": "x"}),
    ],
)
def test_notation(text: str, schema: Schema) -> None:
    """Each form, once."""
    assert schema_of(text) == schema
