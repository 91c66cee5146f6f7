"""A version's whole life on a real API server: the walk of docs/version-life.md."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, change_crd, conversion, wait_until_served
from tests.e2e.harness.parcels import spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import Product


class Walk:
    """A project that is released again and again, with the cluster that runs it."""

    def __init__(self, product: Product, cluster: Cluster, folder: Path) -> None:
        self.product = product
        self.cluster = cluster
        self.released = folder / "released"
        self.parcels = product.create(cluster.api, "Parcel")
        self._keep()

    def _keep(self) -> None:
        shutil.rmtree(self.released, ignore_errors=True)
        shutil.copytree(self.product.project.root, self.released)

    def step(self, *arguments: str) -> None:
        self.product.project.succeed("version", *arguments)

    def breaking(self) -> set[str]:
        """Return the rules that break since the last release."""
        done = self.product.project.holdall("breaking", "--against", str(self.released), "--json")
        return {item["rule"] for item in json.loads(done.stdout)["findings"]}

    def release(self) -> None:
        """Generate, serve and apply the project as it is."""
        project, server = self.product.project, self.product.server
        project.succeed("generate")
        server.stop()
        server.start()
        crd = project.crds()["Parcel"]
        crd["spec"]["conversion"] = conversion(server.url, server.bundle)

        def change(old: dict[str, Any]) -> None:
            old.update(versions=crd["spec"]["versions"], conversion=crd["spec"]["conversion"])

        change_crd(self.cluster.api, self.parcels.crd, change)
        wait_until_served(self.cluster.api, crd)
        self._keep()

    def migrate(self) -> None:
        config = ("--kubeconfig", str(self.cluster.kubeconfig), "--group", self.parcels.group)
        self.product.project.succeed("migrate", *config, "--apply", "--settle", "3", "--rate", "0")

    def edit(self, old: str, new: str) -> None:
        config = self.product.project.root / "holdall.yaml"
        assert old in config.read_text()
        config.write_text(config.read_text().replace(old, new))

    def retire(self, version: str) -> tuple[int, str]:
        """Retire a version by what the cluster holds; return the exit code and what was said."""
        found = {
            "crds": self.cluster.api.get(f"{CRDS}/{self.parcels.crd}").expect(200),
            "objects": self.cluster.api.get(self.parcels.path("v3")).expect(200),
        }
        options = []
        for name, value in found.items():
            path = self.released.parent / f"{name}.json"
            path.write_text(json.dumps(value))
            options += ["--stored", str(path)]
        done = self.product.project.holdall("version", "retire", version, *options)
        return done.returncode, done.stderr


@pytest.fixture
def walk(start_product: StartProduct, cluster: Cluster, group: str, tmp_path: Path) -> Walk:
    return Walk(start_product(group), cluster, tmp_path)


def _versions_stored(walk: Walk, parcels: Resource, *names: str) -> set[str]:
    stored = (walk.cluster.etcd.object(parcels.key(name))["apiVersion"] for name in names)
    return {version.rpartition("/")[2] for version in stored}


def test_the_life_of_a_version(walk: Walk) -> None:
    """v3 begins and is stored; v1alpha1 warns, stops and ends, and no object loses anything."""
    parcels, api = walk.parcels, walk.cluster.api
    for name, version in (("first", "v1alpha1"), ("second", "v1"), ("third", "v2")):
        parcels.create(parcels.new(version, name, spec=spec(version, version)))

    walk.step("add", "v3", "--from", "v2")
    assert walk.breaking() == set()
    walk.release()
    assert parcels.read("v3", "third")["spec"] == parcels.read("v2", "third")["spec"]
    parcels.create(parcels.new("v3", "fourth", spec=spec("v2")))
    assert _versions_stored(walk, parcels, "first", "fourth") == {"v2"}

    walk.edit("hub: v2", "hub: v3")
    assert walk.breaking() == set()
    walk.release()
    walk.migrate()
    assert _versions_stored(walk, parcels, "first", "second", "third", "fourth") == {"v3"}

    walk.step("deprecate", "v1alpha1", "--warning", "it ends; go to v3")
    assert walk.breaking() == set()
    walk.release()
    wait_for(
        "the warning",
        lambda: (
            "it ends; go to v3"
            in walk.cluster.kubectl.run("get", parcels.argument("v1alpha1"), "first").stderr
        ),
    )

    walk.step("unserve", "v1alpha1")
    assert walk.breaking() == {"version-unserved"}
    code, said = walk.retire("v3")
    assert code == 1
    assert "is served at v3" in said
    walk.release()
    path = parcels.path("v1alpha1")
    wait_for(f"{path} to be gone", lambda: api.get(path).status == 404)

    before = (walk.product.project.root / "holdall.yaml").read_text()
    code, said = walk.retire("v1alpha1")
    assert code == 1
    assert "default/first names it in its managedFields: holdall-e2e" in said
    walk.migrate()
    code, said = walk.retire("v1alpha1")
    assert code == 1
    assert "managedFields" not in said
    assert "default/first holds entries of it in its bag: /spec/counter" in said
    assert (walk.product.project.root / "holdall.yaml").read_text() == before
    api.delete(parcels.path("v3", "first")).expect(200)
    code, said = walk.retire("v1alpha1")
    assert code == 0, said
    assert walk.breaking() == set()
    walk.release()
    listed = api.get(f"{CRDS}/{parcels.crd}").expect(200)["spec"]["versions"]
    assert [item["name"] for item in listed] == ["v3", "v2", "v1"]
    second = parcels.new("v1", "second", spec=spec("v1", "v1"))
    api.apply(parcels.path("v1", "second"), second, manager="later", force=True).expect(200)
    assert parcels.read("v1", "second")["spec"] == spec("v1", "v1")
    assert parcels.read("v2", "third")["spec"] == spec("v2", "v2")
