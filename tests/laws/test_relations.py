"""What may move with an edit: where a hook is on the way, or a move between two objects in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.plan.plans import TypeRef
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.shown import shown_differences
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, hook_of, scheme_of

SCHEMA = """
type: object
properties:
  spec: {type: object, title: ThingSpec, properties: {a: {type: string}, b: {type: integer}}}
"""
HOOK = hook_of('Always(newer={"spec/b": 0})', protocol="v1.AssignableThing")


@pytest.fixture(scope="module")
def relations(tmp_path_factory: pytest.TempPathFactory) -> Relations:
    """Three versions; objects of the second one get a spec from those of the first one."""
    config = THING_CONFIG.replace("[v1, v2]", "[v1, v2, v3]").replace(
        "    versions", '      - {schemas: v3.yaml, version: v3, kinds: {Thing: ""}}\n    versions'
    )
    files = {f"v{number}.yaml": SCHEMA for number in (1, 2, 3)}
    files |= {"hooks/things.py": HOOK}
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


FROM_AND_TO = """
type: object
properties:
  spec:
    type: object
    properties:
      from: {{type: object, properties: {{{0}}}}}
      to: {{type: object, properties: {{{1}}}}}
      other: {{type: string}}
"""


@pytest.mark.parametrize(("edited", "shown", "name"), [("v1", "v2", "from"), ("v2", "v1", "to")])
def test_a_move_within_an_object_is_no_surprise_at_either_end(
    edited: str, shown: str, name: str, tmp_path: Path
) -> None:
    """The move is declared above, for the type that holds the object."""
    it, more, size = "it: {type: string}", "more: {type: string}", "size: {type: integer}"
    files = {
        "v1.yaml": FROM_AND_TO.format(f"{it}, {more}", size),
        "v2.yaml": FROM_AND_TO.format(more, f"{it}, {size}"),
    }
    move = "{spec/from/it: {move: spec/to/it}}"
    config = f"{THING_CONFIG}    between: {{v1 -> v2: {{Thing: {move}}}}}\n"
    relations = Tools.of(Subject(scheme_of(build_project(tmp_path, config, files)))).relations
    ends = TypeRef(edited, "Thing"), TypeRef(shown, "Thing")
    document: JsonObject = {"spec": {"from": {"more": "x"}, "to": {"size": 1}, "other": "y"}}
    left = relations.unrelated(ends[0], ("spec", name), ends[1], document)
    assert left == {"spec": {"other": "y"}}


def test_an_object_that_a_move_made_is_the_null_that_it_was(tmp_path: Path) -> None:
    """A value that did not fit there was not shown, so nothing was made before it was edited."""
    files = {
        "v1.yaml": schema_text("{box: {p: integer}}"),
        "v2.yaml": schema_text("{p: number, box: {q: string}}"),
    }
    config = f"{THING_CONFIG}    between: {{v1 -> v2: {{Thing: {{box/p: {{move: p}}}}}}}}\n"
    scheme = scheme_of(build_project(tmp_path, config, files))
    relations = Tools.of(Subject(scheme)).relations
    ends = TypeRef("v1", "Thing"), TypeRef("v1", "Thing")
    made: JsonObject = {"p": 1, "$propertyBag": {"v2": {"$created": "null"}}}
    documents: list[JsonObject] = [{"box": None}, {"box": made}, {"box": {}}, {}]
    rest = [relations.unrelated(ends[0], ("box", "p"), ends[1], one) for one in documents]
    assert [any(shown_differences(rest[0], one)) for one in rest[1:]] == [False, True, True]


def test_a_name_with_a_slash_follows_its_partner(tmp_path: Path) -> None:
    """It is the name of one member, and no path."""
    files = {
        "v1.yaml": SCHEMA.replace("a: ", "a/b: "),
        "v2.yaml": SCHEMA.replace("a: ", "a/b: "),
    }
    relations = Tools.of(Subject(scheme_of(build_project(tmp_path, THING_CONFIG, files)))).relations
    ends = TypeRef("v2", "Thing"), TypeRef("v1", "Thing")
    document: JsonObject = {"spec": {"a/b": "x"}}
    assert relations.unrelated(ends[0], ("spec", "a/b"), ends[1], document) == {"spec": {}}
