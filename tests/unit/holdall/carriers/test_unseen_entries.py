"""Entries of which their object shows nothing, read under another plan: used, kept, or reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.envelope import Cargo, Envelope
from holdall.carriers.text import decode_annotation
from holdall.scheme.scheme import Scheme
from tests.support.notation import expanded
from tests.support.objects import resource
from tests.support.projects import build_project, scheme_of
from tests.support.schema_states import State

Spec = dict[str, Any]


def scheme(root: Path, between: str = "", /, **versions: Any) -> Scheme:
    """Return the scheme of versions whose properties are in short notation."""
    named = {version: expanded(each)["properties"] for version, each in versions.items()}
    state = State(named, between)
    return scheme_of(build_project(root, state.config(), state.files()))


def order(version: str, **spec: Any) -> Spec:
    return resource(f"shop.example.com/{version}", "Order", "a", spec=spec)


def converted(today: Scheme, document: Any, to: str) -> tuple[Any, list[str]]:
    """Return the converted document, and what is reported."""
    report: list[Any] = []
    found = today.convert(document, to=to, tolerant=True, report=report)
    return found, [*map(str, report)]


def envelope(document: Any) -> Any:
    return decode_annotation(document["metadata"]["annotations"][SPEC_ANNOTATION])


EMPTY: Mapping[str, Any] = {"p": "string"}
TEXT, NUMBER, EITHER = ({"p": "string", "a": kind} for kind in ("string", "integer", "port"))
LIST = {"p": "string", "a": ["string"]}
THING = {"p": "string", "a": {"name": "string", "note": "string"}}
ASIDE = "its type cannot hold it, and"


def test_an_envelope_says_what_is_shown_in_part_and_what_is_not_shown(tmp_path: Path) -> None:
    today = scheme(
        tmp_path,
        "v1 -> v2: {'*': {b: {wrap: true}}}",
        v1={"a": "integer", "b": "string"},
        v2={"a": "port", "b": ["string"]},
    )
    there, report = converted(today, order("v2", a="text", b=["x", "y"]), "v1")
    assert (there["spec"], report) == ({"b": "x"}, [])
    assert envelope(there)["residues"] == {"/spec": {"v2": ["b"]}}
    assert envelope(there)["unseen"] == {"/spec": {"v2": ["a"]}}


def test_a_kept_value_with_a_bag_says_it_too(tmp_path: Path) -> None:
    """A member that a client has deleted there was shown."""
    items = {
        name: {**EMPTY, "m": [{"id": "string", "t": kind}]}
        for name, kind in (("v2", "integer"), ("v3", "port"))
    }
    today = scheme(tmp_path, v1=EMPTY, **items)
    given = order("v3", m=[{"id": "one", "t": "text"}, {"id": "two", "t": 2}])
    there: Any = today.convert(given, to="v1")
    assert envelope(there)["unseen"] == {"/spec/$propertyBag/v2/m/0": {"v3": ["t"]}}
    assert "residues" not in envelope(there)


def test_where_there_is_no_room_for_an_entry_it_is_not_noted_either() -> None:
    bag: Any = {"v2": {"a": 1, "b": 2}}
    cargo = Cargo({"/spec": bag}, unseen={"/spec": {"v2": ["a", "b"]}})
    contents = Envelope("annotation", "g", "K").contents("v1", cargo)
    kept = contents.keeping([("/spec", "v2", "b")], [*bag["v2"]])
    assert kept.cargo.unseen == {"/spec": {"v2": ["b"]}}


def test_what_nobody_saw_is_not_dropped_for_another_value(tmp_path: Path) -> None:
    """What v1 has was a misfit of v2, and v3 had a property of its own of that name."""
    apart = "v2 -> v3: {'*': {a: not_same}}"
    yesterday = scheme(tmp_path / "old", apart, v1=EITHER, v2=TEXT, v3=TEXT)
    stored: Any = yesterday.convert(order("v1", a=1), to="v3")
    stored["spec"]["a"] = "text"
    today = scheme(
        tmp_path / "new",
        f"v1 -> v2: {{'*': {{a: not_same}}}}\n      {apart}",
        v1=EITHER,
        v2=TEXT,
        v3=TEXT,
    )
    found, report = converted(today, stored, "v2")
    assert found["spec"] == {}
    assert report == [f"/spec: v1/a is kept, but not used: {ASIDE} v3 has another value"]
    back: Any = yesterday.convert(found, to="v1")
    assert back["spec"] == {"a": 1}


def test_what_nobody_saw_is_used_where_its_type_accepts_it_by_now(tmp_path: Path) -> None:
    yesterday = scheme(tmp_path / "old", v1=EITHER, v2=NUMBER)
    stored = yesterday.convert(order("v1", a="text"), to="v2")
    today = scheme(tmp_path / "new", v1=EITHER, v2=TEXT, v3=TEXT)
    for to in ("v1", "v3"):
        found, report = converted(today, stored, to)
        assert (found["spec"], report) == ({"a": "text"}, []), to


def test_what_nobody_saw_is_not_an_undeclared_member_if_its_version_loses_it(
    tmp_path: Path,
) -> None:
    """The other version still has a property of the name."""
    yesterday = scheme(tmp_path / "old", v1=EITHER, v2=NUMBER)
    stored = yesterday.convert(order("v1", a="text"), to="v2")
    found, report = converted(scheme(tmp_path / "new", v1=EMPTY, v2=NUMBER), stored, "v1")
    assert (found["spec"], report) == ({}, [])
    assert yesterday.convert(yesterday.convert(found, to="v2"), to="v1")["spec"] == {"a": "text"}


def test_what_nobody_saw_is_merged_as_under_its_own_plan(tmp_path: Path) -> None:
    by_name = "v1 -> v2: {'*': {a: {reference: name}}}"
    yesterday = scheme(tmp_path / "old", by_name, v1=THING, v2=TEXT)
    stored: Any = yesterday.convert(order("v1", a={"note": "hidden"}), to="v2")
    stored["spec"]["a"] = "mine"
    today = scheme(tmp_path / "new", by_name, v1=THING, v2={**TEXT, "b": "string"})
    found, report = converted(today, stored, "v1")
    assert (found["spec"], report) == ({"a": {"note": "hidden", "name": "mine"}}, [])


def test_a_residue_is_compared_with_what_the_entry_that_showed_it_gives(tmp_path: Path) -> None:
    wrap = "v1 -> v2: {'*': {a: {wrap: true}}}"
    yesterday = scheme(tmp_path / "old", wrap, v1=LIST, v2=EITHER, v3=NUMBER)
    stored = yesterday.convert(order("v1", a=["x", "y"]), to="v3")
    today = scheme(tmp_path / "new", wrap, v1=LIST, v2=EITHER, v3=TEXT)
    found, report = converted(today, stored, "v2")
    assert (found["spec"], report) == ({"a": "x"}, [])
    assert today.convert(found, to="v1")["spec"] == {"a": ["x", "y"]}


@pytest.mark.parametrize("live", ["text", None])
def test_a_value_at_the_other_end_of_a_gap(tmp_path: Path, live: str | None) -> None:
    """The two were apart, and are linked by now: of v3's, v1 can show nothing."""
    apart = "v1 -> v3: {'*': {a: not_same}}"
    yesterday = scheme(tmp_path / "old", apart, v1=TEXT, v2=EMPTY, v3=EITHER)
    stored: Any = yesterday.convert(order("v3", a=1), to="v1")
    stored["spec"]["a"] = "text"
    if live is None:
        stored = yesterday.convert(stored, to="v2")
    today = scheme(tmp_path / "new", v1=TEXT, v2=EMPTY, v3=EITHER)
    found, report = converted(today, stored, "v2" if live else "v3")
    assert found["spec"] == ({} if live else {"a": "text"})
    assert report == [f"/spec: v3/a is kept, but not used: {ASIDE} v1 has another value"]
    for to in ("v1", "v3"):
        again, report = converted(today, found, to)
        assert (again["spec"], report) == ({"a": "text"}, []), to
    if live is None:
        return  # v3 shows what v1 had
    parted: Any = yesterday.convert(found, to="v1")
    assert yesterday.convert(parted, to="v3")["spec"] == {"a": 1}


def test_a_value_that_a_version_on_the_way_has_kept(tmp_path: Path) -> None:
    """Of two entries for one place, the nearer one counts."""
    yesterday = scheme(tmp_path / "old", v1=THING, v2={**EMPTY, "b": "integer"}, v3=EMPTY)
    first: Any = yesterday.convert(order("v2", b=2), to="v1")
    first["spec"]["a"] = {"note": "hidden"}
    stored = yesterday.convert(first, to="v3")
    renamed = "v1 -> v2: {'*': {a: b}}"
    today = scheme(tmp_path / "new", renamed, v1=EITHER, v2={**EMPTY, "b": "integer"}, v3=EMPTY)
    found, report = converted(today, stored, "v1")
    assert found["spec"] == {"a": 2}
    assert report == [f"/spec: v1/a is kept, but not used: {ASIDE} v2 has another value"]


def test_what_its_own_version_cannot_hold_any_more_is_not_taken_for_deleted(tmp_path: Path) -> None:
    """It was stashed; by now the other end of the gap has a partner, which shows nothing of it."""
    yesterday = scheme(tmp_path / "old", v1=NUMBER, v2=EMPTY, v3=EMPTY)
    stored = yesterday.convert(order("v1", a=1), to="v3")
    today = scheme(tmp_path / "new", v1=LIST, v2=EMPTY, v3=LIST)
    there, report = converted(today, stored, "v2")
    assert (there["spec"], report) == ({}, [])
    there, report = converted(today, there, "v1")
    assert report == ["/spec: v1/a is kept, but not used: expected list, found integer"]
    again, report = converted(yesterday, there, "v3")
    assert report == []
    assert yesterday.convert(again, to="v1")["spec"] == {"a": 1}


def test_what_waited_for_a_version_is_tried_under_each_plan(tmp_path: Path) -> None:
    """v2 had another type meanwhile, and by now v1 has the value under another name."""
    yesterday = scheme(tmp_path / "old", v1=EMPTY, v2=NUMBER)
    stored: Any = yesterday.convert(order("v2", a=1), to="v1")
    between = scheme(tmp_path / "between", v1=EMPTY, v2=THING)
    found, report = converted(between, stored, "v2")
    assert report == ["/spec: v2/a is kept, but not used: expected object, found integer"]
    today = scheme(
        tmp_path / "new", "v1 -> v2: {'*': {b: a}}", v1={**EMPTY, "b": "integer"}, v2=NUMBER
    )
    there, report = converted(today, found, "v1")
    assert (there["spec"], report) == ({"b": 1}, [])
    assert today.convert(there, to="v2")["spec"] == {"a": 1}


def test_a_member_of_a_kept_object_that_the_live_one_cannot_hold(tmp_path: Path) -> None:
    """The objects were apart: by now they are one, and what fits goes into the live one."""
    older = {"p": "string", "a": {"x": "string"}}
    newer = {"p": "string", "a": {"x": "port", "y": "string"}}
    yesterday = scheme(tmp_path / "old", "v1 -> v2: {'*': {a: not_same}}", v1=older, v2=newer)
    stored: Any = yesterday.convert(order("v2", a={"x": 1, "y": "why"}), to="v1")
    stored["spec"]["a"] = {"x": "text"}
    today = scheme(tmp_path / "new", v1=older, v2=newer)
    found, report = converted(today, stored, "v2")
    assert found["spec"] == {"a": {"x": "text", "y": "why"}}
    assert report == [f"/spec/a: v2/x is kept, but not used: {ASIDE} v1 has another value"]
    del stored["spec"]["a"]["x"]
    found, report = converted(today, stored, "v2")
    assert (found["spec"], report) == ({"a": {"x": 1, "y": "why"}}, [])
