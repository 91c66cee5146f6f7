"""What is hidden in an object that a version lacks is judged when the object goes into a bag."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import holdall as h
from holdall.text.json import canonical
from tests.support.projects import build_project, scheme_of

_SPEC = """
type: object
properties:
  metadata: {type: object, additionalProperties: true}
  spec: {type: object, properties: {size: {type: integer}%s}}
"""
_STAGE = "{type: object, properties: {%s}}"
_V1 = _STAGE % "owner: {type: string}, rules: {type: array, items: {type: string}}"
_LISTS = "{type: array, items: {type: array, items: {type: string}}}"
_V3 = _STAGE % f"owners: {{type: array, items: {{type: string}}}}, rules: {_LISTS}"
FORMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "object": ("{}", lambda stage: stage),
    "list": ("{{type: array, items: {}}}", lambda stage: [stage]),
    "map": ("{{type: object, additionalProperties: {}}}", lambda stage: {"a": stage}),
}


@pytest.fixture(scope="module", params=[*FORMS])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory, form: str) -> h.Scheme:
    schema, _ = FORMS[form]
    stages = {"v1": schema.format(_V1), "v2": "", "v3": schema.format(_V3)}
    owner, rules = {"rename": "owners", "wrap": True}, {"wrap": True}
    between = {"v1 -> v3": {"Stage": {"owner": owner, "rules": rules}}}
    return routes(tmp_path_factory.mktemp("kept"), stages, between)


def routes(root: Path, stages: Mapping[str, str], between: Any, **more: str) -> h.Scheme:
    """Return the scheme of a Route by the stage that each version has; "" is none."""
    files = {
        f"{version}.yaml": _SPEC % (stage and f", stage: {stage}")
        for version, stage in stages.items()
    }
    sources = [{"schemas": f"{it}.yaml", "version": it, "kinds": {"Route": ""}} for it in stages]
    group = {"api_group": "shop.example.com", "sources": sources, "versions": [*stages]}
    config = f"groups:\n  shop: {json.dumps({**group, 'between': between, **more})}\n"
    return scheme_of(build_project(root, config, files))


def route(form: str, stage: Any) -> Any:
    head = {"apiVersion": "shop.example.com/v3", "kind": "Route", "metadata": {"name": "r"}}
    return {**head, "spec": {"stage": FORMS[form][1](stage)}}


def edited(
    scheme: h.Scheme, form: str, document: Any, report: list[Any] | None = None, **members: Any
) -> Any:
    """Return a document of v2 after an edit at v1 of the members of its stage."""
    there: Any = scheme.convert(document, to="v1")
    held = there["spec"]["stage"]
    stage = held if form == "object" else held[0 if form == "list" else "a"]
    for name, value in members.items():
        if value is None:
            del stage[name]
        else:
            stage[name] = value
    return scheme.convert(there, to="v2", report=report)


def test_what_was_deleted_does_not_come_back_with_what_is_set_later(
    scheme: h.Scheme, form: str
) -> None:
    stored = edited(scheme, form, route(form, {"owners": ["ann", "bob"]}), owner=None)
    assert scheme.convert(stored, to="v3") == route(form, {})
    stored = edited(scheme, form, stored, owner="eve")
    assert scheme.convert(stored, to="v3") == route(form, {"owners": ["eve"]})


def test_what_was_not_edited_stays(scheme: h.Scheme, form: str) -> None:
    whole = route(form, {"owners": ["ann", "bob"], "rules": [["a", "b"], ["c"]]})
    stored = edited(scheme, form, scheme.convert(whole, to="v2"))
    assert scheme.convert(stored, to="v3") == whole
    stored = edited(scheme, form, stored, owner="eve")
    stored = edited(scheme, form, stored, owner="dan")
    expected = {"owners": ["dan", "bob"], "rules": [["a", "b"], ["c"]]}
    assert scheme.convert(stored, to="v3") == route(form, expected)


def test_elements_are_told_by_each_edit_on_its_own(scheme: h.Scheme, form: str) -> None:
    """Two edits one after the other say more than both at once; what is lost is said at once."""
    stored = edited(
        scheme, form, route(form, {"rules": [["a", "b"], ["c", "d"]]}), rules=["a", "x"]
    )
    stored = edited(scheme, form, stored, rules=["x", "a"])
    expected = route(form, {"rules": [["x", "d"], ["a", "b"]]})
    assert scheme.convert(stored, to="v3") == expected
    report: list[Any] = []
    stored = edited(scheme, form, stored, report, rules=["y", "z", "w"])
    assert ["$propertyBag/v1/stage" in str(one) for one in report] == [True, True]
    later: list[Any] = []
    found = scheme.convert(stored, to="v3", report=later)
    assert (found, later) == (route(form, {"rules": [["y"], ["z"], ["w"]]}), [])


@pytest.fixture
def star(tmp_path: Path, form: str) -> h.Scheme:
    """Only v1 has a note, and of an owner only the name; the hub lacks the object of both."""
    schema, _ = FORMS[form]
    rich = schema.format(
        _STAGE % "owner: {type: object, properties: {name: {type: string}, until: {type: string}}}"
    )
    poor = schema.format(_STAGE % "owner: {type: string}, note: {type: string}")
    fact = {"Stage": {"owner": {"reference": "name"}}}
    return routes(
        tmp_path,
        {"v1": poor, "hub": "", "v3": rich, "v4": rich},
        {"v1 -> v3": fact, "v1 -> v4": fact},
        hub="hub",
        edges="star",
    )


def at(version: str, document: Any) -> Any:
    return {**document, "apiVersion": f"shop.example.com/{version}"}


@pytest.mark.parametrize(
    "owner", [{"name": "ann", "until": "2027"}, {"until": "2027"}, {}], ids=str
)
def test_what_one_end_of_a_star_hides_is_there_for_all_others(
    star: h.Scheme, form: str, owner: Any
) -> None:
    """The hub has no such object; what it keeps of v1 was made of what v3 wrote, or v4."""
    document = route(form, {"owner": owner})
    for one, other in (("v3", "v4"), ("v4", "v3")):
        written = at(one, document)
        stored = star.convert(star.convert(written, to="v1"), to="hub")
        shown: Any = star.convert(stored, to=other)
        assert shown["spec"] == document["spec"]
        stored = star.convert(shown, to="hub")
        assert star.convert(stored, to=one) == written


def test_what_only_another_end_has_leads_nowhere(star: h.Scheme, form: str) -> None:
    """The note of v1 is in the bag of what v3 writes, but v1 hides something of the owner."""
    noted = at("v1", route(form, {"owner": "ann", "note": "x"}))
    document: Any = route(form, {"owner": {"name": "ann", "until": "2027"}})
    shown = star.convert(star.convert(noted, to="hub"), to="v3")
    stored = star.convert({**shown, "spec": document["spec"]}, to="hub")
    found: Any = star.convert(stored, to="v4")
    assert found["spec"] == document["spec"]


def test_what_a_later_version_hides_stays_where_an_earlier_one_has_no_object(
    tmp_path: Path,
) -> None:
    """The link leads from v3 to a text of v1, which takes no bag along."""
    stages = {
        "v1": "{type: string}, note: {type: string}",  # which only v1 has
        "v2": "",
        "v3": _STAGE % "name: {type: string}",
        "v4": _STAGE % "name: {type: string}, more: {type: integer}",
    }
    fact = {"stage": {"reference": "name"}}
    scheme = routes(tmp_path, stages, {"v1 -> v3": {"RouteSpec": fact}})
    first: Any = at("v1", route("object", "ann"))
    first["spec"]["note"] = "n"
    written: Any = scheme.convert(first, to="v4")
    written["spec"]["stage"]["more"] = 5
    [(name, text)] = written["metadata"]["annotations"].items()
    envelope = json.loads(text)
    envelope["bags"]["/spec/stage"] = {"v1": {"foreign": 1}}  # of a release that nobody knows here
    written["metadata"]["annotations"][name] = canonical(envelope).decode()
    assert scheme.convert(scheme.convert(written, to="v2"), to="v4") == written


def test_each_object_of_a_map_keeps_its_own(tmp_path: Path) -> None:
    """Over the gap the map is a list, and comes back with its keys in another order."""
    members = "size: {type: integer}"
    keyed = _STAGE % f"key: {{type: string}}, note: {{type: string}}, {members}"
    stages = {
        "v1": f"{{type: array, items: {keyed}}}",
        "v2": "",
        "v3": f"{{type: object, additionalProperties: {_STAGE % members}}}",
    }
    scheme = routes(tmp_path, stages, {"v1 -> v3": {"RouteSpec": {"stage": {"keyed": "key"}}}})
    written: Any = at("v1", route("object", [{"key": "a", "size": 1}, {"key": "b", "note": "n"}]))
    shown: Any = scheme.convert(written, to="v3")
    shown["spec"]["stage"] = {"b": {}, "a": {"size": 2}}
    kept = scheme.convert(scheme.convert(shown, to="v2"), to="v3")
    found: Any = scheme.convert(kept, to="v1")
    assert found["spec"]["stage"] == [{"key": "a", "size": 2}, {"key": "b", "note": "n"}]
