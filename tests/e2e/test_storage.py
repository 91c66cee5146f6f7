"""The storage version is switched, forth and back, and the stored objects are rewritten."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, change_crd, move_storage
from tests.e2e.harness.parcels import STATUS, VERSIONS, spec
from tests.e2e.harness.processes import wait_for

COUNT = 20


@pytest.fixture
def parcels(start_product: StartProduct, cluster: Cluster, group: str) -> Resource:
    """Twenty parcels, written at v2, each third with a counter that only v1alpha1 knows."""
    product = start_product(group)
    found = product.create(cluster.api, "Parcel", storage="v1")
    for name in _names():
        item = found.create(found.new("v2", name, spec=spec("v2")))
        cluster.api.put(found.path("v2", name, "status"), {**item, "status": STATUS["v2"]})
    for name in _names()[::3]:
        patch = {"spec": {"counter": 7}}
        cluster.api.patch(found.path("v1alpha1", name), patch).expect(200)
    return found


def _names() -> list[str]:
    return [f"parcel-{number:02}" for number in range(COUNT)]


def _move(cluster: Cluster, parcels: Resource, version: str) -> None:
    """Move the storage version, and rewrite all objects by patches that say nothing new."""
    move_storage(cluster.api, parcels.crd, version)
    probe = parcels.path(version, "probe")

    def is_stored_so() -> bool:
        cluster.api.delete(probe)
        cluster.api.post(parcels.path(version), parcels.new(version, "probe"))
        stored = cluster.etcd.read(parcels.key("probe"))
        return stored is not None and f"/{version}".encode() in stored.partition(b'"kind"')[0]

    wait_for(f"objects stored at {version}", is_stored_so)
    cluster.api.delete(probe).expect(200)
    for item in parcels.items(version):
        kept = {name: item["metadata"][name] for name in ("name", "resourceVersion")}
        patch = {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": kept}
        cluster.api.patch(parcels.path(version, kept["name"]), patch).expect(200)


def _assert_whole(cluster: Cluster, parcels: Resource, storage: str) -> None:
    for number, name in enumerate(_names()):
        stored = cluster.etcd.object(parcels.key(name))
        assert stored["apiVersion"].endswith(f"/{storage}")
        for version in VERSIONS:
            counter = {"counter": 7} if number % 3 == 0 and version == "v1alpha1" else {}
            item = parcels.read(version, name)
            assert item["spec"] == {**spec(version), **counter}
            assert item["status"] == STATUS[version]


def test_objects_survive_every_storage_version(cluster: Cluster, parcels: Resource) -> None:
    """Rewritten at v2, at v1alpha1 and again at v1, no object loses anything at any version."""
    _assert_whole(cluster, parcels, "v1")
    for version in ("v2", "v1alpha1", "v1"):
        _move(cluster, parcels, version)
        _assert_whole(cluster, parcels, version)


def test_stored_at_the_newest_version_only_older_data_needs_a_bag(
    cluster: Cluster, parcels: Resource
) -> None:
    """After the move to v2 the annotations of parcels without a counter are gone from the store."""
    _move(cluster, parcels, "v2")
    for number, name in enumerate(_names()):
        metadata = cluster.etcd.object(parcels.key(name))["metadata"]
        assert set(metadata.get("annotations", {})) == (
            {"holdall.dev/bag"} if number % 3 == 0 else set()
        )


def test_a_version_is_retired(cluster: Cluster, parcels: Resource) -> None:
    """When everything is stored at v2, v1 leaves `storedVersions`, then the CRD; v2 stays whole."""
    _move(cluster, parcels, "v2")
    crd = cluster.api.get(f"{CRDS}/{parcels.crd}").expect(200)
    assert crd["status"]["storedVersions"] == ["v1", "v2"]
    crd["status"]["storedVersions"] = ["v2"]
    cluster.api.put(f"{CRDS}/{parcels.crd}/status", crd).expect(200)
    change_crd(
        cluster.api,
        parcels.crd,
        lambda crd_spec: crd_spec.update(
            versions=[entry for entry in crd_spec["versions"] if entry["name"] != "v1"]
        ),
    )
    wait_for("v1 to be gone", lambda: cluster.api.get(parcels.path("v1")).status == 404)
    for name in _names():
        assert parcels.read("v2", name)["spec"] == spec("v2")
        assert parcels.read("v1alpha1", name)["spec"]["addressee"] == "Ada"
