"""Read, modify, write at an old version: whichever way it is written, nothing else is lost."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.api import JSON_PATCH
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.parcels import STATUS, spec

STORAGE = ("v1", "v2")
OLD = ("v1alpha1", "v1")


@pytest.fixture(scope="module")
def stored_at(start_product: StartProduct, cluster: Cluster) -> dict[str, Resource]:
    """Parcels by storage version, each in a group of its own."""
    return {
        version: start_product(f"post-{version}.lossless.example.com").create(
            cluster.api, "Parcel", storage=version
        )
        for version in STORAGE
    }


Write: TypeAlias = Callable[[Cluster, Resource, str, str], None]
"""Change the addressee to Bob: on a server, of a resource, at a version, by the object's name."""


def _put(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    item = parcels.read(version, name)
    item["spec"]["addressee"] = "Bob"
    cluster.api.put(parcels.path(version, name), item).expect(200)


def _typed_put(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    """A typed client keeps the metadata and what its version declares, and nothing else."""
    item = parcels.read(version, name)
    known = spec(version, version).keys()
    item = {key: item[key] for key in ("apiVersion", "kind", "metadata", "spec")}
    item["spec"] = {key: value for key, value in item["spec"].items() if key in known}
    item["spec"]["addressee"] = "Bob"
    cluster.api.put(parcels.path(version, name), item).expect(200)


def _merge_patch(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    patch = {"spec": {"addressee": "Bob"}}
    cluster.api.patch(parcels.path(version, name), patch).expect(200)


def _json_patch(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    patch = [{"op": "replace", "path": "/spec/addressee", "value": "Bob"}]
    cluster.api.patch(parcels.path(version, name), patch, JSON_PATCH).expect(200)


def _server_side_apply(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    item = parcels.new(version, name, spec={"addressee": "Bob"})
    path = parcels.path(version, name)
    cluster.api.apply(path, item, manager="bob", force=True).expect(200)


def _kubectl_server_side_apply(
    cluster: Cluster, parcels: Resource, version: str, name: str
) -> None:
    item = parcels.new(version, name, spec={"addressee": "Bob"})
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", given=item)


def _kubectl_apply(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    """Twice, so that the second one finds what the first one applied last."""
    whole = parcels.new(version, name, spec=spec(version))
    cluster.kubectl("apply", "-f", "-", given=whole)
    whole["spec"]["addressee"] = "Bob"
    cluster.kubectl("apply", "-f", "-", given=whole)


def _kubectl_patch(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    patch = json.dumps({"spec": {"addressee": "Bob"}})
    cluster.kubectl("patch", parcels.argument(version), name, "--type=merge", "-p", patch)


def _kubectl_edit(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    script = cluster.kubeconfig.parent / "editor.sh"
    script.write_text("#!/bin/sh\nsed -i 's/addressee: Ada/addressee: Bob/' \"$1\"\n")
    script.chmod(0o755)
    done = cluster.kubectl.run(
        "edit", parcels.argument(version), name, environment={"KUBE_EDITOR": str(script)}
    )
    assert done.returncode == 0, done.stderr


def _kubectl_replace(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    """What `get -o json` wrote to a file, edited there."""
    item = cluster.kubectl.json("get", parcels.argument(version), name)
    item["spec"]["addressee"] = "Bob"
    cluster.kubectl("replace", "-f", "-", given=item)


WRITES: dict[str, Write] = {
    "PUT": _put,
    "typed PUT": _typed_put,
    "merge patch": _merge_patch,
    "JSON patch": _json_patch,
    "server-side apply": _server_side_apply,
    "kubectl apply --server-side": _kubectl_server_side_apply,
    "kubectl apply": _kubectl_apply,
    "kubectl patch": _kubectl_patch,
    "kubectl edit": _kubectl_edit,
    "kubectl replace": _kubectl_replace,
}


def create(cluster: Cluster, parcels: Resource, name: str) -> Any:
    """Create the rich parcel at v2, with its status."""
    item = parcels.create(parcels.new("v2", name, spec=spec("v2")))
    item["status"] = STATUS["v2"]
    return cluster.api.put(parcels.path("v2", name, "status"), item).expect(200)


@pytest.mark.parametrize("way", WRITES)
@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("storage", STORAGE)
def test_a_write_at_an_old_version_changes_what_it_says_and_nothing_else(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str, version: str, way: str
) -> None:
    """After one edit at an old version, v2 shows the edit, and all that only v2 knows."""
    parcels = stored_at[storage]
    name = f"{way}-{version}".replace(" ", "-").lower()
    create(cluster, parcels, name)
    WRITES[way](cluster, parcels, version, name)
    after = parcels.read("v2", name)
    assert after["spec"] == {**spec("v2"), "addressee": "Bob"}
    assert after["status"] == STATUS["v2"]
    own = {key for key in after["metadata"].get("annotations", {}) if key.startswith("holdall")}
    assert not own, "the newest version can express everything, so it carries nothing"


StatusWrite: TypeAlias = Callable[[Cluster, Resource, str, str], None]


def _put_status(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    item = parcels.read(version, name)
    item["status"] = {"phase": "Sent"}
    cluster.api.put(parcels.path(version, name, "status"), item).expect(200)


def _patch_status(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    patch = {"status": {"phase": "Sent"}}
    cluster.api.patch(parcels.path(version, name, "status"), patch).expect(200)


def _apply_status(cluster: Cluster, parcels: Resource, version: str, name: str) -> None:
    item = parcels.new(version, name, status={"phase": "Sent"})
    path = parcels.path(version, name, "status")
    cluster.api.apply(path, item, manager="bob", force=True).expect(200)


STATUS_WRITES: dict[str, StatusWrite] = {
    "typed PUT of status": _put_status,
    "merge patch of status": _patch_status,
    "server-side apply of status": _apply_status,
}


@pytest.mark.parametrize("way", STATUS_WRITES)
@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("storage", STORAGE)
def test_a_status_written_at_an_old_version_loses_nothing(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str, version: str, way: str
) -> None:
    """After a status update at an old version, v2 shows it beside what only v2 knows."""
    parcels = stored_at[storage]
    name = f"{way}-{version}".replace(" ", "-").lower()
    create(cluster, parcels, name)
    STATUS_WRITES[way](cluster, parcels, version, name)
    after = parcels.read("v2", name)
    assert after["spec"] == spec("v2")
    assert after["status"] == {**STATUS["v2"], "phase": "Sent"}


@pytest.mark.parametrize("storage", STORAGE)
def test_list_elements_keep_what_is_theirs(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str
) -> None:
    """Reordered, inserted and deleted at v1: every stop keeps its own door, by its name."""
    parcels = stored_at[storage]
    create(cluster, parcels, "stops")
    item = parcels.read("v1", "stops")
    mill, pond = item["spec"]["stops"]
    item["spec"]["stops"] = [pond, {"name": "hill", "minutes": 9}, mill]
    cluster.api.put(parcels.path("v1", "stops"), item).expect(200)
    assert parcels.read("v2", "stops")["spec"]["stops"] == [
        {"name": "pond", "minutes": 0, "door": "back"},
        {"name": "hill", "minutes": 9},
        {"name": "mill", "minutes": 5, "door": "left"},
    ]
    item = parcels.read("v1", "stops")
    del item["spec"]["stops"][0]
    cluster.api.put(parcels.path("v1", "stops"), item).expect(200)
    assert parcels.read("v2", "stops")["spec"]["stops"] == [
        {"name": "hill", "minutes": 9},
        {"name": "mill", "minutes": 5, "door": "left"},
    ]


@pytest.mark.parametrize("storage", STORAGE)
def test_deleted_at_an_old_version_stays_deleted(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str
) -> None:
    """A list that is removed at v1 is gone at v2, with all that waited in its elements."""
    parcels = stored_at[storage]
    create(cluster, parcels, "removed")
    patch = {"spec": {"stops": None, "weight": None}}
    cluster.api.patch(parcels.path("v1", "removed"), patch).expect(200)
    expected = {key: value for key, value in spec("v2").items() if key not in ("stops", "grams")}
    assert parcels.read("v2", "removed")["spec"] == expected


@pytest.mark.parametrize("storage", STORAGE)
def test_updates_without_a_change_are_no_updates(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str
) -> None:
    """A PUT of what was read changes no resourceVersion, at any version, any number of times."""
    parcels = stored_at[storage]
    create(cluster, parcels, "quiet")
    for version in (*OLD, "v2", *OLD):
        # The first write at a version adds its manager to the managed fields.
        item = parcels.read(version, "quiet")
        cluster.api.put(parcels.path(version, "quiet"), item).expect(200)
    before = parcels.read("v2", "quiet")["metadata"]["resourceVersion"]
    for version in (*OLD, "v2"):
        item = parcels.read(version, "quiet")
        done = cluster.api.put(parcels.path(version, "quiet"), item).expect(200)
        assert done["metadata"]["resourceVersion"] == before, version


@pytest.mark.parametrize("storage", STORAGE)
def test_an_applied_copy_brings_back_what_it_held(
    cluster: Cluster, stored_at: dict[str, Resource], storage: str
) -> None:
    """A file that `kubectl get` wrote has the bags of its time, and whoever applies it says so."""
    parcels = stored_at[storage]
    create(cluster, parcels, "copied")
    copied = parcels.exported("v1", "copied")
    cluster.api.patch(parcels.path("v2", "copied"), {"spec": {"extra": "yes"}}).expect(200)
    cluster.kubectl("apply", "-f", "-", given=copied)
    assert parcels.read("v2", "copied")["spec"] == spec("v2")


def test_a_whole_life_at_all_versions(
    cluster: Cluster, stored_at: dict[str, Resource], tmp_path: Path
) -> None:
    """Many edits at changing versions: the sum of all of them is there at the end."""
    parcels = stored_at["v1"]
    create(cluster, parcels, "life")
    expected = copy.deepcopy(spec("v2"))
    cluster.api.patch(parcels.path("v1alpha1", "life"), {"spec": {"counter": 3}}).expect(200)
    cluster.api.patch(parcels.path("v2", "life"), {"spec": {"extra": "yes"}}).expect(200)
    expected["extra"] = "yes"
    cluster.api.patch(parcels.path("v1", "life"), {"spec": {"weight": 600}}).expect(200)
    expected["grams"] = 600
    cluster.api.patch(parcels.path("v1alpha1", "life"), {"spec": {"handling": "wet"}}).expect(200)
    expected["handling"] = ["wet"]
    _kubectl_server_side_apply(cluster, parcels, "v1", "life")
    expected["addressee"] = "Bob"
    assert parcels.read("v2", "life")["spec"] == expected
    assert parcels.read("v1alpha1", "life")["spec"]["counter"] == 3
