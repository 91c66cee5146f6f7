"""The sample project: what its versions show of each other, and that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import holdall
from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.text.json import canonical, copy, decode, same
from holdall.text.loading import load_file
from holdall_codegen.project import emit_project, load_project
from holdall_codegen.views.hook_report import report_hooks
from tests.support.commands import python

ROOT = Path(__file__).parents[2]
A, B, C, D = (version.name for version in BATCH.versions)

Spec = dict[str, Any]


def resource(kind: str, version: str, **parts: Any) -> Any:
    return {
        "apiVersion": f"batch.example.com/{version}",
        "kind": kind,
        "metadata": {"name": "x"},
        **parts,
    }


def shown(obj: Any) -> Any:
    """An object as its user sees it: without what holdall carries along."""
    obj = copy(obj)
    obj.pop("$propertyBag", None)
    status = obj.get("status")
    if status and status.pop("changedValues", None) is not None and not status:
        del obj["status"]
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if metadata else None
    for key in (SPEC_ANNOTATION, STATUS_ANNOTATION):
        if annotations and annotations.pop(key, None) is not None and not annotations:
            del metadata["annotations"]
            if not metadata:
                del obj["metadata"]
    return obj


def bag(obj: Any) -> dict[str, Any]:
    """The entries of all bags of an object: `path version/property` and value."""
    return {
        f"{entry.path} {entry.origin}/{entry.property}": entry.value for entry in holdall.audit(obj)
    }


def assert_same(found: Any, expected: Any) -> None:
    assert found == expected
    assert same(found, expected), "equal for Python, but not the same JSON"


# --- the eight families, and what the hooks do -----------------------------------------------

FLAG = "IgnoreDeprecations"
# `<->`: each side is what the other is converted to; `->`: the newer side shows the older one, but
# converts to something else; `<-`: the older side shows the newer one.
ROWS: dict[str, Any] = yaml.safe_load("""
rename:
  - [BatchAccount, A, {poolQuota: 5}, <->, B, {poolLimit: 5}]
  - [BatchAccount, A, {poolQuota: 0}, <->, B, {poolLimit: 0}]
  - [BatchAccount, A, {poolQuota: null}, <->, B, {poolLimit: null}]
  - [BatchAccount, A, {}, <->, B, {}]
an unknown member that is called as the other side's property:
  - [BatchAccount, A, {poolLimit: 5}, ->, B, {}]
  - [BatchAccount, A, {}, <-, B, {poolQuota: 5}]
string and reference:
  - [BatchAccount, A, {storageAccountId: s}, <->, B, {storageAccountReference: {id: s}}]
  - [BatchAccount, A, {storageAccountId: ""}, <->, B, {storageAccountReference: {id: ""}}]
  - [BatchAccount, A, {storageAccountId: null}, <->, B, {storageAccountReference: null}]
  - [BatchAccount, A, {storageAccountId: s}, <-, B, {storageAccountReference: {id: s, tenant: t}}]
  - [BatchAccount, A, {}, <-, B, {storageAccountReference: {tenant: t}}]
  - [BatchAccount, A, {}, <-, B, {storageAccountReference: {}}]
  - [BatchAccount, A, {}, <-, B, {storageAccountReference: {id: null}}]
renamed values:
  - [BatchAccount, A, {sku: Basic}, <->, B, {sku: Base}]
  - [BatchAccount, A, {sku: Paid}, <->, B, {sku: Standard}]
  - [BatchAccount, A, {sku: Premium}, <->, B, {sku: Premium}]
  - [BatchAccount, A, {sku: basic}, <->, B, {sku: basic}]
  - [BatchAccount, A, {sku: null}, <->, B, {sku: null}]
  - [BatchAccount, A, {sku: Basic}, <-, B, {sku: Basic}]
  - [BatchAccount, A, {sku: Base}, ->, B, {sku: Base}]
flag and list member:
  - [Pool, B, {controlPlaneOverrides: [IgnoreDeprecations]}, <->, C, {forceUpgrade: true}]
  - [Pool, B, {controlPlaneOverrides: null}, <->, C, {forceUpgrade: null}]
  - [Pool, B, {}, <->, C, {}]
  - [Pool, B, {controlPlaneOverrides: [X, IgnoreDeprecations]}, ->, C, {forceUpgrade: true}]
  - [Pool, B, {controlPlaneOverrides: [IgnoreDeprecations, IgnoreDeprecations]}, ->, C,
    {forceUpgrade: true}]
  - [Pool, B, {controlPlaneOverrides: [X]}, ->, C, {}]
  - [Pool, B, {controlPlaneOverrides: []}, ->, C, {}]
  - [Pool, B, {controlPlaneOverrides: [null]}, ->, C, {}]
  - [Pool, B, {}, <-, C, {forceUpgrade: false}]
moved path:
  - [BatchAccount, B, {encryption: {activeKey: {vaultName: v, name: k}}}, <->, C,
    {encryption: {activeKey: {name: k}, vaultName: v}}]
  - [BatchAccount, B, {encryption: {activeKey: {vaultName: ""}}}, ->, C,
    {encryption: {activeKey: {}, vaultName: ""}}]
  - [BatchAccount, B, {encryption: {activeKey: {vaultName: null}}}, ->, C,
    {encryption: {activeKey: {}, vaultName: null}}]
  - [BatchAccount, B, {encryption: {activeKey: {vaultName: v}}}, <-, C,
    {encryption: {vaultName: v}}]
  - [BatchAccount, B, {encryption: {activeKey: {vaultName: v}}}, <-, C,
    {encryption: {activeKey: null, vaultName: v}}]
  - [BatchAccount, B, {encryption: {activeKey: null}}, <->, C, {encryption: {activeKey: null}}]
  - [BatchAccount, B, {encryption: {activeKey: {}}}, <->, C, {encryption: {activeKey: {}}}]
  - [BatchAccount, B, {encryption: {}}, <->, C, {encryption: {}}]
  - [BatchAccount, B, {encryption: null}, <->, C, {encryption: null}]
list and single:
  - [Pool, B, {autoscaleProfiles: [{name: a}]}, <->, C, {autoscale: {name: a}}]
  - [Pool, B, {autoscaleProfiles: [{name: a}, {name: b}]}, ->, C, {autoscale: {name: a}}]
  - [Pool, B, {autoscaleProfiles: []}, ->, C, {}]
  - [Pool, B, {autoscaleProfiles: [null]}, ->, C, {}]
  - [Pool, B, {autoscaleProfiles: [{}]}, <->, C, {autoscale: {}}]
  - [Pool, B, {autoscaleProfiles: null}, <->, C, {autoscale: null}]
a name of the type that comes and goes:
  - [Pool, A, {network: {subnet: s, publicAccess: false}}, <->, B,
    {network: {subnet: s, publicAccess: false}}]
  - [Pool, A, {network: {subnet: s}}, <-, B, {network: {subnet: s, loadBalancer: l}}]
  - [BatchAccount, A, {network: {subnet: s}}, <-, B, {network: {subnet: s, outbound: All}}]
  - [BatchAccount, B, {network: {subnet: s, outbound: All}}, ->, D, {network: {subnet: s}}]
  - [Pool, A, {network: {subnet: s}}, <->, D, {network: {subnet: s}}]
number or text:
  - [Pool, A, {maxSurge: 2}, <->, B, {maxSurge: 2}]
  - [Pool, A, {}, <-, B, {maxSurge: 25%}]
  - [Pool, A, {}, <-, B, {maxSurge: "2"}]
  - [Pool, A, {maxSurge: null}, <->, B, {maxSurge: null}]
"text with commas and list, in a list":
  - [Pool, A, {mounts: [{options: a}]}, <->, B, {mounts: [{options: [a]}]}]
  - [Pool, A, {mounts: [{name: m, options: "a,b"}, {name: n}]}, <->, B,
    {mounts: [{name: m, options: [a, b]}, {name: n}]}]
  - [Pool, A, {mounts: [{options: ""}]}, <->, B, {mounts: [{options: [""]}]}]
  - [Pool, A, {mounts: [{options: null}]}, <->, B, {mounts: [{options: null}]}]
  - [Pool, A, {mounts: [{options: ""}]}, <-, B, {mounts: [{options: []}]}]
  - [Pool, A, {mounts: [{options: "a,b"}]}, <-, B, {mounts: [{options: ["a,b"]}]}]
  - [Pool, A, {mounts: [{}]}, <-, B, {mounts: [{options: [null]}]}]
  - [Pool, A, {mounts: [{name: m}]}, <-, B, {mounts: [{name: m, readOnly: false}]}]
  - [Pool, A, {mounts: [null]}, <->, B, {mounts: [null]}]
  - [Pool, A, {mounts: []}, <->, B, {mounts: []}]
objects in a map:
  - [Pool, A, {packages: {p: {version: "1"}, q: {}, r: null}}, <-, B,
    {packages: {p: {version: "1", installPath: /p}, q: {}, r: null}}]
  - [Pool, A, {packages: {}}, <->, B, {packages: {}}]
two spellings:
  - [Pool, C, {zones: [z]}, <->, D, {zones: [z]}]
  - [Pool, C, {zones: null}, <->, D, {zones: null}]
  - [Pool, C, {placement: [z]}, ->, D, {zones: [z]}]
  - [Pool, C, {placement: []}, ->, D, {zones: []}]
  - [Pool, C, {placement: null}, ->, D, {zones: null}]
  - [Pool, C, {zones: [z], placement: [p]}, ->, D, {zones: [z]}]
  - [Pool, C, {zones: [z], placement: [z]}, ->, D, {zones: [z]}]
  - [Pool, C, {zones: null, placement: [p]}, ->, D, {zones: null}]
  - [BatchAccount, C, {contacts: [a]}, ->, D, {owners: [a]}]
  - [BatchAccount, C, {owners: [a]}, <->, D, {owners: [a]}]
""")


def _cases() -> Iterator[Any]:
    versions = dict(zip("ABCD", (A, B, C, D), strict=True))
    for family, rows in ROWS.items():
        for number, (kind, older, before, way, newer, after) in enumerate(rows):
            name = f"{family} {number}"
            older, newer = versions[older], versions[newer]
            if way != "<-":
                yield pytest.param(kind, older, before, newer, after, id=f"{name}, to")
            if way != "->":
                yield pytest.param(kind, newer, after, older, before, id=f"{name}, from")


@pytest.mark.parametrize(("kind", "version", "spec", "other", "expected"), list(_cases()))
def test_a_spec_is_shown_as_expected_and_comes_back(
    kind: str, version: str, spec: Spec, other: str, expected: Spec
) -> None:
    """What the other version shows is in the table; the way back restores every bit."""
    obj = resource(kind, version, spec=spec)
    there = BATCH.convert(obj, to=other)
    assert_same(shown(there), resource(kind, other, spec=expected))
    assert_same(BATCH.convert(there, to=version), obj)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"i": {"clientId": "c"}, "j": {}}, {"i": {"clientId": "c"}, "j": {}}),
        ({"i": {"clientId": "c", "x": [1, None]}}, {"i": {"clientId": "c"}}),
        ({"i": {"clientId": None}, "j": None}, {"i": {"clientId": None}, "j": None}),
        ({}, {}),
        (None, None),
    ],
)
def test_an_untyped_map_is_typed_later(before: Any, after: Any) -> None:
    """Opaque values become objects with known members; a server would prune the unknown ones."""
    older = resource("BatchAccount", B, status={"identity": {"userAssigned": before}})
    newer = BATCH.convert(older, to=C)
    wanted = resource("BatchAccount", C, status={"identity": {"userAssigned": after}})
    assert_same(shown(newer), wanted)
    assert_same(BATCH.convert(newer, to=B), older)
    assert ("annotations" in newer.get("metadata", {})) is (before != after)


def test_renamed_values_hold_in_the_status_too() -> None:
    """A status converts by rules of its own; its bag stays apart from that of the spec."""
    newer = resource("BatchAccount", B, status={"sku": "Basic"})
    older = BATCH.convert(newer, to=A)
    assert older["status"] == {"sku": "Basic"}
    assert set(older["metadata"]["annotations"]) == {STATUS_ANNOTATION}
    assert_same(BATCH.convert(older, to=B), newer)


# --- skip and reintroduce --------------------------------------------------------------------

GOLD = {"name": "gold", "until": "2027"}
OLD, NEW = f"/spec {A}/tier", f"/spec {C}/tier"


def with_tier(version: str, *tier: Any) -> Any:
    spec = {"location": "l"} | ({"tier": tier[0]} if tier else {})
    return resource("BatchAccount", version, spec=spec)


def test_a_tier_is_kept_by_the_version_that_lacks_it() -> None:
    """v3, as written -> v2: no live value; the bag has the object."""
    middle = BATCH.convert(with_tier(C, GOLD), to=B)
    assert_same(shown(middle), with_tier(B))
    assert bag(middle) == {NEW: GOLD}


def test_a_tier_is_a_string_in_the_oldest_version() -> None:
    """-> v1: the name is live, the rest is residue."""
    old = BATCH.convert(BATCH.convert(with_tier(C, GOLD), to=B), to=A)
    assert_same(shown(old), with_tier(A, "gold"))
    assert bag(old) == {NEW: GOLD}


def test_an_unedited_tier_agrees_with_its_residue() -> None:
    """unedited -> v2: both shapes are in the bag; -> v3: the object is back, the bag is empty."""
    old = BATCH.convert(with_tier(C, GOLD), to=A)
    middle = BATCH.convert(old, to=B)
    assert bag(middle) == {OLD: "gold", NEW: GOLD}
    assert_same(BATCH.convert(middle, to=C), with_tier(C, GOLD))


def test_an_edited_tier_wins() -> None:
    """v1 edited to silver -> v2: the old object is dropped; -> v3: the name alone."""
    old = BATCH.convert(with_tier(C, GOLD), to=A)
    old["spec"]["tier"] = "silver"
    middle = BATCH.convert(old, to=B)
    assert bag(middle) == {OLD: "silver"}
    assert_same(BATCH.convert(middle, to=C), with_tier(C, {"name": "silver"}))


@pytest.mark.parametrize("through", [[B, C], [C]])
def test_a_deleted_tier_stays_deleted(through: list[str]) -> None:
    """deleted in v1 -> v2 -> v3: absence disagrees with gold."""
    obj = BATCH.convert(with_tier(C, GOLD), to=A)
    del obj["spec"]["tier"]
    for version in through:
        obj = BATCH.convert(obj, to=version)
    assert_same(obj, with_tier(C))


def test_a_fresh_tier_becomes_an_object() -> None:
    """fresh v1 gold -> v2 -> v3: reproducible, so nothing is kept."""
    middle = BATCH.convert(with_tier(A, "gold"), to=B)
    assert bag(middle) == {OLD: "gold"}
    assert_same(BATCH.convert(middle, to=C), with_tier(C, {"name": "gold"}))


@pytest.mark.parametrize("tier", [None, {}, {"until": "2027"}, {"name": None}, {"name": ""}, GOLD])
@pytest.mark.parametrize("path", [[B, C], [A, C], [B, A, C], [B, A, B, C], [A, D, C]])
def test_every_tier_returns_over_every_path(tier: Any, path: list[str]) -> None:
    """Null, empty and partial tiers come back from all the ways round."""
    obj = with_tier(C, tier)
    for version in path:
        obj = BATCH.convert(obj, to=version)
    assert_same(obj, with_tier(C, tier))


def test_a_service_skips_a_version_of_the_fleet() -> None:
    """An object whose type one version lacks returns with its nested members."""
    spec = {"service": {"dueOn": "2026-11-30", "parts": ["belt"]}}
    newest = {"apiVersion": "fleet.example.com/v2", "kind": "Vehicle", "spec": spec}
    middle = FLEET.convert(newest, to="v1beta1")
    assert "service" not in shown(middle)["spec"]
    oldest = FLEET.convert(middle, to="v1alpha1")
    assert shown(oldest)["spec"] == {"service": {"dueOn": "2026-11-30"}}
    assert_same(FLEET.convert(FLEET.convert(oldest, to="v1beta1"), to="v2"), newest)


# --- edits -----------------------------------------------------------------------------------


def edited(obj: Any, at: str, **members: Any) -> Any:
    """An object edited at another version and converted back; a member set to ... is deleted."""
    other = BATCH.convert(obj, to=at)
    for name, value in members.items():
        if value is ...:
            del other["spec"][name]
        else:
            other["spec"][name] = value
    return BATCH.convert(other, to=obj["apiVersion"])["spec"]


@pytest.mark.parametrize(
    ("version", "spec", "at", "edit", "expected"),
    [
        (B, {"controlPlaneOverrides": ["X", FLAG]}, C, {"forceUpgrade": False}, ["X"]),
        (B, {"controlPlaneOverrides": ["X", FLAG]}, C, {"forceUpgrade": ...}, ["X"]),
        (B, {"controlPlaneOverrides": ["X", FLAG]}, C, {"forceUpgrade": None}, ["X"]),
        (B, {"controlPlaneOverrides": ["X"]}, C, {"forceUpgrade": True}, ["X", FLAG]),
        (B, {"controlPlaneOverrides": []}, D, {"forceUpgrade": True}, [FLAG]),
        (C, {"forceUpgrade": False}, A, {"controlPlaneOverrides": [FLAG]}, True),
        (C, {"forceUpgrade": False}, A, {"controlPlaneOverrides": ["X"]}, False),
        (C, {"forceUpgrade": True}, A, {"controlPlaneOverrides": ...}, None),
        (C, {"forceUpgrade": True}, A, {"controlPlaneOverrides": None}, None),
        (C, {"placement": ["p"]}, D, {"zones": ["q"]}, ["q"]),
        (C, {"zones": ["z"], "placement": ["p"]}, D, {"zones": ["q"]}, ["p"]),
        (C, {"zones": ["z"], "placement": ["p"]}, D, {"zones": ...}, None),
        (C, {"placement": ["p"]}, D, {"zones": None}, None),
    ],
)
def test_an_edit_stands_and_hidden_members_survive(
    version: str, spec: Spec, at: str, edit: Spec, expected: Any
) -> None:
    """The property that is hooked, written at one version and edited at another, read back."""
    names = {B: "controlPlaneOverrides", C: "forceUpgrade"}
    name = "placement" if "placement" in spec else names[version]
    found = edited(resource("Pool", version, spec=spec), at, **edit)
    assert_same(found.get(name), expected)


def test_an_edited_option_replaces_the_kept_list() -> None:
    """A text that no longer is what the list was joined to is split anew."""
    pool = resource("Pool", B, spec={"mounts": [{"name": "m", "options": ["a,b"]}]})
    assert edited(pool, A, mounts=[{"name": "m", "options": "a,c"}]) == {
        "mounts": [{"name": "m", "options": ["a", "c"]}]
    }


def test_a_kept_list_follows_its_mount() -> None:
    """The bag of a list element is found again after the list was reordered."""
    one, two = {"name": "m", "options": []}, {"name": "n", "options": ["a,b"]}
    old = BATCH.convert(resource("Pool", B, spec={"mounts": [one, two]}), to=A)
    old["spec"]["mounts"].reverse()
    assert BATCH.convert(old, to=B)["spec"]["mounts"] == [two, one]


texts = st.sampled_from(["", "a", "b", "a,b", FLAG])
lists = st.none() | st.lists(st.none() | texts, max_size=3)
SPECS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    A: {
        "controlPlaneOverrides": lists,
        "placement": lists,
        "mounts": st.lists(
            st.fixed_dictionaries({}, optional={"options": st.none() | texts}), max_size=3
        ),
    },
    C: {
        "forceUpgrade": st.none() | st.booleans(),
        "placement": lists,
        "zones": lists,
        "mounts": st.lists(st.fixed_dictionaries({}, optional={"options": lists}), max_size=3),
    },
}
SPECS[B] = {**SPECS[C], **{k: v for k, v in SPECS[A].items() if k != "mounts"}}
del SPECS[B]["forceUpgrade"], SPECS[B]["zones"]
SPECS[D] = {k: v for k, v in SPECS[C].items() if k != "placement"}


@pytest.mark.parametrize(("version", "other"), list(permutations(SPECS, 2)))
@given(data=st.data())
def test_hooked_properties_come_back(version: str, other: str, data: st.DataObject) -> None:
    """Whatever a pool has of the hooked properties, any other version gives it back."""
    spec = data.draw(st.fixed_dictionaries({}, optional=SPECS[version]))
    obj = resource("Pool", version, spec=spec)
    assert_same(BATCH.convert(BATCH.convert(obj, to=other), to=version), obj)


# --- all samples -----------------------------------------------------------------------------


def samples() -> list[Any]:
    schemes = {scheme.group: scheme for scheme in (BATCH, FLEET, PEOPLE)}
    found = []
    for file in sorted((ROOT / "samples").rglob("*.yaml")):
        for document in load_file(file):
            obj: Any = document.value
            scheme = schemes[obj["apiVersion"].partition("/")[0]]
            name = obj.get("metadata", obj)["name"]
            found.append(pytest.param(scheme, obj, id=f"{obj['kind']} {name}"))
    return found


@pytest.mark.parametrize(("scheme", "obj"), samples())
def test_a_sample_survives_every_chain(scheme: holdall.Scheme, obj: Any) -> None:
    """Over any two versions and back it is the same; two hops show what one hop shows."""
    versions = [version.name for version in scheme.versions]
    for first, second in permutations(versions, 2):
        direct = scheme.convert(obj, to=second)
        there = scheme.convert(scheme.convert(obj, to=first), to=second)
        assert_same(shown(there), shown(direct))
        assert_same(scheme.convert(there, to=obj["apiVersion"]), obj)


@pytest.mark.parametrize(("scheme", "obj"), samples())
def test_a_sample_is_neither_changed_nor_shared(scheme: holdall.Scheme, obj: Any) -> None:
    """Emptying every container of a result leaves the source and a second result as they are."""
    before = copy(obj)
    for version in scheme.versions:
        result, second = (scheme.convert(obj, to=version.name) for _ in range(2))
        expected = copy(second)
        _empty(result)
        assert_same(obj, before)
        assert_same(second, expected)


def _empty(value: Any) -> None:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _empty(item)
        value.clear()


PRINT_ALL = """
import sys
from pathlib import Path
from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.text.loading import load_file
from holdall.text.json import encode
schemes = {scheme.group: scheme for scheme in (BATCH, FLEET, PEOPLE)}
for file in sys.argv[1:]:
    for document in load_file(Path(file)):
        scheme = schemes[document.value["apiVersion"].partition("/")[0]]
        for version in scheme.versions:
            print(encode(scheme.convert(document.value, to=version.name)).decode())
"""


def test_conversion_is_the_same_in_every_process() -> None:
    """The bytes of all results do not depend on the hash seed."""
    files = sorted(map(str, (ROOT / "samples").rglob("*.yaml")))
    outputs = {
        python("-c", PRINT_ALL, *files, cwd=ROOT, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")
    }
    assert len(outputs) == 1
    lines = sum(len(parameters.values[0].versions) for parameters in samples())
    assert outputs.pop().count("\n") == lines


@pytest.mark.parametrize(("scheme", "obj"), samples())
def test_bytes_convert_as_objects_do(scheme: holdall.Scheme, obj: Any) -> None:
    """The hot path and the dict path give one result."""
    for version in scheme.versions:
        found = scheme.convert_bytes(canonical(obj), to=version.name)
        assert canonical(scheme.convert(obj, to=version.name)) == canonical(decode(found))


# --- the generated files ---------------------------------------------------------------------


def test_generated_files_are_up_to_date() -> None:
    """What is checked in is what the generator writes now; else run `make generate`."""
    expected = emit_project(load_project(ROOT))
    stale = [
        path
        for path, text in expected.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    assert not stale
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "generated").rglob("*.py")}
    assert modules <= set(expected)


def test_hooks_cover_four_edges_of_the_batch_group_and_none_of_the_others() -> None:
    """Declarations do the rest; and there is nothing wrong with the hooks."""
    report = report_hooks(load_project(ROOT))
    hooked = [item for item in report.points if item.hook is not None]
    assert not report.problems
    assert sorted((item.edge.older.version, item.edge.older.name) for item in hooked) == [
        (A, "Mount"),
        (B, "PoolSpec"),
        (C, "BatchAccountSpec"),
        (C, "PoolSpec"),
    ]
    assert {item.package for item in hooked} == {"batch"}
