"""What clients and API servers do to objects whose tracked values wait in the document itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.matching import match_indexes
from holdall.carriers.tracking import placing
from holdall.carriers.tracking.entries import Sections, read_sections
from holdall.scheme import entry_route, tracked_route
from holdall.testing.laws import api_trial, client_trial, hidden
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Fixed, Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.declared import Declaring, declare

VERSIONS = ("v1", "v2", "v3")
THINGS = """
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"), tracking=Tracking({tracking}))

def to_text(number: int) -> str: return str(number)
def to_number(text: str) -> int: return int(text) if text.isdecimal() else 0

@obj
class Part:
    host: str
    secret: Annotated[str | None, added("v2")]
    port: Annotated[str, changed("v3", from_type=int, upgrade_with=to_text,
                                 downgrade_with=to_number)]

@obj
class Slot:
    name: str
    note: Annotated[str | None, added("v3")]

@resource(group="laws.example.com")
class ThingSpec:
    parts: list[Part]
    slots: Annotated[list[Slot], list_key("name")]
    codes: Annotated[list[str], changed("v2", from_type=list[int])]
    color: Annotated[str | None, added("v3")]
"""


@pytest.fixture(params=["", 'carrier="annotation"'], ids=["status", "annotation"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    """A kind with tracked values in lists, with and without keys, and beside them."""
    return Subject(declare(tmp_path, THINGS.replace("{tracking}", request.param)).scheme)


def laws_that_fail(subject: Subject, wanted: str = "") -> set[str]:
    """Return the laws that fail for some object; as soon as a wanted one does, only these."""
    tools, outcome = Tools.of(subject), Outcome()
    for first in range(0, 60, 15):
        fixed: Fixed = "none" if first else "all"
        for start in VERSIONS:
            seeds = range(first, first + 15)
            outcome.merge(check_kind(tools, "Thing", start, seeds, fixed=fixed))
            found = {law for law, *_ in outcome.findings}
            if wanted in found:
                return found
    return found


def test_laws_hold(subject: Subject) -> None:
    """For a sound converter nothing is found."""
    assert laws_that_fail(subject) == set()


@pytest.fixture
def looked_away(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what takes the tracked values out of sight of the laws."""

    def look_away() -> None:
        monkeypatch.setattr(client_trial, "hides", lambda *_: False)
        monkeypatch.setattr(api_trial, "has_server", lambda *_: False)

    return look_away


def by_place(elements: Any, segments: Any) -> dict[str, int]:
    """Find elements without keys by their index, whatever else an entry says of them."""
    places = {segment: segment[1:].partition(":")[0] for segment in segments}
    keyed = [segment for segment, place in places.items() if not place.isdecimal()]
    indexes = {segment: int(at) for segment, at in places.items() if at.isdecimal()}
    count = len(elements.items)
    known = {segment: index for segment, index in indexes.items() if index < count}
    return {**match_indexes(elements, keyed), **known}


def test_values_of_another_element_are_seen(
    subject: Subject, monkeypatch: pytest.MonkeyPatch, looked_away: Any
) -> None:
    """L4 sees values that stay where they were while their elements move, and only it."""
    monkeypatch.setattr(placing, "match_indexes", by_place)
    assert "L4" in laws_that_fail(subject, "L4")
    looked_away()
    assert laws_that_fail(subject) == set()


def put_elsewhere(_: Any, __: str, document: dict[str, Any], sections: Sections) -> list[str]:
    value = sections.write()
    if value:
        document["changedValues"] = value
    return []


def take_elsewhere(_: str, document: dict[str, Any]) -> tuple[Sections, list[str]]:
    sections = Sections()
    return sections, read_sections(document.pop("changedValues", None), sections)


def test_values_that_a_server_prunes_are_seen(
    subject: Subject, monkeypatch: pytest.MonkeyPatch, looked_away: Any
) -> None:
    """L12 sees values that wait where no schema has a place for them, and only it."""
    monkeypatch.setattr(tracked_route, "put_sections", put_elsewhere)
    for module in (entry_route, hidden):
        monkeypatch.setattr(module, "take_sections", take_elsewhere)
    assert laws_that_fail(subject) == {"L12"}
    looked_away()
    assert laws_that_fail(subject) == set()


def test_a_server_has_a_place_for_tracked_values(subject: Subject) -> None:
    """In the status, whatever else it prunes there."""
    entries = {"upgrades": {"v2": [{"jsonPath": "$.x", "value": 1}]}}
    given: Any = {
        "apiVersion": "laws.example.com/v1",
        "kind": "Thing",
        "spec": {"unknown": 1},
        "status": {"unknown": 1, "changedValues": entries},
    }
    stored = subject.server("Thing", "v1").stored(given)
    assert stored["status"] == {"changedValues": entries}
    assert stored["spec"] == {}


FUNCTIONS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())

def moved(part: object) -> dict[str, object]:
    return {"host": "moved" if part else "gone", "port": 1}

def left(part: object) -> dict[str, object]:
    return {"host": "left", "port": 2}

@obj
class Part:
    host: str
    port: int

@resource(group="laws.example.com")
class ThingSpec:
    part: Annotated[
        Part, changed("v2", from_type="Part | None", upgrade_with=moved, downgrade_with=left)
    ]
"""


def test_a_function_may_make_an_object_of_one_of_its_type(declared: Declaring) -> None:
    """What is in the two has nothing to do with each other."""
    subject = Subject(declared(FUNCTIONS).scheme)
    for start in ("v1", "v2"):
        outcome = check_kind(Tools.of(subject), "Thing", start, range(15), fixed="all")
        assert outcome.findings == {}


UNIONS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking())

@union
class Power:
    Wire: U8
    Rail: Annotated[Unit, changed("v2", from_name="Track")]
    Cell: Annotated[Unit, added("v2", fallback="Wire")]

@resource(group="laws.example.com")
class ThingSpec:
    power: Power
"""


def test_a_fallback_may_have_a_payload(declared: Declaring) -> None:
    """The bare name that it stands for says nothing of that."""
    subject = Subject(declared(UNIONS).scheme)
    outcome = check_kind(Tools.of(subject), "Thing", "v2", range(15), fixed="all")
    assert outcome.findings == {}
