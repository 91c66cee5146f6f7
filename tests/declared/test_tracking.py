"""Tracked values: what a version cannot hold is kept in the document, in the declared format."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.carriers.reports import Dropped
from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource

SHIPS = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), tracking=Tracking())


def least_crew() -> int:
    return 12


def to_short(tons: int) -> int:
    return min(tons, 65535)


@obj
class Mast:
    name: str
    height: Annotated[int, added("v1beta1")]


@obj
class Flag:
    color: str
    crest: Annotated[str, added("v1")]


@union
class Engine:
    Sail: Unit
    Steam: Unit
    Diesel: Annotated[Unit, added("v1", fallback="Steam")]


@resource(group="sea.example.com")
class ShipSpec:
    crew: Annotated[int, added("v1beta1", default=least_crew)]
    tons: Annotated[U32, changed("v1", from_name="weight", from_type=U16, downgrade_with=to_short)]
    masts: Annotated[list[Mast], added("v1beta1")]
    spare: list[Mast]
    flags: list[Flag]
    engine: Engine
    log: Annotated[dict[str, Flag], added("v1beta1")]
    motto: Annotated[str | None, added("v1")]
"""


@pytest.fixture(scope="module")
def ships(declared: Declaring) -> Declared:
    return declared(SHIPS)


def ship(version: str = "v1", /, status: Any = None, **spec: Any) -> dict[str, Any]:
    document = resource(f"sea.example.com/{version}", "Ship", "s", spec=spec)
    return document if status is None else {**document, "status": status}


def changed(**sections: Any) -> dict[str, Any]:
    return {"changedValues": sections}


FULL: dict[str, Any] = {
    "crew": 40,
    "tons": 70000,
    "masts": [{"name": "main", "height": 30}, {"name": "fore", "height": 0}],
    "spare": [{"name": "x", "height": 1}],
    "flags": [{"color": "red", "crest": "lion"}, {"color": "blue", "crest": ""}],
    "engine": "Diesel",
    "log": {"monday": {"color": "white", "crest": "bear"}},
    "motto": "onward",
}


def test_each_step_writes_what_its_version_loses_in_the_order_of_the_declaration(
    ships: Declared,
) -> None:
    """Vanished fields first, then what is nested, then retyped fields; paths are of the version
    that was left."""
    old = ships.convert(ship(**FULL), to="v1beta1")
    assert old["spec"] == {
        "crew": 40,
        "weight": 65535,
        "masts": FULL["masts"],
        "spare": FULL["spare"],
        "flags": [{"color": "red"}, {"color": "blue"}],
        "engine": "Steam",
        "log": {"monday": {"color": "white"}},
    }
    entries = old["status"]["changedValues"]["upgrades"]["v1"]
    assert [entry["jsonPath"] for entry in entries] == [
        "$.motto",
        "$.flags[0].crest",
        "$.log.monday.crest",
        "$.tons",
        "$.engine",
    ]
    assert entries[0] == {"jsonPath": "$.motto", "value": "onward"}
    assert entries[3] == {"jsonPath": "$.tons", "value": 70000, "downgradedValue": 65535}
    assert entries[4] == {
        "jsonPath": "$.engine",
        "value": "Diesel",
        "downgradedValue": "Steam",
    }
    assert list(old["status"]["changedValues"]) == ["upgrades"]


def test_a_walk_down_and_up_gives_the_same_object(ships: Declared) -> None:
    """Two steps away and back in one conversion each."""
    start = ship(**FULL)
    old = ships.convert(start, to="v1alpha1")
    assert set(old["status"]["changedValues"]["upgrades"]) == {"v1beta1", "v1"}
    assert ships.convert(old, to="v1") == start


def test_via_a_version_in_between_equals_direct(ships: Declared) -> None:
    direct = ships.convert(ship(**FULL), to="v1alpha1")
    stepwise = ships.convert(ships.convert(ship(**FULL), to="v1beta1"), to="v1alpha1")
    assert direct == stepwise


def test_defaults_are_not_tracked_and_appear_in_their_parents_only(ships: Declared) -> None:
    """What converting back would reproduce needs no entry; an object without the parent of an
    added field gets none."""
    plain = ship("v1alpha1", weight=5, spare=[{"name": "x"}], flags=[], engine="Sail")
    new = ships.convert(plain, to="v1")
    assert new["spec"] == {
        "crew": 12,
        "tons": 5,
        "masts": [],
        "spare": [{"name": "x", "height": 0}],
        "flags": [],
        "engine": "Sail",
        "log": {},
    }
    assert "status" not in new
    assert ships.convert(new, to="v1alpha1") == plain
    assert ships.convert(ship(), to="v1alpha1") == ship(
        "v1alpha1",
        changed(
            upgrades={
                "v1beta1": [
                    {"jsonPath": "$.crew", "absent": True},
                    {"jsonPath": "$.masts", "absent": True},
                    {"jsonPath": "$.log", "absent": True},
                ]
            }
        ),
    )


def test_an_edit_in_the_old_version_wins_over_the_entry(ships: Declared) -> None:
    """The guard is what the value became."""
    old = ships.convert(ship(**FULL), to="v1beta1")
    old["spec"]["weight"] = 3
    old["spec"]["engine"] = "Sail"
    new = ships.convert(old, to="v1")
    assert (new["spec"]["tons"], new["spec"]["engine"]) == (3, "Sail")
    assert new["spec"]["motto"] == "onward"
    assert "status" not in new


def test_what_the_value_became_counts_even_if_the_function_changed_since(ships: Declared) -> None:
    entry = {"jsonPath": "$.tons", "value": 99999, "downgradedValue": 17}
    old = ship("v1beta1", changed(upgrades={"v1": [entry]}), weight=17)
    assert ships.convert(old, to="v1")["spec"]["tons"] == 99999
    del entry["downgradedValue"]
    assert ships.convert(old, to="v1")["spec"]["tons"] == 17
    old["spec"]["weight"] = 65535
    assert ships.convert(old, to="v1")["spec"]["tons"] == 99999


def test_list_elements_are_found_by_their_key(ships: Declared) -> None:
    """Entries follow their element when others come, go or move."""
    old = ships.convert(
        ship(spare=[{"name": "a", "height": 1}, {"name": "b", "height": 2}]), to="v1alpha1"
    )
    paths = [entry["jsonPath"] for entry in old["status"]["changedValues"]["upgrades"]["v1beta1"]]
    assert "$.spare[?@.name=='a'].height" in paths
    old["spec"]["spare"] = [{"name": "new"}, {"name": "b"}]
    assert ships.convert(old, to="v1")["spec"]["spare"] == [
        {"name": "new", "height": 0},
        {"name": "b", "height": 2},
    ]


def test_list_elements_without_a_key_are_found_by_their_guard(ships: Declared) -> None:
    """(a) same length, place and hash; (b) the same hash elsewhere; (c) the same place, edited;
    (d) dropped."""
    start = ship(flags=[{"color": "red", "crest": "lion"}, {"color": "blue", "crest": "wolf"}])
    old = ships.convert(start, to="v1beta1")
    entries = old["status"]["changedValues"]["upgrades"]["v1"]
    assert [entry["guards"][0].split(":")[0] for entry in entries if "guards" in entry] == [
        "2",
        "2",
    ]

    def flags(*colors: str) -> list[dict[str, Any]]:
        old["spec"]["flags"] = [{"color": color} for color in colors]
        converted: list[dict[str, Any]] = ships.convert(old, to="v1")["spec"]["flags"]
        return converted

    red, blue = start["spec"]["flags"]
    assert flags("red", "blue") == [red, blue]
    assert flags("blue", "red") == [blue, red]
    assert flags("blue", "white", "red") == [blue, {"color": "white", "crest": ""}, red]
    assert flags("red", "green") == [red, {"color": "green", "crest": "wolf"}]
    assert flags("green") == [{"color": "green", "crest": ""}]


RED, BLUE, GREEN, PLAIN = (
    {"color": color, "crest": crest}
    for color, crest in (("red", "lion"), ("blue", "wolf"), ("green", "bear"), ("plain", ""))
)


@pytest.mark.parametrize(
    ("flags", "colors", "crests"),
    [
        ([RED, BLUE], ["blue", "new"], ["wolf", ""]),
        ([RED, BLUE], ["blue", "blue"], ["", "wolf"]),
        ([RED, BLUE], ["red", "new"], ["lion", "wolf"]),
        ([RED, BLUE], ["new", "other"], ["lion", "wolf"]),
        (
            [RED, {"color": "plain", "crest": ""}, GREEN],
            ["plain", "green", "new"],
            ["", "bear", ""],
        ),
        ([RED, BLUE, GREEN], ["red", "new", "green"], ["lion", "wolf", "bear"]),
        ([RED, BLUE, GREEN], ["new", "red", "green"], ["", "lion", "bear"]),
        ([RED, BLUE, GREEN], ["blue", "new", "green"], ["wolf", "", "bear"]),
        ([RED, BLUE, GREEN], ["green", "red", "new"], ["bear", "lion", ""]),
        ([RED, BLUE, GREEN], ["red", "red", "new"], ["lion", "", "bear"]),
        ([RED, RED, BLUE], ["red", "blue", "new"], ["lion", "wolf", ""]),
    ],
)
def test_nothing_goes_to_another_element_of_a_list_without_a_key(
    ships: Declared, flags: list[Any], colors: list[str], crests: list[str]
) -> None:
    """Elements that moved, were copied, deleted, appended or edited; what finds no element is
    reported."""
    old = ships.convert(ship(flags=flags), to="v1beta1")
    old["spec"]["flags"] = [{"color": color} for color in colors]
    report: list[Any] = []
    new = ships.convert(old, to="v1", report=report)
    assert [flag["crest"] for flag in new["spec"]["flags"]] == crests
    lost = sum(flag["crest"] != "" for flag in flags) - sum(crest != "" for crest in crests)
    assert len(report) == lost


@pytest.mark.parametrize(
    "path",
    ["$.motto", "motto", "$['motto']", '$["motto"]'],
)
def test_paths_are_read_in_every_spelling(ships: Declared, path: str) -> None:
    entry = {"jsonPath": path} if path.startswith("$") else {"fieldName": path}
    old = ship("v1beta1", changed(upgrades={"v1": [{**entry, "value": "ahoy"}]}))
    assert ships.convert(old, to="v1")["spec"]["motto"] == "ahoy"


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"changedValues": None},
        {"changedValues": {}},
        {"changedValues": {"upgrades": None}},
        {"changedValues": {"upgrades": {"v1": []}, "downgrades": {}}},
    ],
)
def test_what_is_missing_or_empty_is_no_entry(ships: Declared, status: dict[str, Any]) -> None:
    new = ships.convert(ship("v1beta1", status, weight=1), to="v1")
    assert not new.get("status")
    assert new["spec"]["tons"] == 1


@pytest.mark.parametrize(
    "entry",
    [
        5,
        None,
        {},
        {"jsonPath": "$.motto"},
        {"jsonPath": "motto", "value": 1},
        {"jsonPath": "$.motto[", "value": 1},
        {"jsonPath": "$", "value": 1},
        {"jsonPath": 3, "value": 1},
        {"jsonPath": "$.rudder", "value": 1},
        {"jsonPath": "$.flags[9].crest", "value": "x"},
        {"jsonPath": "$.flags[0].crest", "value": "x", "guards": 7},
        {"jsonPath": "$.motto", "value": "x", "root": "metadata"},
        {"jsonPath": "$.motto", "value": "x", "absent": "yes"},
        {"jsonPath": "$.engine.Steam.power", "value": 1},
    ],
)
def test_malformed_entries_are_dropped_with_a_warning(ships: Declared, entry: Any) -> None:
    """Never a crash, and the rest of the object converts."""
    old = ship("v1beta1", changed(upgrades={"v1": [entry]}), weight=1, flags=[], engine="Steam")
    report: list[Any] = []
    new = ships.convert(old, to="v1", report=report)
    assert new == ship(tons=1, flags=[], engine="Steam")
    assert [type(item) for item in report] == [Dropped]


@pytest.mark.parametrize("wrong", [5, [1], "x", {"upgrades": 5}, {"upgrades": {"v1": "x"}}])
def test_malformed_sections_are_dropped_with_a_warning(ships: Declared, wrong: Any) -> None:
    report: list[Any] = []
    old = ship("v1beta1", {"changedValues": wrong}, weight=1)
    assert ships.convert(old, to="v1", report=report) == ship(tons=1)
    assert report


def test_a_tracked_value_that_does_not_fit_is_a_located_error(ships: Declared) -> None:
    """Dropping it would lose data."""
    entry = {"jsonPath": "$.crew", "value": "many"}
    old = ship("v1alpha1", changed(upgrades={"v1beta1": [entry]}), weight=1)
    with pytest.raises(ConversionError, match=r'tracked value for "v1beta1" at \$\.crew: expected'):
        ships.convert(old, to="v1")


def test_entries_of_other_versions_stay_and_stale_ones_go(ships: Declared) -> None:
    """Kept are lists for versions that the walk does not reach, and keys that are no version;
    dropped what the object has passed by."""
    later = [{"jsonPath": "$.motto", "value": "later"}]
    status = changed(
        upgrades={"v1": later, "v1alpha1": later, "v0": later},
        downgrades={"v1": later, "v1beta1": [{"jsonPath": "$.x", "value": 1}]},
    )
    moved = ships.convert(ship("v1alpha1", status, weight=1), to="v1beta1")
    assert moved["status"]["changedValues"] == {"upgrades": {"v1": later, "v0": later}}


def test_user_status_stands_beside_the_entries(ships: Declared) -> None:
    old = ships.convert(ship(status={"afloat": True}, motto="m"), to="v1beta1")
    assert old["status"]["afloat"] is True
    assert ships.convert(old, to="v1") == ship(status={"afloat": True}, motto="m")


def test_the_source_is_not_changed_and_shares_nothing(ships: Declared) -> None:
    start = ship(**FULL)
    before = repr(start)
    old = ships.convert(start, to="v1alpha1")
    old["status"]["changedValues"]["upgrades"].clear()
    old["spec"]["spare"].clear()
    assert repr(start) == before


def test_the_annotation_carries_entries_of_the_spec(declared: Declaring) -> None:
    """As the same JSON, compact; and both places are read."""
    group = declared(
        SHIPS.replace("tracking=Tracking()", 'tracking=Tracking(carrier="annotation")'),
    )
    old = group.convert(ship(motto="m", tons=1), to="v1beta1")
    annotations = old["metadata"]["annotations"]
    assert annotations == {
        "sea.example.com/changed-values": '{"upgrades":{"v1":[{"jsonPath":"$.motto","value":"m"}]}}'
    }
    assert "status" not in old
    assert group.convert(old, to="v1") == ship(motto="m", tons=1)
    old["metadata"]["annotations"] = {}
    old["status"] = changed(upgrades={"v1": [{"jsonPath": "$.motto", "value": "s"}]})
    assert group.convert(old, to="v1")["spec"]["motto"] == "s"


def test_tolerant_tracking_drops_what_does_not_fit(declared: Declaring) -> None:
    group = declared(
        SHIPS.replace("tracking=Tracking()", 'tracking=Tracking(on_bad_value="tolerant")'),
    )
    entry = {"jsonPath": "$.crew", "value": "many"}
    report: list[Any] = []
    old = ship("v1alpha1", changed(upgrades={"v1beta1": [entry]}), weight=1)
    assert group.convert(old, to="v1beta1", report=report)["spec"]["crew"] == 12
    assert 'tracked value for "v1beta1" at $.crew' in str(report[0])


def test_all_entries_are_written_where_the_declaration_says_so(declared: Declaring) -> None:
    """`entries="all"` pins values that a default or a function would give again."""
    group = declared(
        SHIPS.replace("tracking=Tracking()", 'tracking=Tracking(entries="all")'),
    )
    old = group.convert(ship("v1beta1", crew=12, weight=3), to="v1alpha1")
    assert {"jsonPath": "$.crew", "value": 12} in old["status"]["changedValues"]["upgrades"][
        "v1beta1"
    ]
    old = group.convert(ship(tons=3), to="v1beta1")
    assert {"jsonPath": "$.tons", "value": 3, "downgradedValue": 3} in old["status"][
        "changedValues"
    ]["upgrades"]["v1"]


TRAMS = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(track=("{track}",)))


def short(number: int) -> int:
    return min(number, 255)


@union
class Brake:
    Air: Unit
    Eddy: Annotated[Unit, added("v2", fallback="Air")]


@union
class Power:
    Wire: U8
    Cell: Annotated[Unit, added("v2", fallback="Wire")]


@resource(group="trams.example.com")
class TramSpec:
    brake: Brake
    spare: Brake | None
    cars: dict[str, list[Brake]]
    power: Power
    line: Annotated[U16, changed("v2", from_type=U8, downgrade_with=short)]
    bell: Annotated[bool, added("v2")]
"""
TRAM = {
    "brake": "Eddy",
    "spare": "Eddy",
    "cars": {"a": ["Air", "Eddy"]},
    "power": "Cell",
    "line": 300,
    "bell": True,
}


@pytest.mark.parametrize(
    ("track", "kept"),
    [
        ("variants", {"brake", "spare", "cars", "power"}),
        ("changed", {"line"}),
        ("added", {"bell"}),
    ],
)
def test_only_what_the_declaration_names_is_kept(
    declared: Declaring, track: str, kept: set[str]
) -> None:
    """Unions of bare names, which are texts, have variants as others have."""
    trams = declared(TRAMS.replace("{track}", track))
    head = {"apiVersion": "trams.example.com/v2", "kind": "Tram", "metadata": {"name": "t"}}
    old = trams.convert({**head, "spec": TRAM}, to="v1")
    shown = {"brake": "Air", "spare": "Air", "cars": {"a": ["Air", "Air"]}, "power": {"Wire": 0}}
    assert old["spec"] == {**shown, "line": 255}
    known = {**shown, "line": 255, "bell": False, **{name: TRAM[name] for name in kept}}
    assert trams.convert(old, to="v2")["spec"] == known
