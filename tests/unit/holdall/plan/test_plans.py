"""A plan.json that is not one is a problem with a fix, whatever is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SchemeError
from holdall.plan.declared import declared_types
from tests.support.declared import declare

NOTES = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())


@resource(group="sea.example.com")
class NoteSpec:
    title: str
    short: Annotated[str, added("v2")]
"""


@pytest.mark.parametrize(
    "damage",
    [
        [],
        {"types": []},
        {"types": {"v1": {"Note": {"spec": 5}}}},
        {"edges": [5]},
        {"kinds": None},
        {"declared": []},
        {"declared": {"v1": {"Note": {"members": [{"name": "unknown"}]}}}},
        {"declared": {"v1": {"Note": 5}}},
    ],
)
def test_a_plan_of_another_form(tmp_path: Path, damage: Any) -> None:
    """Reading does not check the form, and nothing but SchemeError comes of it."""
    group = declare(tmp_path, NOTES)
    [path] = group.root.rglob("plan.json")
    whole = json.loads(path.read_text(encoding="utf-8"))
    changed = damage if isinstance(damage, list) else {**whole, **damage}
    path.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(SchemeError, match="cannot be read") as caught:
        declared_types(group.package)
    [problem] = caught.value.problems
    assert (problem.code, problem.fix) == ("HA405", "run `holdall generate`")
