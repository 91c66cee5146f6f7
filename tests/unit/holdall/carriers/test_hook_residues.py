"""What two-way hooks kept, where a version has come between the two of their edge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.scheme.scheme import Scheme
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, scheme_of

_HOOK = """
from holdall import Composed, Members, TwoWay
from {generated}.things.OLDER import storage


class Commas(TwoWay):
    older = newer = ("tags",)

    def to_newer(self, older: Members) -> Members:
        text = older.get("tags")
        return {"tags": text.split(",")} if isinstance(text, str) else older

    def to_older(self, newer: Members) -> Members:
        tags = newer.get("tags")
        return newer if tags is None else {"tags": ",".join(tags).lower()}


class Tags(Composed, storage.AssignableThingSpec):
    parts = (Commas(),)
"""
_TEXT, _LIST = "tags: {type: string}", "tags: {type: array, items: {type: string}}"
_WORDS = "words: {type: array, items: {type: string}}"


def build(root: Path, edge: str, *, more: str = "", **versions: str) -> Scheme:
    """Return a scheme with the hook on an edge, if there is one."""
    facts = f"    between:\n      {edge}: {{ThingSpec: {{tags: {{strategy: hook}}}}}}\n{more}"
    files = {
        f"{name}.yaml": "type: object\nproperties:\n  metadata: {type: object}\n"
        f"  spec: {{type: object, properties: {{{text}}}}}\n"
        for name, text in versions.items()
    }
    older = edge.partition(" ")[0]
    if not edge:
        config = config_of("Thing", " ".join(versions), api_group="example.com") + more
        return scheme_of(build_project(root, config, files))
    files |= {"hooks/spec.py": _HOOK.replace("OLDER", older)}
    config = config_of("Thing", " ".join(versions), api_group="example.com") + facts
    return scheme_of(build_project(root, config, files))


def thing(version: str, tags: Any) -> Any:
    return resource(f"example.com/{version}", "Thing", "a", spec={"tags": tags})


def converted(scheme: Scheme, document: Any, to: str) -> tuple[Any, list[str]]:
    report: list[Any] = []
    return scheme.convert(document, to=to, report=report)["spec"], [*map(str, report)]


_WRAP = "    between:\n      v1 -> v2: {ThingSpec: {tags: {wrap: true}}}\n"
NEW, OLD = ["A,b", "c"], "A,B"


@pytest.mark.parametrize(
    ("edge", "mid", "at_mid"), [("v1 -> mid", _LIST, NEW), ("mid -> v2", _TEXT, OLD)]
)
def test_a_version_that_is_like_one_of_its_neighbours(
    tmp_path: Path, edge: str, mid: str, at_mid: Any
) -> None:
    """The hook finds what it kept, on whichever side of that version it is now."""
    old = build(tmp_path / "old", "v1 -> v2", v1=_TEXT, v2=_LIST)
    new = build(tmp_path / "new", edge, v1=_TEXT, mid=mid, v2=_LIST)
    older: Any = old.convert(thing("v2", NEW), to="v1")
    newer: Any = old.convert(thing("v1", OLD), to="v2")
    assert converted(new, older, "v2") == ({"tags": NEW}, [])
    assert converted(new, newer, "v1") == ({"tags": OLD}, [])
    between: Any = new.convert(older if mid == _LIST else newer, to="mid")
    assert between["spec"] == {"tags": at_mid}
    older["spec"]["tags"] = "x,y"
    assert converted(new, older, "v2") == ({"tags": ["x", "y"]}, [])


def test_a_version_that_has_it_in_another_way(tmp_path: Path) -> None:
    """What was kept is about another name: it stays, and the report says so."""
    old = build(tmp_path / "old", "v1 -> v2", v1=_TEXT, v2=_LIST)
    new = build(
        tmp_path / "new",
        "v1 -> mid",
        more="      mid -> v2: {ThingSpec: {tags: words}}\n",
        v1=_TEXT,
        mid=_LIST,
        v2=_WORDS,
    )
    older = old.convert(thing("v2", NEW), to="v1")
    said = ["/spec: v2/residue:tags is kept, but not used: no hook looks for it any more"]
    assert converted(new, older, "v2") == ({"words": ["a", "b", "c"]}, said)
    back: Any = new.convert(new.convert(older, to="v2"), to="v1")
    assert converted(old, back, "v2") == ({"tags": NEW}, [])


def test_a_property_that_has_no_partner_any_more(tmp_path: Path) -> None:
    """The hook would take it for deleted: nothing of what it had made comes to its edge."""
    size = "size: {type: integer}"
    old = build(tmp_path / "old", "v1 -> v2", v0=_TEXT, v1=_TEXT, v2=_LIST)
    apart = "      v0 -> v1: {ThingSpec: {tags: not_same}}\n"
    texts = {"v0": f"{_TEXT}, {size}", "v1": _TEXT, "v2": _LIST}
    new = build(tmp_path / "new", "v1 -> v2", more=apart, **texts)
    oldest: Any = old.convert(thing("v2", NEW), to="v0")
    why = "nothing has what its hook made of it any more"
    said = [f"/spec: v2/residue:tags is kept, but not used: {why}"]
    for to in ("v1", "v2"):
        assert converted(new, oldest, to) == ({}, said), to
    there: Any = new.convert(new.convert(oldest, to="v2"), to="v0")
    assert converted(old, there, "v2") == ({"tags": NEW}, [])


def test_a_hook_on_the_other_side_of_the_version_at_hand(tmp_path: Path) -> None:
    """There was no hook in the meantime; by now it would drop what it finds at its own version."""
    size = "size: {type: integer}"
    hooked = build(tmp_path / "hooked", "v1 -> v2", v0=size, v1=_TEXT, v2=_LIST)
    bare = build(tmp_path / "bare", "", v0=size, v1=_TEXT, v2=size)
    there: Any = bare.convert(hooked.convert(thing("v1", OLD), to="v2"), to="v0")
    why = "its hook is on the other side of its version by now"
    said = [f"/spec: v1/residue:tags is kept, but not used: {why}"]
    for to in ("v1", "v2"):
        assert converted(hooked, there, to)[1] == said, to
    again: Any = hooked.convert(hooked.convert(there, to="v1"), to="v2")
    assert "A,B" in again["metadata"]["annotations"][SPEC_ANNOTATION]


def test_what_a_hook_kept_of_the_version_at_hand(tmp_path: Path) -> None:
    """There was no hook in the meantime, and it came to its own version unused."""
    hooked = build(tmp_path / "hooked", "v1 -> v2", v1=_TEXT, v2=_LIST)
    bare = build(tmp_path / "bare", "", v1=_TEXT, v2="size: {type: integer}")
    older: Any = hooked.convert(thing("v2", NEW), to="v1")
    newer: Any = bare.convert(older, to="v2")
    assert newer["spec"] == {}
    assert converted(hooked, newer, "v1") == ({"tags": "a,b,c"}, [])
    assert converted(hooked, hooked.convert(newer, to="v1"), "v2") == ({"tags": NEW}, [])
    newer["spec"]["tags"] = ["x"]
    spec, report = converted(hooked, newer, "v1")
    assert (spec, report) == (
        {"tags": "x"},
        [
            "/spec: v1/tags is dropped: v2 has it now, with another value",
            "/spec: v2/residue:tags is dropped: v2 has it now, with another value",
        ],
    )


def test_what_a_version_gained_is_made_by_the_hook_that_claims_it_now(tmp_path: Path) -> None:
    hooked = build(tmp_path / "hooked", "v1 -> v2", v1=_TEXT, v2=_LIST)
    bare = build(tmp_path / "bare", "", v1=_TEXT, v2="size: {type: integer}")
    newer: Any = bare.convert(thing("v1", OLD), to="v2")
    assert converted(hooked, newer, "v1") == ({"tags": OLD}, [])
    newer["spec"]["tags"] = ["x"]
    assert converted(hooked, newer, "v1") == (
        {"tags": "x"},
        ["/spec: v1/tags is dropped: v2 has it now, with another value"],
    )


def test_what_a_declaration_kept_and_its_hook_does_not_show_is_reported(tmp_path: Path) -> None:
    wrapped = build(tmp_path / "wrapped", "", v1=_TEXT, v2=_LIST, more=_WRAP)
    hooked = build(tmp_path / "hooked", "v1 -> v2", v1=_TEXT, v2=_LIST)
    older: Any = wrapped.convert(thing("v2", NEW), to="v1")
    assert older["spec"] == {"tags": "A,b"}
    said = "/spec: v2/tags is dropped: v1 has it now, with another value"
    assert converted(hooked, older, "v2") == ({"tags": ["A", "b"]}, [said])
