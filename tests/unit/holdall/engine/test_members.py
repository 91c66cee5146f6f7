"""Entries of a bag that become members again, one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, group_of, scheme_of, with_spec


def test_several_entries_become_members(tmp_path: Path) -> None:
    """One that another version beyond may have, and one that none has, beside one that stays."""
    specs = {"v1": "{a: string, b: string}", "v2": "{c: string}", "v3": "{a: string}"}
    schemas = {version: with_spec(schema_of(text)) for version, text in specs.items()}
    scheme = scheme_of(build_project(tmp_path, *group_of(schemas)))
    document = resource("example.com/v1", "Thing", "x", spec={"a": "A", "b": "B"})
    there = scheme.convert(document, to="v2")
    there["spec"] = {"c": "C"}
    back = scheme.convert(there, to="v1")
    assert back["spec"] == document["spec"]
    assert scheme.convert(back, to="v2") == there
