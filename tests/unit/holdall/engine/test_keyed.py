"""Maps that are lists with keys: what is shown, what is kept, what an edit leaves of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdall.carriers.reports import Report
from holdall.engine.conversions import each, flipped, opened, renamed_values, same, wrap
from holdall.engine.keyed import keyed
from holdall.engine.lossy_pairs import Pair
from holdall.engine.misfit import MISFIT
from holdall.objects.bag_forms import ObjectForm
from holdall.scheme.scheme import Scheme
from holdall.text.json import copy
from holdall.text.json import same as same_json
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of
from tests.unit.twins import edge, open_bag, twin

Arg = twin("v2", "Arg", {"name": str, "value": str, "more": str})
Zone = twin("v2", "Zone", {"name": str, "size": int})
Older = twin("v1", "Older", {"a": Any})
Newer = twin("v2", "Newer", {"a": Any})

VALUES = keyed(Arg, "name", same(), "value")
RENAMED = keyed(Arg, "name", renamed_values({"on": "yes", "true": "yes"}), "value")
WRAPPED = keyed(Arg, "name", wrap(same()), "value")
REST = keyed(Zone, "name", opened(ObjectForm(Zone)))
ALL = flipped(VALUES)
LENIENT = keyed(Arg, "name", same(), "value", lenient=True)
LENIENT_REST = keyed(Zone, "name", opened(ObjectForm(Zone)), lenient=True)


def cross(conversion: Any, value: Any, bag: Any = None, *, to: bool = True) -> tuple[Any, Any]:
    """Send a value over the edge; return that of the other side, and the bag."""
    pair = Pair(edge(Older, Newer)[0], "a", "a", conversion)
    opened_bag = open_bag(*((Older(), Newer()) if to else (Newer(), Older())), bag)
    if value is not None:
        opened_bag.old["a"] = copy(value)
    (pair.to if to else pair.back)(opened_bag)
    return opened_bag.new.get("a"), {**opened_bag}


@pytest.mark.parametrize(
    ("conversion", "older", "newer"),
    [
        (VALUES, {}, []),
        (VALUES, {"b": "2", "a": "1"}, [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]),
        (VALUES, {"": ""}, [{"name": "", "value": ""}]),
        (VALUES, {"a": None}, [{"name": "a", "value": None}]),
        (RENAMED, {"a": "on"}, [{"name": "a", "value": "yes"}]),
        (WRAPPED, {"a": "x"}, [{"name": "a", "value": ["x"]}]),
        (REST, {"a": {"size": 1}, "b": {}}, [{"name": "a", "size": 1}, {"name": "b"}]),
    ],
)
def test_what_nothing_is_lost_of(conversion: Any, older: Any, newer: Any) -> None:
    """It comes back by itself, both ways; a list is sorted by its keys."""
    for one, other, to in ((older, newer, True), (newer, older, False)):
        found, bag = cross(conversion, one, to=to)
        assert same_json(found, other)
        assert bag == {}


@pytest.mark.parametrize(
    ("conversion", "newer", "older"),
    [
        (VALUES, [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}], {"a": "1", "b": "2"}),
        (VALUES, [{"name": "a", "value": "1", "more": "m"}], {"a": "1"}),
        (VALUES, [{"name": "a", "value": "1", "extra": 1}], {"a": "1"}),
        (VALUES, [{"name": "a"}, {"name": "b", "value": "2"}], {"b": "2"}),
        (RENAMED, [{"name": "a", "value": "true"}], {"a": "true"}),
        (WRAPPED, [{"name": "a", "value": ["x", "y"]}], {"a": "x"}),
        (LENIENT, [{"name": "a"}, {"value": "1"}], {"a": "", "": "1"}),
        (LENIENT, [None, {"name": "a", "value": None}], {"": "", "a": ""}),
        (LENIENT, [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}], {"a": "2"}),
        (
            LENIENT_REST,
            [{"size": 1}, {"name": "a", "size": 2}, {"name": "a"}],
            {"": {"size": 1}, "a": {}},
        ),
        (LENIENT, [{"name": 1}], None),
        (VALUES, [{"value": "1"}], None),
        (VALUES, [{"name": None, "value": "1"}], None),
        (VALUES, [{"name": 1, "value": "1"}], None),
        (VALUES, [None], None),
        (VALUES, [{"name": "a", "value": "1"}, {"name": "a", "value": "1"}], None),
        (VALUES, [{"name": "a"}, {"name": "a", "value": "1"}], None),
    ],
)
def test_what_leaves_residue(conversion: Any, newer: Any, older: Any) -> None:
    """What the map cannot say is kept, the whole list if a key is wrong, and comes back."""
    found, bag = cross(conversion, newer, to=False)
    assert same_json(found, older)
    assert bag == {"v2": {"a": newer}}
    assert cross(conversion, older, bag) == (newer, {})


PARTS = st.sampled_from(["", "yes", "on", "true"]) | st.lists(st.just("x"), max_size=2)
NAMES = st.sampled_from(["a", "b", "c"])
ELEMENTS = st.fixed_dictionaries(
    {}, optional={"name": NAMES, "value": st.none() | PARTS, "more": PARTS}
)
LISTS = st.lists(st.none() | ELEMENTS, max_size=3)
MAPS = st.dictionaries(st.sampled_from(["", "a", "b", "name"]), st.none() | PARTS)


@given(st.sampled_from([VALUES, RENAMED, WRAPPED, LENIENT, REST]), MAPS | LISTS)
def test_what_surely_comes_back_does(conversion: keyed, value: Any) -> None:
    """What is made without a look at the way back is what the usual way makes, and comes back."""
    is_map = type(value) is dict
    made = conversion.surely(copy(value), is_map)
    if made is not MISFIT:
        act, back = conversion.to, conversion.back
        assert same_json(made, (act if is_map else back)(copy(value)))
        assert same_json((back if is_map else act)(made), value)


def test_usual_arguments_surely_come_back() -> None:
    older: Any = {"a": "1", "b": ""}
    newer: Any = [{"name": "a", "value": "1"}, {"value": "", "name": "b"}]
    assert same_json(VALUES.surely(older, True), newer)
    assert same_json(VALUES.surely(newer, False), older)


@pytest.mark.parametrize("value", [[], "a", 1, {"a": 1}])
def test_what_is_no_map_and_no_list(value: Any) -> None:
    """Another kind of value is a misfit."""
    assert type(value) is dict or VALUES.to(value) is MISFIT
    assert type(value) is list or VALUES.back(value) is MISFIT


def test_a_value_that_does_not_fit() -> None:
    """One makes the whole a misfit, in both directions."""
    lens = keyed(Arg, "name", each(same()), "value")
    assert lens.to({"a": ["x"], "b": "y"}) is MISFIT
    assert lens.back([{"name": "a", "value": "y"}]) is MISFIT


KEPT = [
    {"name": "z", "value": "1", "more": "m"},
    {"name": "hidden", "more": "h"},
    {"name": "b", "value": "2"},
]


@pytest.mark.parametrize(
    ("edited", "merged"),
    [
        ({"z": "1", "b": "3"}, [KEPT[0], KEPT[1], {"name": "b", "value": "3"}]),
        ({"z": "9", "b": "2"}, [{**KEPT[0], "value": "9"}, *KEPT[1:]]),
        ({"b": "2"}, KEPT[1:]),
        ({}, [KEPT[1]]),
        (
            {"z": "1", "b": "2", "c": "n", "a": "n"},
            [*KEPT, {"name": "a", "value": "n"}, {"name": "c", "value": "n"}],
        ),
        (
            {"z": "1", "b": "2", "hidden": "n"},
            [KEPT[0], {"name": "hidden", "more": "h", "value": "n"}, KEPT[2]],
        ),
        ({"z": None, "b": "2"}, [{**KEPT[0], "value": None}, *KEPT[1:]]),
    ],
)
def test_an_edited_map(edited: Any, merged: Any) -> None:
    """Elements keep their order, and what the map does not show of them."""
    assert cross(VALUES, edited, {"v2": {"a": KEPT}}) == (merged, {})


def test_an_edited_map_of_wrapped_values() -> None:
    """An edited value is merged by its own conversion."""
    kept = [{"name": "a", "value": ["x", "y"], "more": "m"}]
    found, _ = cross(WRAPPED, {"a": "z"}, {"v2": {"a": kept}})
    assert found == [{"name": "a", "value": ["z", "y"], "more": "m"}]


def test_a_map_written_over_a_misfit() -> None:
    """What was never shown does not come back beside what was written."""
    kept = [{"name": "a", "value": "1", "more": "m"}, {"name": "a"}]
    assert cross(VALUES, {"a": "2"}, {"v2": {"a": kept}})[0] == [{"name": "a", "value": "2"}]


def test_an_edited_list() -> None:
    """Values of the kept map that the list shows as before are as they were."""
    kept = {"a": "true", "b": "on"}
    newer, bag = cross(RENAMED, kept)
    assert bag == {"v1": {"a": kept}}
    newer = [*newer, {"name": "c", "value": "no"}]
    assert cross(RENAMED, newer, bag, to=False)[0] == {**kept, "c": "no"}
    newer[0]["value"] = "no"
    assert cross(RENAMED, newer, bag, to=False)[0] == {"a": "no", "b": "on", "c": "no"}


def test_a_list_that_is_the_older_side() -> None:
    """It is the same, turned round."""
    found, bag = cross(ALL, KEPT)
    assert (found, bag) == ({"z": "1", "b": "2"}, {"v1": {"a": KEPT}})
    assert cross(ALL, found, bag, to=False) == (KEPT, {})


CONFIG = config_of(
    "Box",
    "v1 v2 v3",
    group="boxes.example.com",
    more="between: {v2 -> v3: {BoxSpec: {rows: {keyed: key/value}}}}",
)
OF_BOTH, OF_FIRST = "{shown: string}", "{shown: string, late: string}"
LIST = f"[{{key: string, more: string, value: {OF_FIRST}}}]"


def rows_of(items: str) -> str:
    """Return the text of a schema with rows, which are lists of these."""
    return schema_text(f"{{metadata: object, spec: {{rows: [{items}]}}}}")


def maps_of(value: str) -> str:
    """Return the text of a schema with rows of maps."""
    return rows_of(f'{{"*": {value}}}')


FILES = {"v1.yaml": maps_of(OF_FIRST), "v2.yaml": maps_of(OF_BOTH), "v3.yaml": rows_of(LIST)}


def row(*keys: str) -> list[Any]:
    """Return elements of a list of which a map shows a part."""
    values = [{"shown": f"s-{key}", "late": f"l-{key}"} for key in keys]
    pairs = zip(reversed(keys), reversed(values), strict=True)
    return [{"key": key, "value": value, "more": f"m-{key}"} for key, value in pairs]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A list of maps that are lists with keys in v3; v2 does not show all of their values."""
    return scheme_of(build_project(tmp_path_factory.mktemp("boxes"), CONFIG, FILES))


@pytest.mark.parametrize("between", [[], ["v2"]])
def test_a_list_of_maps_keeps_what_they_hide_when_another_is_inserted(
    boxes: Scheme, between: list[str]
) -> None:
    """What v2 does not show of a value waits under the version that the object came from."""
    rows = [row("a", "b"), row("c", "d")]
    given = {"apiVersion": "boxes.example.com/v3", "kind": "Box", "spec": {"rows": rows}}
    there: Any = boxes.convert(given, to="v1")
    there["spec"]["rows"].insert(0, {"new": {"late": "n"}})
    for version in between:
        there = boxes.convert(there, to=version)
    report: Report = []
    back: Any = boxes.convert(there, to="v3", report=report)
    assert back["spec"]["rows"] == [[{"key": "new", "value": {"late": "n"}}], *rows]
    assert report == []
    assert "metadata" not in back


def test_a_list_of_maps_keeps_what_they_hide_when_a_server_fills_in_defaults(
    tmp_path: Path,
) -> None:
    """A default says nothing of which element it is in: the client only turned the list around."""
    of_older = "{shown: string, mode: {$: string, $default: rw}}"
    lines = [line for line in CONFIG.splitlines() if "v3.yaml" not in line]
    config = "\n".join(lines).replace("v2, v3]", "v2]").replace("v2 -> v3", "v1 -> v2")
    files = {"v1.yaml": maps_of(of_older), "v2.yaml": rows_of(LIST)}
    scheme = scheme_of(build_project(tmp_path, config, files))
    rows = [row("a", "b"), row("c")]
    given = {"apiVersion": "boxes.example.com/v2", "kind": "Box", "spec": {"rows": rows}}
    there: Any = scheme.convert(given, to="v1")
    for value in [value for shown in there["spec"]["rows"] for value in shown.values()]:
        value["mode"] = "rw"
    there["spec"]["rows"].reverse()
    back: Any = scheme.convert(there, to="v2")
    assert back["spec"]["rows"] == rows[::-1]
    assert scheme.convert(back, to="v1")["spec"] == there["spec"]


def test_a_list_that_was_not_shown_gives_nothing_back() -> None:
    """A row has a key twice, so the whole list was hidden: what is set later has its own order."""
    one, two = {"name": "b", "value": "2", "more": "m"}, {"name": "a", "value": "1"}
    kept = [[one, two], [two, two]]
    rows = each(VALUES)
    older, bag = cross(rows, kept, to=False)
    assert (older, bag) == (None, {"v2": {"a": kept}})
    fresh, rest = cross(rows, [{"b": "2", "a": "1"}], bag)
    assert fresh == [[two, {"name": "b", "value": "2"}]]
    assert rest == {}


@pytest.mark.parametrize(
    ("live", "newer"),
    yaml.safe_load("""
- [{"": "", a: "2"}, [{name: a, value: "1"}, null, {name: a, value: "2"}]]
- [{"": "", a: "3", b: "4"},
  [{name: a, value: "1"}, null, {name: a, value: "3"}, {name: b, value: "4"}]]
- [{"": x}, [{value: x}]]
- [{a: "2"}, [{name: a, value: "1"}, {name: a, value: "2"}]]
"""),
)
def test_an_edit_of_what_a_lenient_list_shows(live: Any, newer: Any) -> None:
    """Earlier elements of a key stay as long as the key does, and so does how blanks are said."""
    kept = [{"name": "a", "value": "1"}, None, {"name": "a", "value": "2"}]
    _, bag = cross(LENIENT, kept, to=False)
    found, _ = cross(LENIENT, live, bag)
    assert same_json(found, newer)


def test_a_null_in_the_map_of_a_lenient_list_is_blank_there_and_returns() -> None:
    """Its elements have texts."""
    found, bag = cross(LENIENT, {"a": None})
    assert found == [{"name": "a", "value": ""}]
    assert cross(LENIENT, found, bag, to=False)[0] == {"a": None}
