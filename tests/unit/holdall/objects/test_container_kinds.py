"""Kinds of containers: told of members with any name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import ConversionError
from holdall.objects.container_kinds import stored_checker, value_checker
from holdall.objects.shapes import holds_objects, shape_of
from tests.laws.projects import STRING, Specimen, built_specimen, many, mapped, ref


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "a\x7fb", "a/b", "ä", ""])
def test_members_with_any_name(name: str, tmp_path: Path) -> None:
    """The decoder that checks shapes refuses some of them."""
    part = {name: many(STRING)}
    specimen = Specimen(
        {
            "v1": {"Thing": {name: ref("Part")}, "Part": part},
            "v2": {"Thing": {name: ref("Part")}, "Part": {**part, "size": STRING}},
        }
    )
    group = built_specimen(specimen, tmp_path)
    thing = {"apiVersion": "v2", "kind": "Thing", name: {name: ["x"], "size": "big"}}
    older: Any = group.scheme.convert(thing, to="v1")
    assert older[name][name] == ["x"]
    assert "size" not in older[name]
    assert group.scheme.convert(older, to="v2") == thing
    older[name][name] = "x"
    with pytest.raises(ConversionError, match="expected list, found string"):
        group.scheme.convert(older, to="v2")


OPEN: Any = {"x-kubernetes-preserve-unknown-fields": True}
MEMBERS: Any = {
    "text": STRING,
    "open": OPEN,
    "texts": many(STRING),
    "deep": mapped(many(mapped(many(OPEN)))),
    "part": ref("Part"),
    "parts": mapped(many(ref("Part"))),
    "self": ref("Self"),
    "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
}
PART: Any = {"names": mapped(STRING), "rows": many(many(STRING)), "part": ref("Inner")}
VALUES: list[Any] = [
    None, 1, "x", [], {}, ["x"], [None], [1], [[]], [{}], {"a": None}, {"a": []}, {"a": [None]},
    {"a": [[]]}, {"a": [{}]}, {"a": [{"b": []}]}, {"a": [{"b": {}}]}, {"a": [{"b": [{"c": 1}]}]},
    {"names": {}}, {"names": []}, {"names": None}, {"rows": [1]}, {"rows": {}}, {"part": {}},
    {"part": {"rows": 1}}, {"part": {"$propertyBag": {}}}, {"$propertyBag": {}},
    {"$originalVersion": None}, {"$created": 1}, {"other": {"$propertyBag": {}}},
    {"a": [{"$propertyBag": {}}]}, {"a": [{"names": []}]}, {"self": {"self": {}}},
    {"self": {"self": []}}, {"self": {"$created": {}}},
]  # fmt: skip


def test_members_are_checked_at_once_as_each_alone(tmp_path: Path) -> None:
    """With null, wrong kinds, reserved names, types that hold themselves, and those without any."""
    types = {
        "Thing": MEMBERS,
        "Part": PART,
        "Inner": {"rows": many(STRING)},
        "Self": {"self": ref("Self")},
    }
    scheme = built_specimen(Specimen({"v1": types, "v2": types}), tmp_path).scheme
    members = shape_of(scheme.twin("Thing", "v1")).members
    shapes = {name: members[name].value for name in MEMBERS}
    alone = {
        name: value_checker(shape, stored=True, deep=not holds_objects(shape)) or (lambda _: True)
        for name, shape in shapes.items()
    }
    for names in ([*shapes], [name for name in shapes if name != "self"]):
        check = stored_checker({name: shapes[name] for name in names})
        assert check({})
        for name in names:
            for value in VALUES:
                expected = value is None or alone[name](value)
                assert check({name: value, "unknown": []}) == expected, (name, value)
