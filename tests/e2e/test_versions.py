"""An object created at each version, read at every other: by hand-written expectations."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.parcels import VERSIONS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import Product


@pytest.fixture(scope="module")
def product(start_product: StartProduct) -> Product:
    """The project of the suite, served."""
    return start_product("post.versions.example.com")


@pytest.fixture(scope="module")
def parcels(product: Product, cluster: Cluster) -> Resource:
    """Parcels, stored at v2."""
    return product.create(cluster.api, "Parcel")


@pytest.fixture(scope="module")
def labels(product: Product, cluster: Cluster) -> Resource:
    """Labels, stored at v2."""
    return product.create(cluster.api, "Label")


@pytest.mark.parametrize("read", VERSIONS)
@pytest.mark.parametrize("written", VERSIONS)
def test_each_version_shows_what_it_can_express(parcels: Resource, written: str, read: str) -> None:
    """What is written at one version is read at another in its words, and at its own unchanged."""
    name = f"{written}-{read}"
    created = parcels.create(parcels.new(written, name, spec=spec(written, written)))
    assert created["spec"] == spec(written, written)
    assert parcels.read(read, name)["spec"] == spec(read, written)


def test_versions_that_can_express_each_other_carry_nothing(
    cluster: Cluster, labels: Resource
) -> None:
    """An object without differences but names has no annotation, neither shown nor stored."""
    labels.create(labels.new("v1alpha1", "plain", spec={"colour": "red", "size": 3}))
    views = {version: labels.read(version, "plain") for version in VERSIONS}
    assert {version: view["spec"] for version, view in views.items()} == {
        "v1alpha1": {"colour": "red", "size": 3},
        "v1": {"tint": "red", "size": 3},
        "v2": {"tint": "red", "width": 3},
    }
    stored = cluster.etcd.object(labels.key("plain"))
    for item in (*views.values(), stored):
        assert "annotations" not in item["metadata"]


PARTIAL: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "nothing": ({}, {}),
    "empty": ({"spec": {}}, {"spec": {}}),
    "stopless": ({"spec": {"stops": []}}, {"spec": {"stops": []}}),
    "weightless": ({"spec": {"weight": 0}}, {"spec": {"grams": 0}}),
    "unsaid": (
        {"spec": {"addressee": "", "handling": ""}},
        {"spec": {"addressee": "", "handling": [""]}},
    ),
}
"""What little the specs have, in the words of v1 and of v2."""


@pytest.mark.parametrize("name", PARTIAL)
def test_partial_objects_are_converted(parcels: Resource, name: str) -> None:
    """Without spec, with an empty one, and without most of it: each version shows just that."""
    old, new = PARTIAL[name]
    parcels.create(parcels.new("v1", name, **old))
    for version in VERSIONS:
        item = parcels.read(version, name)
        shown = {key: item[key] for key in ("spec", "status") if key in item}
        assert shown == (new if version == "v2" else old)
        assert "annotations" not in item["metadata"]


def test_kubectl_reads_every_version(cluster: Cluster, parcels: Resource) -> None:
    """kubectl creates, reads and explains at the version that it is asked for."""
    item = parcels.new("v1", "by-kubectl", spec=spec("v1", "v1"))
    cluster.kubectl("create", "-f", "-", given=item)
    for version in VERSIONS:
        found = cluster.kubectl.json("get", parcels.argument(version), "by-kubectl")
        assert found["spec"] == spec(version, "v1")
    explain = ("explain", "parcel.spec", f"--api-version={parcels.group}/v2")
    # Its schema is published some time after the resource is served.
    wait_for("the schema", lambda: "grams" in cluster.kubectl.run(*explain).stdout, pause=0.5)


def test_a_deprecated_version_warns(cluster: Cluster, parcels: Resource) -> None:
    """The text of `deprecated` in holdall.yaml reaches the user of kubectl."""
    parcels.create(parcels.new("v2", "warned", spec=spec("v2")))
    done = cluster.kubectl.run("get", parcels.argument("v1alpha1"), "warned")
    assert done.returncode == 0
    assert "use v2" in done.stderr


def test_an_object_is_deleted_at_any_version(cluster: Cluster, parcels: Resource) -> None:
    """Deleting at an old version deletes the object."""
    for version in VERSIONS:
        name = f"gone-{version}"
        parcels.create(parcels.new("v2", name, spec=spec("v2")))
        cluster.api.delete(parcels.path(version, name)).expect(200)
        assert cluster.etcd.read(parcels.key(name)) is None
