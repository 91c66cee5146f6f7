"""Members that no version declares travel through names that other versions give their fields."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

KITES = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), tracking=Tracking())


@obj
class KiteStatus:
    aloft: Annotated[int, changed("v1", from_name="up")]


@resource(group="wind.example.com", status=KiteStatus)
class KiteSpec:
    span: Annotated[int, changed("v1", from_name="width")]
    tail: Annotated[str, added("v1beta1"), changed("v1", from_name="ribbon")]
"""


@pytest.fixture(scope="module")
def kites(declared: Declaring) -> Declared:
    return declared(KITES)


def kite(version: str, spec: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
    return resource(f"wind.example.com/{version}", "Kite", "k", spec=spec, status=status)


@pytest.mark.parametrize("source", ["v1alpha1", "v1beta1"])
def test_a_member_with_the_later_name_of_a_field_comes_back(kites: Declared, source: str) -> None:
    """It is the user's, whatever a later version calls one of its fields; nothing is reported."""
    spec: dict[str, Any] = {"width": 3, "span": "mine"}
    if source == "v1beta1":
        spec |= {"ribbon": "", "tail": [1]}
    start = kite(source, spec, {"up": 1, "aloft": {"mine": True}})
    report: list[Any] = []
    there = kites.convert(start, to="v1", report=report)
    assert (there["spec"]["span"], there["status"]["aloft"]) == (3, 1)
    assert kites.convert(there, to=source, report=report) == start
    assert report == []


def test_an_entry_may_name_a_field_as_later_versions_do(kites: Declared) -> None:
    """The latest name of a field that the step brings is read as that field."""
    entries = {"upgrades": {"v1beta1": [{"jsonPath": "$.tail", "value": "red"}]}}
    old = kite("v1alpha1", {"width": 3}, {"up": 1, "changedValues": entries})
    assert kites.convert(old, to="v1")["spec"] == {"span": 3, "tail": "red"}


def test_a_path_like_a_member_leads_nowhere_else(kites: Declared) -> None:
    """A downgrade entry under a name of the version at hand is no value of the renamed field."""
    entries = {"downgrades": {"v1beta1": [{"jsonPath": "$.span", "value": "mine"}]}}
    new = kite("v1", {"span": 3, "tail": ""}, {"aloft": 1, "changedValues": entries})
    assert kites.convert(new, to="v1beta1")["spec"] == {"width": 3, "ribbon": "", "span": "mine"}
