"""Carriers of tracked values can be exchanged: what was written under one is read under another,
and from then on only the one of the declaration is there. Source: docs/declared.md, "Where tracked
values travel".
"""

from __future__ import annotations

import copy
import itertools
import json
import tempfile
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.reports import Report
from holdall.carriers.text import decode_annotation
from holdall.errors import DecodeError
from tests.declared.random_declarations import Declarations
from tests.declared.test_laws import SLOW, objects
from tests.support.declared import Declared, Declaring, declare
from tests.support.objects import resource

GROUP = "f.example.com"
FARM = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), Version("v4"), tracking=Tracking(carrier="CARRIER")
)


def cut(number: int) -> int:
    return min(number, 255)


@obj
class Cow:
    name: str
    milk: Annotated[int, added("v2")]
    bell: Annotated[str | None, added("v4")]
    horns: Annotated[str, removed("v3")]


@obj
class Field:
    crop: Annotated[str, changed("v3", from_name="plant")]
    size: Annotated[U32, changed("v4", from_type=U8, downgrade_with=cut)]
    owner: Annotated[str | None, added("v3")]


@union
class Barn:
    Wood: Unit
    Stone: Cow
    Glass: Annotated[Cow, added("v3", fallback="Wood")]


@union
class Tool:
    Spade: Unit
    Plough: Annotated[Unit, added("v3", fallback="Spade")]


@obj
class FarmStatus:
    open: bool
    since: Annotated[str, added("v2")]
    fields: list[Field]
    note: Annotated[str | None, removed("v3")]


@resource(group="f.example.com", status=FarmStatus)
class FarmSpec:
    town: str
    cows: list[Cow]
    herds: Annotated[dict[str, list[Cow]], added("v3")]
    grid: list[list[Field]]
    barn: Barn
    barns: list[Barn]
    tools: list[Tool]
    size: Annotated[U32, changed("v2", from_name="area", from_type=U8, downgrade_with=cut)]
    motto: Annotated[str, added("v4")]
    mayor: Annotated[str, removed("v2")]
    smith: Annotated[str | None, removed("v4")]
"""
VERSIONS = ("v1", "v2", "v3", "v4")
CARRIERS = ("status", "annotation", "bag")
PAIRS = list(itertools.permutations(CARRIERS, 2))


@pytest.fixture(scope="module")
def farms(declared: Declaring) -> dict[str, Declared]:
    return {carrier: declared(FARM.replace("CARRIER", carrier)) for carrier in CARRIERS}


def cow(name: str, version: str) -> dict[str, Any]:
    extra: dict[str, dict[str, Any]] = {
        "v1": {},
        "v2": {"milk": 3},
        "v3": {"milk": 3},
        "v4": {"milk": 3, "bell": name},
    }
    horns = {"horns": f"of {name}"} if version in ("v1", "v2") else {}
    return {"name": name, **extra[version], **horns}


def field(crop: str, version: str) -> dict[str, Any]:
    if version in ("v1", "v2"):
        return {"plant": crop, "size": 7}
    return {"crop": crop, "size": 70000 if version == "v4" else 7, "owner": f"of {crop}"}


def farm(version: str, *, status: bool = True, repeated: bool = False) -> dict[str, Any]:
    """Return an object that says all that its version can say; some lists have equal elements."""
    late = version in ("v3", "v4")
    crops = ["oats", "oats", "rye"] if repeated else ["oats", "rye"]
    fields = [field(crop, version) for crop in crops]
    spec: dict[str, Any] = {
        "town": "Hay",
        "cows": [cow("a", version), cow("b", version)],
        "grid": [copy.deepcopy(fields), [], [field("corn", version)]],
        "barn": {"Glass": cow("g", version)} if late else {"Stone": cow("s", version)},
        "barns": [{"Stone": cow("s", version)}, "Wood"] + ([{"Glass": cow("h", version)}] * late),
        "tools": ["Spade", "Plough" if late else "Spade", "Spade"],
    }
    spec.update({"area": 9, "mayor": "Ann"} if version == "v1" else {"size": 900})
    if late:
        spec["herds"] = {"x": [cow("c", version)], "y.z": []}
    if version == "v4":
        spec["motto"] = "grow"
    else:
        spec["smith"] = "Bo"
    document: dict[str, Any] = resource(
        f"{GROUP}/{version}",
        "Farm",
        metadata={"name": "f", "annotations": {"mine": "x"}},
        spec=spec,
    )
    if status:
        document["status"] = {"open": True, "fields": fields}
        document["status"].update({} if version == "v1" else {"since": "May"})
        document["status"].update({} if late else {"note": "n"})
    return document


def carriers_of(document: dict[str, Any]) -> set[str]:
    """Return what an object carries values in."""
    annotations = (document.get("metadata") or {}).get("annotations") or {}
    found = set()
    if "changedValues" in (document.get("status") or {}):
        found.add("status")
    if f"{GROUP}/changed-values" in annotations or "r.example.com/changed-values" in annotations:
        found.add("annotation")
    if annotations.keys() & {SPEC_ANNOTATION, STATUS_ANNOTATION}:
        found.add("bag")
    return found


def allowed(carrier: str) -> set[str]:
    # Entries of the status are in the status.
    return {"status", "annotation"} if carrier == "annotation" else {carrier}


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("status", [True, False], ids=["status", "no status"])
@pytest.mark.parametrize("repeated", [False, True], ids=["", "repeated"])
def test_what_one_carrier_wrote_is_read_under_another(
    farms: dict[str, Declared], one: str, other: str, status: bool, repeated: bool
) -> None:
    """From every version, in every version, to every version: the object is what it would be if
    the other carrier had been there from the start, and comes back whole."""
    written, read = farms[one], farms[other]
    for start, there, further in itertools.product(VERSIONS, VERSIONS, VERSIONS):
        if there == further:
            continue
        document = farm(start, status=status, repeated=repeated)
        old = written.convert(document, to=there)
        before = copy.deepcopy(old)
        report: list[Any] = []
        moved = read.convert(old, to=further, report=report)
        where = (start, there, further)
        assert report == [], where
        assert old == before, where
        assert carriers_of(moved) <= allowed(other), where
        expected = read.convert(read.convert(document, to=there), to=further)
        assert canonical(moved) == canonical(expected), where
        assert read.convert(moved, to=start) == document, where


def canonical(document: dict[str, Any]) -> Any:
    """Return an object with its entries in a fixed order."""

    def ordered(changed: Any) -> Any:
        return {
            section: {
                version: sorted(entries, key=lambda entry: json.dumps(entry, sort_keys=True))
                for version, entries in lists.items()
            }
            for section, lists in changed.items()
        }

    document = copy.deepcopy(document)
    if "changedValues" in (document.get("status") or {}):
        document["status"]["changedValues"] = ordered(document["status"]["changedValues"])
    annotations = document["metadata"].get("annotations", {})
    for key, text in annotations.items():
        if key.endswith("/changed-values"):
            annotations[key] = ordered(json.loads(text))
        elif key in (SPEC_ANNOTATION, STATUS_ANNOTATION):
            annotations[key] = decode_annotation(text)
    return document


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_typed_objects_and_bytes_go_the_same_way(
    farms: dict[str, Declared], one: str, other: str
) -> None:
    for start, there, further in itertools.permutations(VERSIONS, 3):
        old = farms[one].convert(farm(start), to=there)
        moved = farms[other].convert(old, to=further)
        data = farms[other].scheme.convert_bytes(json.dumps(old).encode(), to=further)
        assert json.loads(data) == moved
        typed = farms[other].api(there).Farm.from_dict(old)
        assert farms[other].convert(typed, to=further).to_dict() == moved


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_an_edit_still_wins_and_the_others_keep_theirs(
    farms: dict[str, Declared], one: str, other: str
) -> None:
    """As if the carrier had never changed."""
    for version in VERSIONS[:-1]:
        outcomes = []
        for carrier in (one, other):
            old = farms[carrier].convert(farm("v4"), to=version)
            old["spec"]["cows"].reverse()
            old["spec"]["grid"][0].append(old["spec"]["grid"][0].pop(0))
            old["spec"]["area" if version == "v1" else "size"] = 4
            old["spec"]["barn"] = "Wood" if version == "v3" else {"Stone": {"name": "new"}}
            outcomes.append(farms[other].convert(old, to="v4"))
        assert outcomes[0] == outcomes[1]
        assert outcomes[0]["spec"]["cows"] == [cow("b", "v4"), cow("a", "v4")]


def test_both_carriers_at_once(farms: dict[str, Declared]) -> None:
    """As an old webhook and a new one leave them while one replaces the other."""
    start = farm("v4")
    low = farms["status"].convert(start, to="v3")
    lower = farms["bag"].convert(low, to="v1")
    for carrier in CARRIERS:
        assert farms[carrier].convert(lower, to="v4") == start
    tracked = farms["bag"].convert(start, to="v3")
    mixed = farms["annotation"].convert(tracked, to="v2")
    assert carriers_of(mixed) <= {"annotation", "status"}
    assert farms["bag"].convert(mixed, to="v4") == start


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_value_needs_no_room_on_its_way(farms: dict[str, Declared], one: str, other: str) -> None:
    """An annotation of bags has room for less: what returns to its version never was in it."""
    start = farm("v4")
    length = 40_000 if one == "bag" else 150_000
    start["spec"]["motto"] = Random(1).randbytes(length // 2).hex()
    low = farms[one].convert(start, to="v2")
    report: Report = []
    assert farms[other].convert(low, to="v4", report=report) == start
    assert not report


@pytest.mark.parametrize("value", [5, [], "x", {"mine": 1}, {"upgrades": 7}])
def test_a_members_name_makes_no_carrier(farms: dict[str, Declared], value: Any) -> None:
    """With bags, what only has the name of tracked values is the user's."""
    document = farm("v2")
    document["status"]["changedValues"] = value
    there = farms["bag"].convert(document, to="v4")
    assert there["status"]["changedValues"] == value
    assert farms["bag"].convert(there, to="v2") == document


@SLOW
@given(seed=st.integers(0, 2**32))
@example(seed=181018)  # a union without a value was open when its carrier was exchanged
def test_random_declarations_and_objects(seed: int) -> None:
    """Walks on which the carrier changes at every step."""
    groups: dict[str, Declared] = {}
    for carrier in CARRIERS:
        writer = Declarations(Random(seed), f'tracking=Tracking(carrier="{carrier}")')
        groups[carrier] = declare(Path(tempfile.mkdtemp()), writer.text())
    note(writer.text())
    versions = writer.versions
    random = Random(seed)
    for start in versions:
        for document in objects(groups["bag"], random, start, 4):
            note(repr(document))
            moved = document
            walk = [(random.choice(CARRIERS), random.choice(versions)) for _ in range(3)]
            for carrier, stop in walk:
                before = moved
                moved = groups[carrier].convert(moved, to=stop)
                if moved["apiVersion"] != before["apiVersion"]:
                    assert carriers_of(moved) <= allowed(carrier), walk
            for carrier in CARRIERS:
                back = groups[carrier].convert(moved, to=start)
                if moved["apiVersion"] != document["apiVersion"]:
                    assert back == document, (walk, carrier)


STEPS = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def grow(size: int) -> str:
    if size < 0:
        raise ValueError("too small")
    return str(size)


def shrink(size: str) -> int:
    return int(size)


@resource(group="f.example.com")
class FarmSpec:
    size: Annotated[str, changed("v3", from_type=int, upgrade_with=grow, downgrade_with=shrink)]
    middle: Annotated[str | None, added("v2")]
    late: Annotated[str | None, changed("v3", from_name="lately"), added("v2")]
    last: Annotated[str | None, added("v3")]
"""


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_lies_beyond_a_failing_function_stays(
    declared: Declaring, one: str, other: str
) -> None:
    """Until it can be reached again; nearer versions have theirs meanwhile."""
    written, read = (declared(STEPS.replace("CARRIER", carrier)) for carrier in (one, other))
    start: dict[str, Any] = resource(
        f"{GROUP}/v3", "Farm", "f", spec={"size": "5", "middle": "m", "late": "l", "last": "x"}
    )
    old: Any = written.convert(start, to="v1")
    old["spec"]["size"] = -1
    moved = read.convert(old, to="v2")
    assert moved["spec"] == {"size": -1, "middle": "m", "lately": "l"}
    moved["spec"]["size"] = 7
    start["spec"]["size"] = "7"
    assert read.convert(moved, to="v3") == start


def test_what_an_empty_parent_would_give_returns_once_a_version_is_added(
    declared: Declaring,
) -> None:
    """The default of an object is made of all of it: what differs from that stays kept."""
    text = """
def size(shelf: object) -> int:
    return len(shelf)


VERSIONS = Versions(Version("v1"), Version("v2"), MORE tracking=Tracking(carrier="bag"))


@obj
class Shelf:
    books: Annotated[int, added("v2", default_from=size)]
    inner: list[Shelf]


@resource(group="shelf.example.com")
class RoomSpec:
    shelf: Shelf
"""
    before = declared(text.replace("MORE", ""))
    after = declared(text.replace("MORE", 'Version("v3"),'))
    inner: list[dict[str, Any]] = [{"books": number, "inner": []} for number in (0, 1, 2)]
    document = resource(
        "shelf.example.com/v2", "Room", spec={"shelf": {"books": 0, "inner": inner}}
    )
    stored = before.convert(document, to="v1")
    for group in (before, after):
        assert group.convert(stored, to="v2") == document
    assert after.convert(stored, to="v3")["spec"] == document["spec"]


LATER = """
VERSIONS = Versions(
    Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="CARRIER")
)


def cut(number: int) -> int:
    return min(number, 255)


@obj
class Barn:
    size: Annotated[U32, changed("v3", from_type=U8, downgrade_with=cut)]


@obj
class FarmStatus:
    ready: bool


@resource(group="f.example.com", status=FarmStatus)
class FarmSpec:
    mayor: Annotated[str | None, removed("v2")]
    barn: Annotated[Barn | None, added("v2")]
"""


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_was_exchanged_for_one_way_stays_on_the_other(
    declared: Declaring, one: str, other: str
) -> None:
    """The barn has a value for v3 in its bag when it goes away itself, to v1."""
    written, read = (declared(LATER.replace("CARRIER", carrier)) for carrier in (one, other))
    head = {"apiVersion": f"{GROUP}/v1", "kind": "Farm", "metadata": {"name": "f"}}
    start = written.convert({**head, "spec": {"mayor": "Ann"}}, to="v3")
    start["spec"]["barn"] = {"size": 70000}
    middle = written.convert(start, to="v2")
    moved = read.convert(middle, to="v3")
    assert moved["spec"] == {"barn": {"size": 70000}}
    assert read.convert(moved, to="v1")["spec"] == {"mayor": "Ann"}


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_status_that_holds_tracked_values_alone_is_read(
    declared: Declaring, one: str, other: str
) -> None:
    """Typed as well, though its owner has not written what it requires."""
    written, read = (declared(LATER.replace("CARRIER", carrier)) for carrier in (one, other))
    barn = {"size": 70000}
    new = {"apiVersion": f"{GROUP}/v3", "kind": "Farm", "metadata": {}, "spec": {"barn": barn}}
    old = written.convert(new, to="v1")
    typed = read.api("v1").Farm.from_dict(old)
    assert typed.to_dict() == old
    back = read.convert(typed, to="v3")
    assert back.to_dict() == new
    if one == "status":
        view = {**old, "status": MappingProxyType(old["status"])}
        assert read.convert(read.api("v1").Farm.from_dict(view), to="v3") == back
    typed.status = read.api("v1").FarmStatus(ready=True)
    assert typed.to_dict()["status"] == {"ready": True}
    wrong = {**old, "spec": []}
    with pytest.raises(DecodeError, match=r"^/spec: expected object, found list$"):
        read.api("v1").Farm.from_dict(wrong)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_single_steps_write_the_same_bytes(farms: dict[str, Declared], carrier: str) -> None:
    """Entries of the status are apart from others: what is read from both has one order."""
    convert = farms[carrier].scheme.convert_bytes
    for start, end in itertools.permutations(range(len(VERSIONS)), 2):
        way = range(start, end, 1 if start < end else -1)
        data = json.dumps(farm(VERSIONS[start])).encode()
        stepwise = data
        for position in way:
            stepwise = convert(stepwise, to=VERSIONS[position + way.step])
        assert stepwise == convert(data, to=VERSIONS[end]), (start, end)


SHED = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="CARRIER"))


@union
class Tool:
    Spade: Unit
    Plough: Annotated[int, added("v2", fallback="Spade")]


@obj
class Box:
    tool: Tool
    size: Annotated[int, added("v2")]


@union
class Load:
    Nothing: Unit
    Pair: Annotated[tuple[Tool, Box], changed("v2", from_name="Two")]
    One: Annotated[tuple[Box, int], added("v2", fallback="Nothing")]


@resource(group="r.example.com")
class ShedSpec:
    load: Load
    loads: dict[str, Load]
"""


def test_tuples_in_bags_are_read_under_another_plan(declared: Declaring) -> None:
    """A bag of a tuple has its elements by number, and a kept one has bags in its elements."""
    plough = {"Plough": 2}
    box = {"tool": plough, "size": 3}
    pair, one = {"Pair": [plough, box]}, {"One": [box, 1]}
    spec = {"load": pair, "loads": {"a": pair, "b": one, "c": "Nothing"}}
    document = resource("r.example.com/v2", "Shed", metadata={"name": "s"}, spec=spec)
    bags = declared(SHED.replace("CARRIER", "bag"))
    old = bags.convert(document, to="v1")
    for carrier in ("status", "annotation"):
        sheds = declared(SHED.replace("CARRIER", carrier))
        assert sheds.convert(old, to="v2") == document
        assert bags.convert(sheds.convert(document, to="v1"), to="v2") == document
