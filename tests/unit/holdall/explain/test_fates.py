"""Fates: what `holdall audit --fate` says of a field is what happens to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.explain.fates import FieldFate, fates
from holdall.scheme.scheme import Scheme
from holdall.text.loading import load_file
from tests.support import commands
from tests.support.fates import MISSING, at, check_fates, without_carriers
from tests.support.notation import schema_text
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, scheme_of

ROOT = Path(__file__).parents[4]
SAMPLES: list[Any] = [
    document.value
    for path in sorted((ROOT / "samples").rglob("*.yaml"))
    for document in load_file(path)
    if path.parent.name != "people"  # its values travel in the status, which no bag is
]
TRACKED: list[Any] = [one.value for one in load_file(ROOT / "samples/people/people.yaml")]


def scheme_for(document: Any) -> Scheme:
    """Return the scheme that an object of the sample project belongs to."""
    return BATCH if document["apiVersion"].startswith("batch.") else FLEET


@pytest.mark.parametrize("document", SAMPLES, ids=range(len(SAMPLES)))
def test_every_field_has_a_true_fate(document: Any) -> None:
    """To every version and back again, each field is where its fate says, and no other entry is."""
    scheme = scheme_for(document)
    home = document["apiVersion"].rpartition("/")[2]
    for version in [item.name for item in scheme.versions if not item.internal]:
        check_fates(scheme, document, version)
        converted = scheme.convert(document, to=version)
        for other in {home, scheme.versions[0].name, scheme.versions[-1].name}:
            check_fates(scheme, converted, other)


@pytest.mark.parametrize("document", TRACKED, ids=range(len(TRACKED)))
@pytest.mark.parametrize("there", ["v1alpha1", "v1beta1", "v1"])
@pytest.mark.parametrize("to", ["v1alpha1", "v1beta1", "v1"])
def test_tracked_values_have_the_fates_of_entries(document: Any, there: str, to: str) -> None:
    """They are listed below the bag that has them on the way, and nothing of them is lost."""
    carried = PEOPLE.convert(document, to=there)
    converted = without_carriers(PEOPLE.convert(carried, to=to))
    found = fates(carried, PEOPLE, to)
    assert not any(item.path.startswith("/status/changedValues") for item in found)
    for item in found:
        assert not item.lost, item
        if there != to:
            assert all(at(converted, pointer) is not MISSING for pointer in item.shown), item
        if item.fate == "pulled from the bag":
            assert [at(converted, pointer) for pointer in item.shown] == [item.value]


def test_a_tracked_value_is_pulled() -> None:
    """And what a function makes of a whole list is where the text is."""
    carried = PEOPLE.convert(TRACKED[0], to="v1")
    found = fates(carried, PEOPLE, "v1beta1")
    fax = fate_of(found, "/spec/$propertyBag/v1beta1/fax")
    assert fax == ("pulled from the bag", ("/spec/fax",), [])
    for index in range(2):
        skill = fate_of(found, f"/spec/skills/{index}")
        assert skill == ("converted", ("/spec/skills",), [])
    union = fate_of(found, "/spec/contract")
    assert union == ("converted", ("/spec/contract",), [])


def fate_of(found: list[FieldFate], path: str) -> tuple[str, tuple[str, ...], list[str]]:
    """Return the fate of one field, where it is shown, and which entries hold it."""
    item = next(item for item in found if item.path == path)
    return item.fate, item.shown, [f"{entry.path} {entry}" for entry in item.waiting]


def account(version: str, **spec: object) -> dict[str, object]:
    """Return an account of the sample project."""
    return {"apiVersion": f"batch.example.com/{version}", "kind": "BatchAccount", "spec": spec}


def pool(version: str, **spec: object) -> dict[str, object]:
    """Return a pool of the sample project."""
    return {"apiVersion": f"batch.example.com/{version}", "kind": "Pool", "spec": spec}


A, B, C, D = (version.name for version in BATCH.versions)

SAID: list[tuple[dict[str, Any], str, str, tuple[str, tuple[str, ...], list[str]]]] = [
    (account(A, location="x"), D, "/spec/location", ("copied", ("/spec/location",), [])),
    (account(A, location=None), D, "/spec/location", ("copied", ("/spec/location",), [])),
    (account(A, tags={}), B, "/spec/tags", ("copied", ("/spec/tags",), [])),
    (account(A, poolQuota=1), B, "/spec/poolQuota",
     ("renamed to /spec/poolLimit", ("/spec/poolLimit",), [])),
    (account(A, poolQuota=1), C, "/spec/poolQuota",
     (f"{B}: renamed to /spec/poolLimit", ("/spec/poolLimit",), [])),
    (account(A, sku="Basic"), B, "/spec/sku", ("converted", ("/spec/sku",), [])),
    (account(A, storageAccountId="s"), B, "/spec/storageAccountId",
     ("converted", ("/spec/storageAccountReference/id",), [])),
    (account(B, storageAccountReference={"id": "s", "tenant": "t"}), A,
     "/spec/storageAccountReference/id",
     (f"converted, also kept under {B}/storageAccountReference", ("/spec/storageAccountId",),
      [f"/spec {B}/storageAccountReference"])),
    (account(B, storageAccountReference={"id": "s", "tenant": "t"}), A,
     "/spec/storageAccountReference/tenant",
     (f"stashed under {B}/storageAccountReference", (), [f"/spec {B}/storageAccountReference"])),
    (account(A, tier="gold"), B, "/spec/tier",
     (f"stashed under {A}/tier", (), [f"/spec {A}/tier"])),
    (account(A, tier="gold"), C, "/spec/tier",
     (f"{B}: stashed under {A}/tier; {C}: pulled from the bag", ("/spec/tier/name",), [])),
    (account(C, encryption={"vaultName": "v"}), B, "/spec/encryption/vaultName",
     ("moved to /spec/encryption/activeKey/vaultName", ("/spec/encryption/activeKey/vaultName",),
      [])),
    (account(C, encryption={}), B, "/spec/encryption",
     ("recursed into", ("/spec/encryption",), [])),
    (account(A, odd={"a": [1]}), B, "/spec/odd/a/0", ("extra, kept", ("/spec/odd/a/0",), [])),
    (account(A, retention={"days": 1}), B, "/spec/retention/days",
     (f"extra, stashed under {A}/retention", (), [f"/spec {A}/retention"])),
    (pool(A, mounts=[{"name": "n", "options": "a,b"}]), B, "/spec/mounts/0/options",
     ("claimed by MountOptions (CommaSeparated) hooks/batch/mounts.py:35",
      ("/spec/mounts/0/options",), [])),
    (pool(B, autoscaleProfiles=[{"name": "a"}, {"name": "b"}]), C, "/spec/autoscaleProfiles/1/name",
     (f"stashed under {B}/autoscaleProfiles", (), [f"/spec {B}/autoscaleProfiles"])),
    (account(D, features={"a": 1}), A, "/spec/features/a",
     (f"{C}: stashed under {D}/features", (), [f"/spec {D}/features"])),
    (account(A), A, "/kind", ("stays as it is", ("/kind",), [])),
    (account(A), B, "/kind", ("set by holdall", ("/kind",), [])),
]  # fmt: skip


@pytest.mark.parametrize(("document", "to", "path", "expected"), SAID)
def test_what_is_said(
    document: dict[str, Any],
    to: str,
    path: str,
    expected: tuple[str, tuple[str, ...], list[str]],
) -> None:
    """Each kind of fate is said in one line, with the entry or the hook that it is about."""
    assert fate_of(check_fates(BATCH, document, to), path) == expected


def test_entries_of_the_bag_are_fields_too() -> None:
    """What an object carries along is told, whether it stays, comes out, or is stale."""
    document = BATCH.convert(account(D, features={"a": 1}, owners=["o"]), to=A)
    found = check_fates(BATCH, document, C)
    assert fate_of(found, f"/spec/$propertyBag/{D}/features/a") == (
        "stays in the bag",
        (),
        [f"/spec {D}/features"],
    )
    assert fate_of(found, f"/spec/$propertyBag/{C}/owners/0") == (
        f"{C}: pulled from the bag",
        ("/spec/owners/0",),
        [],
    )
    stale = BATCH.convert(account(B, storageAccountReference={"id": "s", "tenant": "t"}), to=A)
    stale["spec"]["storageAccountId"] = "edited"  # type: ignore[call-overload, index]
    path = f"/spec/$propertyBag/{B}/storageAccountReference/tenant"
    assert fate_of(check_fates(BATCH, stale, B), path) == (
        "dropped: the live value decides",
        (),
        [],
    )


def test_what_no_carrier_holds_is_lost() -> None:
    """A field that the document cannot carry is lost, with the reason."""
    document = resource("fleet.example.com/v2", "Vehicle", metadata="no place", spec={"seats": 3})
    [item] = [item for item in fates(document, FLEET, "v1alpha1") if item.path == "/spec/seats"]
    assert item.waiting == () and "cannot carry" in item.lost
    assert item.fate.endswith(f"v1alpha1: lost: {item.lost}")


PAIRS = config_of(
    "Thing Loose",
    group="pairs",
    api_group="example.com",
    more="""\
carrier: {Loose: none}
between:
  v1 -> v2:
    "*Spec":
      args: {keyed: name/value, rename: flags, lenient: true}
      zones: {keyed: name}
      owner: {reference: name}
      memory: {unit: Mi}
      inside/moved: {move: moved}
      gone: {default: usual}
""",
)
V1 = schema_text("""
metadata: object
spec: {args: {"*": string}, zones: {"*": {size: integer, old: string}}, owner: string,
  memory: string, inside: {moved: string}, gone: string, list: [{name: string, old: string}]}
""")
V2 = schema_text("""
metadata: object
spec:
  flags: [{name: string, value: string, more: string}]
  zones: [{name: string, size: integer, new: string}]
  owner: {name: string, team: string}
  memory: integer
  inside: {}
  moved: string
  list: [{name: string}]
""")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A group with pairs of different forms; the bags of one of its kinds travel nowhere."""
    files = {"v1.yaml": V1, "v2.yaml": V2}
    root = build_project(tmp_path_factory.mktemp("pairs"), PAIRS, files)
    return scheme_of(root)


def thing(version: str, kind: str = "Thing", **spec: object) -> dict[str, Any]:
    """Return an object of the group with pairs."""
    return {"apiVersion": f"example.com/{version}", "kind": kind, "spec": spec}


KEYED: list[tuple[dict[str, Any], str, dict[str, tuple[str, ...]]]] = [
    (
        thing("v1", args={"b": "2", "a": "1"}, zones={"n": {"size": 1, "old": "x"}, "e": {}}),
        "v2",
        {
            "/spec/args/b": ("/spec/flags/1/value",),
            "/spec/args/a": ("/spec/flags/0/value",),
            "/spec/zones/n/size": ("/spec/zones/1/size",),
            "/spec/zones/n/old": (),
            "/spec/zones/e": ("/spec/zones/0",),
        },
    ),
    (
        thing(
            "v2",
            flags=[{"name": "a", "value": "0"}, {"name": "a", "value": "1", "more": "m"}, {}],
            zones=[{"name": "n", "size": 1, "new": "y"}],
        ),
        "v1",
        {
            "/spec/flags/0/value": (),
            "/spec/flags/1/name": ("/spec/args/a",),
            "/spec/flags/1/value": ("/spec/args/a",),
            "/spec/flags/1/more": (),
            "/spec/flags/2": ("/spec/args/",),
            "/spec/zones/0/name": ("/spec/zones/n",),
            "/spec/zones/0/size": ("/spec/zones/n/size",),
            "/spec/zones/0/new": (),
        },
    ),
]


@pytest.mark.parametrize(("document", "to", "shown"), KEYED)
def test_keys_lead_from_maps_to_lists_and_back(
    pairs: Scheme, document: dict[str, Any], to: str, shown: dict[str, tuple[str, ...]]
) -> None:
    """What a map shows of a list with keys is found there, and nothing of it counts as lost."""
    found = {item.path: item for item in check_fates(pairs, document, to)}
    assert {path: found[path].shown for path in shown} == shown
    assert all(item.shown or item.waiting for item in found.values())
    back = pairs.convert(document, to=to)
    check_fates(pairs, back, document["apiVersion"].rpartition("/")[2])


def test_entries_without_an_owner_are_dropped(pairs: Scheme) -> None:
    """What no object of the document takes any more is among the fates, as it is reported."""
    old = thing("v1", list=[{"name": "a", "old": "x"}], zones={"n": {"old": "y"}})
    new = pairs.convert(old, to="v2")
    new["spec"] = {"list": []}
    found = {item.path: item for item in check_fates(pairs, new, "v1")}
    lost, gone = (
        '/spec/list/[0:name="a"]/$propertyBag/v1/old',
        '/spec/zones/[0:name="n"]/$propertyBag/v1/old',
    )
    assert found[lost].value == "x"
    assert found[lost].fate.startswith("dropped: it lost its owner")
    assert found[gone].fate.startswith("dropped: ")


def test_what_is_kept_beside_a_value_may_be_lost(pairs: Scheme) -> None:
    """Where no carrier holds what is kept beside a value that is shown, that part is lost."""
    document = thing("v1", "Loose", memory="1Gi")
    [item] = [item for item in check_fates(pairs, document, "v2") if item.path == "/spec/memory"]
    assert item.shown == ("/spec/memory",) and item.lost
    assert item.fate.endswith(f"lost: {item.lost}")


@pytest.mark.parametrize("given", [{}, {"inside": None}])
def test_that_an_object_was_made_may_be_lost(pairs: Scheme, given: dict[str, None]) -> None:
    """Without the mark on it, the way back leaves it where there was nothing, or null."""
    document = thing("v2", "Loose", moved="m", **given)
    found = {item.path: item for item in check_fates(pairs, document, "v1")}
    item = found["/spec/inside" if given else "/spec/moved"]
    assert item.lost and item.fate.endswith(f"lost: {item.lost}")
    there = check_fates(pairs, thing("v2", "Loose", moved="m", inside={}), "v1")
    assert not any(item.lost for item in there)


def test_a_null_that_is_not_shown_is_not_said_to_be(pairs: Scheme) -> None:
    """A null member of an object that is a text elsewhere is in the bag alone."""
    document = thing("v2", owner={"name": None})
    [item] = [item for item in check_fates(pairs, document, "v1") if "owner" in item.path]
    assert item.shown == () and item.waiting


def test_defaults_and_made_objects_are_not_lost(pairs: Scheme) -> None:
    """A default that the other version has not, and an object that a move made, are not kept."""
    found = check_fates(pairs, thing("v1", gone="usual"), "v2")
    assert fate_of(found, "/spec/gone") == ("left to its default", (), [])
    old: Any = pairs.convert(thing("v2", moved="m"), to="v1")
    del old["spec"]["inside"]["moved"]
    assert fate_of(check_fates(pairs, old, "v2"), "/spec/inside") == ("unmade", (), [])


@pytest.mark.parametrize("document", [{}, {"size": "x"}])
def test_an_object_without_members_has_only_what_is_in_its_bag(
    document: dict[str, Any], tmp_path: Path
) -> None:
    """The object itself is no field, whether or not it carries entries."""
    config = """
groups:
  boxes:
    versions: [v1, v2]
    sources:
    - {schemas: v1.yaml, version: v1, kinds: {Box: ""}}
    - {schemas: v2.yaml, version: v2, kinds: {Box: ""}}
"""
    schema = "type: object\nproperties: {size: {type: string}}\n"
    files = {"v1.yaml": schema, "v2.yaml": schema.replace("size", "weight")}
    scheme = scheme_of(build_project(tmp_path, config, files))
    given = scheme.convert({"apiVersion": "v1", "kind": "Box", **document}, to="v2")
    fields = ["/apiVersion", "/kind", *(f"/$propertyBag/v1/{name}" for name in document)]
    assert [item.path for item in check_fates(scheme, given, "v1")] == fields
    assert [item.path for item in check_fates(scheme, given, "v2")] == fields


SLASHES = """
groups:
  boxes:
    versions: [v1, v2]
    sources:
    - {schemas: v1.yaml, version: v1, kinds: {Box: ""}}
    - {schemas: v2.yaml, version: v2, kinds: {Box: ""}}
    between:
      v1 -> v2: {Box: {old~1name: new~1name, p~1q: {move: in/p~1q}}}
"""
OLD_SLASHES = """
type: object
properties:
  a/b: {type: string}
  only/here: {type: string}
  old/name: {type: string}
  p/q: {type: string}
  in: {type: object, properties: {z: {type: string}}}
"""
NEW_SLASHES = """
type: object
properties:
  a/b: {type: string}
  new/name: {type: string}
  in: {type: object, properties: {z: {type: string}, p/q: {type: string}}}
"""


def test_names_with_slashes_are_no_paths(tmp_path: Path) -> None:
    """What becomes of a property does not depend on its name."""
    files = {"v1.yaml": OLD_SLASHES, "v2.yaml": NEW_SLASHES}
    scheme = scheme_of(build_project(tmp_path, SLASHES, files))
    old = {"a/b": "x", "only/here": "y", "old/name": "n", "p/q": "w", "extra/one": 1}
    document = {"apiVersion": "v1", "kind": "Box", **old}
    found = check_fates(scheme, document, "v2")
    assert [(item.path, item.fate, *item.shown) for item in found[2:]] == [
        ("/a~1b", "copied", "/a~1b"),
        ("/only~1here", "stashed under v1/only/here"),
        ("/old~1name", "renamed to /new~1name", "/new~1name"),
        ("/p~1q", "moved to /in/p~1q", "/in/p~1q"),
        ("/extra~1one", "extra, kept", "/extra~1one"),
    ]
    back = check_fates(scheme, scheme.convert(document, to="v2"), "v1")
    assert {item.path: item.shown for item in back[2:]} == {
        "/a~1b": ("/a~1b",),
        "/$propertyBag/v1/only~1here": ("/only~1here",),
        "/new~1name": ("/old~1name",),
        "/in/p~1q": ("/p~1q",),
        "/extra~1one": ("/extra~1one",),
    }


def run(*arguments: str) -> tuple[int, str]:
    """Run the command in the sample project; return exit code and output."""
    result = commands.run(ROOT, "audit", *arguments)
    return result.exit_code, result.output


def test_the_command_prints_one_line_per_field(tmp_path: Path) -> None:
    """Each object has a table; a field that stays in its place has no other one."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(account(A, location="x", tier="gold")), encoding="utf-8")
    code, text = run("--fate", "--to", B, str(path))
    assert code == 0
    assert [line.split(maxsplit=1) for line in text.splitlines()[2:]] == [
        ["/apiVersion", "set by holdall"],
        ["/kind", "set by holdall"],
        ["/spec/location", "copied"],
        ["/spec/tier", f"stashed under {A}/tier  {A}/tier in the bag of /spec"],
    ]


def test_the_command_prints_json(tmp_path: Path) -> None:
    """As JSON, every step is there with its places, reason and hooks."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(pool(A, mounts=[{"options": "a"}])), encoding="utf-8")
    code, text = run("--fate", "--to", f"batch.example.com/{C}", "--json", str(path))
    [found] = json.loads(text)
    assert code == 0 and (found["object"], found["line"]) == ("Pool", 1)
    assert found["fields"][-1]["shown"] == ["/spec/mounts/0/options"]
    assert [(step["to"], step["fate"]) for step in found["fields"][-1]["steps"]] == [
        (B, "claimed by a hook"),
        (C, "copied"),
    ]
    assert found["fields"][-1]["steps"][0]["hooks"] == [
        "MountOptions (CommaSeparated) hooks/batch/mounts.py:35"
    ]


def test_the_command_reports_what_fails(tmp_path: Path) -> None:
    """An object that cannot be converted is located, and its neighbours are told all the same."""
    path = tmp_path / "a.yaml"
    bad, alien = pool(A, mounts=5), {"apiVersion": "x/v1", "kind": "Y"}
    texts = map(json.dumps, (bad, alien, pool(A, vmSize="x")))
    path.write_text("\n---\n".join(texts), encoding="utf-8")
    code, text = run("--fate", "--to", B, str(path))
    assert code == 1
    assert "HA502" in text and "HA401" in text and "/spec/vmSize" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fate"], "--fate needs a version: also pass --to VERSION"),
        (["--to", A], "--to is for --fate and --valid: also pass one of them"),
        (["--fate", "--to", A, "--fail-on-residue"], "pass --fate without --fail-on-residue"),
        (["--to", A, "--fail-on-residue"], "--to is for --fate and --valid: also pass one of them"),
    ],
)
def test_wrong_use(arguments: list[str], said: str) -> None:
    """`--fate` and `--to` belong together; what is missing is named, and nothing else."""
    code, text = run(*arguments, str(ROOT / "samples"))
    assert code == 2 and said in text
