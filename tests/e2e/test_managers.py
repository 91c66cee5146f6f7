"""Managers of fields at different versions: what apply takes back, and what a server forgets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.product import Product


@pytest.fixture
def product(start_product: StartProduct, group: str) -> Product:
    """The project of the suite, served."""
    return start_product(group)


@pytest.fixture
def parcels(product: Product, cluster: Cluster) -> Resource:
    """Parcels, stored at v1, which does not know `extra`."""
    return product.create(cluster.api, "Parcel", storage="v1")


def _apply(cluster: Cluster, parcels: Resource, name: str, **spec: Any) -> Any:
    """Apply a spec at v2, as the only manager that does so; return the spec that is there then."""
    path = parcels.path("v2", name)
    applied = cluster.api.apply(path, parcels.new("v2", name, spec=spec), manager="team")
    return applied.expect(200, 201)["spec"]


@pytest.mark.parametrize(("version", "left"), [("v2", {}), ("v1", {"extra": "yes"})])
def test_what_is_no_longer_applied(
    cluster: Cluster, parcels: Resource, version: str, left: dict[str, str]
) -> None:
    """What the version of another manager hides may stay; a patch removes it.

    The server takes it back, and then asks the version of each manager, in no order of its own,
    what was there before. That is the annotation, whose value nobody took back as long as it holds
    anything else.
    """
    kept = {"stops": [{"name": "mill", "door": "left"}]}
    _apply(cluster, parcels, "thing", addressee="Ada", extra="yes", **kept)
    path = f"{parcels.path(version, 'thing', 'status')}?fieldManager=controller"
    cluster.api.patch(path, {"status": {"phase": "Sent"}}).expect(200)
    assert _apply(cluster, parcels, "thing", **kept) in (kept, {**kept, **left})
    patch = {"spec": {"extra": None}}
    cluster.api.patch(parcels.path("v2", "thing"), patch).expect(200)
    assert parcels.read("v2", "thing")["spec"] == kept


def test_a_write_at_the_stored_version_while_the_webhook_is_down(
    cluster: Cluster, product: Product, parcels: Resource
) -> None:
    """The object keeps its data and loses its managers: who applies next has to force it, once."""
    _apply(cluster, parcels, "thing", grams=1, extra="yes")
    product.server.stop()
    patch = {"spec": {"addressee": "Bob"}}
    found = cluster.api.patch(parcels.path("v1", "thing"), patch).expect(200)
    assert "managedFields" not in found["metadata"]
    product.server.start()
    spec = {"grams": 1, "addressee": "Bob", "extra": "yes"}
    assert parcels.read("v2", "thing")["spec"] == spec

    applied = parcels.new("v2", "thing", spec={"grams": 2})
    path = parcels.path("v2", "thing")
    refused = cluster.api.apply(path, applied, manager="team")
    assert (refused.status, "before-first-apply" in refused.message) == (409, True)
    found = cluster.api.apply(path, applied, manager="team", force=True).expect(200)
    assert found["spec"] == {**spec, "grams": 2}
    assert _apply(cluster, parcels, "thing", grams=3) == {**spec, "grams": 3}
