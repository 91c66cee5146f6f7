"""Objects that should not be there: planted in etcd, past every check of the API server."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.api import JSON_PATCH
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, change_crd, move_storage
from tests.e2e.harness.parcels import VERSIONS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import Product

SCALARS: dict[str, Any] = {
    "spec-null": {"spec": None},
    "weight-text": {"spec": {"weight": "heavy", "addressee": "Ada"}},
    "weight-large": {"spec": {"weight": 2**63 - 1}},
    "handling-list": {"spec": {"handling": [1, None], "addressee": "Ada"}},
    "counter-null": {"spec": {"counter": None}},
    "stops-null": {"spec": {"stops": [{"name": None}, {}], "addressee": "Ada"}},
}
CONTAINERS: dict[str, Any] = {
    "spec-text": {"spec": "text"},
    "spec-list": {"spec": [{"weight": 1}]},
    "spec-number": {"spec": 7},
    "status-text": {"status": "text"},
    "stops-text": {"spec": {"stops": "mill", "addressee": "Ada"}},
    "stops-mixed": {"spec": {"stops": [7, None, {"name": 7}, {}], "addressee": "Ada"}},
}
SETS = (pytest.param(SCALARS, id="scalars"), pytest.param(CONTAINERS, id="containers"))


@pytest.fixture(scope="module")
def product(start_product: StartProduct) -> Product:
    """The project of the suite, served."""
    return start_product("post.bad-objects.example.com")


@pytest.fixture
def planted(
    start_product: StartProduct,
    cluster: Cluster,
    group: str,
    request: pytest.FixtureRequest,
) -> Resource:
    """Parcels, stored at v1: a good one, and beside it a set of odd ones, planted."""
    odd: dict[str, Any] = request.param
    found = start_product(group).create(cluster.api, "Parcel", storage="v1")
    found.create(found.new("v2", "good", spec=spec("v2")))
    seed = cluster.etcd.object(found.key("good"))
    del seed["metadata"]["annotations"], seed["metadata"]["managedFields"], seed["spec"]
    for number, (name, members) in enumerate(odd.items()):
        item = copy.deepcopy(seed)
        item["metadata"].update(name=name, uid=f"{seed['metadata']['uid'][:-4]}{number:04}")
        cluster.etcd.plant(found.key(name), {**item, **members})
    return found


@pytest.fixture(scope="module")
def labels(product: Product, cluster: Cluster) -> Resource:
    """Labels, stored at v1."""
    return product.create(cluster.api, "Label", storage="v1")


@pytest.mark.parametrize("planted", SETS, indirect=True)
def test_odd_objects_do_not_break_the_list(cluster: Cluster, planted: Resource) -> None:
    """Each version lists all objects. What has no place in a schema is passed on as it is.

    The good object is as good as ever, and an odd one can be repaired at an old version.
    """
    stored = {item["metadata"]["name"]: item for item in planted.items("v1")}
    for version in VERSIONS:
        found = {item["metadata"]["name"]: item for item in planted.items(version)}
        assert found.keys() == stored.keys()
        assert found["good"]["spec"] == spec(version)
        for name in found.keys() - {"good"}:
            for half in ("spec", "status"):
                assert _words(found[name].get(half)) == _words(stored[name].get(half)), name
    for name in stored.keys() - {"status-text"}:
        path = planted.path("v1alpha1", name)
        repaired = cluster.api.patch(path, [_repair(stored[name])], JSON_PATCH).expect(200)
        assert repaired["spec"] == {"addressee": "Bob"}


def test_a_value_of_a_wrong_kind_survives_a_client_that_cannot_see_it(
    start_product: StartProduct, cluster: Cluster, group: str
) -> None:
    """It waits in the annotations of the older version, and is stored again as it was.

    That version has no such property, so its schema has nothing against the update.
    """
    parcels = start_product(group).create(cluster.api, "Parcel", storage="v2")
    parcels.create(parcels.new("v2", "odd", spec={"grams": 1, "addressee": "Ada"}))
    stored = cluster.etcd.object(parcels.key("odd"))
    stored["spec"]["insurance"] = ["Acme", 7]
    cluster.etcd.plant(parcels.key("odd"), stored)
    found = parcels.read("v1", "odd")
    assert found["spec"] == {"weight": 1, "addressee": "Ada"}
    path = parcels.path("v1", "odd")
    cluster.api.patch(path, {"spec": {"weight": 2}}).expect(200)
    again = cluster.etcd.object(parcels.key("odd"))
    assert again["spec"] == {**stored["spec"], "grams": 2}
    assert "annotations" not in again["metadata"]


def _repair(item: dict[str, Any]) -> dict[str, Any]:
    verb = "replace" if "spec" in item else "add"
    return {"op": verb, "path": "/spec", "value": {"addressee": "Bob"}}


def _words(value: Any) -> Any:
    """Return the half of an object in the words of v1."""
    if not isinstance(value, dict):
        return value
    return {"weight" if name == "grams" else name: member for name, member in value.items()}


def test_an_object_that_cannot_be_converted_is_named(cluster: Cluster, labels: Resource) -> None:
    """A hook that raises fails that object alone, and the list with a text that leads to it.

    The API server fails a list if one object fails. At the storage version nothing is converted,
    so it can be read and deleted there, and then the list is whole again.
    """
    for name, tint in (("good", "red"), ("bad", "invisible")):
        labels.create(labels.new("v1", name, spec={"tint": tint, "size": 3}))
    assert labels.read("v2", "good")["spec"] == {"tint": "red", "width": 3}
    named = ("Label", "default/bad", "v1", "/spec", "NoInvisibleInk", "nobody can read")
    for path in (labels.path("v2", "bad"), labels.path("v2")):
        reply = cluster.api.get(path)
        assert reply.status == 500
        assert all(word in reply.message for word in named), reply.message
        assert "tint" not in reply.message, "no contents of objects in messages"
    assert len(labels.items("v1")) == 2
    assert len(labels.items("v1alpha1")) == 2
    cluster.api.delete(labels.path("v1", "bad")).expect(200)
    assert [item["metadata"]["name"] for item in labels.items("v2")] == ["good"]


def test_bytes_that_are_no_object_are_beyond_any_webhook(
    cluster: Cluster, labels: Resource
) -> None:
    """The API server itself fails the list, at the storage version, too; others stay readable."""
    labels.create(labels.new("v1", "readable", spec={"tint": "red"}))
    cluster.etcd.plant(labels.key("no-object"), b"\x00garbage")
    try:
        assert cluster.api.get(labels.path("v1")).status == 500
        assert cluster.api.get(labels.path("v2")).status == 500
        assert labels.read("v2", "readable")["spec"] == {"tint": "red"}
    finally:
        cluster.etcd.remove(labels.key("no-object"))
    labels.items("v2")
    cluster.api.delete(labels.path("v1", "readable")).expect(200)


def test_a_resource_is_deleted_although_its_webhook_is_gone(
    start_product: StartProduct, cluster: Cluster, group: str
) -> None:
    """Objects stored at another version keep the CRD; `strategy: None` frees it."""
    product = start_product(group)
    parcels = product.create(cluster.api, "Parcel", storage="v1")
    parcels.create(parcels.new("v1", "thing", spec=spec("v1", "v1")))
    move_storage(cluster.api, parcels.crd, "v2")
    product.server.stop()
    path = f"{CRDS}/{parcels.crd}"
    cluster.api.delete(path).expect(200)

    def condition() -> str | None:
        conditions = cluster.api.get(path).expect(200)["status"]["conditions"]
        return next((item["reason"] for item in conditions if item["type"] == "Terminating"), None)

    wait_for("the deletion to fail", lambda: condition() == "InstanceDeletionFailed")
    change_crd(cluster.api, parcels.crd, lambda crd: crd.update(conversion={"strategy": "None"}))
    wait_for("the CRD to be gone", lambda: cluster.api.get(path).status == 404)
