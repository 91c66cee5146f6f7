"""Names that holdall needs for itself: refused in schemas, and data like any other in objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.errors import SourceError
from holdall.objects.bag import MARKS, key_of, name_of
from holdall.scheme.scheme import Scheme
from holdall.text import yaml
from tests.laws.projects import OPAQUE, STRING, Specimen, built_specimen, many, mapped, ref
from tests.support.projects import build_project

STASHED = ("$propertyBag", "$originalVersion", "$created")
"""Such members wait in the bag of the other versions."""
SHOWN = tuple(
    f"{dollars}{name}"
    for name in ("$propertyBag", "$originalVersion", *sorted(MARKS), "residue:a", "residue:old")
    for dollars in ("", "$", "$$")
    if f"{dollars}{name}" not in STASHED
)
"""These are extras in all versions."""
FREE = (
    "$",
    "$$",
    "$x",
    *(name for name in SHOWN if name.endswith(("propertyBag", "originalVersion"))),
)
DATA = {name: {"of": name} for name in (*STASHED, *SHOWN, "$", "$$", "$unit", "$mistyped")}

PART = {"name": STRING}
PARTS = {
    "open": OPAQUE,
    "one": ref("Part"),
    "list": many(ref("Part")),
    "map": mapped(ref("Part")),
    "opened": OPAQUE,
    "closed": ref("Part"),
}
TURNED = {**PARTS, "opened": ref("Part"), "closed": OPAQUE}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """Three versions whose types differ, so that every object is converted."""
    specimen = Specimen(
        {
            "v1": {"Thing": {**PARTS, "old": STRING}, "Part": {**PART, "old": STRING}},
            "v2": {"Thing": {**TURNED, "new": STRING}, "Part": {**PART, "new": STRING}},
            "v3": {"Thing": {**PARTS, "title": STRING}, "Part": {**PART, "new": STRING}},
        },
        {"v2 -> v3": {"Thing": {"new": "title"}}},
    )
    return built_specimen(specimen, tmp_path_factory.mktemp("names")).scheme


def thing(version: str) -> dict[str, Any]:
    part = {"name": "n", **DATA}
    parts = {
        "open": {"x": [part, part]},
        "one": part,
        "list": [part, {"name": "m"}],
        "map": {"k": part, "$value": {"name": "o", **DATA}},
        "opened": part,
        "closed": part,
    }
    document = {"apiVersion": version, "kind": "Thing", **parts, **DATA}
    return json.loads(json.dumps(document))  # type: ignore[no-any-return]


@pytest.mark.parametrize("start", ["v1", "v2", "v3"])
def test_members_of_every_name_come_back(scheme: Scheme, start: str) -> None:
    """At any depth, over any way; what no type declares is seen in all versions."""
    document = thing(start)
    for walk in (["v1", "v2", "v3"], ["v3", "v1"], ["v2"]):
        moved: Any = document
        for stop in walk:
            moved = scheme.convert(moved, to=stop)
            for part in (moved, moved["one"], moved["list"][0], moved["map"]["$value"]):
                assert {name: part.get(name) for name in SHOWN} == {n: DATA[n] for n in SHOWN}
        assert scheme.convert(moved, to=start) == document


@pytest.mark.parametrize("name", SHOWN)
def test_an_edit_of_such_a_member_wins(scheme: Scheme, name: str) -> None:
    """Also if it was deleted; the others stay."""
    for end in ("v2", "v3"):
        there: Any = scheme.convert(thing("v1"), to=end)
        there[name] = there["one"][name] = "edited"
        del there["list"][0][name]
        back: Any = scheme.convert(there, to="v1")
        expected = thing("v1")
        expected[name] = expected["one"][name] = "edited"
        del expected["list"][0][name]
        assert back == expected


def test_no_two_names_share_a_key() -> None:
    """And no key of a member is that of a mark."""
    keys = [key_of(name) for name in DATA]
    assert len(set(keys)) == len(keys)
    assert MARKS.isdisjoint(keys)
    assert [name_of(key) for key in keys] == list(DATA)


@pytest.mark.parametrize("name", [*DATA, "$mistyped:0", "$x"])
def test_a_schema_must_not_declare_one(tmp_path: Path, name: str) -> None:
    """The error has its place. Other names with a `$` are free."""
    properties = {name: {"type": "string"}}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": properties}},
    }
    source = {"schemas": "v1.json", "version": "v1", "kinds": {"Thing": ""}}
    config = {"groups": {"things": {"sources": [source], "versions": ["v1"]}}}
    if name in FREE:
        build_project(tmp_path, yaml.dump(config), {"v1.json": json.dumps(schema)})
        return
    with pytest.raises(SourceError) as caught:
        build_project(tmp_path, yaml.dump(config), {"v1.json": json.dumps(schema)})
    (problem,) = caught.value.problems
    assert (problem.code, problem.message.count(name)) == ("HA153", 1)
    assert problem.where.startswith("v1.json:1:")
