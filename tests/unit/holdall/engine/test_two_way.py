"""Two-way hooks: two pure functions, and an engine that keeps what they lose."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from holdall.engine.residues import Difference, differences, make, places
from holdall.errors import ConversionError
from holdall.scheme.scheme import Scheme
from holdall.text import json
from tests.laws.projects import Specimen, built_specimen, many, mapped, ref
from tests.support.projects import THING_CONFIG, build_project, hook_of, scheme_of

Json = dict[str, Any]
TEXT: Json = {"type": "string"}
OPEN: Json = {"x-kubernetes-preserve-unknown-fields": True}

# In v1 a box has `tags`: a map of texts, true or anything; `on` and `off` are one list in v2.
TYPES: dict[str, dict[str, dict[str, Json]]] = {
    "v1": {
        "Thing": {
            "tags": mapped(OPEN),
            "on": many(TEXT),
            "note": TEXT,
            "marks": mapped(OPEN),
            "rows": many(many(TEXT)),
            "names": TEXT,
            "order": many(TEXT),
        },
    },
    "v2": {
        "Thing": {
            "tags": mapped(TEXT),
            "all": many(TEXT),
            "memo": TEXT,
            "marks": mapped(ref("Mark")),
            "rows": many(many(TEXT)),
            "flags": mapped({"type": "boolean"}),
            "order": many(TEXT),
        },
        "Mark": {"value": TEXT},
    },
}
HOOKS = '''
from {generated}.things.v1.storage import AssignableThing
from holdall import Composed, EachValue, Members, TwoWay


class Texts(TwoWay):
    """Only texts are shown in v2."""

    older = newer = ("tags",)

    def to_newer(self, older: Members) -> Members:
        tags = older.get("tags")
        if not tags:
            return older
        return {"tags": {k: v for k, v in tags.items() if isinstance(v, str)}}

    def to_older(self, newer: Members) -> Members:
        return newer


class Lists(TwoWay):
    """The elements of v2 in lower case are those of v1; `extra:off` is true if there are none."""

    older = ("on", "extra:off")
    newer = ("all",)

    def to_newer(self, older: Members) -> Members:
        if older.pop("off", None):
            return {"all": []}
        return {"all": older["on"]} if "on" in older else {}

    def to_older(self, newer: Members) -> Members:
        values = newer.get("all")
        if values == []:
            return {"off": True}
        return {"on": [value.lower() for value in values]} if values else {}


class Flags(TwoWay):
    """What v1 lists is on in v2."""

    older = ("names",)
    newer = ("flags",)

    def to_newer(self, older: Members) -> Members:
        return {"flags": {name: True for name in older["names"].split()}} if older else {}

    def to_older(self, newer: Members) -> Members:
        return {"names": " ".join(sorted(newer["flags"]))} if newer else {}


class Order(TwoWay):
    """A list of v1 is sorted in v2."""

    older = newer = ("order",)

    def to_newer(self, older: Members) -> Members:
        return {"order": sorted(older["order"])} if older else {}

    def to_older(self, newer: Members) -> Members:
        return newer


def mark(value: object) -> object:
    if value == "exit":
        raise SystemExit("bye")
    return {"value": value} if isinstance(value, str) else value


def unmark(value: object) -> object:
    return value["value"] if isinstance(value, dict) and value.keys() == {"value"} else value


class Hook(Composed, AssignableThing):
    parts = (
        Texts(),
        Lists(),
        Flags(),
        Order(),
        EachValue("note", str.upper, str.lower, newer_name="memo"),
        EachValue("marks", mark, unmark, depth=1),
        EachValue("rows", str.upper, str.lower, depth=2),
    )
'''


@pytest.fixture(scope="module", params=["strict", "usual"])
def scheme(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A group of two versions with two-way hooks: strict, on views, and on members."""
    facts = {
        "Thing": {
            "$hook": ["tags", "marks", "rows", "order"],
            "on": {"rename": "all", "strategy": "hook"},
        }
    }
    specimen = Specimen(TYPES, between={"v1 -> v2": facts})
    made = built_specimen(specimen, tmp_path_factory.mktemp("two_way"), HOOKS).scheme
    if request.param == "strict":
        made.load(strict_hooks=True)
    return made


def thing(version: str, **members: Any) -> Json:
    return {"apiVersion": version, "kind": "Thing", **members}


def shown(document: Json) -> Json:
    hidden = ("apiVersion", "kind", "metadata", "$propertyBag")
    return {name: value for name, value in document.items() if name not in hidden}


@pytest.mark.parametrize(
    ("version", "members", "there"),
    [
        ("v1", {"tags": {"a": "b", "c": True, "d": None}}, {"tags": {"a": "b"}}),
        ("v1", {"tags": {}}, {"tags": {}}),
        ("v1", {"tags": None}, {"tags": None}),
        ("v1", {"off": True}, {"all": []}),
        ("v1", {"on": ["a"], "off": 1}, {"all": []}),
        ("v1", {"off": False}, {}),
        ("v1", {"off": None, "on": None}, {"all": None}),
        ("v2", {"all": ["A", "b"]}, {"on": ["a", "b"]}),
        ("v2", {"all": []}, {"off": True}),
        ("v2", {"off": "x"}, {}),  # undeclared here, and not what the hook calls off in v1
        ("v2", {"all": [], "off": "x"}, {"off": True}),
        ("v1", {"note": "Mixed"}, {"memo": "MIXED"}),
        ("v2", {"memo": "Mixed"}, {"note": "mixed"}),
        (
            "v1",
            {"marks": {"a": "b", "c": {"d": 1}}},
            {"marks": {"a": {"value": "b"}, "c": {"d": 1}}},
        ),
        ("v1", {"marks": {"a": {"$created": 1}}}, {"marks": {"a": {"$created": 1}}}),
        ("v1", {"marks": {"a": {"value": "b"}}}, {"marks": {"a": {"value": "b"}}}),
        ("v1", {"marks": {"a": 1}}, {}),
        (
            "v2",
            {"marks": {"a": None, "b": {"$propertyBag": 1}}},
            {"marks": {"a": None, "b": {"$propertyBag": 1}}},
        ),
    ],
)
def test_it_returns_exactly(version: str, members: Json, there: Json, scheme: Scheme) -> None:
    """Nothing is lost, whatever the functions leave out; presence and nulls included."""
    other = "v2" if version == "v1" else "v1"
    document = thing(version, **members)
    converted = scheme.convert(document, to=other)
    assert shown(converted) == there
    assert scheme.convert(converted, to=version) == document


def test_results_are_not_shared(scheme: Scheme) -> None:
    """What a hook made once is made anew for everybody, on both ways."""
    document = thing("v1", tags={"a": "b", "c": {"d": 1}}, on=["x"])
    kept = copy.deepcopy(scheme.convert(document, to="v2"))
    for _ in range(3):
        there: Any = scheme.convert(document, to="v2")
        assert there == kept
        residue = there["$propertyBag"]["spec"]["bags"][""]["v1"]["residue:tags"]
        there["tags"]["a"] = there["all"][0] = residue[0]["is"]["d"] = "spoilt"
        back: Any = scheme.convert(kept, to="v1")
        assert back == document
        back["tags"]["c"]["d"] = back["on"][0] = "spoilt"
    for name in ("a", "b"):
        made: Any = scheme.convert(thing("v1", marks={name: "same"}), to="v2")
        assert made["marks"] == {name: {"value": "same"}}
        made["marks"][name]["value"] = "spoilt"
    assert json.decode(scheme.convert_bytes(json.encode(kept), to="v1")) == document


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", 0.0, -0.0, False, 0])
def test_equal_values_of_other_types_are_other_values(value: Any, scheme: Scheme) -> None:
    """What a hook made of 1 is not taken for what it makes of True."""
    for other in (True, 1, 1.0, 0.0, value):
        document = thing("v1", tags={"c": other, "d": [other]})
        there: Any = json.decode(scheme.convert_bytes(json.encode(document), to="v2"))
        assert json.same(scheme.convert(there, to="v1"), document)


def test_a_function_may_change_what_it_gets(scheme: Scheme) -> None:
    """The hook of `off` takes it out of what it gets; the document still has it afterwards."""
    document = thing("v1", on=["a"], off=1)
    for _ in range(2):
        there = scheme.convert(document, to="v2")
        assert document == thing("v1", on=["a"], off=1)
        assert scheme.convert(there, to="v1") == document


def test_an_edit_costs_only_what_it_contradicts(scheme: Scheme) -> None:
    """Residue stays beside an edit of another entry, and goes when its own place is edited."""
    there = scheme.convert(thing("v1", tags={"a": "b", "c": True, "d": None}), to="v2")
    there["tags"] = {"a": "edited", "c": "live"}
    back = scheme.convert(there, to="v1")
    assert shown(back) == {"tags": {"a": "edited", "c": "live", "d": None}}


def test_an_edit_wins_even_if_it_is_not_shown_as_it_is(scheme: Scheme) -> None:
    """What was kept goes, though what is shown of it is what is shown of the edit, too."""
    there = scheme.convert(thing("v2", memo="Mixed"), to="v1")
    assert shown(there) == {"note": "mixed"}
    there["note"] = "miXED"
    back = scheme.convert(there, to="v2")
    assert shown(back) == {"memo": "MIXED"}
    assert shown(scheme.convert(back, to="v1")) == {"note": "miXED"}
    there = scheme.convert(thing("v2", rows=[["One", "Two"], ["Three"]]), to="v1")
    there["rows"] = [["one", "twO"], ["three"]]
    back = scheme.convert(there, to="v2")
    assert shown(back) == {"rows": [["One", "TWO"], ["Three"]]}
    assert shown(scheme.convert(back, to="v1")) == {"rows": [["one", "twO"], ["three"]]}


def test_what_is_kept_of_a_part_is_used_beside_a_value_that_is_spelled_otherwise(
    scheme: Scheme,
) -> None:
    """The order of v1 comes from what v2 kept; it says nothing of an edit there."""
    there: Any = scheme.convert(thing("v1", names="b c a"), to="v2")
    there["flags"]["b"] = False
    back = scheme.convert(there, to="v1")
    assert shown(back) == {"names": "b c a"}
    assert shown(scheme.convert(back, to="v2")) == shown(there)
    back["names"] = "b a"
    assert shown(scheme.convert(back, to="v2")) == {"flags": {"b": False, "a": True}}


@pytest.mark.parametrize("edited", [["x", "y", "", ""], ["x", "", "z"], ["x", "x", "y", ""]])
def test_elements_that_changed_places_do_so_together(edited: list[str], scheme: Scheme) -> None:
    """Some of them alone would make an element twice, and another one not at all."""
    there: Any = scheme.convert(thing("v2", order=["x", "y", ""]), to="v1")
    assert shown(there) == {"order": ["x", "y", ""]}
    assert scheme.convert(there, to="v2") == thing("v2", order=["x", "y", ""])
    there["order"] = edited
    back: Any = scheme.convert(there, to="v2")
    assert sorted(back["order"]) == sorted(edited)
    assert shown(scheme.convert(back, to="v1")) == {"order": edited}


def test_list_elements_are_found_again(scheme: Scheme) -> None:
    """An element's own spelling follows it when the list is reordered."""
    there = scheme.convert(thing("v2", all=["A", "b", "C"]), to="v1")
    there["on"] = ["c", "b", "a"]
    assert shown(scheme.convert(there, to="v2")) == {"all": ["C", "b", "A"]}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        pytest.param([["a"], []], [["A"], []], id="its own list is emptied"),
        pytest.param([["a"], ["b"]], [["A"], ["B"]], id="it is edited"),
        pytest.param([[], ["a"]], [[], ["a"]], id="the other list is emptied"),
        pytest.param([["a"], ["a"], ["a"]], [["A"], ["a"], ["A"]], id="a copy is appended"),
        pytest.param([["c"], ["a"], ["a"]], [["C"], ["A"], ["a"]], id="a list is put before"),
    ],
)
def test_residue_of_one_list_never_goes_to_an_equal_element_of_another(
    edited: list[Any], expected: list[Any], scheme: Scheme
) -> None:
    """If equal elements become more or fewer, residue stays where it was or goes."""
    there = scheme.convert(thing("v2", rows=[["A"], ["a"]]), to="v1")
    assert there["rows"] == [["a"], ["a"]]
    there["rows"] = edited
    assert shown(scheme.convert(there, to="v2")) == {"rows": expected}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        pytest.param([["a", "x"], ["a"]], [["a", "X"], ["A"]], id="they change places"),
        pytest.param([["a"], ["a", "y"]], [["A"], ["a", "Y"]], id="what is beside it is edited"),
        pytest.param([["b"], ["a", "x"]], [["B"], ["a", "X"]], id="the other one is edited"),
        pytest.param([["a", "x"]], [["a", "X"]], id="the other list is deleted"),
        pytest.param([["a"]], [["A"]], id="its own list is deleted"),
    ],
)
def test_residue_stays_with_the_list_around_its_element(
    edited: list[Any], expected: list[Any], scheme: Scheme
) -> None:
    """Of equal elements in different lists, each is told from the others by its list."""
    there = scheme.convert(thing("v2", rows=[["A"], ["a", "X"]]), to="v1")
    assert there["rows"] == [["a"], ["a", "x"]]
    there["rows"] = edited
    assert shown(scheme.convert(there, to="v2")) == {"rows": expected}


def test_a_deleted_member_stays_deleted(scheme: Scheme) -> None:
    """Residue is not restored into what was deleted."""
    there = scheme.convert(thing("v2", all=["A"], memo="Mixed"), to="v1")
    del there["on"], there["note"]
    assert shown(scheme.convert(there, to="v2")) == {}


@pytest.mark.parametrize(
    "entry",
    [
        "text",
        [1],
        [{"at": [], "is": 1}],
        [{"at": ["elsewhere"], "is": 1}],
        [{"at": ["tags"]}],
        [{"at": ["tags", 0], "is": 1}],
        [{"at": ["tags", 0, "a"], "was": 1, "is": 2}],
        [{"at": ["tags", 0], "was": 1, "is": 2, "of": [2, 2]}],
        [{"at": ["tags", 0], "was": 1, "is": 2, "of": 2}],
        [{"at": ["tags", "a"], "was": 1, "is": 2, "of": [0, 2]}],
        [{"at": ["tags"], "is": 1, "more": 2}],
        [{"at": ["tags"], "is": 1, "filled": False}],
        [{"at": ["tags"], "filled": True}],
        [{"shown": {}}],
        [{"shown": {}, "became": 5}],
        [{"shown": {}, "became": {"elsewhere": 5}}],
        [{"shown": {}, "became": {}}, {"at": ["tags"], "is": {}}],
    ],
)
def test_a_damaged_residue_is_a_located_error(entry: Any, scheme: Scheme) -> None:
    """An entry that is no residue of the hook's members is refused with the hook's name."""
    there = scheme.convert(thing("v1", tags={"c": True}), to="v2")
    carrier = there["$propertyBag"]

    def put(value: Any) -> None:
        for key, item in value.items() if isinstance(value, dict) else ():
            if key == "residue:tags":
                value[key] = entry
            else:
                put(item)

    put(carrier)
    with pytest.raises(ConversionError, match=r"Hook: .*expected "):
        scheme.convert(there, to="v1")


@pytest.mark.parametrize("rest", [{}, {"is": 5}])
def test_differences_in_each_other_are_an_error(rest: Json, scheme: Scheme) -> None:
    """The residue is wrong, not the hook."""
    there: Any = scheme.convert(thing("v1", tags={"c": True}), to="v2")
    bag = there["$propertyBag"]["spec"]["bags"][""]["v1"]
    bag["residue:tags"] = [{"at": ["tags"], "was": {}, **rest}, {"at": ["tags", "c"], "is": 1}]
    with pytest.raises(ConversionError, match="Hook: one of the kept differences"):
        scheme.convert(there, to="v1")


@pytest.mark.parametrize(
    ("name", "value"),
    [("tags", 0), ("on", True), ("on", {"value": 5}), ("marks", ["x"]), ("rows", {"a": [["x"]]})],
)
def test_a_residue_of_a_wrong_kind_is_not_used(name: str, value: Any, scheme: Scheme) -> None:
    """No document with it would convert, so nothing was kept of one; without it all goes on."""
    there: Any = scheme.convert(thing("v1", tags={"c": True}), to="v2")
    del there["tags"]
    bag = there["$propertyBag"]["spec"]["bags"][""]["v1"]
    del bag["residue:tags"]
    bag[f"residue:{name}"] = [{"at": [name], "is": value}]
    with pytest.raises(ConversionError, match="Hook"):
        scheme.convert(there, to="v1")
    report: list[Any] = []
    back: Any = scheme.convert(there, to="v1", tolerant=True, report=report)
    assert shown(back) == {}
    assert len(report) == 1
    assert shown(scheme.convert(back, to="v2", tolerant=True)) == {}


@pytest.mark.parametrize("value", [[["a"], "b", 3], [["a"], None, {"a": "b"}]])
def test_what_documents_may_hold_may_be_kept(value: Any, scheme: Scheme) -> None:
    """Nobody looks at what a list of plain lists holds; it comes back as it was."""
    there: Any = scheme.convert(thing("v2", rows=value), to="v1")
    assert shown(scheme.convert(there, to="v2")) == {"rows": value}


def test_an_open_spec_never_shows_in_which_version_it_was_written(tmp_path: Path) -> None:
    """Only a spec with a type has a place for that; elsewhere the name is the user's."""
    files = {
        "v1.yaml": "properties: {metadata: {type: object}, spec: {}}",
        "v2.yaml": "properties: {metadata: {type: object}, spec: {properties: {size: {}}}}",
        "hooks/things.py": hook_of(
            'EachValue("spec", lambda spec: spec, lambda spec: spec)', protocol="v1.AssignableThing"
        ),
    }
    config = f"{THING_CONFIG}    between: {{v1 -> v2: {{Thing: {{spec: {{strategy: hook}}}}}}}}\n"
    scheme = scheme_of(build_project(tmp_path, config, files))
    newer: Json = {"apiVersion": "example.com/v2", "kind": "Thing", "spec": {"size": 1}}
    older = scheme.convert(newer, to="v1")
    assert older["spec"] == {"size": 1}
    assert scheme.convert(older, to="v2") == newer
    older["spec"]["$originalVersion"] = {"a": 1}
    assert scheme.convert(scheme.convert(older, to="v2"), to="v1") == older


def test_a_function_that_ends_the_process_fails(scheme: Scheme) -> None:
    """SystemExit is a failure of the object, on both ways."""
    document = thing("v1", marks={"a": "exit"})
    for act in (scheme.convert, lambda obj, to: scheme.convert_bytes(json.encode(obj), to=to)):
        with pytest.raises(ConversionError, match="Hook raised SystemExit: bye"):
            act(document, to="v2")


DIFFERENCES: list[tuple[Json, Json, list[Difference]]] = [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": True}, [{"at": ["a"], "was": 1, "is": True}]),
    ({"a": {"b": 1}}, {"a": {"c": 2}}, [{"at": ["a", "b"], "was": 1}, {"at": ["a", "c"], "is": 2}]),
    ({"a": [1, 2]}, {"a": [1, 3]}, [{"at": ["a", 1], "was": 2, "is": 3}]),
    ({"a": [1]}, {"a": [1, 2]}, [{"at": ["a"], "was": [1], "is": [1, 2]}]),
    ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [{"at": ["a", 0], "was": {"b": 1}, "is": {"b": 2}}]),
    (
        {"a": [{"b": [{"c": 1}, 2]}]},
        {"a": [{"b": [{"c": 3}, 2]}]},
        [{"at": ["a", 0, "b", 0], "was": {"c": 1}, "is": {"c": 3}}],
    ),
]


@pytest.mark.parametrize(("base", "wanted", "expected"), DIFFERENCES)
def test_differences_name_the_smallest_places(
    base: Json, wanted: Json, expected: list[Difference]
) -> None:
    """Members are compared one by one, list elements as a whole; making them gives `wanted`."""
    found = differences(base, wanted)
    assert found == expected
    for difference in found:
        (path,) = places(base, [difference])
        assert path is not None
        make(base, path, difference)
    assert base == wanted
