"""Hooks that fill in what one version always has, and what hooks that complete are given."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdall import ConversionError
from holdall.carriers.reports import Report
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.notation import schema_text
from tests.support.projects import THING_CONFIG, build_project, scheme_of

Json = dict[str, Any]

_CONFIG = (
    THING_CONFIG
    + """\
    between:
      v1 -> v2:
        ThingSpec:
          open: {move: door/open}
          late: {move: slot/late}
          count: number
        Limit: {timeout: {rename: timeoutSeconds, duration: seconds}}
"""
)
_LEFT = "count: number", "count: number\n          $hook: [plain]"
_OLDER = schema_text("""
metadata: {"*": true}
spec:
  count: integer
  open: boolean
  late: string
  door: {color: string}
  ports: {web: {"*": true}}
  plain: [string]
  left: [{a: string, $title: Left}]
  limits: [{name: string, timeout: string, $title: Limit}]
  ref: {name: string, namespace: string}
""")
_NEWER = schema_text("""
metadata: {"*": true}
spec:
  number: integer
  door: {color: string, open: boolean}
  slot: {late: string}
  ports: {web: {"*": true}}
  plain: [string]
  left: [{a: string, $title: Left}]
  limits: [{name: string, timeoutSeconds: {$: integer, $format: int32}, $title: Limit}]
  ref: {name: string}
""")
_HOOKS = """
from {generated}.things.v1 import storage as v1
from holdall import Always, Composed, Given


class Things(Composed, v1.AssignableThing):
    parts = (
        Always(
            newer={
                "spec/number": 0,
                "spec/door/open": False,
                "spec/ports/web": {},
                "spec/slot": {},
            },
            older={"spec/ref/namespace": Given("object:namespace")},
        ),
    )


class Lefts(Composed, v1.AssignableLeft):
    parts = (Always(newer={"a": ""}),)


class Limits(Composed, v1.AssignableLimit):
    parts = (Always(newer={"timeoutSeconds": 0}),)
"""
_PAINTED = """
from {generated}.things.v1 import storage as v1
from holdall import Completing, Composed, Members


class Doors(Completing):
    older = ("open", "door", "count", "left", "plain")
    newer = ("door", "number", "left", "plain")

    def complete_newer(self, older: Members, newer: Members) -> Members:
        door = newer.get("door") or {}
        return {**newer, "door": {**door, "color": "black"}} if door.get("open") else newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return older


class Specs(Composed, v1.AssignableThingSpec):
    parts = (Doors(),)
"""
_FILES = {
    "v1.yaml": _OLDER,
    "v2.yaml": _NEWER,
    "hooks/things.py": _HOOKS,
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """Two versions; what the newer one always has is filled in by hooks."""
    return scheme_of(build_project(tmp_path_factory.mktemp("always"), _CONFIG, _FILES))


def converted(scheme: Scheme, start: str, members: Json) -> tuple[Json, Json]:
    """Return an object in the other version, and what comes back from there."""
    head = {"apiVersion": f"example.com/{start}", "kind": "Thing"}
    document = {**head, "metadata": {"name": "x", "namespace": "team"}, **members}
    there: Json = scheme.convert(document, to="v2" if start == "v1" else "v1")
    back: Json = scheme.convert(there, to=start)
    assert back == document
    return there, document


@pytest.mark.parametrize(
    ("spec", "shown"),
    yaml.safe_load("""
- [null, {number: 0, door: {open: false}}]
- [{}, {number: 0, door: {open: false}}]
- [{count: null}, {number: 0, door: {open: false}}]
- [{count: 3, door: {color: red}}, {number: 3, door: {open: false, color: red}}]
- [{count: 3, left: [{}, null]}, {number: 3, left: [{a: ""}, null], door: {open: false}}]
- [{limits: [{}, {timeout: 90m}]}, {limits: [{timeoutSeconds: 0}, {timeoutSeconds: 5400}]}]
- [{limits: [{timeout: 596524h}]}, {limits: [{timeoutSeconds: 2147483647}]}]
"""),
)
def test_the_newer_version_always_has_it(spec: Any, shown: Json, scheme: Scheme) -> None:
    """With the objects around it, and in each element of a list; what was not there comes back."""
    there, _ = converted(scheme, "v1", {} if spec is None else {"spec": spec})
    assert {name: there["spec"].get(name) for name in shown} == shown


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ({}, {"ref": {"namespace": "team"}}),
        ({"ref": {"name": "a"}}, {"ref": {"name": "a", "namespace": "team"}}),
        ({"number": 0, "door": {"open": False}}, {"count": 0, "open": False}),
        ({"limits": [{}]}, {"limits": [{}]}),
    ],
)
def test_the_older_version_always_has_what_is_given(
    spec: Json, shown: Json, scheme: Scheme
) -> None:
    """The namespace of the object; what only the newer version has in any case is not made."""
    there, _ = converted(scheme, "v2", {"spec": spec})
    assert {name: there["spec"].get(name) for name in shown} == shown


def test_without_a_namespace_there_are_only_the_objects_around_it(scheme: Scheme) -> None:
    """What is not known is not filled in."""
    head = {"apiVersion": "example.com/v2", "kind": "Thing", "metadata": {"name": "x"}}
    there: Json = scheme.convert(head, to="v1")
    assert there["spec"]["ref"] == {}
    assert scheme.convert(there, to="v2") == head


def test_an_edit_wins(scheme: Scheme) -> None:
    """What was filled in and then written counts, and so does what is deleted."""
    there, document = converted(scheme, "v1", {"spec": {"limits": [{"name": "a"}]}})
    there["spec"]["limits"][0]["timeoutSeconds"] = 60
    back: Json = scheme.convert(there, to="v1")
    assert back["spec"]["limits"] == [{"name": "a", "timeout": "1m0s"}]
    assert document["spec"] == {"limits": [{"name": "a"}]}


def test_a_hook_that_completes_is_given_what_declarations_make(tmp_path: Path) -> None:
    """Moves and renames are done when the hook paints the door; what is left to hooks stays."""
    files = {**_FILES, "hooks/things.py": _PAINTED}
    scheme = scheme_of(build_project(tmp_path, _CONFIG.replace(*_LEFT), files))
    there, _ = converted(scheme, "v1", {"spec": {"open": True, "count": 1, "plain": ["a"]}})
    assert there["spec"]["door"] == {"open": True, "color": "black"}
    assert (there["spec"]["number"], there["spec"]["plain"]) == (1, ["a"])


def test_what_was_filled_in_is_no_edit(scheme: Scheme) -> None:
    """Beside what a client wrote, in an object that was not there, it leaves; edited it stays."""
    head = {"apiVersion": "example.com/v1", "kind": "Thing"}
    there: Any = scheme.convert(head, to="v2")
    filled = {"number": 0, "door": {"open": False}, "ports": {"web": {}}, "slot": {}}
    assert there["spec"] == filled
    there["spec"]["plain"] = ["a"]
    there["spec"]["ports"]["web"]["http"] = 80
    back: Json = scheme.convert(copy.deepcopy(there), to="v1")
    assert back == {**head, "spec": {"plain": ["a"], "ports": {"web": {"http": 80}}}}
    again: Any = scheme.convert(back, to="v2")
    assert again["spec"] == there["spec"]
    there["spec"]["number"] = 1
    changed: Any = scheme.convert(there, to="v1")
    assert changed["spec"]["count"] == 1


def test_what_an_object_did_not_have_is_not_filled_in_when_it_comes_home(scheme: Scheme) -> None:
    """Unless the older version says something there: what is live wins."""
    head = {"apiVersion": "example.com/v2", "kind": "Thing"}
    there: Any = scheme.convert({**head, "spec": {"number": None}}, to="v1")
    there["spec"]["plain"] = ["a"]
    there["spec"]["open"] = True
    home: Any = scheme.convert(there, to="v2")
    assert home["spec"] == {"number": None, "door": {"open": True}, "plain": ["a"]}


@pytest.mark.parametrize("others", [{}, {"spec": {"late": "x"}}, {"spec": {"open": True}}])
@pytest.mark.parametrize("own", [{}, {"spec": {}}, {"spec": {"slot": {}}}])
def test_notes_of_another_object_take_nothing_away(own: Json, others: Json, scheme: Scheme) -> None:
    """An object that is always there stays, whatever they say that had been moved into it."""
    head = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}}
    there: Any = scheme.convert({**head, **own}, to="v2")
    foreign: Any = scheme.convert({**head, **others}, to="v2")
    there["metadata"] = foreign["metadata"]
    home: Json = scheme.convert(scheme.convert(there, to="v1"), to="v2")
    assert home["spec"] == there["spec"]


def test_an_object_that_was_filled_in_and_emptied_again_is_there(scheme: Scheme) -> None:
    """What moved into it was deleted; the object was not, and every object has it."""
    head = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"late": "x"}}
    there: Any = scheme.convert(head, to="v2")
    del there["spec"]["slot"]["late"]
    back: Json = scheme.convert(there, to="v1")
    assert back["spec"] == {}
    home: Json = scheme.convert(back, to="v2")
    assert home["spec"] == there["spec"]


@pytest.mark.parametrize(
    "kept",
    [
        {},
        [{"at": ["spec"]}],
        [{"at": ["other"], "was": 1}],
        [{"at": ["spec", "number"], "is": 0}],
        [{"at": ["spec"], "filled": True}],
    ],
)
def test_what_a_client_forged_is_refused(kept: Any, scheme: Scheme) -> None:
    """As every entry of a bag that cannot be one; tolerantly, it waits."""
    head = {"apiVersion": "example.com/v1", "kind": "Thing"}
    there: Any = scheme.convert(head, to="v2")
    annotations = there["metadata"]["annotations"]
    carrier = json.loads(annotations["holdall.dev/bag"])
    carrier["bags"][""]["v1"] = {"residue:$filled": kept}
    annotations["holdall.dev/bag"] = json.dumps(carrier)
    with pytest.raises(ConversionError, match="Things"):
        scheme.convert(there, to="v1")
    report: Report = []
    made: Any = scheme.convert(there, to="v1", report=report, tolerant=True)
    assert made["spec"]["count"] == 0
    assert report


@pytest.mark.parametrize("start", ["v1", "v2"])
def test_all_laws_hold(start: str, scheme: Scheme) -> None:
    """What is filled in comes and goes with what is said, beside and below other members."""
    outcome = check_kind(Tools.of(Subject(scheme)), "Thing", start, range(40))
    assert not outcome.findings
