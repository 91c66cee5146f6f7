"""Zero values that one version does not show: they wait in the bag, and come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.engine.conversions import same
from holdall.engine.zero_values import hides_zero
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.crds import crd_of, struct
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, build_project, scheme_of, written_hook

Json = dict[str, Any]

_CONFIG = (
    THING_CONFIG
    + """\
    between:
      v1 -> v2:
        ThingSpec:
          name: {hides_zero: older}
          size: {rename: length, hides_zero: older}
          retry: {rename: retrySeconds, duration: seconds, hides_zero: newer}
          timeout: {move: times/out, hides_zero: newer}
          tries: {move: times/tries, hides_zero: nulls}
          lid: {move: parts/lid, hides_zero: both}
          lid/knob/color: {move: parts/color}
          $hides_zero: {older: [box, tags], newer: [paused], both: [note]}
        Lid: {knob: {hides_zero: both}}
"""
)
_SCHEMA = """
metadata: {"*": true}
spec: {name: string, %s: integer, paused: boolean, %s, tags: [string], note: string, box: {
  label: string, count: integer, lids: [string], colors: {"*": string}, inner: {text: string},
  %s: string}}
"""
_LID = "lid: {$title: Lid, knob: {%s}}"
_V1 = (
    "size",
    "retry: string, timeout: string, tries: integer, " + _LID % "size: integer, color: string",
    "old",
)
_V2 = (
    "length",
    "retrySeconds: integer, times: {out: string, tries: integer}, parts: {color: string, "
    + _LID % "size: integer"
    + "}",
    "new",
)
_V1_AND_V2 = {"v1.yaml": schema_text(_SCHEMA % _V1), "v2.yaml": schema_text(_SCHEMA % _V2)}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """Two versions, of which each has a secret of its own in the box."""
    return scheme_of(build_project(tmp_path_factory.mktemp("zero"), _CONFIG, _V1_AND_V2))


def converted(scheme: Scheme, start: str, spec: Json) -> tuple[Json, Json]:
    """Return a spec in the other version, and the document."""
    document = {"apiVersion": f"example.com/{start}", "kind": "Thing", "spec": spec}
    found: Json = scheme.convert(document, to="v2" if start == "v1" else "v1")
    return found["spec"], found


@pytest.mark.parametrize(
    ("start", "spec", "shown"),
    [
        (
            "v2",
            {"name": "", "length": 0, "tags": [], "box": {}, "paused": False},
            {"paused": False},
        ),
        ("v2", {"box": {"label": "", "inner": {"text": ""}}}, {}),
        ("v2", {"box": {"new": "hidden"}}, {}),
        ("v2", {"box": {"count": 0}}, {"box": {"count": 0}}),
        ("v2", {"box": {"lids": []}}, {"box": {"lids": []}}),
        ("v2", {"box": {"colors": {}}}, {"box": {"colors": {}}}),
        ("v1", {"paused": False}, {}),
        ("v1", {"paused": True}, {"paused": True}),
        ("v1", {"retry": "0s"}, {}),
        ("v1", {"retry": "900ms"}, {"retrySeconds": 0}),
        ("v1", {"timeout": None}, {}),
        ("v1", {"timeout": ""}, {}),
        ("v2", {"times": {"out": None}}, {"timeout": None}),
        ("v1", {"tries": None}, {}),
        ("v2", {"times": {"tries": None}}, {}),
        ("v1", {"tries": 0}, {"times": {"tries": 0}}),
        ("v2", {"times": {"tries": 0}}, {"tries": 0}),
        ("v1", {"name": "", "size": 0, "box": {}}, {"name": "", "length": 0, "box": {}}),
        ("v1", {"note": "", "lid": {"knob": {}}}, {}),
        ("v2", {"note": "", "parts": {"lid": {"knob": {}}}}, {}),
        ("v1", {"lid": {"knob": {"color": "red"}}}, {"parts": {"color": "red"}}),
        ("v2", {"parts": {"color": "red"}}, {"lid": {"knob": {"color": "red"}}}),
    ],
)
def test_a_zero_value_is_hidden_and_returns(
    start: str, spec: Json, shown: Json, scheme: Scheme
) -> None:
    """Only a side that is named shows nothing, and what was said comes back."""
    there, document = converted(scheme, start, spec)
    assert there == shown
    assert scheme.convert(document, to=start)["spec"] == spec


def test_an_edit_wins(scheme: Scheme) -> None:
    """What is written where nothing was shown counts; what is deleted stays so."""
    _, document = converted(scheme, "v2", {"name": "", "paused": False})
    document["spec"] = {"name": "new", "paused": False}
    assert scheme.convert(document, to="v2")["spec"] == {"name": "new", "paused": False}
    _, document = converted(scheme, "v1", {"paused": False})
    document["spec"] = {"paused": True}
    assert scheme.convert(document, to="v1")["spec"] == {"paused": True}


def test_what_was_hidden_with_an_object_is_kept_when_it_is_made_anew(scheme: Scheme) -> None:
    """A box of which only the newer version's secret was left is filled in the older version."""
    _, document = converted(scheme, "v2", {"box": {"new": "secret"}})
    document["spec"] = {"box": {"label": "edited"}}
    found: Json = scheme.convert(document, to="v2")
    assert found["spec"] == {"box": {"label": "edited", "new": "secret"}}


@pytest.mark.parametrize("forged", ["", [], 0.5, {"v1": 1}])
def test_a_forged_bag_in_open_json_is_harmless(forged: Any) -> None:
    """Whoever edits a bag can write anything there; open JSON has no bag of its own."""
    conversion, live = hides_zero(same(), "newer"), {"a": "b"}
    for merge in (conversion.merge_newer, conversion.merge_older):
        assert merge is None or merge({"$propertyBag": forged}, live, live) == live


@pytest.mark.parametrize("start", ["v1", "v2"])
def test_all_laws_hold(start: str, scheme: Scheme) -> None:
    """With the last thing that an object says it is hidden, too, and nothing else moves."""
    outcome = check_kind(Tools.of(Subject(scheme)), "Thing", start, range(20))
    assert not outcome.findings


_DRIFTING = written_hook(
    "destination.count = (source.count or 0) + 1",
    "destination.count = source.count",
    reads="count",
    writes="count",
    older="v1.Box",
    newer="v2.Box",
)


def test_what_a_hook_on_views_changes_inside_comes_back(tmp_path: Path) -> None:
    """Such a hook may do anything, so whether its object comes back has to be tried."""
    files = {**_V1_AND_V2, "hooks/things.py": _DRIFTING}
    drifting = scheme_of(build_project(tmp_path, _CONFIG, files))
    spec = {"box": {"label": "a", "count": 7}}
    shown, there = converted(drifting, "v1", spec)
    assert shown == {"box": {"label": "a", "count": 8}}
    back: Json = drifting.convert(there, to="v1")
    assert back["spec"] == spec


@pytest.mark.parametrize(
    "part", [{"a": None}, {"a": ""}, {}, {"inner": {}}, {"a": None, "inner": {"b": ""}}]
)
def test_a_zero_object_whose_parts_the_version_between_lacks(tmp_path: Path, part: Json) -> None:
    """v2 has no parts of the object, so v3 cannot tell from v2 alone what it showed."""
    text = {"type": "string"}
    box = struct(a=text, inner=struct(b=text))
    specs = {"v1": struct(box=box), "v2": struct(box=struct()), "v3": struct(box=box)}
    crd = crd_of("Thing", {version: struct(spec=spec) for version, spec in specs.items()})
    config = """\
groups:
  things:
    sources: [{crds: thing.json}]
    versions: [v1, v2, v3]
    between: {v2 -> v3: {ThingSpec: {box: {hides_zero: newer}}}}
"""
    scheme = scheme_of(build_project(tmp_path, config, {"thing.json": json.dumps(crd)}))
    document: Any = resource("example.com/v3", "Thing", "a", spec={"box": part})
    there = scheme.convert(document, to="v1")
    assert there["spec"] == {"box": part}
    assert scheme.convert(there, to="v3") == document
