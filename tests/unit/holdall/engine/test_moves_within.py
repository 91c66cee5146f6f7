"""Values that move out of objects that do not merely convert, and into such objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.projects import build_project, group_of, hook_of, scheme_of

TEXT: Any = {"type": "string"}
HERE = "tests.unit.holdall.engine.test_moves_within"
SPLIT = {"upgrade_with": f"{HERE}:split", "downgrade_with": f"{HERE}:join"}
WRAP = {"wrap": True}


def split(text: str) -> dict[str, str]:
    """Return the first two words of a text as an object."""
    return dict(zip(("x", "z"), text.split(","), strict=False))


def join(words: dict[str, str]) -> str:
    """Return both words as a text."""
    return ",".join(words.get(name, "") for name in ("x", "z"))


def box(**members: Any) -> Any:
    """Return the schema of an object."""
    return {"type": "object", "properties": members}


def many(item: Any) -> Any:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


HOOK = hook_of('EachValue("x", str.lower, lambda text: text[:2])', protocol="v1.AssignableThingA")


def scheme(
    root: Path,
    versions: Sequence[Mapping[str, Any]],
    between: Any,
    edges: str = "chain",
    hook: str = "",
) -> Scheme:
    """Return the scheme of a kind whose roots have these members, version by version."""
    names = [f"v{number}" for number, _ in enumerate(versions, 1)]
    schemas = dict(zip(names, (box(**members) for members in versions), strict=True))
    hub = "v2" if edges == "star" else names[-1]
    said = {"edges": edges, "hub": hub, "between": between, "api_group": None}
    return scheme_of(build_project(root, *group_of(schemas, hook=hook, **said)))


def thing(version: str, **members: Any) -> Any:
    return {"apiVersion": version, "kind": "Thing", **members}


def walk(scheme: Scheme, document: Any, *versions: str) -> Any:
    """Return a document after a way through some versions."""
    for version in versions:
        document = scheme.convert(document, to=version)
    return document


@pytest.mark.parametrize("newest", [box(z=TEXT), many(box(z=TEXT))])
def test_what_is_kept_of_a_value_that_leaves_a_wrapped_object(tmp_path: Path, newest: Any) -> None:
    """The object converts alone: its converter does not see what has moved, which is live."""
    versions = [
        {"a": box(x=many(TEXT), z=TEXT)},
        {"a": box(x=TEXT, z=TEXT)},
        {"a": newest, "y": TEXT},
    ]
    wrap = {"a": WRAP} if newest["type"] == "array" else {}
    found = scheme(
        tmp_path,
        versions,
        {
            "v1 -> v2": {"ThingA": {"x": WRAP}},
            "v2 -> v3": {"Thing": {"a/x": {"move": "y"}, **wrap}},
        },
    )
    document = thing("v1", a={"x": ["1", "2"], "z": "3"})
    there = walk(found, document, "v3")
    assert there["y"] == "1"
    assert walk(found, there, "v1") == walk(found, there, "v2", "v1") == document
    assert walk(found, {**there, "y": "9"}, "v1")["a"] == {"x": ["9", "2"], "z": "3"}
    del there["y"]
    assert walk(found, there, "v1")["a"] == {"z": "3"}


@pytest.mark.parametrize("way", [("v3", "v4"), ("v4",), ("v2", "v4", "v3"), ("v3", "v4", "v3")])
def test_what_is_kept_of_an_object_from_which_a_value_moves_farther_away(
    tmp_path: Path, way: tuple[str, ...]
) -> None:
    """Live values at two places are one at the version that kept it: each alone says nothing."""
    later = {"a": box(z=TEXT), "y": TEXT}
    versions = [{"a": TEXT}, {"a": box(x=TEXT, z=TEXT)}, later, {**later, "new": TEXT}]
    found = scheme(
        tmp_path,
        versions,
        {"v1 -> v2": {"Thing": {"a": SPLIT}}, "v2 -> v3": {"Thing": {"a/x": {"move": "y"}}}},
    )
    document = thing("v1", a="1,2,3")
    there = walk(found, document, *way)
    assert (there["y"], there["a"]) == ("1", {"z": "2"})
    assert walk(found, there, "v1") == document
    assert walk(found, {**there, "y": "9"}, "v1")["a"] == "9,2"


@pytest.mark.parametrize("way", [("v3",), ("v4",), ("v2", "v3", "v4", "v3"), ("v4", "v2")])
def test_what_a_hook_kept_of_a_value_that_moves_farther_away(
    tmp_path: Path, way: tuple[str, ...]
) -> None:
    """On the way back the value enters its object last: until then it is not taken for deleted."""
    whole, later = {"a": box(x=TEXT, z=TEXT)}, {"a": box(z=TEXT), "y": TEXT}
    between = {
        "v1 -> v2": {"ThingA": {"x": {"strategy": "hook"}}},
        "v2 -> v3": {"Thing": {"a/x": {"move": "y"}}},
    }
    versions = [whole, whole, later, {**later, "new": TEXT}]
    found = scheme(tmp_path, versions, between, hook=HOOK)
    document = thing("v1", a={"x": "long", "z": "2"})
    there = walk(found, document, *way)
    assert walk(found, there, "v1") == document
    newer = walk(found, there, "v4")
    assert newer["y"] == "long"
    assert walk(found, {**newer, "y": "other"}, "v1")["a"] == {"x": "ot", "z": "2"}
    del newer["y"]
    assert walk(found, newer, "v1")["a"] == {"z": "2"}


def test_a_made_object_that_is_a_list_in_the_next_version(tmp_path: Path) -> None:
    """An edge before it does not take what moved into the object for an edit of the list."""
    versions = [{"c": TEXT}, {"a": box(x=TEXT)}, {"a": many(box(z=TEXT)), "y": TEXT}]
    moves = {"a/x": {"move": "y"}, "a": WRAP}
    found = scheme(
        tmp_path,
        versions,
        {"v1 -> v2": {"Thing": {"c": {"move": "a/x"}}}, "v2 -> v3": {"Thing": moves}},
    )
    document = thing("v3", a=[], y="1")
    assert walk(found, document, "v1", "v3") == walk(found, document, "v2", "v1", "v3") == document


@pytest.mark.parametrize(
    ("older", "value", "shown", "fact"),
    [
        (TEXT, "1,2", {"z": "2"}, {"a": SPLIT}),
        ({}, {"x": "1", "z": "2"}, {"z": "2"}, {}),
        (many(box(x=TEXT, z=TEXT)), [{"x": "1", "z": "2"}], {"z": "2"}, {"a": WRAP}),
    ],
    ids=["function", "open JSON", "list"],
)
def test_the_place_of_a_moved_value_is_its_own(
    tmp_path: Path, older: Any, value: Any, shown: Any, fact: Any
) -> None:
    """What an object brings there has no partner: it is kept, and not taken for the moved value."""
    versions = [{"a": older, "y": TEXT}, {"a": box(x=TEXT, z=TEXT)}]
    found = scheme(tmp_path, versions, {"v1 -> v2": {"Thing": {"y": {"move": "a/x"}, **fact}}})
    for document, there in (
        (thing("v1", a=value), shown),
        (thing("v1", a=value, y="3"), {**shown, "x": "3"}),
    ):
        newer = walk(found, document, "v2")
        assert newer["a"] == there
        assert walk(found, newer, "v1") == document
    document = thing("v2", a={"x": "1", "z": "2"})
    assert walk(found, document, "v1", "v2") == document


def test_a_link_leaves_the_place_of_a_moved_value_to_it(tmp_path: Path) -> None:
    """The object is linked over a version that has a part of it somewhere else."""
    whole = {"o": box(x=TEXT, z=TEXT)}
    versions = [whole, {"y": TEXT}, whole]
    found = scheme(tmp_path, versions, {"v1 -> v2": {"Thing": {"o/x": {"move": "y"}}}}, "star")
    document = thing("v3", o={"x": "1", "z": "2"})
    there = walk(found, document, "v1")
    assert there["o"] == {"z": "2"}
    assert walk(found, there, "v3") == walk(found, there, "v2", "v3") == document
    assert walk(found, {**there, "o": {"z": "9"}}, "v3")["o"] == {"z": "9"}
    assert walk(found, {**there, "o": {"x": "9", "z": "2"}}, "v3")["o"] == document["o"]


def test_an_object_that_a_move_made_is_not_what_a_link_hides(tmp_path: Path) -> None:
    """It was not there: so what cannot be shown of the linked one is not edited."""
    versions = [{"o": box(x=TEXT)}, {"y": TEXT}, {"o": {}}]
    found = scheme(tmp_path, versions, {"v1 -> v2": {"Thing": {"o/x": {"move": "y"}}}}, "star")
    there = {**walk(found, thing("v3", o=["1"]), "v2"), "y": "9"}
    assert walk(found, there, "v1")["o"] == {"x": "9"}
    for way in (), ("v1",), ("v1", "v2"):
        assert walk(found, there, *way, "v3")["o"] == ["1"]


def test_a_link_brings_what_moves_on_its_other_side(tmp_path: Path) -> None:
    """The version without the object is not the one that has a part of it somewhere else."""
    whole = {"o": box(x=TEXT, z=TEXT)}
    versions = [{"y": TEXT}, whole, {}, whole]
    found = scheme(tmp_path, versions, {"v1 -> v2": {"Thing": {"y": {"move": "o/x"}}}})
    document = thing("v2", o={"x": "1", "z": "2"})
    assert walk(found, document, "v4")["o"] == document["o"]
    for way in ("v4", "v2"), ("v3", "v2"), ("v1", "v4", "v2"), ("v4", "v1", "v3", "v2"):
        assert walk(found, document, *way) == document


@pytest.mark.parametrize("shown", [{}, {"y": "9"}])
def test_what_moves_is_not_missing_in_between(tmp_path: Path, shown: Mapping[str, Any]) -> None:
    """v2 says in `y` what x of v3 is, so that is not the one of v1, which waits in the bag."""
    whole = {"a": box(x=many(TEXT), z=TEXT)}
    versions = [whole, {"a": box(z=TEXT), "y": TEXT}, whole]
    move = {"y": {"move": "a/x", **WRAP}}
    found = scheme(tmp_path, versions, {"v2 -> v3": {"Thing": move}}, "star")
    document = thing("v1", a={"x": ["1"], "z": "2"})
    there = {**walk(found, document, "v2"), **shown}
    newest = walk(found, there, "v3")
    assert newest["a"] == {"z": "2", **({"x": ["9"]} if shown else {})}
    for way in ("v2", "v1"), ("v1",):
        assert walk(found, newest, *way)["a"] == document["a"]
    edited = {**newest, "a": {"x": ["8"], "z": "2"}}
    assert walk(found, edited, "v2")["y"] == "8"
    assert walk(found, edited, "v1")["a"] == document["a"]
