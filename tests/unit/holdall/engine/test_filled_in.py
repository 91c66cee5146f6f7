"""What an API server fills in where a version shows nothing is no edit: what is hidden stays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from holdall.scheme.scheme import Scheme
from tests.support.projects import build_project, group_of, scheme_of, with_spec

Spec = Mapping[str, Any]
HOOK = """
from {generated}.things.v1.storage import AssignableThingSpec
from holdall import Composed, Members, RefusedError, TwoWay


class Mode(TwoWay):
    older = newer = ("mode",)

    def to_newer(self, older: Members) -> Members:
        %s

    def to_older(self, newer: Members) -> Members:
        return %s if newer.get("mode") == "secret" else newer


class Hook(Composed, AssignableThingSpec):
    parts = (Mode(),)
"""


class Hidden(NamedTuple):
    """A spec of v2 of which v1 shows nothing in the member for which it has a default."""

    v1: str
    v2: str
    spec: Spec
    filled: Any
    edited: Any
    becomes: Spec
    fact: str = "{}"
    hook: str = ""
    shown: Any = None


MODES = ("mode: {type: string, default: rw}", "mode: {type: string}", {"mode": "secret"}, "rw")
_CASES = """
a number that is no integer: ["it: {type: integer, default: 6}", "it: {type: number}",
  {it: 1.5}, 6, 7, {it: 7}]
an empty list: ["it: {type: string, default: a}", "it: {type: array, items: {type: string}}",
  {it: []}, a, b, {it: [b]}, "{it: {wrap: true}}"]
no duration: ["it: {type: integer, default: 5}", "it: {type: string}", {it: soon}, 5, 90,
  {it: 1m30s}, "{it: {duration: seconds}}"]
a zero value: ["it: {type: integer, default: 3}", "that: {type: integer}", {that: 0}, 3, 4,
  {that: 4}, "{it: {rename: that, hides_zero: older}}"]
what moves: ["it: {type: integer, default: 6}",
  "more: {type: object, properties: {it: {type: number}}}", {more: {it: 1.5}}, 6, 7,
  {more: {it: 7}}, "{it: {move: more/it}}"]
what moves into an object with a default: [
  "more: {type: object, default: {it: 6}, properties: {it: {type: integer}}}",
  "it: {type: number}", {it: 1.5}, {it: 6}, {it: 7}, {it: 7}, "{more/it: {move: it}}"]
an object with a default of its own: [
  "it: {type: object, default: {}, properties: {a: {type: string, default: b}}}",
  "it: {type: array, items: {type: object, properties: {a: {type: string}}}}", {it: []}, {a: b},
  {a: c}, {it: [{a: c}]}, "{it: {wrap: true}}"]
"""
CASES = {
    **{name: Hidden(*row) for name, row in yaml.safe_load(_CASES).items()},
    "what a hook leaves out": Hidden(
        *MODES, "ro", {"mode": "ro"}, hook=HOOK % ("return older", "{}")
    ),
    "what a hook makes null": Hidden(
        *MODES, "ro", {"mode": "ro"}, hook=HOOK % ("return older", '{"mode": None}')
    ),
    "what a hook refuses": Hidden(
        *MODES,
        "ro",
        {"mode": "ro"},
        hook=HOOK
        % (
            'if older.get("mode") == "rw":\n            raise RefusedError("no")\n'
            "        return older",
            "{}",
        ),
    ),
    "what a hook leaves out of an object": Hidden(
        "mode: {type: object, properties: {it: {type: string, default: rw}}}",
        "mode: {type: object, properties: {it: {type: string}}}",
        {"mode": {"it": "secret"}},
        {"it": "rw"},
        {"it": "ro"},
        {"mode": {"it": "ro"}},
        hook=HOOK.replace('"secret"', '{"it": "secret"}') % ("return older", '{"mode": {}}'),
        shown={},
    ),
}


def scheme(root: Path, *specs: str, fact: str = "{}", at: int = 1, hook: str = "") -> Scheme:
    """Return the scheme of a kind whose spec has these members, version by version.

    The fact is about the edge that leaves the version with the number `at`.
    """
    names = [f"v{at}" for at, _ in enumerate(specs, 1)]
    between = {f"v{at} -> v{at + 1}": {"ThingSpec": yaml.safe_load(fact)}}
    schemas = {
        name: with_spec({"type": "object", "properties": yaml.safe_load(f"{{{members}}}")})
        for name, members in zip(names, specs, strict=True)
    }
    group = group_of(schemas, hook=hook, between=None if fact == "{}" else between)
    return scheme_of(build_project(root, *group))


def thing(version: str, spec: Spec) -> Any:
    kind = {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": {"name": "t"}}
    return {**kind, "spec": deepcopy(spec)}


@pytest.mark.parametrize("name", CASES)
def test_a_default_does_not_replace_what_is_hidden(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    member = case.v1.partition(":")[0]
    converts = scheme(tmp_path, case.v1, case.v2, fact=case.fact, hook=case.hook)
    older = converts.convert(thing("v2", case.spec), to="v1")
    assert older["spec"].get(member) == case.shown
    served = deepcopy(older)
    served["spec"][member] = case.filled
    for _ in range(2):  # and again: what was filled in comes back as well
        newer = converts.convert(served, to="v2")
        assert newer["spec"] == case.spec
        served = converts.convert(newer, to="v1")
        assert served["spec"] == {member: case.filled}
    served["spec"][member] = case.edited
    assert converts.convert(served, to="v2")["spec"] == case.becomes


@pytest.mark.parametrize("name", CASES)
def test_what_was_hidden_takes_the_default_with_it(name: str, tmp_path: Path) -> None:
    """Who deletes it leaves nothing to be shown where a server filled something in."""
    case = CASES[name]
    member = case.v1.partition(":")[0]
    converts = scheme(tmp_path, case.v1, case.v2, fact=case.fact, hook=case.hook)
    served = deepcopy(converts.convert(thing("v2", case.spec), to="v1"))
    served["spec"][member] = case.filled
    newer = deepcopy(converts.convert(served, to="v2"))
    newer["spec"] = {}
    # Something may have moved out of the object.
    assert converts.convert(newer, to="v1")["spec"].get(member, {}) == {}


@pytest.mark.parametrize("name", [name for name in CASES if name != "what a hook refuses"])
def test_a_default_of_a_version_that_is_passed_is_an_edit(name: str, tmp_path: Path) -> None:
    """No server has seen the object there: a client wrote it, as in a document without a bag."""
    case = CASES[name]
    member = case.v1.partition(":")[0]
    plain = re.sub(r" default: (\w+|{[^}]*}),?", "", case.v1)
    hook = case.hook.replace(".v1.", ".v2.")
    converts = scheme(tmp_path, plain, case.v1, case.v2, fact=case.fact, at=2, hook=hook)
    document = deepcopy(converts.convert(thing("v3", case.spec), to="v1"))
    written = {**document, "spec": {member: case.filled}}
    fresh = converts.convert(thing("v1", written["spec"]), to="v3")["spec"]
    assert fresh != case.spec
    assert converts.convert(written, to="v3")["spec"] == fresh
    assert converts.convert(converts.convert(written, to="v2"), to="v3")["spec"] == fresh


def test_a_null_that_may_be_is_not_filled_in(tmp_path: Path) -> None:
    """Then someone wrote the default in its place."""
    hook = CASES["what a hook makes null"].hook
    older, newer, hidden, default = MODES
    converts = scheme(tmp_path, older.replace("}", ", nullable: true}"), newer, hook=hook)
    document = converts.convert(thing("v2", hidden), to="v1")
    assert document["spec"] == {"mode": None}
    document["spec"]["mode"] = default
    assert converts.convert(document, to="v2")["spec"] == {"mode": default}


@pytest.mark.parametrize("name", ["it", "was"])
def test_a_default_two_edges_away(name: str, tmp_path: Path) -> None:
    """v1 fills in what v2 has no default for; v3 hides a number there."""
    converts = scheme(
        tmp_path,
        f"{name}: {{type: integer, default: 6}}",
        "it: {type: integer}",
        "it: {type: number}",
        fact="{was: {rename: it}}" if name == "was" else "{}",
    )
    oldest = converts.convert(thing("v3", {"it": 1.5}), to="v1")
    assert oldest["spec"] == {}
    oldest["spec"][name] = 6
    between = converts.convert(oldest, to="v2")
    assert between["spec"] == {"it": 6}
    for document in (oldest, between):
        newest = converts.convert(document, to="v3")
        assert newest["spec"] == {"it": 1.5}
        assert converts.convert(newest, to="v1")["spec"] == {name: 6}
    between["spec"]["it"] = 7
    assert converts.convert(between, to="v3")["spec"] == {"it": 7}
    oldest["spec"][name] = 7
    assert converts.convert(oldest, to="v3")["spec"] == {"it": 7}


@pytest.mark.parametrize("way", [("v2",), ("v1",), ("v2", "v3", "v2"), ("v1", "v3", "v1")])
def test_a_default_over_a_gap(way: tuple[str, ...], tmp_path: Path) -> None:
    """v2 has nothing to show, v3 cannot hold the text of v1."""
    either = "it: {oneOf: [{type: string}, {type: integer}]}"
    port = "it: {type: integer, default: 80}"
    converts = scheme(tmp_path, either, "that: {type: string}", port)
    document = converts.convert(thing("v1", {"it": "http"}), to="v3")
    for version in (*way, "v3"):
        document["spec"] = {"it": 80}
        for step in (version, "v3"):
            document = deepcopy(converts.convert(document, to=step))
    assert document["spec"] == {"it": 80}
    assert converts.convert(document, to="v1")["spec"] == {"it": "http"}
    document["spec"] = {"it": 443}
    assert converts.convert(document, to="v1")["spec"] == {"it": 443}


def test_a_default_that_has_no_place_over_a_gap(tmp_path: Path) -> None:
    """The default of v1 is no number: v3 shows nothing of it, and the bag keeps it."""
    either = "it: {oneOf: [{type: string}, {type: integer}], default: http}"
    converts = scheme(tmp_path, either, "that: {type: string}", "it: {type: integer}")
    document = converts.convert(thing("v1", {"it": "http"}), to="v3")
    assert document["spec"] == {}
    assert converts.convert(document, to="v1")["spec"] == {"it": "http"}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("far", [1, 2])
def test_a_default_beyond_the_next_version(far: int, name: str, tmp_path: Path) -> None:
    """The version next to the one that hides has no default; only one beyond it has."""
    case = CASES[name]
    member = case.v1.partition(":")[0]
    plain, newest = re.sub(r" default: (\w+|{[^}]*}),?", "", case.v1), f"v{far + 2}"
    hook = case.hook.replace(".v1.", f".v{far + 1}.")
    converts = scheme(
        tmp_path, case.v1, *[plain] * far, case.v2, fact=case.fact, at=far + 1, hook=hook
    )
    served = deepcopy(converts.convert(thing(newest, case.spec), to="v1"))
    assert served["spec"].get(member) == case.shown
    served["spec"][member] = case.filled
    for version in [f"v{number}" for number in range(2, far + 2)]:
        document = deepcopy(converts.convert(served, to=version))
        assert document["spec"] == {member: case.filled}
        for _ in range(2):
            back = converts.convert(document, to=newest)
            assert back["spec"] == case.spec
            document = deepcopy(converts.convert(back, to=version))
            assert document["spec"] == {member: case.filled}
        document["spec"][member] = case.edited
        assert converts.convert(document, to=newest)["spec"] == case.becomes
        document["spec"] = {}
        assert member not in converts.convert(document, to="v1")["spec"]
        if name != "what a hook refuses":  # it cannot tell what stood where
            left = converts.convert(document, to=newest)["spec"]
            assert left in ({}, {"more": {}})
            assert converts.convert(converts.convert(document, to="v1"), to=newest)["spec"] == left
    newer = converts.convert(served, to=newest)
    assert newer["spec"] == case.spec
    assert converts.convert(newer, to="v1")["spec"] == {member: case.filled}
    served["spec"][member] = case.edited
    assert converts.convert(served, to=newest)["spec"] == case.becomes


ALWAYS = """
from holdall import Always, Composed
from {generated}.things.%s.storage import AssignableThingSpec


class Fills(Composed, AssignableThingSpec):
    parts = (Always(newer={"it": "f"}),)
"""


@pytest.mark.parametrize("far", [0, 1])
def test_a_default_beyond_the_edge_on_which_a_hook_fills_in(far: int, tmp_path: Path) -> None:
    """What the hook fills in on the way to v2 is not there where v2 showed nothing."""
    text, newest = "it: {type: string}", f"v{far + 3}"
    many = "it: {type: array, items: {type: string}}"
    specs = ["it: {type: string, default: d}", text, *[text] * far, many]
    wraps = "{it: {wrap: true}}"
    converts = scheme(tmp_path, *specs, fact=wraps, at=far + 2, hook=ALWAYS % f"v{far + 1}")
    served = deepcopy(converts.convert(thing(newest, {"it": []}), to="v1"))
    assert served["spec"] == {}
    served["spec"]["it"] = "d"
    between = converts.convert(served, to="v2")
    for document in (served, between):
        back = converts.convert(document, to=newest)
        assert back["spec"] == {"it": []}
        assert converts.convert(back, to="v1")["spec"] == {"it": "d"}
    served["spec"]["it"] = "e"
    assert converts.convert(served, to=newest)["spec"] == {"it": ["e"]}
