"""Where the bags live, event by event, on an API server that stores the older version."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.parcels import STATUS, spec
from tests.e2e.harness.product import Product

BAG = "holdall.dev/bag"
STATUS_BAG = "holdall.dev/status-bag"


@pytest.fixture(scope="module")
def product(start_product: StartProduct) -> Product:
    """The project of the suite, served."""
    return start_product("post.carriers.example.com")


@pytest.fixture(scope="module")
def parcels(product: Product, cluster: Cluster) -> Resource:
    """Parcels, stored at v1, which knows neither `spec.extra` nor `status.detail`."""
    return product.create(cluster.api, "Parcel", storage="v1")


@pytest.fixture(scope="module")
def labels(product: Product, cluster: Cluster) -> Resource:
    """Labels, stored at v1."""
    return product.create(cluster.api, "Label", storage="v1")


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name of its own for the object of a test."""
    found: str = request.node.name
    return found.removeprefix("test_").replace("_", "-")[:63]


@pytest.fixture
def parcel(cluster: Cluster, parcels: Resource, name: str) -> str:
    """The name of a parcel that was written at v2, with its status."""
    item = parcels.create(parcels.new("v2", name, spec=spec("v2")))
    cluster.api.put(parcels.path("v2", name, "status"), {**item, "status": STATUS["v2"]}).expect(
        200
    )
    return name


def _views(parcels: Resource, name: str) -> tuple[Any, Any]:
    item = parcels.read("v2", name)
    return item["spec"], item.get("status")


def test_both_bags_are_stored(cluster: Cluster, parcels: Resource, parcel: str) -> None:
    """Written at v2 and stored at v1: one annotation per half, and v2 shows everything."""
    stored = cluster.etcd.object(parcels.key(parcel))
    assert stored["apiVersion"].endswith("/v1")
    assert {BAG, STATUS_BAG} <= stored["metadata"]["annotations"].keys()
    assert stored["status"] == STATUS["v1"]
    assert _views(parcels, parcel) == (spec("v2"), STATUS["v2"])


def test_a_status_patch_at_v2_keeps_both(cluster: Cluster, parcels: Resource, parcel: str) -> None:
    """A status patch at v2 is stored, and the bag of the spec stays."""
    patch = {"status": {"detail": "no ink"}}
    cluster.api.patch(parcels.path("v2", parcel, "status"), patch).expect(200)
    assert _views(parcels, parcel) == (spec("v2"), {**STATUS["v2"], "detail": "no ink"})


def test_a_typed_put_of_the_status_keeps_both(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """A status PUT at v1 of what v1 declares loses neither half."""
    item = {**parcels.read("v1", parcel), "status": {"phase": "Sent"}}
    cluster.api.put(parcels.path("v1", parcel, "status"), item).expect(200)
    assert _views(parcels, parcel) == (spec("v2"), {**STATUS["v2"], "phase": "Sent"})


def test_a_typed_put_with_its_metadata_keeps_both(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """A main PUT at v1 that keeps the metadata loses neither half."""
    item = parcels.read("v1", parcel)
    item["spec"] = {**spec("v1"), "addressee": "Bob"}
    cluster.api.put(parcels.path("v1", parcel), item).expect(200)
    assert _views(parcels, parcel) == ({**spec("v2"), "addressee": "Bob"}, STATUS["v2"])


def test_replace_from_a_manifest_loses_both(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """`kubectl replace` with a manifest written at v1 drops the annotations: the known loss."""
    item = parcels.new("v1", parcel, spec=spec("v1"))
    cluster.kubectl("replace", "-f", "-", given=item)
    assert _views(parcels, parcel) == (spec("v2", "v1"), STATUS["v1"])


def test_a_merge_patch_keeps_both(cluster: Cluster, parcels: Resource, parcel: str) -> None:
    """A merge patch at v1 loses neither half."""
    patch = {"spec": {"addressee": "Bob"}}
    cluster.api.patch(parcels.path("v1", parcel), patch).expect(200)
    assert _views(parcels, parcel) == ({**spec("v2"), "addressee": "Bob"}, STATUS["v2"])


def test_a_restored_backup_has_its_spec_and_no_status_of_old(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """A backup read at v1 and posted again, under a new uid, has all of v2's spec.

    The bag of the status is ignored, for a POST has no status; a new status does not revive it.
    """
    backup = parcels.exported("v1", parcel)
    cluster.api.delete(parcels.path("v1", parcel)).expect(200)
    parcels.create(backup)
    assert _views(parcels, parcel) == (spec("v2"), None)


def test_whoever_writes_the_status_does_not_reach_the_spec(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """A status update that forges both annotations changes neither spec nor annotations."""
    before = cluster.etcd.object(parcels.key(parcel))["metadata"]["annotations"]
    item = parcels.read("v1", parcel)
    forged = before[BAG].replace('"no"', '"forged"')
    assert forged != before[BAG]
    item["metadata"]["annotations"] = {BAG: forged, STATUS_BAG: forged}
    item["status"] = {"phase": "Sent"}
    cluster.api.put(parcels.path("v1", parcel, "status"), item).expect(200)
    assert cluster.etcd.object(parcels.key(parcel))["metadata"]["annotations"] == before
    assert _views(parcels, parcel) == (spec("v2"), {**STATUS["v2"], "phase": "Sent"})


def test_the_bag_of_the_spec_does_not_reach_the_status(
    cluster: Cluster, parcels: Resource, parcel: str
) -> None:
    """Entries of the status in the annotation of the spec are not taken."""
    item = parcels.read("v1", parcel)
    annotations = item["metadata"]["annotations"]
    annotations[BAG] = annotations.pop(STATUS_BAG)
    cluster.api.put(parcels.path("v1", parcel), item).expect(200)
    assert _views(parcels, parcel)[1] == STATUS["v1"]


def test_a_copy_on_an_object_of_another_kind_is_ignored(
    cluster: Cluster, parcels: Resource, labels: Resource, parcel: str
) -> None:
    """A controller that copies annotations to a child does it no harm; the copy is dropped."""
    copied = parcels.read("v1", parcel)["metadata"]["annotations"]
    child = labels.new("v1", parcel, spec={"tint": "red"})
    child["metadata"]["annotations"] = {**copied, "example.com/own": "kept"}
    labels.create(child)
    item = labels.read("v2", parcel)
    assert item["spec"] == {"tint": "red"}
    assert item["metadata"]["annotations"] == {"example.com/own": "kept"}


DAMAGED = {
    "empty": "",
    "words": "garbage",
    "future": '{"v":99}',
    "unpacked": "zlib:%%%",
    "deep": "[" * 5000,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_bag_does_no_harm(parcels: Resource, damage: str) -> None:
    """An annotation of ours that cannot be read is left as it is, and the object is readable."""
    name, text = f"damaged-{damage}", DAMAGED[damage]
    item = parcels.new("v1", name, spec=spec("v1", "v1"))
    item["metadata"]["annotations"] = {BAG: text, STATUS_BAG: text}
    parcels.create(item)
    for version in ("v1alpha1", "v1", "v2"):
        found = parcels.read(version, name)
        assert found["spec"] == spec(version, "v1")
        assert found["metadata"]["annotations"] == {BAG: text, STATUS_BAG: text}


def test_over_its_budget_the_bag_degrades_and_the_object_stays_readable(
    cluster: Cluster, parcels: Resource, name: str
) -> None:
    """What is too large for the annotation is lost, all else is kept, and everybody can read it."""
    rich = {**spec("v2"), "insurance": {"insurer": "".join(map(str, range(60000)))}}
    parcels.create(parcels.new("v2", name, spec=rich))
    del rich["insurance"]
    assert parcels.read("v2", name)["spec"] == rich
    assert parcels.read("v1", name)["spec"] == spec("v1")
    assert name in {item["metadata"]["name"] for item in parcels.items("v2")}


def test_other_annotations_that_fill_the_room_leave_the_object_readable(
    parcels: Resource, name: str
) -> None:
    """Beside 262000 bytes of other annotations there is no room; a write succeeds all the same."""
    item = parcels.new("v2", name, spec=spec("v2"))
    item["metadata"]["annotations"] = {"example.com/big": "x" * 262000}
    parcels.create(item)
    for version in ("v1alpha1", "v1", "v2"):
        found = parcels.read(version, name)
        assert found["spec"]["addressee"] == "Ada"
        assert len(found["metadata"]["annotations"]["example.com/big"]) == 262000
