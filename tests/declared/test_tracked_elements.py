"""Lists and dicts of bare variants are tracked by element, as those of objects are."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import pytest

from holdall.carriers.reports import Dropped
from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring

FLEETS = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1"), tracking=Tracking())


@union
class Engine:
    Wind: Annotated[Unit, changed("v1", from_name="Sail")]
    Steam: Unit
    Diesel: Annotated[Unit, added("v1", fallback="Steam")]
    Solar: Annotated[Unit, added("v1", fallback="Wind")]


@resource(group="sea.example.com")
class FleetSpec:
    ships: Annotated[list[Engine], changed("v1", from_name="boats")]
    named: dict[str, Engine]
    docks: list[list[Engine]] | None
"""


@pytest.fixture(scope="module")
def fleets(declared: Declaring) -> Declared:
    return declared(FLEETS)


def fleet(version: str = "v1", /, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"sea.example.com/{version}",
        "kind": "Fleet",
        "metadata": {"name": "f"},
        "spec": {"ships": [], "named": {}, **spec} if version == "v1" else spec,
    }


def entries(document: dict[str, Any]) -> Any:
    return document["status"]["changedValues"]["upgrades"]["v1"]


def guard(length: int, text: str) -> str:
    return f"{length}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def test_each_element_has_an_entry_of_its_own(fleets: Declared) -> None:
    """Its path has the place or the key, guards as of objects; what comes back by itself has
    none, renamed or not."""
    new = fleet(ships=["Wind", "Diesel", "Steam", "Solar"], named={"a.b": "Solar", "c": "Wind"})
    old = fleets.convert(new, to="v1alpha1")
    assert old["spec"]["boats"] == ["Sail", "Steam", "Steam", "Sail"]
    assert entries(old) == [
        {
            "jsonPath": "$.ships[1]",
            "value": "Diesel",
            "downgradedValue": "Steam",
            "guards": [guard(4, '"Steam"')],
        },
        {
            "jsonPath": "$.ships[3]",
            "value": "Solar",
            "downgradedValue": "Sail",
            "guards": [guard(4, '"Sail"')],
        },
        {"jsonPath": "$.named['a.b']", "value": "Solar", "downgradedValue": "Sail"},
    ]
    assert fleets.convert(old, to="v1") == new


def test_lists_in_lists_have_a_guard_for_each_index(fleets: Declared) -> None:
    new = fleet(docks=[["Steam"], ["Wind", "Diesel"]])
    old = fleets.convert(new, to="v1alpha1")
    (entry,) = entries(old)
    assert entry["jsonPath"] == "$.docks[1][1]"
    assert entry["guards"] == [guard(2, '["Sail","Steam"]'), guard(2, '"Steam"')]
    assert fleets.convert(old, to="v1") == new
    old["spec"]["docks"].reverse()
    assert fleets.convert(old, to="v1")["spec"]["docks"] == [["Wind", "Diesel"], ["Steam"]]


@pytest.mark.parametrize(
    ("boats", "ships", "lost"),
    [
        (["Steam", "Sail"], ["Diesel", "Solar"], 0),
        (["Sail", "Steam"], ["Solar", "Diesel"], 0),
        (["Sail", "Sail", "Steam"], ["Solar", "Wind", "Diesel"], 0),
        (["Steam", "Steam"], ["Diesel", "Steam"], 1),
        (["Sail", "Sail"], ["Wind", "Solar"], 1),
        (["Steam"], ["Diesel"], 1),
        ([], [], 2),
    ],
)
def test_an_edited_element_wins_and_the_others_come_back(
    fleets: Declared, boats: list[str], ships: list[str], lost: int
) -> None:
    """Elements are found where they stood, or where their value went; an entry whose element was
    edited or removed is dropped with a warning."""
    old = fleets.convert(fleet(ships=["Diesel", "Solar"]), to="v1alpha1")
    old["spec"]["boats"] = boats
    report: list[Any] = []
    new = fleets.convert(old, to="v1", report=report)
    assert new["spec"]["ships"] == ships
    assert "status" not in new
    assert [type(item) for item in report] == [Dropped] * lost
    assert fleets.convert(new, to="v1alpha1")["spec"]["boats"] == boats


def test_values_of_dicts_are_found_by_key(fleets: Declared) -> None:
    old = fleets.convert(fleet(named={"a": "Diesel", "b": "Solar", "c": "Diesel"}), to="v1alpha1")
    old["spec"]["named"] = {"new": "Steam", "b": "Sail", "a": "Sail"}
    report: list[Any] = []
    new = fleets.convert(old, to="v1", report=report)
    assert new["spec"]["named"] == {"new": "Steam", "b": "Solar", "a": "Wind"}
    assert len(report) == 2


def test_an_entry_of_the_whole_list_is_read_too(fleets: Declared) -> None:
    """As somebody else may write it, without guards."""
    old = fleet("v1alpha1", boats=["Sail", "Steam"], named={})
    whole = {
        "jsonPath": "$.ships",
        "value": ["Wind", "Diesel"],
        "downgradedValue": old["spec"]["boats"],
    }
    for found in (whole, {"jsonPath": "$.ships[1]", "value": "Diesel"}):
        start = copy.deepcopy(old)
        start["status"] = {"changedValues": {"upgrades": {"v1": [found]}}}
        assert fleets.convert(start, to="v1")["spec"]["ships"] == ["Wind", "Diesel"]


@pytest.mark.parametrize(
    "entry",
    [
        {"jsonPath": "$.ships[7]", "value": "Diesel"},
        {"jsonPath": "$.ships[0].name", "value": "Diesel"},
        {"jsonPath": "$.ships.first", "value": "Diesel"},
        {"jsonPath": "$.ships[?@.name=='a']", "value": "Diesel"},
        {"jsonPath": "$.ships[0]", "value": "Diesel", "guards": ["nonsense"]},
        {"jsonPath": "$.ships[0]", "absent": True},
        {"jsonPath": "$.ships[0]", "value": "Diesel", "downgradedValue": 5},
        {"jsonPath": "$.named[0]", "value": "Diesel"},
        {"jsonPath": "$.named.gone", "value": "Diesel"},
        {"jsonPath": "$.docks[0][0]", "value": "Diesel"},
    ],
)
def test_malformed_entries_are_dropped_with_a_warning(fleets: Declared, entry: Any) -> None:
    old = fleet("v1alpha1", boats=["Steam"], named={"a": "Steam"})
    old["status"] = {"changedValues": {"upgrades": {"v1": [entry]}}}
    report: list[Any] = []
    new = fleets.convert(old, to="v1", report=report)
    assert new == fleet(ships=["Steam"], named={"a": "Steam"})
    assert [type(item) for item in report] == [Dropped]


def test_a_value_that_does_not_fit_is_a_located_error(fleets: Declared) -> None:
    old = fleet("v1alpha1", boats=["Steam", "Steam"], named={})
    good = {"jsonPath": "$.ships[0]", "value": "Diesel", "downgradedValue": "Steam"}
    bad = {"jsonPath": "$.ships[1]", "value": 5, "downgradedValue": "Steam"}
    old["status"] = {"changedValues": {"upgrades": {"v1": [good, bad]}}}
    with pytest.raises(ConversionError, match=r'tracked value for "v1" at \$\.ships\[1\]'):
        fleets.convert(old, to="v1")


def test_an_element_without_a_fallback_is_a_located_error(declared: Declaring) -> None:
    """It fails as without entries: at the property."""
    text = FLEETS.replace(
        "    Steam: Unit\n",
        '    Steam: Unit\n    Oars: Annotated[Unit, removed("v1", fallback=FAIL)]\n',
    )
    fleets = declared(text)
    old = fleets.convert(fleet(ships=["Diesel", "Wind"]), to="v1alpha1")
    old["spec"]["boats"] = ["Steam", "Oars"]
    with pytest.raises(ConversionError, match="/spec/boats"):
        fleets.convert(old, to="v1")
