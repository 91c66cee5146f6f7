"""Entries that say a value became what it does not become: a function has changed since, or someone
wrote them. Source: docs/declared.md, "Tracking".
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.declared import Declared, Declaring

CARRIERS = ("status", "annotation", "bag")
WELLS = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def cut(number: int) -> int:
    return min(number, 255)


@obj
class Bucket:
    name: str
    liters: Annotated[U16, changed("v2", from_type=U8, downgrade_with=cut)]


@obj
class Roof:
    slates: int


@union
class Cover:
    Bare: Unit
    Grate: Unit
    Hut: Roof
    House: Annotated[Roof, added("v2", fallback="Bare")]


@union
class Rope:
    Hemp: Unit
    Wire: Unit
    Chain: Annotated[Unit, added("v2", fallback="Hemp")]


@resource(group="wells.example.com")
class WellSpec:
    depth: Annotated[U16, changed("v2", from_type=U8, downgrade_with=cut)]
    flow: Annotated[U8, changed("v2", from_type=U16, upgrade_with=cut)]
    buckets: list[Bucket]
    cover: Cover
    ropes: list[Rope]
    note: Annotated[str, changed("v3", from_name="text")]
"""
SPEC: dict[str, Any] = {
    "depth": 5,
    "flow": 9,
    "buckets": [{"name": "small", "liters": 6}],
    "cover": {"Hut": {"slates": 3}},
    "ropes": ["Wire", "Hemp"],
    "text": "deep",
}
# A path, a value of v2, and what v1 has there, which the value does not become.
NOTED: list[tuple[str, Any, Any]] = [
    ("$.depth", 60000, 5),
    ("$.buckets[?@.name=='small'].liters", 999, 6),
    ("$.cover", {"House": {"slates": 1}}, {"Hut": {"slates": 3}}),
]


@pytest.fixture(scope="module", params=CARRIERS)
def wells(request: pytest.FixtureRequest, declared: Declaring) -> Declared:
    return declared(WELLS.replace("CARRIER", request.param))


def well(version: str, section: str, key: str, entry: Any, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"wells.example.com/{version}",
        "kind": "Well",
        "metadata": {"name": "w"},
        "spec": copy.deepcopy(SPEC) | spec,
        "status": {"changedValues": {section: {key: [entry]}}},
    }


def at(spec: dict[str, Any], path: str) -> Any:
    """Return what a spec has where a path leads."""
    name = path.removeprefix("$.").partition("[")[0]
    return spec[name][0]["liters"] if name == "buckets" else spec[name]


@pytest.mark.parametrize(("path", "value", "live"), NOTED, ids=["scalar", "nested", "union"])
@pytest.mark.parametrize("walk", [("v2",), ("v3",), ("v2", "v3"), ("v2", "v1", "v3", "v2")])
def test_the_noted_value_decides_and_the_live_one_comes_back(
    wells: Declared, path: str, value: Any, live: Any, walk: tuple[str, ...]
) -> None:
    """An entry is used where the live value is the noted one, under every carrier; and as any
    walk back to the start, that one leaves the spec as it was."""
    old = well("v1", "upgrades", "v2", {"jsonPath": path, "value": value, "downgradedValue": live})
    moved = old
    for stop in walk:
        moved = wells.convert(moved, to=stop)
        assert at(moved["spec"], path) == (live if stop == "v1" else value)
    back = wells.convert(moved, to="v1")
    assert back["spec"] == old["spec"]
    assert at(wells.convert(back, to="v2")["spec"], path) == value


def test_an_edit_wins_over_a_live_value_that_was_kept(wells: Declared) -> None:
    """Whichever version is edited, the other one follows."""
    entry = {"jsonPath": "$.depth", "value": 60000, "downgradedValue": 5}
    new = wells.convert(well("v1", "upgrades", "v2", entry), to="v2")
    new["spec"]["depth"] = 70
    assert wells.convert(new, to="v1")["spec"]["depth"] == 70
    new["spec"]["depth"] = 60000
    old = wells.convert(new, to="v1")
    old["spec"]["depth"] = 8
    assert wells.convert(old, to="v2")["spec"]["depth"] == 8


def test_the_same_on_the_way_down(wells: Declared) -> None:
    """What a newer version became is noted as `upgradedValue`."""
    entry = {"jsonPath": "$.flow", "value": 700, "upgradedValue": 9}
    new = well("v2", "downgrades", "v1", entry)
    old = wells.convert(new, to="v1")
    assert old["spec"]["flow"] == 700
    assert wells.convert(old, to="v2")["spec"] == new["spec"]


def test_one_element_of_a_list(wells: Declared) -> None:
    """Elements that really become what they show are kept as before."""
    entry = {"jsonPath": "$.ropes[0]", "value": "Chain", "downgradedValue": "Wire"}
    old = well("v1", "upgrades", "v2", entry)
    new = wells.convert(old, to="v2")
    assert new["spec"]["ropes"] == ["Chain", "Hemp"]
    assert wells.convert(new, to="v1")["spec"] == old["spec"]


def test_both_values_are_written_as_entries(declared: Declaring) -> None:
    """Each way has one, with what the value became there."""
    wells = declared(WELLS.replace("CARRIER", "status"))
    entry = {"jsonPath": "$.depth", "value": 60000, "downgradedValue": 5}
    old = well("v1", "upgrades", "v2", entry)
    new = wells.convert(old, to="v2")
    kept = {"jsonPath": "$.depth", "value": 5, "upgradedValue": 60000}
    assert new["status"] == {"changedValues": {"downgrades": {"v1": [kept]}}}
    assert wells.convert(new, to="v1") == old
