"""Objects are migrated to another storage version by `holdall migrate`, and the old one goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, change_crd, move_storage
from tests.e2e.harness.parcels import STATUS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import Product

NAMES = [f"parcel-{number:02}" for number in range(12)]
HEAVY = "parcel-03"


@pytest.fixture
def product(start_product: StartProduct, group: str) -> Product:
    """The project of the suite, served."""
    return start_product(group)


@pytest.fixture
def parcels(product: Product, cluster: Cluster) -> Resource:
    """Twelve parcels, stored as v1 and written at v2, in a CRD that stores v2 from now on."""
    found = product.create(cluster.api, "Parcel", storage="v1")
    for name in NAMES:
        item = found.create(found.new("v2", name, spec=_spec(name)))
        cluster.api.put(found.path("v2", name, "status"), {**item, "status": STATUS["v2"]})
    move_storage(cluster.api, found.crd, "v2")
    return found


def _spec(name: str) -> dict[str, Any]:
    return {**spec("v2"), **({"grams": 5000} if name == HEAVY else {})}


def _migrate(product: Product, cluster: Cluster, *more: str) -> tuple[int, Any, str]:
    """Return the exit code, the JSON of the only CRD, and what was said beside it."""
    config = ("--kubeconfig", str(cluster.kubeconfig), "--group", product.project.group)
    done = product.project.holdall("migrate", "--json", *config, *more)
    found = json.loads(done.stdout) if done.stdout else [None]
    return done.returncode, found[0], done.stderr


def _stored(cluster: Cluster, parcels: Resource) -> dict[str, str]:
    return {
        name: cluster.etcd.object(parcels.key(name))["apiVersion"].rpartition("/")[2]
        for name in NAMES
    }


def _crd(cluster: Cluster, parcels: Resource) -> dict[str, Any]:
    found: dict[str, Any] = cluster.api.get(f"{CRDS}/{parcels.crd}").expect(200)
    return found


def _unserve(cluster: Cluster, parcels: Resource, version: str) -> None:
    def change(crd_spec: dict[str, Any]) -> None:
        for entry in crd_spec["versions"]:
            entry["served"] = entry["name"] != version

    change_crd(cluster.api, parcels.crd, change)
    path = parcels.path(version)
    wait_for(f"{path} to be gone", lambda: cluster.api.get(path).status == 404)


def test_a_version_is_retired(product: Product, cluster: Cluster, parcels: Resource) -> None:
    """A dry run counts; the run rewrites all, and the old version can leave the CRD."""
    code, value, said = _migrate(product, cluster)
    assert code == 1, said
    assert (value["objects"], value["checked"], value["toRewrite"]) == (12, 12, 12)
    assert set(_stored(cluster, parcels).values()) == {"v1"}

    managers = parcels.read("v2", NAMES[0])["metadata"]["managedFields"]
    code, value, said = _migrate(product, cluster, "--apply", "--settle", "3", "--rate", "0")
    assert code == 0, said
    assert value["rewritten"] == {"written": 12, "unchanged": 0, "gone": 0, "conflict": 0}
    assert set(_stored(cluster, parcels).values()) == {"v2"}
    assert _crd(cluster, parcels)["status"]["storedVersions"] == ["v2"]
    for name in NAMES:
        item = parcels.read("v2", name)
        assert (item["spec"], item["status"]) == (_spec(name), STATUS["v2"])
    assert parcels.read("v2", NAMES[0])["metadata"]["managedFields"] == managers

    change_crd(
        cluster.api,
        parcels.crd,
        lambda crd_spec: crd_spec.update(
            versions=[entry for entry in crd_spec["versions"] if entry["name"] != "v1"]
        ),
    )
    code, _, said = _migrate(product, cluster)
    assert code == 0, said


def test_managers_of_an_unserved_version_are_cleared(
    product: Product, cluster: Cluster, parcels: Resource
) -> None:
    """Applied at a version that is then not served, objects can be applied again without it."""
    applied = parcels.new("v1", "applied", spec={"weight": 1})
    path = parcels.path("v1", "applied")
    cluster.api.apply(path, applied, manager="team").expect(201)
    _unserve(cluster, parcels, "v1")

    code, value, said = _migrate(product, cluster, "--apply", "--settle", "3", "--rate", "0")
    assert code == 0, said
    assert (value["toClear"], value["cleared"]) == (1, 1)
    (entry,) = parcels.read("v2", "applied")["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("team", "Apply")
    assert entry["apiVersion"] == f"{parcels.group}/v2"
    assert entry["fieldsV1"] == {"f:metadata": {"f:name": {}}}

    again = parcels.new("v2", "applied", spec={"grams": 2})
    cluster.api.apply(parcels.path("v2", "applied"), again, manager="team").expect(200)
    (entry,) = parcels.read("v2", "applied")["metadata"]["managedFields"]
    assert entry["fieldsV1"] == {"f:spec": {"f:grams": {}}}
    assert _migrate(product, cluster)[0] == 0


def test_a_refused_object_is_named_and_holds_up_the_rest(
    product: Product, cluster: Cluster, parcels: Resource, tmp_path: Path
) -> None:
    """An object that its schema forbids by now stays; mended, it is all that is left to do."""
    bad = parcels.path("v2", HEAVY)

    def change(crd_spec: dict[str, Any]) -> None:
        for entry in crd_spec["versions"]:
            if entry["name"] == "v2":
                members = entry["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
                members["grams"]["maximum"] = 1000

    change_crd(cluster.api, parcels.crd, change)
    file = tmp_path / "state.json"
    arguments = ("--apply", "--settle", "3", "--rate", "0", "--state", str(file))
    code, value, said = _migrate(product, cluster, *arguments)
    assert code == 1, said
    assert [(p["code"], p["where"]) for p in value["problems"]] == [
        ("HA895", f"Parcel default/{HEAVY}")
    ]
    assert "should be less than or equal to 1000" in value["problems"][0]["message"]
    assert {n for n, v in _stored(cluster, parcels).items() if v == "v1"} == {HEAVY}
    assert _crd(cluster, parcels)["status"]["storedVersions"] == ["v1", "v2"]

    cluster.api.patch(bad, {"spec": {"grams": 500}}).expect(200)
    code, value, said = _migrate(product, cluster, *arguments)
    assert code == 0, said
    assert value["rewritten"] == {"written": 0, "unchanged": 1, "gone": 0, "conflict": 0}
    assert set(_stored(cluster, parcels).values()) == {"v2"}
    assert _crd(cluster, parcels)["status"]["storedVersions"] == ["v2"]
    assert not file.exists()


def test_a_property_that_the_crd_does_not_have_yet(
    product: Product, cluster: Cluster, group: str
) -> None:
    """v1 gains `extra` in the project: before the CRD has it, the server would prune it."""
    crates = product.create(cluster.api, "Crate", storage="v1")
    crates.create(crates.new("v2", "a", spec={"extra": "kept"}))
    schema = product.project.root / "schemas/v1.yaml"
    before, crate = schema.read_text().split("Crate:")
    extra = "addressee: {type: string}\n        extra: {type: string}"
    schema.write_text(f"{before}Crate:{crate.replace('addressee: {type: string}', extra)}")
    product.project.succeed("generate")

    code, value, _ = _migrate(product, cluster, "--apply", "--settle", "0")
    assert code == 1
    assert [item["code"] for item in value["problems"]] == ["HA848"]
    assert "v1 has no /spec/extra" in value["problems"][0]["message"]
    assert crates.read("v2", "a")["spec"] == {"extra": "kept"}

    crd = product.project.crds()["Crate"]
    change_crd(cluster.api, crates.crd, lambda old: _with_schemas(old, crd["spec"]))
    item = crates.read("v2", "a")  # the release before converts still
    cluster.api.put(crates.path("v2", "a"), {**item, "spec": {"extra": "edited"}}).expect(200)
    product.server.stop()
    product.server.start()
    code, value, said = _migrate(product, cluster, "--apply", "--settle", "3")
    assert (code, value["rewritten"]["written"]) == (0, 1), said
    assert cluster.etcd.object(crates.key("a"))["spec"] == {"extra": "edited"}
    assert crates.read("v2", "a")["spec"] == {"extra": "edited"}


def _with_schemas(old: dict[str, Any], new: dict[str, Any]) -> None:
    schemas = {version["name"]: version["schema"] for version in new["versions"]}
    for version in old["versions"]:
        version["schema"] = schemas[version["name"]]
