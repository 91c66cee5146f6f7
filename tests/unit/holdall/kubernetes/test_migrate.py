"""Migrating: nothing is said anew of an object, no error is lost, and no stop costs anything."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from holdall.cli import main
from holdall.errors import Problem
from holdall.kubernetes.install.cluster import (
    CONNECTION,
    CRDS,
    MERGE,
    Answer,
    InstallError,
    PacedCluster,
)
from holdall.kubernetes.migrate.procedure import Migration, Tally
from holdall.kubernetes.migrate.resources import MigrateError, Resource, find_obstacles
from holdall.kubernetes.migrate.returning import checks_of
from holdall.kubernetes.migrate.state import State
from holdall.scheme.scheme import Scheme
from tests.support.crds import struct
from tests.support.declared import declare
from tests.support.fake_cluster import FakeCluster, crd
from tests.support.objects import resource
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

NAME = "things.example.com"
THINGS = "/apis/example.com/v2/namespaces/default/things"
NAMES = ["a", "b", "c", "d", "e"]
WEBHOOK = {
    "strategy": "Webhook",
    "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://a.example.com/convert"},
    },
}


def thing(name: str, version: str = "v1", **spec: Any) -> dict[str, Any]:
    """Return an object."""
    metadata = {"name": name}
    return resource(f"example.com/{version}", "Thing", metadata=metadata, spec=spec)


def store(spec: Any, version: str) -> None:
    """Make a version the storage version in the spec of a CRD."""
    for one in spec["versions"]:
        one["storage"] = one["name"] == version


def with_status(spec: Any) -> None:
    """Give all versions in the spec of a CRD the subresource of the status."""
    for version in spec["versions"]:
        version["subresources"] = {"status": {}}


def cluster_of(scheme: Scheme, *versions: str) -> FakeCluster:
    """Return a cluster with a CRD of things that prunes nothing, stored as the first version."""
    made = crd(versions=versions)
    made["spec"]["conversion"] = WEBHOOK
    for version in made["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["x-kubernetes-preserve-unknown-fields"] = True
    return FakeCluster([made], scheme.review)


@pytest.fixture
def cluster(scheme: Scheme) -> FakeCluster:
    """Five things that are stored as v1 in a CRD whose storage version has become v2."""
    found = cluster_of(scheme, "v1", "v2")
    for name in NAMES:
        found.custom.create(NAME, thing(name, color="red", parts=[{"name": "p", "weight": 1}]))
    found.change(NAME, lambda spec: store(spec, "v2"))
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of the state of a run."""
    return tmp_path / "state.json"


@pytest.fixture
def pages_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists come in pages of two objects."""
    monkeypatch.setattr("holdall.kubernetes.migrate.procedure.PAGE", 2)


def run(
    cluster: FakeCluster,
    scheme: Scheme | None = None,
    file: Path | None = None,
    **settings: Any,
) -> Tally:
    """Migrate the things without waiting."""
    state = State(file)
    resources = [Resource.of(cluster.crds[NAME])]
    migration = Migration(cluster, state, **{"pause": lambda _: None, **settings})
    checks = checks_of(resources, [scheme] if scheme else [])
    tallies = [migration.examine(item, checks.get(item.name)) for item in resources]
    cluster.patches.clear()
    if not tallies[0].problems:
        migration.migrate(tallies, 0.0)
    return tallies[0]


def stored_in(cluster: FakeCluster) -> dict[str, str]:
    """Return the versions in which things are stored, by name."""
    stored = cluster.custom.stored(NAME)
    return {name: item["apiVersion"].rpartition("/")[2] for name, item in stored.items()}


def patched(cluster: FakeCluster) -> list[str]:
    """Return the names of the things that were patched, in order."""
    return [path.rpartition("/")[2] for path, _ in cluster.patches if path.startswith(THINGS)]


def read(cluster: FakeCluster, name: str, version: str) -> Any:
    """Return a thing at a version, without what counts writes."""
    item = json.loads(cluster.send("GET", f"{THINGS.replace('v2', version)}/{name}").body)
    del item["metadata"]["resourceVersion"]
    return item


def at_patch(cluster: FakeCluster, number: int, act: Callable[[], None]) -> None:
    """Act just before the server sees the n-th patch from now on, once."""
    left = [number]

    def before(method: str, path: str) -> None:
        if method == "PATCH":
            left[0] -= 1
            if left[0] == 0:
                act()

    cluster.before = before


def interrupt() -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


def interrupted(cluster: FakeCluster, number: int, file: Path) -> None:
    """Migrate the things until Ctrl-C, just before the n-th patch."""
    at_patch(cluster, number, interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(cluster, file=file)


def stored_versions(cluster: FakeCluster) -> list[str]:
    """Return what the CRD says of its stored versions."""
    found: list[str] = cluster.crds[NAME]["status"]["storedVersions"]
    return found


def codes(tally: Tally) -> list[str]:
    """Return the codes of the problems of a tally."""
    return [problem.code for problem in tally.problems]


# --- what is written ---


def test_objects_are_rewritten(cluster: FakeCluster, scheme: Scheme) -> None:
    """All things are stored as v2, read as before at both versions, and v1 leaves the CRD."""
    before = {(name, v): read(cluster, name, v) for name in NAMES for v in ("v1", "v2")}
    assert set(stored_in(cluster).values()) == {"v1"}
    tally = run(cluster, scheme)
    assert (codes(tally), tally.is_finished) == ([], True)
    assert (tally.objects, tally.checked, tally.rewritten) == (5, 5, {"written": 5})
    assert set(stored_in(cluster).values()) == {"v2"}
    assert stored_versions(cluster) == ["v2"]
    assert {(name, v): read(cluster, name, v) for name, v in before} == before


@pytest.mark.parametrize("via_status", [False, True])
def test_patches_say_nothing(cluster: FakeCluster, via_status: bool) -> None:
    """A patch has the four members that the server needs to find the object, and no other."""
    with_status(cluster.crds[NAME]["spec"])
    versions = {n: o["metadata"]["resourceVersion"] for n, o in cluster.custom.stored(NAME).items()}
    tally = run(cluster, via_status=via_status)
    assert tally.rewritten == {"written": 5}
    assert [item for item in cluster.patches if not item[0].startswith(CRDS)] == [
        (
            f"{THINGS}/{name}" + ("/status" if via_status else ""),
            resource(
                "example.com/v2",
                "Thing",
                metadata={"name": name, "resourceVersion": versions[name]},
            ),
        )
        for name in NAMES
    ]


def test_repeating_writes_nothing(cluster: FakeCluster) -> None:
    """What is stored in the storage version is not written again, and then not even asked for."""
    cluster.send("PATCH", f"{THINGS}/c?fieldManager=x", b'{"spec": {"size": 1}}', content=MERGE)
    tally = run(cluster)
    assert tally.rewritten == {"written": 4, "unchanged": 1}
    tally = run(cluster)
    assert (tally.rewritten, tally.is_needed, cluster.patches) == ({}, False, [])


# --- what others do meanwhile ---


def test_conflicts_and_deletions_are_done(cluster: FakeCluster) -> None:
    """Who is written or deleted meanwhile needs no rewriting; the other's edit stays."""

    def interfere() -> None:
        path = f"{THINGS.replace('v2', 'v1')}/b?fieldManager=other"
        cluster.before = lambda method, path: None
        cluster.send("PATCH", path, b'{"spec": {"color": "blue"}}', content=MERGE)
        cluster.custom.delete(NAME, "d")

    at_patch(cluster, 1, interfere)
    tally = run(cluster)
    assert tally.rewritten == {"written": 3, "conflict": 1, "gone": 1}
    assert stored_versions(cluster) == ["v2"]
    assert set(stored_in(cluster).values()) == {"v2"}
    assert read(cluster, "b", "v1")["spec"]["color"] == "blue"


def test_a_resource_that_is_gone_is_no_deletion(cluster: FakeCluster) -> None:
    """404 without the object's name means that nothing was reached, and is an error."""
    missing = Answer(404, b"404 page not found\n")
    cluster.instead = lambda method, path: missing if method == "PATCH" else None
    tally = run(cluster)
    assert codes(tally) == ["HA895"] * 5
    assert stored_versions(cluster) == ["v1", "v2"]


@pytest.mark.usefixtures("pages_of_two")
def test_a_changed_crd_ends_it(cluster: FakeCluster) -> None:
    """If the CRD changes, the page in hand is the last, and storedVersions stays."""
    at_patch(cluster, 2, lambda: cluster.change(NAME, lambda spec: store(spec, "v1")))
    tally = run(cluster)
    assert codes(tally) == ["HA896"]
    assert patched(cluster) == ["a", "b"]
    assert stored_versions(cluster) == ["v1", "v2"]


def test_a_crd_that_changes_after_the_last_page(cluster: FakeCluster) -> None:
    """storedVersions is not shrunk in a CRD that changed after it was looked at last."""

    def interfere() -> None:
        cluster.change(NAME, lambda spec: store(spec, "v1"))

    at_patch(cluster, 6, interfere)  # the sixth is that of storedVersions
    tally = run(cluster)
    assert codes(tally) == ["HA896"]
    assert stored_versions(cluster) == ["v1", "v2"]


def test_another_status_of_the_crd_is_no_reason_to_stop(cluster: FakeCluster) -> None:
    """A new resource version of the CRD with the same generation is tried again."""
    at_patch(cluster, 6, lambda: cluster.update(NAME, "other", lambda stanza: None))
    tally = run(cluster)
    assert tally.is_finished
    assert [path for path, _ in cluster.patches if path.startswith(CRDS)] == [
        f"{CRDS}/{NAME}/status"
    ] * 2
    assert stored_versions(cluster) == ["v2"]


# --- errors ---


def refuse(cluster: FakeCluster, name: str) -> None:
    """Let the server refuse the patches of one thing."""
    status = Answer(500, b'{"kind": "Status", "message": "conversion webhook failed"}')
    cluster.instead = lambda method, path: (
        status if (method, path) == ("PATCH", f"{THINGS}/{name}") else None
    )


def test_errors_are_collected(cluster: FakeCluster, file: Path) -> None:
    """One refused object stops no other, but all that follows; the next run does what is left."""
    refuse(cluster, "b")
    tally = run(cluster, file=file)
    assert codes(tally) == ["HA895"]
    assert "Thing default/b: the server answers: conversion webhook failed" in str(
        tally.problems[0]
    )
    assert [name for name, version in stored_in(cluster).items() if version == "v1"] == ["b"]
    assert stored_versions(cluster) == ["v1", "v2"]
    cluster.instead = lambda method, path: None
    tally = run(cluster, file=file)
    assert tally.is_finished
    assert patched(cluster) == ["b"]
    assert stored_versions(cluster) == ["v2"]
    assert not file.exists()


@pytest.mark.usefixtures("pages_of_two")
def test_errors_before_an_interruption_are_not_forgotten(cluster: FakeCluster, file: Path) -> None:
    """A run that goes on behind an object that failed comes back to it."""
    refuse(cluster, "a")
    interrupted(cluster, 4, file)
    tally = run(cluster, file=file)  # still refused
    assert codes(tally) == ["HA895"]
    assert patched(cluster) == ["a", "d", "e"]
    assert stored_versions(cluster) == ["v1", "v2"]


# --- stopping and going on ---


@pytest.mark.usefixtures("pages_of_two")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_an_interrupted_run_goes_on(cluster: FakeCluster, file: Path, number: int) -> None:
    """Wherever it stops, each object is written once, and the next run begins at that page."""
    interrupted(cluster, number, file)
    first = patched(cluster)
    assert first == NAMES[: number - 1]
    tally = run(cluster, file=file)
    assert tally.is_finished
    assert [*first, *patched(cluster)] == NAMES
    assert stored_versions(cluster) == ["v2"]


@pytest.mark.usefixtures("pages_of_two")
@pytest.mark.parametrize("offers_tokens", [True, False])
def test_expired_tokens(cluster: FakeCluster, file: Path, offers_tokens: bool) -> None:
    """A token that is too old leads on by the one that is offered, else from the start again."""
    cluster.custom.offers_tokens = offers_tokens
    interrupted(cluster, 4, file)
    cluster.custom.compact()
    cluster.custom.create(NAME, thing("aa"))  # behind the token: stored as v2 anyway
    tally = run(cluster, file=file)
    assert tally.is_finished
    assert patched(cluster) == (["d", "e"] if offers_tokens else ["aa", "d", "e"])
    assert set(stored_in(cluster).values()) == {"v2"}


@pytest.mark.usefixtures("pages_of_two")
def test_tokens_that_expire_underway(cluster: FakeCluster) -> None:
    """A list that is compacted between two pages goes on, and no object is left out."""
    at_patch(cluster, 2, cluster.custom.compact)
    tally = run(cluster)
    assert (tally.rewritten, tally.is_finished) == ({"written": 5}, True)
    assert patched(cluster) == NAMES


@pytest.mark.parametrize("name", ["/dev/null", "fifo"])
def test_the_state_is_a_regular_file(tmp_path: Path, name: str) -> None:
    """A device may have no end, a pipe does not answer, and neither is to be removed at the end."""
    file = tmp_path / name
    if name == "fifo":
        os.mkfifo(file)
    with pytest.raises(MigrateError, match="this is not a regular file"):
        State(file)
    assert file.exists()


def test_a_lost_connection_keeps_the_state(cluster: FakeCluster, file: Path) -> None:
    """If the cluster does not answer any more, this is no problem of an object."""

    def cut() -> None:
        raise InstallError([Problem(CONNECTION, "", "the cluster does not answer", "ask again")])

    at_patch(cluster, 3, cut)
    with pytest.raises(InstallError, match="HA880"):
        run(cluster, file=file)
    assert len(json.loads(file.read_bytes())["crds"][NAME]["done"]) == 2


def test_a_changed_crd_begins_anew(cluster: FakeCluster, file: Path) -> None:
    """What was done under another generation of the CRD is not taken for done."""
    interrupted(cluster, 4, file)
    cluster.change(NAME, lambda spec: store(spec, "v1"))
    cluster.change(NAME, lambda spec: store(spec, "v2"))
    assert run(cluster, file=file).rewritten == {"written": 2, "unchanged": 3}


def test_states_of_others(cluster: FakeCluster, file: Path) -> None:
    """A file of another cluster, or of something else, is refused before anything is written."""
    refuse(cluster, "b")
    run(cluster, file=file)
    cluster.crds[NAME]["metadata"]["uid"] = "other"
    with pytest.raises(MigrateError, match=r"HA897.*another cluster"):
        run(cluster, file=file)
    for wrong, why in (
        ("", "malformed JSON at byte 0"),
        ("[]", "its version is not 1"),
        ('{"version": 2}', "its version is not 1"),
        ('{"version": 1, "crds": {"x": {}}}', "required field `uid`"),
        ('{"version": 1, "crds": {"x": {"uid": 1}}}', "`str`, got `int`"),
    ):
        file.write_text(wrong)
        with pytest.raises(MigrateError, match=rf"HA897.*not the state.*{why}"):
            State(file)


# --- the law ---


def test_objects_that_do_not_come_back(
    cluster: FakeCluster, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each object that a version cannot hold is named, and nothing at all is written."""
    lossy = THING_CONFIG + "    carrier: none\n"
    root = build_project(tmp_path_factory.mktemp("lossy"), lossy, THING_FILES)
    for name in ("x", "y"):
        cluster.custom.create(NAME, thing(name, "v2", shade=1))
    tally = run(cluster, scheme_of(root))
    assert codes(tally) == ["HA894", "HA894"]
    assert [problem.where for problem in tally.problems] == ["Thing default/x", "Thing default/y"]
    assert "/spec/shade is gone" in tally.problems[0].message
    assert {method for method, _ in cluster.requests} == {"GET"}


def test_objects_that_cannot_be_converted(cluster: FakeCluster, scheme: Scheme) -> None:
    """An object whose conversion fails does not come back, either."""
    cluster.custom.create(NAME, {**thing("x", "v2"), "spec": [1]})
    tally = run(cluster, scheme)
    assert codes(tally) == ["HA894"]


def test_a_stale_bag_may_go_once(cluster: FakeCluster, scheme: Scheme) -> None:
    """An entry whose list element was deleted leaves the bag; that is no change of the object."""
    stored = dict(scheme.convert(cluster.custom.stored(NAME)["a"], to="v2"))
    stored["spec"]["parts"] = []
    there = scheme.convert(stored, to="v1")
    assert scheme.convert(there, to="v2") != stored
    cluster.custom.create(NAME, {**stored, "metadata": {**stored["metadata"], "name": "stale"}})
    assert codes(run(cluster, scheme)) == []


# --- entries of an older plan ---

YOUNGER = {
    **THING_FILES,
    "v2.yaml": THING_FILES["v2.yaml"].replace(
        "      shade: {type: integer}\n",
        "      shade: {type: integer}\n      color: {type: string}\n",
    ),
}


@pytest.fixture
def younger(tmp_path_factory: pytest.TempPathFactory, cluster: FakeCluster) -> Scheme:
    """The scheme after v2 gained `color`; the things are stored at v2, with it in their bags."""
    run(cluster)
    assert "color" not in cluster.custom.stored(NAME)["a"]["spec"]
    found = scheme_of(build_project(tmp_path_factory.mktemp("younger"), THING_CONFIG, YOUNGER))
    cluster.webhook = found.review
    return found


def test_older_entries_are_settled(cluster: FakeCluster, younger: Scheme) -> None:
    """What waited in the bag is live afterwards, though every object is in its version already."""
    before = {name: read(cluster, name, "v1") for name in NAMES}
    tally = run(cluster, younger)
    assert (tally.to_rewrite, tally.older_bags, tally.rewritten) == (0, 5, {"written": 5})
    for item in cluster.custom.stored(NAME).values():
        assert item["spec"]["color"] == "red"
        assert '"color"' not in item["metadata"]["annotations"]["holdall.dev/bag"]
    assert {name: _data(read(cluster, name, "v1")) for name in NAMES} == {
        name: _data(item) for name, item in before.items()
    }


def test_what_the_crd_would_prune_is_not_written(
    cluster: FakeCluster, younger: Scheme, scheme: Scheme
) -> None:
    """A property that the stored version of the CRD lacks, or has of another type."""

    def schema(*, stored: Any, other: Any) -> None:
        for version in cluster.crds[NAME]["spec"]["versions"]:
            version["schema"]["openAPIV3Schema"] = stored if version["name"] == "v2" else other

    text, anything = {"type": "string"}, {"x-kubernetes-preserve-unknown-fields": True}
    spec = {"size": {"type": "integer"}, "shade": {"type": "integer"}}
    lists: dict[str, Any] = {"labels": {}, "parts": {}}
    without = struct(spec=struct(**spec, **lists))
    schema(stored=without, other=anything)
    tally = run(cluster, younger)
    assert (codes(tally), cluster.patches) == (["HA848"], [])
    assert "v2 has no /spec/color" in tally.problems[0].message
    schema(stored=struct(spec=struct(**{**spec, "shade": text}, **lists)), other=anything)
    assert codes(run(cluster, younger)) == ["HA848", "HA847"]
    schema(stored=struct(spec=struct(**spec, **lists, color=text)), other=struct())
    assert codes(run(cluster, younger)) == []
    schema(stored=without, other=anything)
    assert codes(run(cluster, younger)) == []  # nothing to write
    assert codes(run(cluster)) == []  # nothing is known of the project


def test_settled_objects_are_not_written_again(cluster: FakeCluster, younger: Scheme) -> None:
    """A live value stays, and only objects with older entries are patched."""
    run(cluster, younger)
    cluster.custom.create(NAME, thing("f", color="blue"))
    tally = run(cluster, younger)
    assert (tally.older_bags, tally.is_needed, patched(cluster)) == (0, False, [])


def test_who_was_replaced_meanwhile_needs_no_settling(
    cluster: FakeCluster, younger: Scheme
) -> None:
    """A conflict with someone who left no entries is one."""

    def interfere() -> None:
        cluster.custom.create(NAME, thing("a", "v2", size=7))

    at_patch(cluster, 1, interfere)
    tally = run(cluster, younger)
    assert tally.rewritten == {"conflict": 1, "written": 4}
    assert cluster.custom.stored(NAME)["a"]["spec"] == {"size": 7}


def edit(cluster: FakeCluster, name: str, **spec: Any) -> None:
    """Write a thing at its stored version, as whoever keeps its annotations does."""
    item = json.loads(cluster.send("GET", f"{THINGS}/{name}").body)
    item["spec"] |= spec
    cluster.custom.create(NAME, item)


def test_who_was_edited_meanwhile_is_settled(cluster: FakeCluster, younger: Scheme) -> None:
    """An edit at the stored version settles nothing, so the object is looked at again."""
    at_patch(cluster, 1, lambda: edit(cluster, "a", size=7))
    tally = run(cluster, younger)
    assert (codes(tally), tally.rewritten, tally.is_finished) == ([], {"written": 5}, True)
    assert cluster.custom.stored(NAME)["a"]["spec"] == {
        "size": 7,
        "color": "red",
        "parts": [{"name": "p"}],
    }
    assert run(cluster, younger).older_bags == 0


def test_who_is_edited_all_the_time_is_a_problem(cluster: FakeCluster, younger: Scheme) -> None:
    """A run does not end well as long as older entries are left."""
    sizes = iter(range(100))

    def before(method: str, path: str) -> None:
        if method == "PATCH" and path.partition("?")[0] == f"{THINGS}/a":
            edit(cluster, "a", size=next(sizes))

    cluster.before = before
    tally = run(cluster, younger)
    assert (codes(tally), tally.rewritten, tally.is_finished) == (["HA895"], {"written": 4}, False)


@pytest.fixture
def older_status(cluster: FakeCluster, tmp_path: Path) -> Scheme:
    """The scheme after v2 gained `color` in spec and status; the thing `s` is stored without."""
    older, newer = (
        scheme_of(build_project(tmp_path / name, THING_CONFIG, _with_status_of(files)))
        for name, files in (("older", THING_FILES), ("newer", YOUNGER))
    )
    cluster.change(NAME, with_status)
    stored = older.convert({**thing("s", color="red"), "status": {"color": "blue"}}, to="v2")
    assert stored["status"] == {}
    cluster.custom.create(NAME, stored)
    cluster.webhook = newer.review
    for name in NAMES:
        cluster.custom.delete(NAME, name)
    return newer


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_status_is_settled_first(
    cluster: FakeCluster, older_status: Scheme, is_edited: bool
) -> None:
    """A value of the status is written through /status, before its entry leaves the annotation.

    It does not leave if someone else wrote the object first: then both wait for the next look.
    """
    if is_edited:
        at_patch(cluster, 1, lambda: edit(cluster, "s", size=7))
    tally = run(cluster, older_status)
    assert (tally.older_bags, codes(tally)) == (1, [])
    paths = [path.partition("things/")[2] for path, _ in cluster.patches if "things/" in path]
    assert paths == ["s/status"] * is_edited + ["s/status", "s"]
    item = cluster.custom.stored(NAME)["s"]
    assert item["spec"] == {"color": "red", **({"size": 7} if is_edited else {})}
    assert item["status"] == {"color": "blue"}
    assert "annotations" not in item["metadata"]


def _with_status_of(files: Mapping[str, str]) -> dict[str, str]:
    """Return the schemas of things with a status that has only the `color` of their spec."""
    return {
        name: text
        + "  status: {type: object, properties: {phase: {type: string}"
        + (", color: {type: string}" if "color" in text else "")
        + "}}\n"
        for name, text in files.items()
    }


def _data(item: Any) -> Any:
    return {name: part for name, part in item.items() if name != "metadata"}


def test_kinds_of_several_groups(tmp_path: Path) -> None:
    """A declaration may have them: each kind is looked for in its own."""
    found = declare(
        tmp_path,
        """
VERSIONS = Versions(Version("v1"), Version("v2"))
@resource(group="one.example.com")
class BoxSpec:
    size: int
@resource(group="two.example.com")
class LidSpec:
    size: int
""",
    )
    crds = [kind.merged_crd("v2") for kind in (found.kinds.Box, found.kinds.Lid)]
    checks = checks_of(map(Resource.of, crds), [found.scheme])
    assert len(checks) == 2
    assert [problem for check in checks.values() for problem in check.missing()] == []


def test_versions_that_the_project_lacks(cluster: FakeCluster, scheme: Scheme) -> None:
    """A version of the CRD without a converter is one problem, not one for each object."""
    cluster.change(
        NAME,
        lambda spec: spec["versions"].append({**spec["versions"][0], "name": "v3"}),
    )
    tally = run(cluster, scheme)
    assert codes(tally) == ["HA893"]
    assert cluster.patches == []


# --- managedFields ---


def entry(manager: str, version: str, **more: Any) -> dict[str, Any]:
    """Return an entry of managedFields."""
    fields = {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}
    api_version = f"example.com/{version}"
    return {"manager": manager, "operation": "Update", "apiVersion": api_version, **fields, **more}


@pytest.fixture
def unserved(scheme: Scheme) -> FakeCluster:
    """A CRD that serves v2 only, with things whose managers wrote at v1, v2 and both."""
    found = cluster_of(scheme, "v2", "v1")
    managers = {
        "both": [entry("one", "v1"), entry("two", "v2")],
        "new": [entry("two", "v2")],
        "old": [entry("one", "v1", time="2020-01-01T00:00:00Z", operation="Apply")],
    }
    for name, fields in managers.items():
        item = thing(name, "v2")
        item["metadata"]["managedFields"] = fields
        found.custom.create(NAME, item)
    found.change(NAME, lambda spec: spec["versions"][1].update(served=False))
    return found


def fields_of(cluster: FakeCluster) -> dict[str, Any]:
    """Return the managedFields of all things."""
    stored = cluster.custom.stored(NAME)
    return {name: item["metadata"]["managedFields"] for name, item in stored.items()}


def test_managers_of_unserved_versions_go(unserved: FakeCluster) -> None:
    """Their entries are dropped; where none is left, a seed stands in, of the first manager."""
    tally = run(unserved)
    assert (tally.to_clear, tally.fields_cleared, tally.is_finished) == (2, 2, True)
    assert fields_of(unserved) == {
        "both": [entry("two", "v2")],
        "new": [entry("two", "v2")],
        "old": [
            {
                "manager": "one",
                "operation": "Apply",
                "time": "2020-01-01T00:00:00Z",
                "apiVersion": "example.com/v2",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:metadata": {"f:name": {}}},
            }
        ],
    }
    assert run(unserved).is_needed is False
    assert unserved.patches == []


def test_managers_after_a_conflict(unserved: FakeCluster) -> None:
    """Whoever writes meanwhile leaves the entries, so the object is looked at again."""

    def interfere() -> None:
        unserved.before = lambda method, path: None
        body = b'{"spec": {"size": 3}}'
        unserved.send("PATCH", f"{THINGS}/both?fieldManager=three", body, content=MERGE)

    at_patch(unserved, 1, interfere)
    tally = run(unserved)
    assert tally.fields_cleared == 2
    assert [item["manager"] for item in fields_of(unserved)["both"]] == ["two", "three"]
    assert unserved.custom.stored(NAME)["both"]["spec"] == {"size": 3}


def test_managers_are_cleared_last(cluster: FakeCluster) -> None:
    """An error of one object keeps the entries of all, and storedVersions, as they are."""
    cluster.change(NAME, lambda spec: spec["versions"][0].update(served=False))
    before = fields_of(cluster)
    refuse(cluster, "e")
    run(cluster)
    assert fields_of(cluster) == before
    cluster.instead = lambda method, path: None
    tally = run(cluster)
    assert tally.is_finished
    versions = {item["apiVersion"] for fields in fields_of(cluster).values() for item in fields}
    assert versions == {"example.com/v2"}


def test_managers_that_cannot_be_cleared(unserved: FakeCluster) -> None:
    """An object that is refused is named, and the others are cleared."""
    refuse(unserved, "both")
    tally = run(unserved)
    assert (codes(tally), tally.fields_cleared, tally.is_finished) == (["HA898"], 1, False)


# --- what must not be begun ---


def _delete(made: Any) -> None:
    made["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z"


def _unserve(made: Any) -> None:
    made["spec"]["versions"][1]["served"] = False


def _none_stored(made: Any) -> None:
    made["spec"]["versions"][1]["storage"] = False


def _differ(made: Any) -> None:
    made["spec"]["conversion"] = {"strategy": "None"}
    made["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "object", "title": "x"}}


@pytest.mark.parametrize(
    ("change", "via_status", "expected"),
    [
        (lambda made: None, False, []),
        (lambda made: None, True, ["HA891"]),
        (_delete, False, ["HA891"]),
        (_unserve, False, ["HA891"]),
        (_none_stored, False, ["HA891"]),
        (_differ, False, ["HA892"]),
    ],
    ids=["fine", "no status", "deleted", "not served", "not stored", "no conversion"],
)
def test_obstacles(
    cluster: FakeCluster, change: Callable[[Any], None], via_status: bool, expected: list[str]
) -> None:
    """What would lose data, or look like a success, is refused."""
    made = cluster.crds[NAME]
    change(made)
    found = find_obstacles(made, via_status=via_status, checks=True)
    assert [problem.code for problem in found] == expected


# --- pace ---


def test_the_rate_is_kept(cluster: FakeCluster) -> None:
    """Patches wait for their turn, reads do not, and who comes late waits less."""
    now = [100.0]
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    paced = PacedCluster(cluster, 4.0, clock=lambda: now[0], pause=pause)
    for _ in range(3):
        paced.send("GET", THINGS)
        paced.send("PATCH", f"{THINGS}/none", b"{}")
    now[0] += 0.125
    paced.send("PATCH", f"{THINGS}/none", b"{}")
    assert waits == [0.25, 0.25, 0.125]


def test_too_many_requests(cluster: FakeCluster) -> None:
    """A server that asks for time gets it, and after some tries its answer is the answer."""
    busy = Answer(429, b"")
    waits: list[float] = []
    cluster.instead = lambda method, path: busy if len(waits) < 2 else None
    paced = PacedCluster(cluster, pause=waits.append)
    assert paced.send("GET", f"{THINGS}/a").is_fine
    assert waits == [1.0, 2.0]
    cluster.instead = lambda method, path: busy
    assert paced.send("GET", f"{THINGS}/a").status == 429


def test_servers_have_time_to_learn(cluster: FakeCluster) -> None:
    """The first write comes so long after the CRDs were read, and not at all later if idle."""
    waits: list[float] = []
    run(cluster, settle=5.0, clock=lambda: 2.0, pause=waits.append)
    assert waits == [3.0]
    run(cluster, settle=5.0, clock=lambda: 2.0, pause=waits.append)
    assert waits == [3.0]


# --- the command ---


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(
    cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Run `holdall migrate` on the fake cluster in a project; return the code and what is said."""
    root = build_project(tmp_path / "project", THING_CONFIG, THING_FILES)
    monkeypatch.setattr("holdall.cli.migrate.KubernetesCluster", lambda *_: cluster)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["--project", str(root), "migrate", "--settle", "0", *arguments])
        return (code, *capsys.readouterr())

    return call


def test_dry_run(cluster: FakeCluster, command: Command) -> None:
    """Without --apply it counts, writes nothing, and exits with 1 as long as work is left."""
    code, shown, _ = command()
    assert code == 1
    assert shown.splitlines() == [
        "CRD                 STORAGE  STORED  OBJECTS  CHECKED  TO REWRITE  OLDER BAGS  TO CLEAR",
        "things.example.com  v2       v1,v2   5        5        5           0           0",
    ]
    assert command("--dry-run", "--group", "example.com")[0] == 1
    assert {method for method, _ in cluster.requests} == {"GET"}
    assert command("--apply", "--rate", "0", "--crd", NAME)[0] == 0
    code, shown, _ = command()
    assert (code, shown.splitlines()[1].split()) == (0, [NAME, "v2", "v2", *"55000"])


def test_apply_as_json(cluster: FakeCluster, command: Command) -> None:
    """`--json` prints all counts, and every problem with its object."""
    refuse(cluster, "b")
    code, shown, _ = command("--apply", "--rate", "1000/s", "--json")
    assert code == 1
    (value,) = json.loads(shown)
    (problem,) = value.pop("problems")
    assert (problem["code"], problem["where"]) == ("HA895", "Thing default/b")
    assert value == {
        "crd": NAME,
        "storage": "v2",
        "storedVersions": ["v1", "v2"],
        "objects": 5,
        "checked": 5,
        "toRewrite": 5,
        "olderBags": 0,
        "toClear": 0,
        "rewritten": {"written": 4, "unchanged": 0, "gone": 0, "conflict": 0},
        "cleared": 0,
        "finished": False,
    }


def test_many_problems(cluster: FakeCluster, command: Command) -> None:
    """As text twenty problems of one code are enough."""
    for number in range(20):
        cluster.custom.create(NAME, thing(f"more-{number}"))
    status = Answer(500, b"no")
    cluster.instead = lambda method, path: status if method == "PATCH" else None
    code, _, said = command("--apply", "--rate", "0")
    assert (code, said.count("HA895 Thing")) == (1, 20)
    assert "HA895: and 5 more" in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--apply", "--dry-run"), 2, "not both"),
        (("--rate", "fast"), 2, "'fast' is not a rate"),
        (("--crd", "none.example.com"), 1, "HA881"),
        (("--group", "example.org"), 1, 'did you mean "example.com"'),
        (("--status",), 1, "HA891"),
        (("--state", __file__), 2, "HA897"),
    ],
)
def test_wrong_use(command: Command, arguments: tuple[str, ...], code: int, said: str) -> None:
    """What cannot be meant is refused, with the option or the name."""
    ended, _, shown = command(*arguments)
    assert (ended, said in shown) == (code, True)


def test_the_state_is_announced(cluster: FakeCluster, command: Command, file: Path) -> None:
    """An interrupted command says how to go on, and exits with 130."""
    at_patch(cluster, 2, interrupt)
    arguments = ("--apply", "--rate", "0", "--state", str(file))
    code, _, said = command(*arguments)
    assert code == 130
    assert f"{file.as_posix()} records what is done: run it again" in said
    assert command(*arguments)[0] == 0
    assert not file.exists()
