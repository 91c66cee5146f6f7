"""The status type of kinds whose tracked values stand in it: the user's members beside
`changedValues`, in every version. Source: docs/declared.md, "Tracking"."""

from __future__ import annotations

import copy
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from holdall.text import yaml
from holdall_codegen.project import emit_project, load_project
from tests.support.declared import HEAD, Declared, Declaring
from tests.support.objects import resource
from tests.support.reviews import review_of

HARBOUR = """
VERSIONS = Versions(Version("v1alpha1", deprecated="use v1"), Version("v1beta1"), Version("v1"){})


@union
class Phase:
    Open: Unit
    Shut: Annotated[Unit, added("v1", fallback="Open")]


@obj
class Berth:
    number: U8
    depth: Annotated[U8, added("v1")]


@obj
class PortStatus:
    '''How it is.'''
    ships: Annotated[U32, changed("v1beta1", from_name="boats")]
    '''How many are here.'''
    phase: Phase
    berths: list[Berth]
    changed_values: str | None
    pilot: Annotated[str | None, added("v1")]


@obj
class TugStatus:
    ready: bool


@union(rename_all="camelCase")
class BuoyStatus:
    Afloat: Berth
    Sunk: U8


@resource(group="sea.example.com", status=PortStatus)
class PortSpec:
    '''A port.'''
    town: Annotated[str, added("v1")]


@resource(group="sea.example.com", status=TugStatus)
class TugSpec:
    power: Annotated[U32, added("v1")]


@resource(group="sea.example.com")
class QuaySpec:
    length: Annotated[U32, added("v1beta1")]
    cranes: Annotated[U8, removed("v1")]


@resource(group="sea.example.com", status=BuoyStatus)
class BuoySpec:
    color: Annotated[str, added("v1")]


@resource(group="sea.example.com", status=Json)
class RadarSpec:
    range: Annotated[U8, added("v1")]
"""
ON = ", tracking=Tracking()"
VERSIONS = ["v1alpha1", "v1beta1", "v1"]
KINDS = ["Port", "Tug", "Quay", "Buoy", "Radar"]
# By kind: a spec that every version can say in part only, and a status.
OBJECTS: dict[str, tuple[str, Any, Any]] = {
    "Port": (
        "v1",
        {"town": "Kiel"},
        {
            "ships": 3,
            "phase": "Shut",
            "berths": [{"number": 1, "depth": 9}, {"number": 2, "depth": 0}],
            "changed_values": "mine",
            "pilot": "Ada",
        },
    ),
    "Tug": ("v1", {"power": 900}, None),
    "Quay": ("v1beta1", {"length": 70, "cranes": 2}, None),
    "Buoy": ("v1", {"color": "red"}, {"afloat": {"number": 4, "depth": 5}}),
    "Radar": ("v1", {"range": 7}, {"anything": [1, None]}),
}


@pytest.fixture(scope="module")
def harbour(declared: Declaring) -> Declared:
    return declared(HARBOUR.replace("{}", ON))


def document(kind: str, **members: Any) -> dict[str, Any]:
    """Return the object of a kind in the version that it is written in."""
    version, spec, status = OBJECTS[kind]
    found = {
        "apiVersion": f"sea.example.com/{version}",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": spec,
        **({} if status is None else {"status": status}),
        **members,
    }
    return copy.deepcopy(found)


def status_type(group: Declared, kind: str, version: str = "v1") -> Any:
    return getattr(group.api(version), f"{kind}StatusWithChangedValues", None)


def attributes(cls: Any) -> dict[str, str]:
    """Return the attribute of every member, by its name on the wire."""
    return {item.metadata["holdall"]["name"]: item.name for item in fields(cls) if item.metadata}


# --- the type ---------------------------------------------------------------------------------


def test_members_are_those_of_the_status_in_each_version(harbour: Declared) -> None:
    """Flattened, with the names of the version; a name that the user has is the user's."""
    port = {"phase": "phase", "berths": "berths", "changed_values": "changed_values"}
    port["changedValues"] = "changed_values_"
    assert attributes(status_type(harbour, "Port", "v1alpha1")) == {**port, "boats": "boats"}
    assert attributes(status_type(harbour, "Port", "v1beta1")) == {**port, "ships": "ships"}
    assert attributes(status_type(harbour, "Port")) == {**port, "ships": "ships", "pilot": "pilot"}
    changed = {"changedValues": "changed_values"}
    for version in VERSIONS:
        assert attributes(status_type(harbour, "Tug", version)) == {"ready": "ready", **changed}
        assert attributes(status_type(harbour, "Quay", version)) == changed
        assert attributes(status_type(harbour, "Radar", version)) == changed


def test_every_member_is_optional(harbour: Declared) -> None:
    """Tracked values may stand alone; the user's own type still demands what was declared."""
    for version in VERSIONS:
        for kind in ("Port", "Tug", "Quay", "Buoy", "Radar"):
            assert status_type(harbour, kind, version)().to_dict() == {}
        with pytest.raises(TypeError, match="ready"):
            harbour.api(version).TugStatus()


def test_the_status_of_an_object_has_the_type(harbour: Declared) -> None:
    """In all versions, and nowhere else: twins and the plan do not know it."""
    for version in VERSIONS:
        api = harbour.api(version)
        for kind in KINDS[:-1]:
            found = status_type(harbour, kind, version)
            assert get_type_hints(getattr(api, kind))["status"] == found | None
            assert found.__name__ in api.__all__
        assert not [name for name in vars(harbour.storage(version)) if "ChangedValues" in name]
    assert "ChangedValues" not in (next(harbour.root.rglob("plan.json"))).read_text()


def test_known_values_are_named_once(harbour: Declared) -> None:
    """Those of an enum belong to the user's type."""
    names = [name for name in harbour.api("v1").__all__ if name.endswith("Phase")]
    assert names == ["PortStatusPhase"]


def test_documentation(harbour: Declared) -> None:
    """The docstrings are the user's, and say what the tracked values are."""
    doc = status_type(harbour, "Port").__doc__
    assert doc.startswith("How it is.\n")
    assert "`changed_values` holds values of other versions" in doc
    assert status_type(harbour, "Quay").__doc__.startswith("The status of Quay,")
    assert status_type(harbour, "Port", "v1alpha1").__deprecated__ == "use v1"


@pytest.mark.parametrize(
    ("tracking", "kinds"),
    [
        (ON, ["Port", "Tug", "Quay", "Buoy", "Radar"]),
        (', tracking=Tracking(carrier="annotation")', ["Port", "Tug", "Buoy", "Radar"]),
        (', tracking=Tracking(carrier="bag")', []),
        ("", []),
    ],
)
def test_the_type_is_where_the_schema_has_a_place(
    declared: Declaring, tracking: str, kinds: list[str]
) -> None:
    """There is the type if and only if the CRD has `changedValues`; a list has no members."""
    group = declared(HARBOUR.replace("{}", tracking))
    for kind in KINDS:
        found = getattr(group.kinds, kind)
        for version in found.merged_crd(found.Version.V1)["spec"]["versions"]:
            status = version["schema"]["openAPIV3Schema"]["properties"].get("status", {})
            has_place = "changedValues" in status.get("properties", {})
            assert has_place == (kind in kinds)
            assert has_place == (status_type(group, kind, version["name"]) is not None)


def test_the_configuration_may_turn_tracking_off(tmp_path: Path) -> None:
    """With another carrier of a kind there are neither the type nor its place in the schema."""
    (tmp_path / "harbour_configured.py").write_text(HEAD + HARBOUR.replace("{}", ON))
    (tmp_path / "holdall.yaml").write_text(
        "groups:\n  sea:\n    sources: [{declared: harbour_configured.py}]\n"
        "    carrier: {Tug: none}\n"
    )
    files = emit_project(load_project(tmp_path))
    module = files["generated/sea/v1/__init__.py"]
    assert "class TugStatus(" in module
    assert "class TugStatusWithChangedValues(" not in module
    assert "class PortStatusWithChangedValues(" in module
    crd: Any = yaml.load_all(files["generated/sea/crds/tugs.yaml"], "tugs.yaml")[0].value
    assert "changedValues" not in str(crd)


# --- typed objects ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", OBJECTS)
def test_there_and_back(harbour: Declared, kind: str) -> None:
    """A typed object comes back from every version as it was, spec and status."""
    found = getattr(harbour.kinds, kind)
    written = document(kind)
    start = OBJECTS[kind][0]
    typed = getattr(harbour.api(start), kind).from_dict(written)
    for version in found.Version:
        there = found.convert(typed, version)
        assert type(there) is getattr(harbour.api(version.value), kind)
        if there.status is not None:
            assert type(there.status) is status_type(harbour, kind, version.value)
        back = found.convert(there, found.Version(start))
        assert back == typed
        assert back.to_dict() == written


def test_the_way_of_typed_objects_is_that_of_documents(harbour: Declared) -> None:
    """The same object results in every version, and tracked values are an attribute of it."""
    written = document("Port")
    typed = harbour.api("v1").Port.from_dict(written)
    for version in VERSIONS:
        there = harbour.convert(typed, to=version)
        assert there.to_dict() == harbour.convert(written, to=version)
    old = harbour.convert(typed, to="v1alpha1")
    assert (old.status.boats, old.status.phase, old.status.changed_values) == (3, "Open", "mine")
    assert {entry["jsonPath"] for entry in old.status.changed_values_["upgrades"]["v1"]} == {
        "$.town",
        "$.phase",
        "$.pilot",
        "$.berths[0].depth",
    }


def test_an_older_object_comes_back(harbour: Declared) -> None:
    """Old to new and back: what only old versions say travels below `downgrades`."""
    quay = document("Quay")
    typed = harbour.api("v1beta1").Quay.from_dict(quay)
    new = harbour.convert(typed, to="v1")
    assert new.status.changed_values["downgrades"]["v1beta1"][0]["value"] == 2
    assert harbour.convert(new, to="v1beta1").to_dict() == quay
    oldest = harbour.convert(new, to="v1alpha1")
    assert harbour.convert(harbour.convert(oldest, to="v1"), to="v1beta1").to_dict() == quay


def test_a_client_of_an_old_version_keeps_what_it_hands_on(harbour: Declared) -> None:
    """Its status is made anew from the user's members and the tracked values; an edit wins."""
    tug = harbour.api("v1").Tug.from_dict(document("Tug"))
    old = harbour.convert(tug, to="v1alpha1")
    assert (old.status.ready, old.spec.to_dict()) == (None, {})
    cls = status_type(harbour, "Tug", "v1alpha1")
    old.status = cls(ready=True, changed_values=old.status.changed_values)
    new = harbour.convert(old, to="v1")
    assert new.spec.power == 900
    assert new.status == status_type(harbour, "Tug")(ready=True)

    old.status = cls(ready=True)
    assert harbour.convert(old, to="v1").spec.power == 0


def test_an_object_made_by_hand(harbour: Declared) -> None:
    """Tracked values that somebody states are taken on the way to their version."""
    api = harbour.api("v1alpha1")
    status = status_type(harbour, "Quay", "v1alpha1")(
        changed_values={"upgrades": {"v1beta1": [{"jsonPath": "$.length", "value": 5}]}}
    )
    quay = api.Quay(metadata={"name": "q"}, spec=api.QuaySpec(cranes=1), status=status)
    new = harbour.kinds.Quay.convert(quay, harbour.kinds.QuayVersion.V1Beta1)
    assert new.to_dict() == resource(
        "sea.example.com/v1beta1", "Quay", "q", spec={"cranes": 1, "length": 5}
    )
    assert quay.status is status


def test_the_users_own_status_may_stand_there(harbour: Declared) -> None:
    """At run time; type checkers ask for the type with tracked values."""
    api = harbour.api("v1")
    tug = api.Tug(spec=api.TugSpec(power=3), status=api.TugStatus(ready=True))
    old = harbour.convert(tug, to="v1alpha1")
    assert (old.status.ready, harbour.convert(old, to="v1").spec.power) == (True, 3)


@pytest.mark.parametrize(
    "changed",
    [None, 5, "x", [], {}, {"upgrades": 3}, {"upgrades": {"v1": 7}, "more": None}, {"v9": []}],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["Tug", "Quay"])
def test_tracked_values_of_any_shape_are_read(harbour: Declared, kind: str, changed: Any) -> None:
    """Such an object is read, written as it was, and converted as its document is."""
    written = document(kind, status={"changedValues": changed, "more": [None]})
    version = OBJECTS[kind][0]
    typed = getattr(harbour.api(version), kind).from_dict(written)
    assert typed.to_dict() == written
    for to in VERSIONS:
        assert harbour.convert(typed, to=to).to_dict() == harbour.convert(written, to=to)


# --- statuses of default values ---------------------------------------------------------------


def test_a_review_reads_what_a_review_wrote(harbour: Declared) -> None:
    """Tracked values may be alone in a status that has required fields; then it has none of them,
    but beside anything else they are required."""
    start = document("Tug")

    def answered(item: Any, to: str) -> Any:
        review = review_of([item], f"sea.example.com/{to}")
        return harbour.kinds.Tug.try_convert(review)["response"]

    (old,) = answered(start, "v1beta1")["convertedObjects"]
    assert set(old["status"]) == {"changedValues"}
    assert answered(old, "v1")["convertedObjects"] == [start]
    old["status"]["other"] = 1
    assert answered(old, "v1")["result"]["message"].endswith("missing field `ready`")


LAMPS = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), tracking=Tracking({}))


@obj
class Part:
    worn: Annotated[bool, added("v1")]


@obj
class LampStatus:
    seen: Annotated[str, added("v1")]
    hours: Annotated[U32, added("v1beta1")]
    note: Annotated[str | None, added("v1")]
    part: Annotated[Part | None, added("v1beta1")]


@resource(group="l.example.com", status=LampStatus)
class LampSpec:
    color: Annotated[str, added("v1beta1")]
    watts: Annotated[U8, added("v1")]
"""


def lamps(carrier: str) -> str:
    return LAMPS.replace("{}", f'carrier="{carrier}"')


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("v1", {"seen": "", "hours": 0}),
        ("v1", {"seen": "", "hours": 0, "note": None}),
        ("v1", {"seen": "", "hours": 0, "part": {"worn": False}}),
        ("v1", {"hours": 0}),
        ("v1", {"seen": ""}),
        ("v1", {"note": None}),
        ("v1beta1", {"hours": 0}),
    ],
)
@pytest.mark.parametrize("color", ["", "red"])
def test_a_status_of_default_values_survives(
    declared: Declaring, carrier: str, version: str, status: Any, color: str
) -> None:
    """Though an older version can say nothing of it, and converting back would make it again if
    only there were a status."""
    group = declared(lamps(carrier))
    spec = {"v1": {"color": color, "watts": 5}, "v1beta1": {"color": color}}.get(version, {})
    start = resource(f"l.example.com/{version}", "Lamp", "l", spec=spec, status=status)
    for stop in VERSIONS:
        there = group.convert(start, to=stop)
        if carrier != "bag" and there.get("status") == {}:
            del there["status"]  # the same to clients and servers
        assert group.convert(there, to=version) == start
        for other in VERSIONS:
            further = group.convert(there, to=other)
            assert group.convert(further, to=version) == start, (stop, other)


@pytest.mark.parametrize("hours", ["many", None, -1])
def test_what_holds_a_status_returns_as_it_was(declared: Declaring, hours: Any) -> None:
    """Though it does not fit its type, and nothing of its kind is tracked."""
    group = declared(LAMPS.replace("{}", 'track=("removed",)'))
    start = resource("l.example.com/v1beta1", "Lamp", "l", spec={}, status={"hours": hours})
    old = group.convert(start, to="v1alpha1")
    assert group.convert(old, to="v1beta1")["status"] == start["status"]


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
@pytest.mark.parametrize("status", [{"seen": "", "hours": 0}, {"hours": 0}, {}])
def test_a_status_of_default_values_survives_another_carrier(
    declared: Declaring, version: str, status: Any
) -> None:
    """Both keep the entries of a status there, and mean the same by an empty one."""
    status = {name: value for name, value in status.items() if version == "v1" or name == "hours"}
    start = resource(f"l.example.com/{version}", "Lamp", "l", spec={}, status=status)
    one, other = declared(lamps("status")), declared(lamps("annotation"))
    for before, after in ((one, other), (other, one)):
        there = before.convert(start, to="v1alpha1")
        assert after.convert(there, to=version).get("status", {}) == status


@pytest.mark.parametrize("carrier", ["status", "annotation"])
def test_an_empty_status_is_none(declared: Declaring, carrier: str) -> None:
    """Nothing is filled in, and nothing is kept of that on the way back."""
    group = declared(lamps(carrier))
    for start in VERSIONS:
        head = {"kind": "Lamp", "metadata": {"name": "l"}, "spec": {}}
        lamp = {"apiVersion": f"l.example.com/{start}", **head, "status": {}}
        for stop in VERSIONS:
            there = group.convert(lamp, to=stop)
            assert set(there["status"]) <= {"changedValues"}
            assert {"status": {}, **group.convert(there, to=start)} == lamp


def test_a_status_that_another_carrier_hides_is_not_empty(declared: Declaring) -> None:
    read = {name: declared(lamps(name)) for name in ("bag", "annotation", "status")}
    head = {"kind": "Lamp", "metadata": {"name": "l"}, "spec": {}}
    status = {"seen": "today", "hours": 3}
    for version in VERSIONS[1:]:
        lamp = {"apiVersion": f"l.example.com/{version}", **head}
        lamp["status"] = {"hours": 3} if version == "v1beta1" else status
        for written in read.values():
            old = written.convert(lamp, to="v1alpha1")
            assert read["status"].convert(old, to=version)["status"] == lamp["status"]
