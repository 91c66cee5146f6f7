"""Open JSON that was edited: objects in it that are certain keep what other versions hide."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import holdall as h
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of

CONFIG = config_of(
    "Shop",
    {"v1": "poor.yaml", "v2": "open.yaml", "v3": "rich.yaml"},
    group="shop.example.com",
    more="""\
edges: star
hub: v1
""",
)
_TYPED = """
metadata: {"*": true}
spec:
  box:
    size: integer
    lid: {tint: string%(more)s}
    bays: [{num: integer%(more)s}]
    docks:
      $: [{pier: string, to: string%(more)s}]
      $x-kubernetes-list-type: map
      $x-kubernetes-list-map-keys: [pier]
    %(own)s
"""
_OPEN = schema_text("""
metadata: {"*": true}
spec: {box: open}
""")
FILES = {
    "poor.yaml": schema_text(_TYPED % {"more": "", "own": ""}),
    "open.yaml": _OPEN,
    "rich.yaml": schema_text(_TYPED % {"more": ", key: string", "own": "owner: string"}),
}
BOX: Any = {
    "size": 1,
    "owner": "ann",
    "lid": {"tint": "red", "key": "lid"},
    "bays": [{"num": 1, "key": "one"}, {"num": 2, "key": "two"}, {"num": 3}],
    "docks": [{"pier": "a", "to": "x", "key": "first"}, {"pier": "b", "to": "y", "key": "second"}],
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("opened"), CONFIG, FILES))


def edited(box: Any, change: Callable[[Any], Any]) -> Any:
    own = copy.deepcopy(box)
    change(own)
    return own


def resize(box: Any) -> None:
    box["size"] = 5


def repaint(box: Any) -> None:
    box["lid"]["tint"] = "blue"


def reorder(box: Any) -> None:
    box["bays"].reverse()
    box["docks"].reverse()


def renumber(box: Any) -> None:
    box["bays"][1]["num"] = 7
    box["docks"][0]["to"] = "z"


def insert(box: Any) -> None:
    box["bays"].insert(0, {"num": 9})
    box["docks"].insert(0, {"pier": "c"})


def delete(box: Any) -> None:
    del box["bays"][0]
    del box["docks"][0]
    del box["lid"]


@pytest.mark.parametrize("change", [resize, repaint, reorder, renumber, insert, delete])
def test_hidden_data_stays_with_its_object(scheme: h.Scheme, change: Callable[[Any], None]) -> None:
    """What a client of the open version does is seen, and nothing else moves."""
    head = {"apiVersion": "shop.example.com/v3", "kind": "Shop", "metadata": {"name": "s"}}
    there: Any = scheme.convert({**head, "spec": {"box": BOX}}, to="v2")
    change(there["spec"]["box"])
    report: list[Any] = []
    back: Any = scheme.convert(there, to="v3", report=report)
    assert back == {**head, "spec": {"box": edited(BOX, change)}}
    assert report == []


def test_what_nobody_can_tell_again_is_reported(scheme: h.Scheme) -> None:
    """One element was edited and one inserted: either may be the one with the key."""
    head = {"apiVersion": "shop.example.com/v3", "kind": "Shop", "metadata": {"name": "s"}}
    there: Any = scheme.convert({**head, "spec": {"box": BOX}}, to="v2")
    there["spec"]["box"]["bays"] = [{"num": 8}, {"num": 9}, {"num": 2}, {"num": 3}]
    report: list[Any] = []
    back: Any = scheme.convert(there, to="v3", report=report)
    assert back["spec"]["box"]["bays"] == [
        {"num": 8},
        {"num": 9},
        {"num": 2, "key": "two"},
        {"num": 3},
    ]
    assert [("lost its owner" in str(one)) for one in report] == [True]


def test_what_replaces_the_open_json_has_nothing_of_it(scheme: h.Scheme) -> None:
    head = {"apiVersion": "shop.example.com/v3", "kind": "Shop", "metadata": {"name": "s"}}
    there: Any = scheme.convert({**head, "spec": {"box": BOX}}, to="v2")
    there["spec"]["box"] = None
    assert scheme.convert(there, to="v3") == {**head, "spec": {"box": None}}
