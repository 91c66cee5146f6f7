"""Numbers as Go and JavaScript write them: `3` for `3.0`. That is nobody's edit."""

from __future__ import annotations

import itertools

import pytest

from holdall.engine.hops import Side
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import check_kind
from holdall.testing.laws.subjects import Subject
from holdall.text import json
from tests.random_groups.apiserver import without_fractions
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

BLINDS = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def length(text: str) -> float:
    return float(len(text))


def line(number: float) -> str:
    return f"{number:g}"


def oak() -> str:
    return "oak"


def no_note() -> str:
    return ""


def lengths(texts: list[str]) -> list[float]:
    return [float(len(text)) for text in texts]


def lines(numbers: list[float]) -> list[str]:
    return [f"{number:g}" for number in numbers]


@obj
class Slat:
    width: Annotated[float, changed("v2", from_type=str, upgrade_with=length, downgrade_with=line)]
    wood: Annotated[str, added("v2", default=oak)]
    note: Annotated[str, removed("v2", default=no_note)]


@resource(group="blinds.example.com")
class BlindSpec:
    height: Annotated[float, changed("v2", from_type=str, upgrade_with=length, downgrade_with=line)]
    slats: list[Slat]
    steps: Annotated[
        list[float],
        changed("v3", from_type=list[str], upgrade_with=lengths, downgrade_with=lines),
    ]
    note: Annotated[str, changed("v3", from_name="text")]
"""
SPEC = {
    "height": "abc",
    "slats": [{"width": "ab", "note": "first"}, {"width": "cd", "note": "second"}],
    "steps": ["a", "bc"],
    "text": "t",
}
ROUTES = [
    route
    for count in (1, 2, 3)
    for route in itertools.product(("v1", "v2", "v3"), repeat=count)
    if all(one != other for one, other in itertools.pairwise(("v1", *route, "v1")))
]


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize("route", ROUTES, ids="-".join)
def test_what_a_server_writes_is_no_edit(
    carrier: str, route: tuple[str, ...], declared: Declaring
) -> None:
    """The values of v1 come back, whatever versions the object had when it was written."""
    group = declared(BLINDS.replace("CARRIER", carrier))
    document = resource("blinds.example.com/v1", "Blind", "b", spec=SPEC)
    for version in (*route, "v1"):
        document = without_fractions(group.convert(document, to=version))
    assert document["spec"] == SPEC


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_edits_of_numbers_are_seen(carrier: str, declared: Declaring) -> None:
    """Another number replaces the value that was kept; elements beside it keep theirs."""
    group = declared(BLINDS.replace("CARRIER", carrier))
    document = resource("blinds.example.com/v1", "Blind", "b", spec=SPEC)
    document = without_fractions(group.convert(document, to="v3"))
    document["spec"]["height"] = 4
    document["spec"]["slats"].append({"width": 1, "wood": "elm"})
    document = group.convert(document, to="v1")
    assert document["spec"]["height"] == "4"
    assert document["spec"]["slats"] == [*SPEC["slats"], {"width": "1", "note": ""}]
    assert document["spec"]["steps"] == SPEC["steps"]


def broken_laws(group: Declared) -> set[str]:
    """Return the laws that do not hold for the group, from any version on."""
    tools = Tools.of(Subject(group.scheme))
    outcomes = (check_kind(tools, "Blind", version, range(5)) for version in ("v1", "v2", "v3"))
    return {law for outcome in outcomes for law, *_ in outcome.findings}


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_the_laws_tell_whether_rewritten_numbers_are_edits(
    carrier: str, declared: Declaring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold for the group, and not if another form of a number is another value."""
    group = declared(BLINDS.replace("CARRIER", carrier))
    assert broken_laws(group) == set()
    monkeypatch.setattr(Side, "is_spelled", lambda *_: False)
    # A server rewrites a status with the numbers that it keeps, so these stay what they were.
    assert broken_laws(group) == (set() if carrier == "status" else {"L12"})


CALENDARS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="CARRIER"))


def width(parent: dict[str, Any]) -> float:
    return float(len(parent["title"]))


def margins() -> list[float]:
    return [1.0, 2.5]


@resource(group="calendars.example.com")
class CalendarSpec:
    title: str
    width: Annotated[float, added("v2", default_from=width)]
    margins: Annotated[list[float], added("v2", default=margins)]
"""


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
def test_a_default_that_a_server_has_written_is_still_a_default(
    carrier: str, declared: Declaring
) -> None:
    """It is not kept, so it follows from an object that was edited since."""
    group = declared("from typing import Any\n" + CALENDARS.replace("CARRIER", carrier))
    old = resource("calendars.example.com/v1", "Calendar", "c", spec={"title": "abc"})
    new = without_fractions(group.convert(old, to="v2"))
    assert group.convert(new, to="v1") == old
    old["spec"]["title"] = "abcde"
    found = group.convert({**group.convert(new, to="v1"), "spec": old["spec"]}, to="v2")
    assert found["spec"] == {"title": "abcde", "width": 5, "margins": [1, 2.5]}


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize("number", ["3", "3.0"])
def test_a_value_like_the_default_comes_back_as_it_was_written(
    number: str, carrier: str, declared: Declaring
) -> None:
    """Whoever wrote it."""
    group = declared("from typing import Any\n" + CALENDARS.replace("CARRIER", carrier))
    spec = {"title": "abc", "width": json.decode(number), "margins": [1, 2.5]}
    document = resource("calendars.example.com/v2", "Calendar", "c", spec=spec)
    back = group.convert(group.convert(document, to="v1"), to="v2")
    assert json.same(back, document)
