"""Bag entries that cannot be used: an error, or kept and reported where that is tolerated.

Source: docs/bags.md, "Entries that cannot be used".
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.carriers.reports import Report
from holdall.errors import ConversionError
from holdall.explain.audit import audit
from holdall.objects.tolerance import Unused, searched
from holdall.scheme.scheme import Scheme
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, scheme_of
from tests.support.work import steps_of

BAG = "holdall.dev/bag"
CONFIG = config_of(
    "Box",
    {"v1": "v1.yaml", "v2": "v2.yaml", "v3": "v2.yaml"},
    group="boxes.example.com",
)
FILES = {
    "v1.yaml": """
type: object
properties:
  metadata: {type: object}
  spec:
    type: object
    properties:
      o: {type: object, properties: {a: {type: string}, in: {$ref: '#/$defs/in'}}}
      list: {type: array, items: {$ref: '#/$defs/in'}}
      map: {type: object, additionalProperties: {$ref: '#/$defs/in'}}
      size: {type: integer}
$defs:
  in: {type: object, properties: {x: {type: array, items: {type: string}}}}
""",
    "v2.yaml": schema_text("{metadata: object, spec: {size: integer}}"),
}
SPEC: dict[str, Any] = {
    "o": {"a": "b", "in": {"x": ["y"]}},
    "list": [{"x": []}, None],
    "map": {"k": {"x": ["z"]}},
    "size": 3,
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A kind with objects, lists and maps of objects in its first version only."""
    return scheme_of(build_project(tmp_path_factory.mktemp("boxes"), CONFIG, FILES))


def box(**spec: Any) -> dict[str, Any]:
    return resource("boxes.example.com/v1", "Box", "a", spec=spec or SPEC)


def bags(document: dict[str, Any]) -> Any:
    """Return the bags in the annotation of a document."""
    return json.loads(document["metadata"]["annotations"][BAG])["bags"]


def edited(document: dict[str, Any], changes: dict[str, Any], origin: str = "v1") -> dict[str, Any]:
    """Return a document with other entries in the first bag of its annotation."""
    envelope = json.loads(document["metadata"]["annotations"][BAG])
    entries = next(bag[origin] for bag in envelope["bags"].values() if origin in bag)
    entries.update(changes)
    annotations = {**document["metadata"]["annotations"], BAG: json.dumps(envelope)}
    return {**document, "metadata": {**document["metadata"], "annotations": annotations}}


DAMAGES = [
    pytest.param("o", 5, "expected object, found integer", id="no object"),
    pytest.param("o", {"in": "x"}, "/in: expected object, found string", id="within an object"),
    pytest.param("o", {"in": {"x": {}}}, "/in/x: expected list, found object", id="deep"),
    pytest.param("list", {}, "expected list, found object", id="no list"),
    pytest.param("list", [{"x": []}, 7], "/1: expected object, found integer", id="an element"),
    pytest.param("map", [], "expected object, found list", id="no map"),
    pytest.param(
        "map", {"k": {"x": 1}}, "/k/x: expected list, found integer", id="a value of a map"
    ),
    pytest.param(
        "o", {"$propertyBag": 5}, "/$propertyBag: expected object, found integer", id="a bag within"
    ),
    pytest.param(
        "o",
        {"$propertyBag": {"v2": [1]}},
        "/$propertyBag/v2: expected object, found list",
        id="an origin within",
    ),
]


@pytest.mark.parametrize(("key", "value", "why"), DAMAGES)
def test_an_entry_of_a_wrong_kind_is_an_error_or_kept(
    scheme: Scheme, key: str, value: Any, why: str
) -> None:
    """The object converts without it, has it again where it came from, and uses it if it is right.

    It travels over any number of versions, and everything else of the bag is used.
    """
    good = scheme.convert(box(), to="v2")
    damaged = edited(good, {key: value})
    with pytest.raises(ConversionError, match=f"/spec: bag entry v1/{key}"):
        scheme.convert(damaged, to="v1")
    rest = {name: item for name, item in SPEC.items() if name != key}
    for version in ("v2", "v3"):
        there = scheme.convert(damaged, to=version)
        report: Report = []
        found = scheme.convert(there, to="v1", report=report, tolerant=True)
        assert found["spec"] == rest
        assert report == [Unused("/spec", "v1", key, why)]
        text = scheme.convert_bytes(json.dumps(there), to="v1", tolerant=True)
        assert json.loads(text) == found
        back = scheme.convert(found, to=version)
        assert bags(back) == bags(there)
        entry = {name: item for name, item in SPEC.items() if name == key}
        assert scheme.convert(edited(back, entry), to="v1") == box()


def test_an_audit_says_what_cannot_be_used(scheme: Scheme) -> None:
    """Where the entry waits, and where it was of no use."""
    there = edited(scheme.convert(box(), to="v2"), {"o": 5})
    (found,) = [item for item in audit(there, scheme) if item.property == "o"]
    assert found.why.startswith("it cannot be used: /o: expected object, found integer")
    (aside,) = audit(scheme.convert(there, to="v1", tolerant=True), scheme)
    assert (aside.path, aside.property, aside.origin, aside.value) == ("/spec", "o", "v1", 5)
    assert aside.why.startswith("set aside at v2: it cannot be used: ")
    assert audit(scheme.convert(there, to="v1", tolerant=True))[0].why == "set aside at v2: "


def test_a_live_value_takes_the_place_of_what_cannot_be_used(scheme: Scheme) -> None:
    """As it does of any entry."""
    there = edited(scheme.convert(box(), to="v2"), {"o": 5})
    found: Any = scheme.convert(there, to="v1", tolerant=True)
    found["spec"]["o"] = {"a": "live"}
    again = scheme.convert(found, to="v2")
    assert bags(again)["/spec"]["v1"]["o"] == {"a": "live"}
    assert scheme.convert(again, to="v1") == found | {"metadata": {"name": "a"}}


@pytest.mark.parametrize(
    ("bag", "origin"),
    [(7, ""), ([], ""), ({"v1": 7}, "v1"), ({"v1": None}, "v1"), ({"v1": ["x"]}, "v1")],
)
def test_what_is_no_bag_does_not_hide_the_others(scheme: Scheme, bag: Any, origin: str) -> None:
    """It is kept as it is under a mark, and reported each time."""
    good: Any = scheme.convert(box(), to="v2")
    envelope = json.loads(good["metadata"]["annotations"][BAG])
    envelope["bags"][""] = bag
    good["metadata"]["annotations"][BAG] = json.dumps(envelope)
    for to in ("v1", "v3", "v1", "v2", "v1"):
        report: Report = []
        good = scheme.convert(good, to=to, report=report, tolerant=True)
        assert [(item.origin, item.key) for item in report] == [(origin, "")]
        held = bag if not origin else bag["v1"]
        assert bags(good)[""] == {origin: {"$unused": {"": {"": held}}}}
        if to == "v1":
            assert good["spec"] == SPEC


NAMELESS: tuple[Any, ...] = (None, 5, "x", {}, [1])
DAMAGED_MARKS: list[tuple[str, Any]] = [
    *(("$created", value) for value in NAMELESS),
    *(("$absent", value) for value in NAMELESS),
    *(("$shown", value) for value in NAMELESS),
    *(("$became", value) for value in NAMELESS if value != {}),
]


@pytest.mark.parametrize(("mark", "value"), DAMAGED_MARKS)
def test_a_damaged_mark_is_kept(scheme: Scheme, mark: str, value: Any) -> None:
    """A mark that says nothing is not used, and is not in the way of others."""
    damaged = edited(scheme.convert(box(), to="v2"), {mark: value})
    report: Report = []
    found = scheme.convert(damaged, to="v1", report=report)
    assert found["spec"] == SPEC
    assert [(item.origin, item.key) for item in report] == [("v1", mark)]
    assert bags(found) == {"/spec": {"v1": {"$unused": {"v2": {mark: value}}}}}
    back = scheme.convert(found, to="v2")
    assert bags(back) == bags(damaged)
    assert scheme.convert(back, to="v1") == found


# --- the sample project --------------------------------------------------------------------------


def sample(kind: str, version: str, **spec: Any) -> dict[str, Any]:
    return resource(f"batch.example.com/{version}", kind, "a", spec=spec)


SAMPLES = [
    pytest.param(
        sample("BatchAccount", "v20230501", tier={"name": "gold", "until": "2027"}),
        ("v20220601", "v20210101"),
        ("v20230501", "tier", 5),
        {},
        id="a link",
    ),
    pytest.param(
        sample("Pool", "v20220601", autoscaleProfiles=[{"name": "a"}, {"name": "b"}]),
        ("v20230501", "v20220601"),
        ("v20220601", "autoscaleProfiles", [{"name": "a"}, 5]),
        {"autoscaleProfiles": [{"name": "a"}]},
        id="residue",
    ),
    pytest.param(
        sample("Pool", "v20220601", mounts=[{"name": "m", "options": ["a,b", "c"]}]),
        ("v20210101", "v20220601"),
        ("v20220601", "residue:options", [{"at": ["options", 0], "was": 1}]),
        None,
        id="residue of a hook, with nonsense",
    ),
    pytest.param(
        sample("Pool", "v20220601", mounts=[{"name": "m", "options": ["a,b", "c"]}]),
        ("v20210101", "v20220601"),
        ("v20220601", "residue:options", [{"at": [{}], "was": 1, "is": 2}]),
        None,
        id="residue of a hook, of no form",
    ),
]


@pytest.mark.parametrize(("given", "versions", "damage", "shown"), SAMPLES)
def test_entries_of_links_pairs_and_hooks(
    given: Any, versions: tuple[str, str], damage: tuple[str, str, Any], shown: Any
) -> None:
    """A strict conversion says which entry or hook fails; a tolerant one keeps the entry."""
    at, to = versions
    origin, key, value = damage
    damaged = edited(BATCH.convert(given, to=at), {key: value}, origin)
    with pytest.raises(ConversionError):
        BATCH.convert(damaged, to=to)
    report: Report = []
    found = BATCH.convert(damaged, to=to, report=report, tolerant=True)
    assert [(item.origin, item.key) for item in report] == [(origin, key)]
    if shown is not None:
        assert found["spec"] == shown
    back = BATCH.convert(found, to=at, tolerant=True)
    assert next(iter(bags(back).values()))[origin][key] == value
    assert back["spec"] == damaged["spec"]


@pytest.mark.parametrize("value", [5, {"name": "gold", "$propertyBag": [0]}])
def test_an_entry_in_whose_place_a_link_has_put_a_value_is_kept(value: Any) -> None:
    """That value goes back over the versions between, where it would take the entry's place."""
    account = sample("BatchAccount", "v20230501", tier={"name": "gold", "until": "2027"})
    damaged = edited(BATCH.convert(account, to="v20210101"), {"tier": value}, "v20230501")
    report: Report = []
    found: Any = BATCH.convert(damaged, to="v20230501", report=report, tolerant=True)
    assert [(item.origin, item.key) for item in report] == [("v20230501", "tier")]
    assert found["spec"] == {"tier": {"name": "gold"}}
    between = BATCH.convert(found, to="v20220601", tolerant=True)
    assert BATCH.convert(between, to="v20230501", tolerant=True)["spec"] == found["spec"]
    for start in (found, between):
        back = BATCH.convert(start, to="v20210101", tolerant=True)
        assert back["spec"] == damaged["spec"]
        assert bags(back) == bags(damaged)
        entry = {"tier": account["spec"]["tier"]}
        repaired = edited(back, entry, "v20230501")
        assert BATCH.convert(repaired, to="v20230501")["spec"] == account["spec"]
    found["spec"]["tier"] = {"name": "iron", "until": "2028"}
    edit = BATCH.convert(found, to="v20210101", tolerant=True)
    assert BATCH.convert(edit, to="v20230501") == found | {"metadata": {"name": "a"}}


def test_a_tracked_value_of_a_wrong_kind_is_kept() -> None:
    """It waits under a key that is no version, for the object to be of its version again."""
    person: dict[str, Any] = resource(
        "people.example.com/v1", "Person", "a", spec={"fullName": "Ada"}
    )
    entries = {"v1beta1": [{"jsonPath": "$.fax", "value": {}}]}
    person["status"] = {"changedValues": {"downgrades": entries}}
    with pytest.raises(ConversionError, match="tracked value"):
        PEOPLE.convert(person, to="v1beta1")
    report: Report = []
    old: Any = PEOPLE.convert(person, to="v1beta1", report=report, tolerant=True)
    assert [(item.origin, item.key) for item in report] == [("v1beta1", "$.fax")]
    assert old["status"]["changedValues"]["downgrades"] == {"unused:v1beta1": entries["v1beta1"]}
    back: Any = PEOPLE.convert(old, to="v1")
    assert back["status"]["changedValues"]["downgrades"] == entries


# --- the search ----------------------------------------------------------------------------------


def test_a_search_refuses_what_does_harm_and_nothing_else() -> None:
    """A few of many entries are found in few trials."""
    trials = 0

    def convert(entries: Any) -> list[int]:
        nonlocal trials
        trials += 1
        if {3, 77} & {*entries}:
            raise ValueError
        return sorted(entries)

    found, refused = searched(range(100), convert, ValueError())
    assert found == [n for n in range(100) if n not in (3, 77)]
    assert [entry for entry, _ in refused] == [3, 77]
    assert trials < 40


@pytest.mark.parametrize("count", [3125, 20_000, 30_000, 50_000])
def test_a_search_ends(count: int) -> None:
    """However many entries do harm, the number of trials is bounded."""
    trials = 0

    def convert(entries: Any) -> list[int]:
        nonlocal trials
        trials += 1
        if any(entry % 2 for entry in entries):
            raise ValueError
        return [*entries]

    found, refused = searched(range(count), convert, ValueError())
    assert trials <= 2 + max(8, 400_000 // count)
    assert sorted([*found, *(entry for entry, _ in refused)]) == list(range(count))


def test_a_search_is_not_for_failures_of_other_causes() -> None:
    """What fails without any entry fails as it did first."""

    def convert(entries: Any) -> None:
        raise ValueError("second")

    with pytest.raises(ValueError, match="first"):
        searched([1], convert, ValueError("first"))


def test_each_of_many_damaged_entries_costs_the_same() -> None:
    """A few compressed kilobytes may hold tens of thousands."""

    def steps(count: int) -> int:
        damaged = {"$propertyBag": {"v2": {"to": 3}}}
        trips = {f"t{at}": damaged for at in range(count)}
        envelope = {"v": 2, "group": "fleet.example.com", "kind": "Vehicle", "plan": "x"}
        envelope |= {"version": "v1alpha1", "bags": {"/status": {"v1": {"trips": trips}}}}
        report: Report = []
        old = resource("fleet.example.com/v1alpha1", "Vehicle", "van", spec={}, status={})
        old["metadata"]["annotations"] = {"holdall.dev/status-bag": json.dumps(envelope)}
        taken = steps_of(lambda: FLEET.convert(old, to="v2", tolerant=True, report=report))
        assert sum(isinstance(found, Unused) for found in report) == count
        return taken

    steps(1)  # what is made once
    assert steps(600) < 10.5 * steps(60)
