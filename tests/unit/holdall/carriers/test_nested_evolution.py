"""Bags within stashed values, and entries of properties that are no more, under today's plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.envelope import Cargo, Envelope
from holdall.carriers.text import decode_annotation
from holdall.scheme.scheme import Scheme
from tests.support.objects import resource
from tests.support.projects import build_project, scheme_of
from tests.support.schema_states import STRING, Properties, State, box, items

Hold = Callable[[Any], Any]

SCHEMAS: dict[str, Hold] = {
    "object": lambda item: item,
    "list": lambda item: {"type": "array", "items": item},
    "map": lambda item: {"type": "object", "additionalProperties": item},
    "map of lists of objects": lambda item: {
        "type": "object",
        "additionalProperties": {"type": "array", "items": box(id=STRING, deep=item)},
    },
}
VALUES: dict[str, Hold] = {
    "object": lambda item: item,
    "list": lambda item: [item, None, item],
    "map": lambda item: {"k": item, "n": None},
    "map of lists of objects": lambda item: {"k": [{"id": "one", "deep": item}]},
}

OLD: Properties = {"p": STRING}
BARE: Properties = {**OLD, "m": items({"id": STRING})}
WHOLE: Properties = {**OLD, "m": items({"id": STRING, "t": STRING})}


def scheme(root: Path, between: str = "", /, **versions: Properties) -> Scheme:
    state = State(versions, between)
    return scheme_of(build_project(root, state.config(), state.files()))


def order(version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"shop.example.com/{version}", "Order", "a", spec=spec)


def converted(today: Scheme, document: Any, to: str) -> tuple[Any, list[Any]]:
    report: list[Any] = []
    return today.convert(document, to=to, report=report)["spec"], report


def bags(document: Any) -> Any:
    annotations = document["metadata"].get("annotations", {})
    text = annotations.get(SPEC_ANNOTATION)
    found: Any = {} if text is None else decode_annotation(text)
    return found.get("bags", {})


@pytest.mark.parametrize("shape", SCHEMAS)
def test_a_bag_within_a_stashed_value_is_read_by_the_rules_of_its_time(
    tmp_path: Path, shape: str
) -> None:
    hold, held = SCHEMAS[shape], VALUES[shape]
    bare: Properties = {**OLD, "m": hold(box(id=STRING))}
    whole: Properties = {**OLD, "m": hold(box(id=STRING, t=STRING))}
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=bare, v3=whole)
    full = {"m": held({"id": "c", "t": "T"})}
    stored = yesterday.convert(order("v3", **full), to="v1")
    assert stored["spec"] == {}

    between = scheme(tmp_path / "between", v1=OLD, v2=bare, v2b=whole, v3=whole)
    for to in ("v2b", "v3"):
        assert converted(between, stored, to) == (full, []), to
    assert converted(between, stored, "v2") == ({"m": held({"id": "c"})}, [])
    gained = scheme(tmp_path / "gained", v1=OLD, v2=whole, v3=whole)
    for to in ("v2", "v3"):
        assert converted(gained, stored, to) == (full, []), to


def test_a_version_below_gains_a_property_under_another_name(tmp_path: Path) -> None:
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=BARE, v3=WHOLE)
    full = {"m": [{"id": "c", "t": "T"}]}
    stored = yesterday.convert(order("v3", **full), to="v1")
    renamed = {**OLD, "m": items({"id": STRING, "u": STRING})}
    today = scheme(tmp_path / "new", "v2 -> v3: {'*': {u: t}}", v1=OLD, v2=renamed, v3=WHOLE)
    assert converted(today, stored, "v2") == ({"m": [{"id": "c", "u": "T"}]}, [])
    assert converted(today, stored, "v3") == (full, [])


def test_stashed_values_within_stashed_values(tmp_path: Path) -> None:
    """Each bag is read at the version whose shape its object has."""

    def m(**more: Any) -> Properties:
        return {**OLD, "m": items({"id": STRING, **more})}

    inner, full = box(a=STRING), box(a=STRING, b=STRING)
    states: dict[str, Properties] = {"v1": OLD, "v2": m(), "v3": m(n=inner), "v4": m(n=full)}
    yesterday = scheme(tmp_path / "old", **states)
    spec = {"m": [{"id": "c", "n": {"a": "A", "b": "B"}}]}
    stored = yesterday.convert(order("v4", **spec), to="v1")
    assert bags(stored)["/spec"]["v2"]["m"] == [
        {
            "id": "c",
            "$propertyBag": {"v3": {"n": {"a": "A", "$propertyBag": {"v4": {"b": "B"}}}}},
        }
    ]
    between = {"v1": OLD, "v2": m(), "v3": m(n=inner), "v3b": m(n=full), "v4": m(n=full)}
    today = scheme(tmp_path / "new", **between)
    for to in ("v3b", "v4"):
        assert converted(today, stored, to) == (spec, []), to


def test_what_a_stashed_value_says_itself_wins_and_the_entry_is_reported(tmp_path: Path) -> None:
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=BARE, v3=WHOLE)
    at_v2: Any = yesterday.convert(order("v3", m=[{"id": "c", "t": "T"}]), to="v2")
    at_v2["spec"]["m"][0]["t"] = "live"  # which v2 does not declare yet
    stored = yesterday.convert(at_v2, to="v1")
    today = scheme(tmp_path / "new", v1=OLD, v2=WHOLE, v3=WHOLE)
    spec, report = converted(today, stored, "v2")
    assert spec == {"m": [{"id": "c", "t": "live"}]}
    assert [str(item) for item in report] == [
        "/spec/$propertyBag/v2/m/0: v3/t is dropped: v2 has it now, with another value"
    ]


def test_a_stashed_value_gains_a_property_with_a_loss(tmp_path: Path) -> None:
    """What was kept beside a shown value is told apart from what was put away."""
    wrap = "v2 -> v3: {'*': {t: {wrap: true}}}"
    lists = {**OLD, "m": items({"id": STRING, "t": {"type": "array", "items": STRING}})}
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=BARE, v3=lists)
    full = {"m": [{"id": "c", "t": ["a", "b"]}]}
    stored = yesterday.convert(order("v3", **full), to="v1")
    today = scheme(tmp_path / "new", wrap, v1=OLD, v2=WHOLE, v3=lists)
    assert converted(today, stored, "v2")[0] == {"m": [{"id": "c", "t": "a"}]}
    assert converted(today, stored, "v3") == (full, [])

    later = scheme(tmp_path / "later", wrap, v1={**OLD, "q": STRING}, v2=WHOLE, v3=lists)
    shown: Any = today.convert(stored, to="v2")
    assert converted(later, today.convert(shown, to="v1"), "v3") == (full, [])
    del shown["spec"]["m"][0]["t"]
    deleted = today.convert(shown, to="v1")
    assert converted(later, deleted, "v3")[0] == {"m": [{"id": "c"}]}


@pytest.mark.parametrize("damage", [5, [], {"v3": 5}])
def test_a_damaged_bag_within_a_stashed_value_stays_as_it_is(tmp_path: Path, damage: Any) -> None:
    yesterday = scheme(tmp_path / "old", v0=OLD, v1=OLD, v2=BARE, v3=WHOLE)
    stored: Any = yesterday.convert(order("v3", m=[{"id": "c", "t": "T"}]), to="v1")
    envelope: Any = decode_annotation(stored["metadata"]["annotations"][SPEC_ANNOTATION])
    damaged: Any = [{"id": "c", "$propertyBag": damage}]
    envelope["bags"]["/spec"]["v2"]["m"] = damaged
    stored["metadata"]["annotations"][SPEC_ANNOTATION] = json.dumps(envelope)
    today = scheme(tmp_path / "new", v0=OLD, v1=OLD, v2=WHOLE, v3=WHOLE)
    for project in (yesterday, today):
        assert bags(project.convert(stored, to="v0"))["/spec"] == {"v2": {"m": damaged}}


# --- the version that an entry came from loses the property -------------------------------------

GONE = {"id": "c", "$propertyBag": {"v3": {"t": "T"}}}


@pytest.fixture
def without_m(tmp_path: Path) -> tuple[Scheme, Any]:
    """Today's scheme, in which v2 has no `m`, and what was stored at v1 with `v2/m` in its bag."""
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=BARE, v3=WHOLE)
    stored = yesterday.convert(order("v3", m=[{"id": "c", "t": "T"}]), to="v1")
    return scheme(tmp_path / "new", v1=OLD, v2=OLD, v3=WHOLE), stored


def test_an_entry_of_a_property_that_is_no_more_stays_in_the_bag(
    without_m: tuple[Scheme, Any],
) -> None:
    today, found = without_m
    for to in ("v3", "v2", "v3", "v1", "v2"):
        found, report = today.convert(found, to=to), list[Any]()
        assert (found["spec"], report) == ({}, []), to
        assert bags(found)["/spec"]["v2"]["m"] == [GONE]


def test_another_value_of_the_same_name_passes_it_by(without_m: tuple[Scheme, Any]) -> None:
    today, stored = without_m
    there: Any = today.convert(stored, to="v3")
    there["spec"]["m"] = [{"id": "new", "t": "U"}]
    below: Any = today.convert(there, to="v2")
    assert below["spec"] == {}
    back: Any = today.convert(below, to="v3")
    assert back["spec"] == there["spec"]
    assert bags(back)["/spec"]["v2"]["m"] == [GONE]


@pytest.mark.parametrize("at", ["v1", "v2", "v3"])
def test_it_is_given_back_if_the_property_returns(
    tmp_path: Path, without_m: tuple[Scheme, Any], at: str
) -> None:
    today, stored = without_m
    held: Any = today.convert(today.convert(stored, to="v3"), to="v2")
    held = today.convert(held, to=at) if at != "v2" else held
    again = scheme(tmp_path / "again", v1=OLD, v2=BARE, v3=WHOLE)
    others = {"v1", "v2", "v3"} - {at}
    full, bare = {"m": [{"id": "c", "t": "T"}]}, {"m": [{"id": "c"}]}
    for to in others:
        assert converted(again, held, to) == ({"v1": {}, "v2": bare, "v3": full}[to], []), to


@pytest.mark.parametrize("at", ["v1", "v2", "v3"])
def test_what_was_written_meanwhile_wins_if_the_property_returns(
    tmp_path: Path, without_m: tuple[Scheme, Any], at: str
) -> None:
    today, stored = without_m
    held: Any = today.convert(stored, to="v3")
    held["spec"]["m"] = new = [{"id": "new"}]
    held = today.convert(held, to="v2")
    held = today.convert(held, to=at) if at != "v2" else held
    again = scheme(tmp_path / "again", v1=OLD, v2=BARE, v3=WHOLE)
    for to in {"v1", "v2", "v3"} - {at}:
        spec, report = converted(again, held, to)
        assert spec == ({} if to == "v1" else {"m": new})
        assert [(item.origin, item.key) for item in report] == [("v2", "m")], to


def test_what_was_kept_beside_a_shown_value_stays_too(tmp_path: Path) -> None:
    """It is no member of its version any more, although the other one still has the name."""
    wrap = "v1 -> v2: {'*': {t: {wrap: true}}}"
    lists: Properties = {**OLD, "t": {"type": "array", "items": STRING}}
    text: Properties = {**OLD, "t": STRING}
    yesterday = scheme(tmp_path / "old", wrap, v1=text, v2=lists)
    stored = yesterday.convert(order("v2", t=["a", "b"]), to="v1")
    today = scheme(tmp_path / "new", v1=text, v2=OLD)
    there: Any = today.convert(stored, to="v2")
    assert there["spec"] == {}
    assert bags(there)["/spec"]["v2"]["t"] == ["a", "b"]
    assert today.convert(there, to="v1")["spec"] == {"t": "a"}


def test_an_undeclared_member_returns_after_a_change_of_the_schema(tmp_path: Path) -> None:
    """It was never a property of its version, so it is none that was lost."""
    yesterday = scheme(tmp_path / "old", v1=OLD, v2=WHOLE)
    document = order("v1", m="mine")
    stored = yesterday.convert(document, to="v2")
    today = scheme(tmp_path / "new", v1={**OLD, "q": STRING}, v2=WHOLE)
    assert today.convert(stored, to="v1") == document
    # It takes the place of an entry under its name.
    there = scheme(tmp_path / "full", v0=OLD, v1=WHOLE, v2=WHOLE).convert(
        order("v2", m=[{"id": "c"}]), to="v0"
    )
    lost = scheme(tmp_path / "lost", v0=OLD, v1=OLD, v2=WHOLE)
    held: Any = lost.convert(lost.convert(there, to="v2"), to="v1")
    held["spec"]["m"] = "mine"
    assert lost.convert(lost.convert(held, to="v2"), to="v1")["spec"] == {"m": "mine"}


def test_residues_within_waiting_values_are_kept_with_them() -> None:
    """Where the carrier has no room for an entry, what it says of the bags within goes as well."""
    value: Any = [{"$propertyBag": {"v3": {"t": 1}}}]
    bag: Any = {"v2": {"m": value, "mm": value}}
    residues = {f"/spec/$propertyBag/v2/{name}/0": {"v3": ["t"]} for name in ("m", "mm")}
    contents = Envelope("annotation", "g", "K").contents("v1", Cargo({"/spec": bag}, {}, residues))
    entries = [("/spec", "v2", "m"), ("/spec", "v2", "mm")]
    assert contents.keeping(entries, entries).cargo == contents.cargo
    kept = contents.keeping(entries[:1], entries).cargo
    assert kept.residues == {"/spec/$propertyBag/v2/m/0": {"v3": ["t"]}}


def test_a_kept_value_keeps_what_its_version_has_no_longer(tmp_path: Path) -> None:
    """As an undeclared member an API server would prune it at the next write."""
    wrap = "v1 -> v2: {'*': {m: {wrap: true}}}"
    whole, less = box(id=STRING, t=STRING), box(id=STRING)

    def versions(element: Any) -> dict[str, Properties]:
        return {"v1": {**OLD, "m": whole}, "v2": {**OLD, "m": {"type": "array", "items": element}}}

    yesterday = scheme(tmp_path / "old", wrap, **versions(whole))
    document = order("v2", m=[{"id": "a", "t": "A"}, {"id": "b", "t": "B"}])
    stored = yesterday.convert(document, to="v1")
    today = scheme(tmp_path / "new", wrap, **versions(less))
    there: Any = today.convert(stored, to="v2")
    assert there["spec"] == {"m": [{"id": "a"}, {"id": "b"}]}
    assert bags(there)['/spec/m/[1:id="b"]'] == {"v2": {"t": "B", "$gone": ["t"]}}
    back: Any = today.convert(there, to="v1")
    assert back["spec"] == {"m": {"id": "a", "t": "A"}}
    assert yesterday.convert(back, to="v2")["spec"] == document["spec"]
