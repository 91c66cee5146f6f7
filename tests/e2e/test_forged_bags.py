"""An annotation that anybody may write, with what no schema allows: it fails nobody's list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.parcels import spec
from tests.e2e.harness.product import Product

BAG = "holdall.dev/bag"


@pytest.fixture(scope="module")
def product(start_product: StartProduct) -> Product:
    """The project of the suite, served."""
    return start_product("post.forged.example.com")


@pytest.fixture(scope="module")
def parcels(product: Product, cluster: Cluster) -> Resource:
    """Parcels, stored at v1, which does not know `insurance`; a good one."""
    found = product.create(cluster.api, "Parcel", storage="v1")
    found.create(found.new("v2", "good", spec=spec("v2")))
    return found


FORGED: dict[str, tuple[str, Any]] = {
    "number": ("insurance", 5),
    "list": ("insurance", ["Acme"]),
    "residue": ("residue:handling", 5),
    "nonsense": ("residue:handling", [{"at": ["handling", 0], "was": "dry", "is": [[]]}]),
    "mark": ("$absent", {}),
}


@pytest.mark.parametrize("name", FORGED)
def test_one_annotation_does_not_fail_a_list(
    cluster: Cluster, product: Product, parcels: Resource, name: str
) -> None:
    """kubectl forges an entry at the stored version, lists at the newest, and repairs it there.

    A client of the newest version writes meanwhile: the entry is stored again as it was forged.
    """
    key, value = FORGED[name]
    parcels.create(parcels.new("v2", name, spec=spec("v2")))
    old, new = parcels.argument("v1"), parcels.argument("v2")
    whole = _annotation(cluster, parcels, name)
    forged = json.loads(whole)
    forged["bags"]["/spec"]["v2"][key] = value
    shown = {member: item for member, item in spec("v2").items() if member != key}
    counted = _unused(product)
    cluster.kubectl("annotate", old, name, "--overwrite", f"{BAG}={json.dumps(forged)}")
    listed = cluster.kubectl.json("get", new)["items"]
    found = {item["metadata"]["name"]: item["spec"] for item in listed}
    assert found[name] == shown
    assert found["good"] == spec("v2")
    assert _unused(product) > counted or name == "nonsense"
    patch = json.dumps({"spec": {"addressee": "Bob"}})
    cluster.kubectl("patch", new, name, "--type", "merge", "-p", patch)
    kept = json.loads(_annotation(cluster, parcels, name))
    assert kept["bags"]["/spec"]["v2"].get(key) == (None if name == "nonsense" else value)
    assert parcels.read("v2", name)["spec"] == {**shown, "addressee": "Bob"}
    cluster.kubectl("annotate", old, name, "--overwrite", f"{BAG}={whole}")
    patch = json.dumps({"spec": {"addressee": "Ada"}})
    cluster.kubectl("patch", new, name, "--type", "merge", "-p", patch)
    assert parcels.read("v2", name)["spec"] == spec("v2")
    assert _annotation(cluster, parcels, name) == whole
    cluster.kubectl("delete", old, name)


def _annotation(cluster: Cluster, parcels: Resource, name: str) -> str:
    found: str = cluster.etcd.object(parcels.key(name))["metadata"]["annotations"][BAG]
    return found


def _unused(product: Product) -> float:
    for line in product.server.get("/metrics").splitlines():
        if line.startswith("holdall_webhook_unused_entries_total "):
            return float(line.partition(" ")[2])
    raise AssertionError("no such metric")
