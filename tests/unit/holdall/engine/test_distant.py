"""Entries of versions beyond an edge: what was deleted or edited on the way counts there, too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.errors import ConversionError
from holdall.scheme.scheme import Scheme
from tests.support.projects import build_project, group_of, hook_of, scheme_of, with_spec

Steps = Sequence[tuple[str, Mapping[str, Any]]]

S: Any = {"type": "string"}
GONE = "GONE"


def many(item: Any) -> Any:
    return {"type": "array", "items": item}


def box(**members: Any) -> Any:
    return {"type": "object", "properties": members}


def scheme(
    root: Path,
    versions: Sequence[Any],
    facts: Any = None,
    hook: str = "",
    *,
    of_types: Any = None,
    **more: Any,
) -> Scheme:
    """Return the scheme of a kind whose spec has these members, version by version.

    The facts are about the spec, those `of_types` about any type.
    """
    names = [f"v{number}" for number, _ in enumerate(versions, 1)]
    between = {edge: {"ThingSpec": given} for edge, given in (facts or {}).items()}
    between |= of_types or {}
    schemas = dict(zip(names, (with_spec(box(p=S, **it)) for it in versions), strict=True))
    group = group_of(schemas, hook=hook, between=between or None, **more)
    return scheme_of(build_project(root, *group))


def thing(version: str, spec: Mapping[str, Any]) -> Any:
    kind = {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": {"name": "t"}}
    return {**kind, "spec": dict(spec)}


def walk(scheme: Scheme, document: Any, *steps: tuple[str, Mapping[str, Any]]) -> Any:
    """Convert a document step by step and edit its spec at each; return it as it is at the end."""
    for version, edits in steps:
        document = deepcopy(scheme.convert(document, to=version))
        for name, value in edits.items():
            if value == GONE:
                document["spec"].pop(name)
            else:
                document["spec"][name] = value
    return document


WRAP = {"wrap": True}
CUT = hook_of(
    'EachValue("a", lambda v: v, lambda v: None if v is None else v[:1])',
    protocol="v2.AssignableThingSpec",
)
FIRST_CODE = """
class First(TwoWay):
    older = newer = ("a",)

    def to_newer(self, older):
        return {"a": [older["a"]]} if "a" in older else {}

    def to_older(self, newer):
        return {"a": newer["a"][0]} if newer.get("a") else {}
"""
FIRST = hook_of("First()", protocol="v1.AssignableThingSpecToV3ThingSpec", code=FIRST_CODE)
ONE, LIST = {"a": S}, {"a": many(S)}
REF = box(id=S, more=S)
GROUPS: dict[str, Any] = {
    "copied": ([ONE, ONE, LIST], {"v2 -> v3": {"a": WRAP}}),
    "copied twice": ([ONE, ONE, ONE, LIST], {"v3 -> v4": {"a": WRAP}}),
    "an older one": ([LIST, ONE, ONE], {"v1 -> v2": {"a": WRAP}}),
    "renamed": ([{"b": S}, ONE, LIST], {"v1 -> v2": {"b": "a"}, "v2 -> v3": {"a": WRAP}}),
    "no partner": ([LIST, ONE, {}], {"v1 -> v2": {"a": WRAP}}),
    "elements": ([LIST, LIST, {"a": many(many(S))}], {"v2 -> v3": {"a": WRAP}}),
    "objects": (
        [{"a": box(n=S)}, {"a": box(n=S, o=S)}, {"a": many(box(n=S))}],
        {"v2 -> v3": {"a": WRAP}},
    ),
    "moved": (
        [ONE, ONE, {"b": box(a=REF)}],
        {"v2 -> v3": {"a": {"move": "b/a", "reference": "id"}}},
    ),
    "moved out": (
        [{"b": box(a=S, c=S)}, {"b": box(a=S, c=S)}, {"a": REF, "b": box(c=S)}],
        {"v2 -> v3": {"b/a": {"move": "a", "reference": "id"}}},
    ),
    "moved before": (
        [{"b": box(a=S)}, ONE, LIST],
        {"v1 -> v2": {"b/a": {"move": "a"}}, "v2 -> v3": {"a": WRAP}},
    ),
    "two pairs": (
        [ONE, {"a": REF}, {"a": many(REF)}],
        {"v1 -> v2": {"a": {"reference": "id"}}, "v2 -> v3": {"a": WRAP}},
    ),
    "over a gap": ([ONE, {}, ONE, LIST], {"v3 -> v4": {"a": WRAP}}),
    "a link": ([ONE, ONE, {}, LIST], {"v2 -> v4": {"a": WRAP}}),
    "a hook": ([ONE, ONE, ONE], None, CUT),
    "a hook farther away": ([ONE, ONE, ONE, ONE], None, CUT.replace("v2", "v3")),
    "a hook beyond a rename": (
        [{"b": S}, {"b": S}, ONE, ONE],
        {"v2 -> v3": {"b": "a"}},
        CUT.replace("v2", "v3"),
    ),
    "a hook on a link": ([ONE, {}, LIST], {"v1 -> v3": {"a": {"strategy": "hook"}}}, FIRST),
    "a hook beyond a hook on a link": (
        [ONE, {}, LIST, LIST],
        {"v1 -> v3": {"a": {"strategy": "hook"}}},
        FIRST + CUT.replace("v2", "v3").replace("v[:1]", "v[:2]"),
    ),
}
# name of the case: group, the object, what is edited at which version, what the last one must show
T: dict[str, Any] = yaml.safe_load("""
deleted: [copied, {a: [x, y]}, v1, {a: GONE}, v2, {a: new}, v3, {a: [new]}]
"null": [copied, {a: [x, y]}, v1, {a: null}, v2, {a: new}, v3, {a: [new]}]
edited: [copied, {a: [x, y]}, v1, {a: x2}, v2, {}, v3, {a: [x2, y]}]
edited twice: [copied, {a: [x, y]}, v1, {a: x2}, v2, {a: x3}, v3, {a: [x3, y]}]
something else edited: [copied, {a: [x, y]}, v1, {p: q}, v2, {}, v3, {a: [x, y], p: q}]
downwards: [copied, {a: [x, y]}, v2, {a: GONE}, v1, {a: new}, v3, {a: [new]}]
farther: [copied twice, {a: [x, y]}, v1, {a: GONE}, v2, {a: new}, v4, {a: [new]}]
of an older version: [an older one, {a: [x, y]}, v2, {a: GONE}, v3, {a: new}, v1, {a: [new]}]
renamed on the way: [renamed, {a: [x, y]}, v1, {b: GONE}, v2, {a: new}, v3, {a: [new]}]
seen by an edge that does not have it: [no partner, {a: [x, y]}, v2, {a: GONE}, v3, {}, v2,
  {a: new}, v1, {a: [new]}]
an element deleted and another appended: [elements, {a: [[a, "1"], [b, "2"]]}, v1, {a: [a]}, v2,
  {a: [a, c]}, v3, {a: [[a, "1"], [c]]}]
elements sorted and edited: [elements, {a: [[a, "1"], [b, "2"]]}, v1, {a: [b, a]}, v2,
  {a: [b, c]}, v3, {a: [[b, "2"], [c, "1"]]}]
objects deleted: [objects, {a: [{n: x}, {n: y}]}, v1, {a: GONE}, v2, {a: {n: z}}, v3,
  {a: [{n: z}]}]
objects unedited: [objects, {a: [{n: x}, {n: y}]}, v1, {}, v2, {}, v1, {}, v3,
  {a: [{n: x}, {n: y}]}]
moved beyond: [moved, {b: {a: {id: x, more: "1"}}}, v1, {a: GONE}, v2, {a: x}, v3,
  {b: {a: {id: x}}}]
moved out of an object beyond: [moved out, {a: {id: x, more: "1"}, b: {c: c}}, v1, {b: {c: c}},
  v2, {b: {a: x, c: c}}, v3, {a: {id: x}, b: {c: c}}]
moved on the way: [moved before, {a: [x, y]}, v1, {b: GONE}, v2, {a: new}, v3, {a: [new]}]
converted on the way: [two pairs, {a: [{id: x, more: "1"}, {id: y}]}, v1, {a: GONE}, v2,
  {a: {id: x, more: "1"}}, v3, {a: [{id: x, more: "1"}]}]
beyond a skip link: [over a gap, {a: [x, y]}, v1, {a: GONE}, v2, {}, v3, {a: new}, v4,
  {a: [new]}]
edited beyond a skip link: [over a gap, {a: [x, y]}, v1, {a: x2}, v2, {}, v3, {}, v4,
  {a: [x2, y]}]
before a skip link: [a link, {a: [x, y]}, v1, {a: GONE}, v2, {a: new}, v3, {}, v4, {a: [new]}]
edited before a skip link: [a link, {a: [x, y]}, v1, {a: x2}, v2, {}, v4, {a: [x2, y]}]
residue of a hook: [a hook, {a: xyz}, v1, {a: GONE}, v2, {a: x}, v3, {a: x}]
"residue of a hook, downwards": [a hook, {a: xyz}, v2, {a: GONE}, v1, {a: x}, v3, {a: x}]
residue of a hook farther away: [a hook farther away, {a: xyz}, v1, {a: GONE}, v2, {a: x}, v4,
  {a: x}]
"residue of a hook farther away, unedited": [a hook farther away, {a: xyz}, v1, {p: q}, v2, {},
  v1, {}, v4, {a: xyz, p: q}]
residue of a hook beyond a rename: [a hook beyond a rename, {a: xyz}, v1, {b: GONE}, v2, {b: x},
  v4, {a: x}]
edited before a hook on a link: [a hook on a link, {a: [x, y]}, v1, {a: z}, v2, {}, v3,
  {a: [z]}]
deleted before a hook on a link: [a hook on a link, {a: [x, y]}, v1, {a: GONE}, v3, {}]
unedited before a hook on a link: [a hook on a link, {a: [x, y]}, v1, {p: q}, v2, {}, v3,
  {a: [x, y], p: q}]
residue of a hook beyond a hook on a link: [a hook beyond a hook on a link, {a: [x, y, z]}, v3,
  {}, v2, {}, v1, {p: q}, v2, {}, v3, {}, v4, {a: [x, y, z], p: q}]
"residue of a hook beyond a hook on a link, edited": [a hook beyond a hook on a link,
  {a: [x, y, z]}, v1, {a: w}, v2, {}, v3, {a: [x, y]}, v4, {a: [x, y]}]
"residue of a hook, unedited": [a hook, {a: xyz}, v1, {p: q}, v2, {}, v3, {a: xyz, p: q}]
""")


@pytest.fixture(scope="module")
def schemes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scheme]:
    return {name: scheme(tmp_path_factory.mktemp("d"), *given) for name, given in GROUPS.items()}


@pytest.mark.parametrize("case", T)
def test_the_live_value_counts_beyond_the_next_version(
    case: str, schemes: dict[str, Scheme]
) -> None:
    """What was seen at any version on the way is what the versions farther away go by."""
    group, spec, *steps, start, expected = T[case]
    edits = zip(steps[::2], steps[1::2], strict=True)
    found = walk(schemes[group], thing(start, spec), *edits, (start, {}))
    assert found == thing(start, expected)


LETTERS = st.lists(st.sampled_from("abcd"), max_size=4)


@given(
    kept=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=2), max_size=4),
    edits=st.lists(LETTERS | st.none(), max_size=4),
)
def test_stops_at_copies_change_nothing(
    kept: list[list[str]], edits: list[Any], schemes: dict[str, Scheme]
) -> None:
    """Edits at two versions by turns that have the same, or all at one, each of them seen at v3."""
    group = schemes["elements"]
    near = far = thing("v3", {"a": kept})
    for number, value in enumerate(edits):
        change = {"a": value}
        near = walk(group, near, (("v1", "v2")[number % 2], change))
        far = walk(group, far, ("v2", change), ("v3", {}))
    assert walk(group, near, ("v3", {})) == walk(group, far, ("v3", {}))


def test_an_entry_that_cannot_be_used_waits_for_its_version(schemes: dict[str, Scheme]) -> None:
    """An edge that it passes leaves it alone; where it is used, the error names it."""
    old: Any = schemes["copied"].convert(thing("v3", {"a": ["x", "y"]}), to="v1")
    annotations = old["metadata"]["annotations"]
    annotations[SPEC_ANNOTATION] = annotations[SPEC_ANNOTATION].replace('["x","y"]', '"xy"')
    between: Any = schemes["copied"].convert(old, to="v2")
    assert '{"a":"xy"}' in between["metadata"]["annotations"][SPEC_ANNOTATION]
    with pytest.raises(ConversionError, match="bag entry v3/a: expected list, found string"):
        schemes["copied"].convert(between, to="v3")


def test_what_nobody_can_convert_yet_is_no_error_before(tmp_path: Path) -> None:
    """A misfit beyond is kept for the version where it is one."""
    number, whole = {"a": {"type": "number"}}, {"a": {"type": "integer"}}
    facts = {"v2 -> v3": {"a": {"misfit": "error"}}}
    found = scheme(tmp_path, [number, number, whole], facts)
    between = walk(found, thing("v3", {"a": 2}), ("v1", {"a": 2.5}), ("v2", {}))
    assert between["spec"] == {"a": 2.5}
    with pytest.raises(ConversionError, match="cannot hold"):
        found.convert(between, to="v3")


@pytest.mark.parametrize(
    ("versions", "fact", "kept", "edited", "expected"),
    [
        (
            [LIST, {}, {"a": many(many(S))}],
            WRAP,
            [["a", "1"], ["b", "2"]],
            ["b", "a"],
            [["b", "2"], ["a", "1"]],
        ),
        (
            [LIST, {}, {"a": many(many(S))}],
            WRAP,
            [["a", "1"], ["b", "2"]],
            ["a", "c"],
            [["a", "1"], ["c", "2"]],
        ),
        (
            [LIST, {}, {"a": many(REF)}],
            {"reference": "id"},
            [{"id": "a", "more": "1"}, {"id": "b", "more": "2"}],
            ["b", "new", "a"],
            [{"id": "b", "more": "2"}, {"id": "new"}, {"id": "a", "more": "1"}],
        ),
        ([ONE, {}, LIST], WRAP, ["x", "y"], "z", ["z", "y"]),
    ],
)
def test_residue_is_merged_over_a_skip_link(
    versions: Any, fact: Any, kept: Any, edited: Any, expected: Any, tmp_path: Path
) -> None:
    """As between neighbours, with and without a stop at the version that has no such property."""
    found = scheme(tmp_path, versions, {"v1 -> v3": {"a": fact}})
    choices: tuple[Steps, ...] = ((), (("v2", {}),))
    for stops in choices:
        back = walk(found, thing("v3", {"a": kept}), ("v1", {"a": edited}), *stops, ("v3", {}))
        assert back == thing("v3", {"a": expected})


def test_a_property_with_a_gap_inside_of_a_gap_is_linked(tmp_path: Path) -> None:
    """Neither its list is in all versions, nor is it in all versions of the elements."""
    whole, part = {"l": many(box(k=S, t=S))}, {"l": many(box(k=S))}
    found = scheme(tmp_path, [whole, {}, part, whole])
    old = walk(found, thing("v4", {"l": [{"k": "a", "t": "T"}]}), ("v1", {}))
    assert old == thing("v1", {"l": [{"k": "a", "t": "T"}]})
    assert walk(found, old, ("v4", {})) == thing("v4", {"l": [{"k": "a", "t": "T"}]})
    edited = {"l": [{"k": "a", "t": "edited"}]}
    choices: tuple[Steps, ...] = ((), (("v3", {}),), (("v2", {}), ("v3", {})))
    for stops in choices:
        assert walk(found, old, ("v1", edited), *stops, ("v4", {})) == thing("v4", edited)


def test_a_fact_that_waits_under_another_version_is_no_residue(tmp_path: Path) -> None:
    """A linked property of a wrapped object: a round trip leaves nothing in the document."""
    whole, part = box(k=S, t=S), box(k=S)
    versions = [{"a": whole}, {"a": part}, {"a": many(whole)}]
    found = scheme(tmp_path, versions, {"v2 -> v3": {"a": WRAP}})
    for start, to, value in (
        ("v1", "v3", {"k": "a", "t": "T"}),
        ("v3", "v1", [{"k": "a", "t": "T"}]),
    ):
        document = thing(start, {"a": value})
        assert walk(found, document, (to, {}), (start, {})) == document
        there = walk(found, document, (to, {}))
        assert "annotations" not in there["metadata"]


def test_a_bag_inside_of_what_a_link_takes(tmp_path: Path) -> None:
    """The last version's part of an object that waits twice: in its element, and with its list."""
    part, whole = {"k": S, "o": box(x=S)}, {"k": S, "o": box(x=S, y=S)}
    versions = [{"l": many(box(k=S))}, {}, {"l": many(box(**part))}, {"l": many(box(**whole))}]
    found = scheme(tmp_path, versions)
    document = thing("v4", {"l": [{"k": "a", "o": {"x": "X", "y": "Y"}}]})
    assert walk(found, document, ("v1", {}), ("v4", {})) == document


@pytest.mark.parametrize("stops", [("v3",), ("v4",), ("v3", "v4", "v3"), ("v4", "v2")])
def test_what_a_hook_fills_in_says_nothing_over_a_link(
    tmp_path: Path, stops: Sequence[str]
) -> None:
    """The empty list is still there, and nobody wrote what the later versions show."""
    hook = hook_of('Always(newer={"a": "filled"})', protocol="v2.AssignableThingSpec")
    one: dict[str, Any] = {"a": S}
    versions: list[dict[str, Any]] = [{"a": many(S)}, {}, one, one]
    found = scheme(tmp_path, versions, {"v1 -> v3": {"a": WRAP}}, hook)
    document = thing("v1", {"a": []})
    there = walk(found, document, *((stop, {}) for stop in stops), ("v4", {}))
    assert there["spec"] == {"a": "filled"}
    assert walk(found, there, ("v1", {})) == walk(found, there, ("v3", {}), ("v1", {})) == document
    assert walk(found, there, ("v4", {"a": "b"}), ("v1", {}))["spec"] == {"a": ["b"]}
    assert walk(found, there, ("v3", {"a": "b"}), ("v1", {}))["spec"] == {"a": ["b"]}


LEFT: dict[str, Any] = {
    "into": ([{"a": box(n=S), "m": S}, {"a": box(n=S, m=S)}], {"v1 -> v2": {"m": {"move": "a/m"}}}),
    "out of": (
        [{"a": box(n=S, m=S)}, {"a": box(n=S), "m": S}],
        {"v1 -> v2": {"a/m": {"move": "m"}}},
    ),
}


@pytest.mark.parametrize("kept", [{}, {"n": ""}, {"n": None}], ids=str)
@pytest.mark.parametrize("moves", LEFT)
def test_what_moves_out_of_a_value_is_not_what_is_shown_of_it(
    moves: str, kept: Any, tmp_path: Path
) -> None:
    """An object that its edge hides, and makes again for what moves into it, is still there."""
    spec = {"a": kept, "m": "x"}
    (older, newer), facts = LEFT[moves]
    facts = {edge: {**given, "a": {"hides_zero": "both"}} for edge, given in facts.items()}
    if moves == "into":
        given, way = thing("v1", spec), ("v3", "v1")
        versions = [older, newer, newer]
    else:
        given, way = thing("v3", spec), ("v1", "v3")
        versions, facts = [older, older, newer], {"v2 -> v3": facts["v1 -> v2"]}
    made = scheme(tmp_path, versions, facts)
    assert walk(made, given, (way[0], {}), (way[1], {})) == given
    assert walk(made, given, (way[0], {}), ("v2", {}), (way[1], {})) == given


@pytest.mark.parametrize("more", [{}, {"id": None}])
def test_an_object_without_a_name_gets_one(tmp_path: Path, more: Mapping[str, Any]) -> None:
    """What v3 shows of it at another place has nothing to do with its name."""
    versions = [ONE, {"a": REF}, {"a": box(id=S), "m": S}]
    facts = {"v1 -> v2": {"a": {"reference": "id"}}, "v2 -> v3": {"a/more": {"move": "m"}}}
    found = scheme(tmp_path, versions, facts)
    document = thing("v3", {"m": "1", **({"a": more} if more else {})})
    named = walk(found, document, ("v1", {"a": "x"}))
    assert walk(found, named, ("v3", {}))["spec"] == {"a": {"id": "x"}, "m": "1"}
    other = walk(found, named, ("v3", {}), ("v1", {"a": "y"}), ("v3", {}))
    assert other["spec"] == {"a": {"id": "y"}}


@pytest.mark.parametrize("edited", [{"id": "d", "more": "1"}, {"id": "x", "more": "1"}])
def test_what_a_hook_fills_in_and_takes_away_again(tmp_path: Path, edited: Any) -> None:
    """A client of v3 writes something beside it; v1 does not show it, and takes nothing away."""
    facts = {"v2 -> v3": {"a": {"reference": "id"}}}
    found = scheme(tmp_path, [ONE, ONE, {"a": REF}], facts, hook_of('Always(newer={"a": "d"})'))
    document = walk(found, thing("v1", {}), ("v3", {}))
    assert document["spec"] == {"a": {"id": "d"}}
    document = walk(found, document, ("v3", {"a": edited}))
    for way in ("v1",), ("v2", "v1"), ("v1", "v2", "v1"):
        back = walk(found, document, *[(version, {}) for version in (*way, "v3")])
        assert back["spec"] == document["spec"]


def test_what_was_merged_belongs_to_what_it_was_made_of(tmp_path: Path) -> None:
    """`2.0` is still spelled as v2 has it, beside 300 ms, which hours cannot say."""
    versions = [{"waits": many(S)}, {"waits": many({"type": "number"})}]
    found = scheme(tmp_path, versions, {"v1 -> v2": {"waits": {"duration": "hours"}}})
    older = walk(found, thing("v2", {"waits": [2.0]}), ("v1", {}))
    assert older["spec"] == {"waits": ["2h0m0s"]}
    older["spec"]["waits"].append("300ms")
    newer = walk(found, older, ("v2", {}))
    assert json.dumps(newer["spec"]["waits"][0]) == "2.0"
    assert walk(found, newer, ("v1", {}))["spec"] == older["spec"]
    assert walk(found, newer, ("v1", {}), ("v2", {}))["spec"] == newer["spec"]


def test_what_was_merged_is_noted_only_where_nothing_else_tells(tmp_path: Path) -> None:
    """The list's tail says that what is kept was merged: it agrees without a note."""
    versions = [
        {"named": {"type": "object", "additionalProperties": box(id=S, name=S)}},
        {"named": many({"type": "object", "additionalProperties": S})},
    ]
    facts = {"v1 -> v2": {"named": {"wrap": True, "reference": "id"}}}
    found = scheme(tmp_path, versions, facts)
    edit = {"named": {"k": {"id": "a", "name": "b"}}}
    newer = walk(found, thing("v2", {"named": [{}, {}]}), ("v1", edit), ("v2", {}))
    assert newer["spec"] == {"named": [{"k": "a"}, {}]}
    kept = json.loads(newer["metadata"]["annotations"][SPEC_ANNOTATION])
    assert kept["bags"] == {"/spec": {"v1": edit}}
    assert walk(found, newer, ("v1", {}))["spec"] == edit


def test_what_is_linked_by_way_of_a_third_version_was_not_shown(tmp_path: Path) -> None:
    """An absent `q` of v4 says nothing of `o`, which v3 alone would have shown to it."""
    facts = {"v1 -> v3": {"o": "q"}, "v3 -> v4": {"q": WRAP}, "v1 -> v4": {"o": "not_same"}}
    versions = [{"o": S}, {}, {"q": S}, {"q": many(S)}]
    found = scheme(tmp_path, versions, facts, edges="star", hub="v2")
    newest = walk(found, thing("v1", {"o": "x"}), ("v4", {}))
    assert newest["spec"] == {}
    assert walk(found, newest, ("v1", {}))["spec"] == {"o": "x"}
    assert walk(found, newest, ("v3", {}), ("v4", {}))["spec"] == {"q": ["x"]}


TURNS = hook_of(
    'EachValue("a", turned, turned)',
    protocol="v2.AssignableThingSpec",
    code="""
def turned(value):
    return value[::-1] if isinstance(value, str) else value
""",
)


def test_what_was_deleted_two_edges_from_a_hook(tmp_path: Path) -> None:
    """v4 hides the rest of a list behind a text that a hook makes another one at v2."""
    found = scheme(tmp_path, [ONE, ONE, ONE, LIST], {"v3 -> v4": {"a": WRAP}}, TURNS)
    document = thing("v4", {"a": ["xy", "z"]})
    assert walk(found, document, ("v1", {}))["spec"] == {"a": "yx"}
    assert walk(found, document, ("v1", {}), ("v2", {}), ("v4", {})) == document
    written = walk(found, document, ("v1", {"a": GONE}), ("v2", {"a": "yx"}), ("v4", {}))
    assert written["spec"] == {"a": ["xy"]}
    edited = walk(found, document, ("v1", {"a": "ba"}), ("v2", {}), ("v4", {}))
    assert edited["spec"] == {"a": ["ab", "z"]}


CUTS = """
from holdall import Composed, EachValue
from {generated}.things.v1 import storage as v1
from {generated}.things.v2 import storage as v2


def cut(length):
    return EachValue("a", lambda value: value and value[:length], lambda value: value)


class ToTwo(Composed, v1.AssignableItemToV2Item):
    parts = (cut(2),)


class ToOne(Composed, v2.AssignableItem):
    parts = (cut(1),)


class AtOnce(Composed, v1.AssignableItemToV3Item):
    parts = (cut(1),)
"""


def test_what_edges_in_a_circle_keep_is_judged_by_the_edge_that_kept_it(tmp_path: Path) -> None:
    """The items of `outer` skip v2, so items have three edges; each cuts off another rest."""
    both = {"one": box(a=S), "outer": box(inner=box(a=S))}
    found = scheme(
        tmp_path,
        [both, {"one": box(a=S)}, both],
        hook=CUTS,
        type_names={"Thing/spec/one": "Item", "Thing/spec/outer/inner": "Item"},
    )
    document = thing("v1", {"one": {"a": "xyz"}, "outer": {"inner": {"a": "xyz"}}})
    newest = walk(found, document, ("v2", {}), ("v3", {}))
    assert newest["spec"] == {"one": {"a": "x"}, "outer": {"inner": {"a": "x"}}}
    assert walk(found, newest, ("v2", {}), ("v1", {})) == document


def test_a_hook_that_fails_beyond_an_edge_judges_nothing(tmp_path: Path) -> None:
    """Its own edge says what is wrong, if the object gets there."""
    hook = TURNS.replace("value[::-1]", "value[::-1] if value != 'bad' else 1 / 0")
    found = scheme(tmp_path, [ONE, ONE, ONE, LIST], {"v3 -> v4": {"a": WRAP}}, hook)
    document = walk(found, thing("v4", {"a": ["xy", "z"]}), ("v1", {"a": "bad"}), ("v2", {}))
    assert document["spec"] == {"a": "bad"}
    with pytest.raises(ConversionError, match="ZeroDivisionError"):
        found.convert(document, to="v4")
    assert walk(found, document, ("v2", {"a": "yx"}), ("v4", {}))["spec"] == {"a": ["xy", "z"]}


@pytest.mark.parametrize("stops", [(), ("v2",), ("v2", "v3", "v2")])
def test_a_default_beyond_an_object_that_only_one_version_has(
    tmp_path: Path, stops: Sequence[str]
) -> None:
    """v2 has the number inside an object, as an integer; at v3 a server fills in 6."""
    number = {"type": "number"}
    versions = [{"a": number}, {"b": box(a={"type": "integer"})}, {"a": {**number, "default": 6}}]
    facts = {"v1 -> v2": {"a": {"move": "b/a"}}, "v2 -> v3": {"b/a": {"move": "a"}}}
    found = scheme(tmp_path, versions, facts)
    document = thing("v1", {"a": 1.5})
    assert walk(found, document, ("v3", {}))["spec"] == {}
    for written, shown in (6, 1.5), (7, 7):
        there = walk(found, document, ("v3", {"a": written}), *((stop, {}) for stop in stops))
        assert walk(found, there, ("v1", {}))["spec"] == {"a": shown}
        assert walk(found, there, ("v1", {}), ("v3", {}))["spec"] == {"a": written}


@pytest.mark.parametrize("stops", [("v3",), ("v2", "v3")])
@pytest.mark.parametrize(
    ("kept", "at_v1", "at_v3", "shown"),
    [
        ([], ["x"], None, []),
        ([], ["y"], None, ["y"]),
        (["p", "q"], None, None, ["p", "q"]),
        (["p", "q"], GONE, "p", ["p"]),
    ],
    ids=["a default", "an edit", "unedited", "deleted"],
)
def test_a_link_leads_to_what_a_hook_keeps(
    tmp_path: Path, stops: Sequence[str], kept: Any, at_v1: Any, at_v3: Any, shown: Any
) -> None:
    """At v1 a server fills in ["x"]; v2 has no such member, and v4 has more than the hook shows."""
    filled = {"a": {**many(S), "default": ["x"]}}
    facts = {"v1 -> v3": {"a": WRAP}, "v3 -> v4": {"a": {"strategy": "hook"}}}
    hook = hook_of("First()", protocol="v3.AssignableThingSpec", code=FIRST_CODE)
    found = scheme(tmp_path, [filled, {}, ONE, LIST], facts, hook)
    edits = {"v1": at_v1, "v3": at_v3}
    way = [(stop, {} if edits.get(stop) is None else {"a": edits[stop]}) for stop in ("v1", *stops)]
    there = walk(found, thing("v4", {"a": kept}), *way)
    assert walk(found, there, ("v4", {}))["spec"] == {"a": shown}


def test_what_waits_for_a_link_is_not_judged_without_what_moves(tmp_path: Path) -> None:
    """At v4 the object is made of what waited, and the first element comes back into it."""
    one, many_ = {"b": box(a=S)}, {"b": box(a=many(S), n=S)}
    facts: dict[str, Any] = {
        "v2 -> v3": {"b/a": {"move": "a"}},
        "v3 -> v4": {"a": {"move": "b/a"}},
    }
    wrapped = {"v1 -> v2": {"B": {"a": WRAP}}}
    found = scheme(tmp_path, [many_, one, {"a": S}, one], facts, of_types=wrapped)
    document = thing("v1", {"b": {"a": ["x", "y"], "n": "z"}})
    there = walk(found, document, ("v4", {}))
    assert there["spec"] == {"b": {"a": "x"}}
    assert walk(found, there, ("v1", {})) == document
    assert walk(found, there, ("v4", {"b": {"a": "w"}}), ("v1", {}))["spec"] == {
        "b": {"a": ["w", "y"], "n": "z"}
    }


INT, NUMBER = {"c": {"type": "integer"}}, {"c": {"type": "number"}}
FILLED = {"c": {"type": "integer", "default": 6}}
INTO_BOX: dict[str, Any] = {"c": {"move": "box/c"}}
MOVED_INSIDE: dict[str, tuple[list[Any], str]] = {
    "at once": ([FILLED, {"box": box(**INT)}, {"box": box(**NUMBER)}], "v1 -> v2"),
    "later": ([FILLED, INT, {"box": box(**INT)}, {"box": box(**NUMBER)}], "v2 -> v3"),
    "before": ([FILLED, *[{"box": box(**INT)}] * 2, {"box": box(**NUMBER)}], "v1 -> v2"),
    "into what is there": (
        [{**FILLED, "box": box(d=S)}, {"box": box(d=S, **INT)}, {"box": box(d=S, **NUMBER)}],
        "v1 -> v2",
    ),
    "later, into what is there": (
        [
            {**FILLED, "box": box(d=S)},
            {**INT, "box": box(d=S)},
            {"box": box(d=S, **INT)},
            {"box": box(d=S, **NUMBER)},
        ],
        "v2 -> v3",
    ),
    "after an inner pair": (
        [{"box": box(**FILLED)}, {"box": box(**NUMBER)}, INT, NUMBER],
        "",
    ),
}


@pytest.mark.parametrize("case", MOVED_INSIDE)
def test_what_waits_inside_of_an_object_is_judged_before_something_moves_into_it(
    tmp_path: Path, case: str
) -> None:
    """The last version has a number in the object, which the others cannot show."""
    versions, edge = MOVED_INSIDE[case]
    facts = {edge: INTO_BOX} if edge else {"v2 -> v3": {"box/c": {"move": "c"}}}
    found = scheme(tmp_path, versions, facts)
    (first, last), holds = ("v1", f"v{len(versions)}"), "box" in versions[-1]

    def at(value: Any, inside: bool) -> dict[str, Any]:
        return {"box": {"c": value}} if inside else {"c": value}

    document = thing(last, at(2.5, holds))
    filled = at(6, not edge)
    there = walk(found, document, (first, filled))
    assert walk(found, there, (last, {}))["spec"] == document["spec"]
    assert walk(found, there, ("v2", {}), (last, {}))["spec"] == document["spec"]
    # An edit is one, also if it is deleted at another version before it gets there.
    edited = walk(found, document, (first, at(7, not edge)))
    assert walk(found, edited, (last, {}))["spec"] == at(7, holds)
    is_inside = "box" in versions[1] and "c" not in versions[1]
    gone: dict[str, Any] = {"box": {}} if is_inside else {"c": GONE}
    deleted = walk(found, edited, ("v2", gone), (last, {}))["spec"]
    assert deleted == ({"box": {}} if holds else {})


def test_what_moves_out_of_a_linked_object_is_not_what_it_lost(tmp_path: Path) -> None:
    """The box waits around the object, and the move begins outside of both."""
    inner = {"d": S}
    versions = [
        {"box": box(d=S, **{"in": box(d=S, a=many(S))})},
        {"box": box(d=S, **{"in": box(d=S, a=S)})},
        {"box": box(d=S, a=S)},
        {"box": box(d=S, **{"in": box(**inner)}), "a": S},
    ]
    facts: dict[str, Any] = {
        "v2 -> v3": {"box/in/a": {"move": "box/a"}},
        "v3 -> v4": {"box/a": {"move": "a"}},
    }
    found = scheme(tmp_path, versions, facts, of_types={"v1 -> v2": {"In": {"a": WRAP}}})
    document = thing("v1", {"box": {"d": "k", "in": {"d": "l", "a": ["x", "y"]}}})
    there = walk(found, document, ("v4", {}))
    assert there["spec"] == {"box": {"d": "k", "in": {"d": "l"}}, "a": "x"}
    assert walk(found, there, ("v1", {})) == document
    assert walk(found, there, ("v4", {"a": "z"}), ("v1", {}))["spec"]["box"]["in"] == {
        "d": "l",
        "a": ["z", "y"],
    }


TEXT_AND_NUMBER = {"type": "string"}, {"type": "integer"}
STARS: dict[str, tuple[Any, Any, Any, Any]] = {
    "wrap": (many(S), S, WRAP, ["x", "y"]),
    "values": (S, S, {"values": {"A": "B", "C": "B"}}, "C"),
    "unit": (*TEXT_AND_NUMBER, {"unit": "Mi"}, "1Gi"),
    "reference": (box(id=S, more=S), S, {"reference": "id"}, {"id": "r", "more": "m"}),
    "number": ({"type": "number"}, {"type": "integer"}, None, 2.5),
}


@pytest.mark.parametrize("stops", [("v4", "v3"), ("v4", "v2", "v3"), ("v4", "v3", "v4", "v2")])
@pytest.mark.parametrize("case", STARS)
def test_of_several_linked_entries_that_counts_which_the_others_follow_from(
    tmp_path: Path, case: str, stops: Sequence[str]
) -> None:
    """The hub of a star has no such property: all the others meet in its bag."""
    one, other, fact, value = STARS[case]
    facts = {edge: {"a": fact} for edge in ("v1 -> v4", "v3 -> v4")} if fact else None
    versions = [{"a": one}, {}, {"a": one}, {"a": other}]
    found = scheme(tmp_path, versions, facts, edges="star", hub="v2")
    document = thing("v1", {"a": value})
    there = walk(found, document, *((stop, {}) for stop in stops))
    assert walk(found, there, ("v3", {}))["spec"] == document["spec"]
    assert walk(found, there, ("v1", {})) == document
    gone = walk(found, document, ("v4", {"a": GONE} if case != "number" else {}), ("v3", {}))
    assert gone["spec"] == ({} if case != "number" else document["spec"])
