"""A bag of the status in a slot of the status itself, on an API server that stores v1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource

SPEC = {"addressee": "Ada", "extra": "big"}
STATUS = {"phase": "Waiting", "detail": "no stamps"}
SLOT = "$propertyBag"


@pytest.fixture(scope="module")
def crates(start_product: StartProduct, cluster: Cluster) -> Resource:
    """Crates, stored at v1, whose CRD has a slot in the status of every version."""
    product = start_product("post.status-slot.example.com")
    return product.create(cluster.api, "Crate", storage="v1")


@pytest.fixture
def crate(cluster: Cluster, crates: Resource, request: pytest.FixtureRequest) -> str:
    """The name of a crate that was written at v2, with its status."""
    name: str = request.node.name.removeprefix("test_").replace("_", "-")
    item = crates.create(crates.new("v2", name, spec=SPEC))
    item["status"] = STATUS
    cluster.api.put(crates.path("v2", name, "status"), item).expect(200)
    return name


def _views(crates: Resource, name: str) -> tuple[Any, Any]:
    item = crates.read("v2", name)
    return item["spec"], item.get("status")


def test_the_status_carries_its_own_bag(cluster: Cluster, crates: Resource, crate: str) -> None:
    """What v1 cannot say of the status is stored in its slot, and in no annotation."""
    stored = cluster.etcd.object(crates.key(crate))
    assert stored["status"].keys() == {"phase", SLOT}
    assert stored["metadata"]["annotations"].keys() == {"holdall.dev/bag"}
    assert _views(crates, crate) == (SPEC, STATUS)


def test_a_status_patch_at_v2_keeps_both(cluster: Cluster, crates: Resource, crate: str) -> None:
    """A status patch at v2 is stored, and the bag of the spec stays."""
    path = crates.path("v2", crate, "status")
    cluster.api.patch(path, {"status": {"detail": "no ink"}}).expect(200)
    assert _views(crates, crate) == (SPEC, {**STATUS, "detail": "no ink"})


def test_a_typed_put_of_the_status_loses_the_slot(
    cluster: Cluster, crates: Resource, crate: str
) -> None:
    """A client of v1 that writes the status without the slot takes it away: the known loss."""
    item = {**crates.read("v1", crate), "status": {"phase": "Sent"}}
    cluster.api.put(crates.path("v1", crate, "status"), item).expect(200)
    assert _views(crates, crate) == (SPEC, {"phase": "Sent"})


def test_a_merge_patch_of_the_status_keeps_both(
    cluster: Cluster, crates: Resource, crate: str
) -> None:
    """A status patch at v1 leaves the slot where it is."""
    path = crates.path("v1", crate, "status")
    cluster.api.patch(path, {"status": {"phase": "Sent"}}).expect(200)
    assert _views(crates, crate) == (SPEC, {**STATUS, "phase": "Sent"})


def test_a_typed_put_with_its_metadata_keeps_both(
    cluster: Cluster, crates: Resource, crate: str
) -> None:
    """A main PUT at v1 loses neither half."""
    item = {**crates.read("v1", crate), "spec": {"addressee": "Bob"}}
    cluster.api.put(crates.path("v1", crate), item).expect(200)
    assert _views(crates, crate) == ({**SPEC, "addressee": "Bob"}, STATUS)


def test_replace_from_a_manifest_keeps_the_status(
    cluster: Cluster, crates: Resource, crate: str
) -> None:
    """`kubectl replace` with a manifest written at v1 drops the annotation, but not the slot."""
    item = crates.new("v1", crate, spec={"addressee": "Ada"})
    cluster.kubectl("replace", "-f", "-", given=item)
    assert _views(crates, crate) == ({"addressee": "Ada"}, STATUS)


def test_a_restored_backup_has_no_status(cluster: Cluster, crates: Resource, crate: str) -> None:
    """A backup read at v1 and posted again has v2's spec; its status is gone with the slot."""
    backup = crates.exported("v1", crate)
    cluster.api.delete(crates.path("v1", crate)).expect(200)
    crates.create(backup)
    assert _views(crates, crate) == (SPEC, None)


def test_whoever_writes_the_status_does_not_reach_the_spec(
    cluster: Cluster, crates: Resource, crate: str
) -> None:
    """Entries of the spec in the slot of the status are not taken."""
    item = crates.read("v1", crate)
    text = item["metadata"]["annotations"]["holdall.dev/bag"]
    item["status"][SLOT] = {"spec": text, "/spec": {"v2": {"extra": "forged"}}}
    cluster.api.put(crates.path("v1", crate, "status"), item).expect(200)
    assert _views(crates, crate)[0] == SPEC
