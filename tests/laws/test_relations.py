"""What may move with an edit: objects that a hook makes, on the way of this hook alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.plan.plans import TypeRef
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject
from tests.support.projects import THING_CONFIG, build_project, scheme_of

SCHEMA = """
type: object
properties:
  spec: {type: object, title: ThingSpec, properties: {a: {type: string}, b: {type: integer}}}
"""
HOOK = """
from {generated}.things.v1 import storage as v1
from holdall import Always, Composed


class Things(Composed, v1.AssignableThing):
    parts = (Always(newer={"spec/b": 0}),)
"""


@pytest.fixture(scope="module")
def relations(tmp_path_factory: pytest.TempPathFactory) -> Relations:
    """Three versions; objects of the second one get a spec from those of the first one."""
    config = THING_CONFIG.replace("[v1, v2]", "[v1, v2, v3]").replace(
        "    versions", '      - {schemas: v3.yaml, version: v3, kinds: {Thing: ""}}\n    versions'
    )
    files = {f"v{number}.yaml": SCHEMA for number in (1, 2, 3)}
    files |= {"hooks/__init__.py": "", "hooks/things.py": HOOK}
    root: Path = build_project(tmp_path_factory.mktemp("relations"), config, files)
    return Tools.of(Subject(scheme_of(root))).relations


@pytest.mark.parametrize(
    ("edited", "shown", "rest"),
    [
        ("v2", "v1", {}),
        ("v1", "v2", {}),
        ("v3", "v1", {}),
        ("v1", "v3", {}),
        ("v3", "v2", {"spec": {}}),
        ("v2", "v3", {"spec": {}}),
    ],
)
def test_an_object_comes_and_goes_where_a_hook_is_on_the_way(
    edited: str, shown: str, rest: object, relations: Relations
) -> None:
    """Elsewhere an object that appears with an edit is something else that moved."""
    ends = TypeRef(edited, "Thing"), TypeRef(shown, "Thing")
    document: JsonObject = {"spec": {"a": "x"}}
    assert relations.unrelated(ends[0], ("spec", "a"), ends[1], document) == rest
