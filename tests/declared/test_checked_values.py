"""What functions return and what was tracked has to be of its declared type, however deep.

The error names the function or the tracked value's path, and the place inside; it is the same on
every way. What was wrong already when it was put away comes back as it was. Source:
docs/declared.md, "Functions".
"""

from __future__ import annotations

import copy
import datetime
import decimal
import json
from collections.abc import Iterator
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.errors import ConversionError
from tests.support.declared import Declared, Declaring
from tests.support.objects import resource
from tests.support.reviews import review_of

RESULTS: dict[str, Any] = {}
"""What the functions of the declaration return, by property; without an entry what is right."""

# By property: what its function returns.
RIGHT: dict[str, Any] = {
    "text": "t",
    "maybe": None,
    "small": 1,
    "dose": {"drug": "a", "milligrams": 1},
    "doses": {},
    "way": "Mouth",
    "ward": "North",
    "wards": "North",
    "care": "NoCare",
    "names": ["a"],
    "holes": [None],
    "open": None,
}
FUNCTIONS = "".join(
    f'\n\ndef make_{name}(*_: Any) -> Any:\n    return RESULTS.get("{name}", RIGHT["{name}"])\n'
    for name in RIGHT
)
CLINIC = f"""
from typing import Any
from tests.declared.test_checked_values import RESULTS, RIGHT

VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(carrier="CARRIER"))
{FUNCTIONS}

@obj
class Dose:
    drug: str
    milligrams: U8
    notes: list[str] | None


@union
class Way:
    Mouth: Unit
    Vein: Dose
    Twice: tuple[Dose, U8]


@union
class Ward:
    North: Unit
    Attic: Annotated[Unit, added("v2", downgrade_with=make_ward)]


@union
class Care:
    NoCare: Unit
    Basic: Dose
    Full: Annotated[Dose, added("v2", downgrade_with=make_care)]


@resource(group="clinic.example.com")
class PatientSpec:
    text: Annotated[str, changed("v2", from_type=bool, upgrade_with=make_text)]
    maybe: Annotated[str | None, changed("v2", from_type=bool, upgrade_with=make_maybe)]
    names: Annotated[list[str], changed("v2", from_type=str, upgrade_with=make_names)]
    holes: Annotated[list[str | None], changed("v2", from_type=str, upgrade_with=make_holes)]
    open: Annotated[Json, changed("v2", from_type=str, upgrade_with=make_open)]
    small: Annotated[U8, added("v2", default=make_small)]
    dose: Annotated[Dose, added("v2", default_from=make_dose)]
    doses: Annotated[dict[str, list[Dose]], added("v2", default=make_doses)]
    way: Annotated[Way, removed("v2", default=make_way)]
    ward: Ward
    wards: list[Ward]
    care: Care
"""
GROUP = "clinic.example.com"
CARRIERS = ("status", "annotation", "bag")
DOSE = RIGHT["dose"]
OLD: dict[str, Any] = {
    "text": True,
    "maybe": True,
    "names": "a",
    "holes": "a",
    "open": "a",
    "way": "Mouth",
    "ward": "North",
    "wards": [],
    "care": "NoCare",
}
NEW: dict[str, Any] = {
    "text": "t",
    "maybe": "m",
    "names": ["b"],
    "holes": ["a"],
    "open": 1,
    "small": 2,
    "dose": {"drug": "z", "milligrams": 9},
    "doses": {"x": [DOSE]},
    "ward": "Attic",
    "wards": ["North", "Attic"],
    "care": {"Full": DOSE},
}


@pytest.fixture(scope="module", params=CARRIERS)
def clinic(request: pytest.FixtureRequest, declared: Declaring) -> Declared:
    return declared(CLINIC.replace("CARRIER", request.param))


@pytest.fixture(autouse=True)
def _all_right() -> Iterator[None]:
    yield
    RESULTS.clear()


def patient(version: str) -> dict[str, Any]:
    spec = OLD if version == "v1" else NEW
    return resource(f"{GROUP}/{version}", "Patient", "p", spec=copy.deepcopy(spec))


def failure(
    clinic: Declared, document: dict[str, Any], *, to: str, tolerated: bool = False
) -> ConversionError:
    """Return the error that every way of converting the document gives.

    Reviews convert without what is `tolerated`, and keep it.
    """
    before = copy.deepcopy(document)
    version = document["apiVersion"].rpartition("/")[2]
    with pytest.raises(ConversionError) as caught:
        clinic.convert(document, to=to)
    error = caught.value
    typed = clinic.api(version).Patient.from_dict(document)
    for act in (
        lambda: clinic.scheme.convert_bytes(json.dumps(document).encode(), to=to),
        lambda: clinic.convert(typed, to=to),
        lambda: clinic.convert(document, to=to),
    ):
        with pytest.raises(ConversionError) as again:
            act()
        assert str(again.value) == str(error)
    review = review_of([document], f"{GROUP}/{to}")
    reply: Any = json.loads(clinic.scheme.review(json.dumps(review).encode()))
    if tolerated:
        assert len(reply["response"]["convertedObjects"]) == 1
    else:
        assert error.rule in reply["response"]["result"]["message"]
        assert not reply["response"]["convertedObjects"]
    answer = clinic.kinds.Patient.try_convert(review)["response"]
    what = error.rule.partition(": ")[2] if ":make_" not in error.rule else error.rule
    assert what in answer["result"]["message"]
    assert answer["convertedObjects"] == []
    assert document == before
    return error


# By case: the version to convert to, the property, what its function returns, and the text.
RESULT: dict[str, tuple[str, str, Any, str]] = {
    "forgotten return": ("v2", "text", None, ": invalid type: null, expected a string"),
    "wrong kind": ("v2", "text", 5, ": expected string, found integer"),
    "forgotten default": ("v2", "small", None, ": invalid type: null, expected u8"),
    "too large": ("v2", "small", 256, ": 256 is out of the range of U8"),
    "boolean": ("v2", "small", True, ": expected integer, found boolean"),
    "missing member": ("v2", "dose", {"drug": "a"}, " at $.milligrams: missing field"),
    "wide": ("v2", "dose", {**DOSE, "milligrams": 300}, " at $.milligrams: invalid value"),
    "kind of member": ("v2", "dose", {**DOSE, "drug": 1}, " at $.drug: invalid type: integer"),
    "null member": ("v2", "dose", {**DOSE, "drug": None}, " at $.drug: invalid type: null"),
    "null in a list": ("v2", "dose", {**DOSE, "notes": [None]}, " at $.notes[0]: invalid type"),
    "no object": ("v2", "dose", 5, ": expected object, found integer"),
    "deep": ("v2", "doses", {"x": [DOSE, {"drug": "a"}]}, " at $.x[1].milligrams: missing field"),
    "null object": ("v2", "doses", {"x": [None]}, " at $.x[0]: invalid type: null"),
    "wrong container": ("v2", "doses", {"x": {}}, ": expected list, found object"),
    "no variant": ("v1", "way", "Nose", ": unknown variant `Nose`"),
    "no payload": ("v1", "way", "Vein", ": unknown variant `Vein`"),
    "payload": ("v1", "way", {"Vein": {"drug": "a"}}, " at $.Vein.milligrams: missing field"),
    "two variants": ("v1", "way", {"Vein": DOSE, "Twice": []}, ": invalid type: map"),
    "short tuple": ("v1", "way", {"Twice": [DOSE]}, " at $.Twice: invalid type: sequence"),
    "unknown bare variant": ("v1", "ward", "Cellar", ": unknown variant `Cellar`"),
    "newer bare variant": ("v1", "ward", "Attic", ": unknown variant `Attic`"),
    "no bare variant": ("v1", "ward", None, ": expected string, found null"),
    "no union": ("v1", "care", None, ": expected union, found null"),
    "unknown union": ("v1", "care", "Half", ": unknown variant `Half`"),
    "union payload": ("v1", "care", {"Basic": {}}, " at $.Basic.drug: missing field"),
    "null name": ("v2", "names", ["a", None], " at $[1]: invalid type: null"),
    "nan": ("v2", "small", float("nan"), "nan is not a JSON number"),
    "infinity": ("v2", "dose", {**DOSE, "drug": float("inf")}, "inf is not a JSON number"),
    "tuple": ("v2", "names", ("a",), "tuple is not a JSON type"),
    "set": ("v2", "names", {"a"}, "set is not a JSON type"),
    "decimal": ("v2", "small", decimal.Decimal(1), "Decimal is not a JSON type"),
    "date": ("v2", "text", datetime.date(2020, 1, 1), "date is not a JSON type"),
    "surrogate": ("v2", "text", "\ud800", "lone surrogate"),
}


@pytest.mark.parametrize("case", RESULT)
def test_results_of_functions_are_of_their_declared_type(clinic: Declared, case: str) -> None:
    to, name, value, text = RESULT[case]
    document = patient("v2" if to == "v1" else "v1")
    clinic.convert(document, to=to)
    RESULTS[name] = value
    error = failure(clinic, document, to=to)
    assert f":make_{name} returned" in error.rule
    assert text in error.rule
    place = "/spec" if name == "way" and to == "v1" else f"/spec/{name}"
    assert error.path.startswith(place)


def test_nulls_stand_where_the_type_has_them(clinic: Declared) -> None:
    """`None` for an optional value, in a list of optional elements, and for open JSON."""
    spec = clinic.convert(patient("v1"), to="v2")["spec"]
    assert (spec.get("maybe"), spec["holes"], spec.get("open")) == (None, [None], None)


# By case: the property, the value that waits for it, the place in it, and the text.
TRACKED: dict[str, tuple[str, Any, str, str]] = {
    "wrong kind": ("small", "1", "", "expected integer, found string"),
    "null": ("small", None, "", "invalid type: null, expected u8"),
    "too large": ("small", 256, "", "256 is out of the range of U8"),
    "missing member": ("dose", {"drug": "a"}, ".milligrams", "missing field `milligrams`"),
    "wide member": ("dose", {**DOSE, "milligrams": 300}, ".milligrams", "invalid value"),
    "kind of member": ("dose", {**DOSE, "drug": 1}, ".drug", "invalid type: integer `1`"),
    "null member": ("dose", {**DOSE, "drug": None}, ".drug", "invalid type: null"),
    "null in a list": ("dose", {**DOSE, "notes": [None]}, ".notes[0]", "invalid type: null"),
    "no object": ("dose", 5, "", "expected object, found integer"),
    "deep": ("doses", {"x": [DOSE, {"drug": "a"}]}, ".x[1].milligrams", "missing field"),
    "null object": ("doses", {"x": [None]}, ".x[0]", "invalid type: null"),
    "wrong container": ("doses", {"x": {}}, ".x", "expected list, found object"),
    "retyped": ("names", ["a", None], "[1]", "invalid type: null"),
    "variant": ("ward", "Cellar", "", "unknown variant `Cellar`"),
    "element": ("wards", ["North", "Cellar"], "[1]", "unknown variant `Cellar`"),
    "union": ("care", "Half", "", "unknown variant `Half`"),
    "payload": ("care", {"Full": {"drug": "a"}}, ".Full.milligrams", "missing field"),
}


def waiting(clinic: Declared, name: str, value: Any) -> tuple[dict[str, Any], str]:
    """Return an object of v1 with a value that waits for v2, and where."""
    old: dict[str, Any] = clinic.convert(patient("v2"), to="v1")
    status, annotations = old.get("status"), old["metadata"].get("annotations", {})
    if SPEC_ANNOTATION in annotations:
        envelope = json.loads(annotations[SPEC_ANNOTATION])
        bag = envelope["bags"][f"/spec/{name}" if name == "care" else "/spec"]["v2"]
        key = "$value" if name == "care" else name
        assert key in bag
        bag[key] = value
        annotations[SPEC_ANNOTATION] = json.dumps(envelope)
        return old, ""
    changed = status["changedValues"] if status else json.loads(annotations.popitem()[1])
    entries = changed["upgrades"]["v2"]
    path = f"$.{name}"
    if name == "wards":
        path, value = f"{path}[1]", value[1]
    (entry,) = (item for item in entries if item["jsonPath"] == path)
    entry["value"] = value
    if not status:
        annotations[f"{GROUP}/changed-values"] = json.dumps(changed)
    return old, path


@pytest.mark.parametrize("case", TRACKED)
def test_tracked_values_are_of_their_declared_type(clinic: Declared, case: str) -> None:
    """The entry is named with the place inside of its value."""
    name, value, place, text = TRACKED[case]
    RESULTS["ward"] = "North"
    document, path = waiting(clinic, name, value)
    error = failure(clinic, document, to="v2", tolerated=True)
    assert text in error.rule
    if path:
        inside = "" if name == "wards" else place
        assert f'tracked value for "v2" at {path}{inside}: ' in error.rule


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dose", {"drug": "a"}),
        ("dose", {"milligrams": None}),
        ("dose", {"drug": 5, "milligrams": 999, "notes": [None]}),
        ("small", 1000),
        ("small", None),
        ("doses", {"x": [None, {}]}),
        ("names", ["a", None]),
        ("wards", ["North", "Cellar", "Attic", None]),
        ("ward", "Cellar"),
        ("care", {"Full": {}}),
        ("care", {"Full": {"drug": 7}}),
    ],
)
def test_what_was_wrong_from_the_start_comes_back(clinic: Declared, name: str, value: Any) -> None:
    """Servers send fragments, and stored objects may be older than their schema: such a value is
    put away as it is, marked, and returns as it is, over any number of conversions."""
    start = patient("v2")
    start["spec"][name] = value
    old = clinic.convert(start, to="v1")
    assert clinic.convert(old, to="v2") == start
    assert clinic.convert(clinic.convert(clinic.convert(old, to="v2"), to="v1"), to="v2") == start


def test_only_such_values_are_marked(declared: Declaring) -> None:
    clinic = declared(CLINIC.replace("CARRIER", "status"))
    sound = clinic.convert(patient("v2"), to="v1")["status"]["changedValues"]
    assert "unfit" not in json.dumps(sound)
    partial = patient("v2")
    partial["spec"]["dose"] = {"drug": "a"}
    changed = clinic.convert(partial, to="v1")["status"]["changedValues"]
    assert [item for item in changed["upgrades"]["v2"] if "unfit" in item] == [
        {"jsonPath": "$.dose", "value": {"drug": "a"}, "unfit": True}
    ]


DRAWERS = """
VERSIONS = Versions(Version("v1"), Version("v2"), Version("v3"), tracking=Tracking(carrier="bag"))


@union
class Lock:
    Key: Unit
    Code: Annotated[Unit, removed("v2", fallback="Key")]


@resource(group="drawers.example.com")
class DeskSpec:
    drawers: dict[str, Lock]
"""


@pytest.mark.parametrize("lock", ["Magnet", "", 5])
def test_an_edit_that_does_not_fit_is_kept_beside_what_does(declared: Declaring, lock: Any) -> None:
    """Also by an edge that merely copies the map, on the way to the one that made it."""
    desks = declared(DRAWERS)
    head = {"kind": "Desk", "metadata": {"name": "d"}}
    start = {"apiVersion": "drawers.example.com/v1", **head, "spec": {"drawers": {"a": "Code"}}}
    new = desks.convert(start, to="v3")
    new["spec"]["drawers"]["b"] = lock
    for stop in ("v2", "v1"):
        old = desks.convert(desks.convert(new, to=stop), to="v1")
        assert old["spec"]["drawers"] == {"a": "Code", "b": lock}
        assert old["metadata"] == head["metadata"]
