"""Entries of a bag that become members again, one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, group_of, scheme_of, with_spec


def test_several_entries_become_members(tmp_path: Path) -> None:
    """The bag that is left has the others, and is not that of the object that was read."""
    specs = {"v1": "{a: string, b: string, c: string}", "v2": "{c: string}", "v3": "{d: string}"}
    schemas = {version: with_spec(schema_of(text)) for version, text in specs.items()}
    scheme = scheme_of(build_project(tmp_path, *group_of(schemas)))
    document = resource("example.com/v1", "Thing", "x", spec={"a": "A", "b": "B", "c": "C"})
    for version in ("v2", "v3"):
        there = scheme.convert(document, to=version)
        assert scheme.convert(there, to="v1") == document
    there["spec"] = {"d": "D"}
    assert scheme.convert(there, to="v1")["spec"] == document["spec"]
