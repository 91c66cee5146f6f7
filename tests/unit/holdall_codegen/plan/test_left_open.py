"""A warning for open JSON that is called as a type that converts elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.project import load_project
from tests.support.proposing import NUMBER, TEXT, many, thing, write_versions

Json = dict[str, Any]
OPEN: Json = {"x-kubernetes-preserve-unknown-fields": True}


def _warnings(root: Path, v1: Json, v2: Json) -> list[str]:
    project = load_project(write_versions(root, v1=v1, v2=v2))
    return [text for plan in project.plans.values() for text in plan.warnings]


@pytest.mark.parametrize(
    ("name", "open_json"),
    [("route", OPEN), ("routes", many(OPEN)), ("Route", OPEN), ("routes", many(many(OPEN)))],
)
def test_open_json_that_may_be_an_object_that_converts(
    tmp_path: Path, name: str, open_json: Json
) -> None:
    """By its name, alone or in a list: what is in it would not convert."""
    versions = [
        thing(first=thing(route=thing(to=part)), more=thing(**{name: open_json}))
        for part in (thing(host=TEXT), thing(host=TEXT, port=NUMBER))
    ]
    (found,) = _warnings(tmp_path, *versions)
    assert found == (
        f"v1.BoxMore {name}: open JSON, in which nothing is converted; if it holds Route,"
        " declare that in an overlay"
    )


@pytest.mark.parametrize("name", ["other", "routing", "host"])
def test_other_open_json(tmp_path: Path, name: str) -> None:
    """It has the name of no object that converts."""
    versions = [
        thing(first=thing(route=part, host=thing(a=TEXT)), more=thing(**{name: OPEN}))
        for part in (thing(a=TEXT), thing(a=TEXT, port=NUMBER))
    ]
    assert _warnings(tmp_path, *versions) == []
