"""`holdall conform` against the server that a real API server talks to."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.parcels import spec


def test_the_served_project_conforms(
    start_product: StartProduct, cluster: Cluster, group: str, tmp_path: Path
) -> None:
    """No check fails, with CRDs as the API server gives them back and objects from its store."""
    product = start_product(group)
    server = product.server
    objects = tmp_path / "objects"
    crds = tmp_path / "crds"
    for folder in (objects, crds):
        folder.mkdir()
    for kind in ("Parcel", "Label"):
        resource = product.create(cluster.api, kind, storage="v1")
        found = cluster.kubectl("get", "crd", resource.crd, "-o", "json")
        (crds / f"{kind}.json").write_text(found)
        if kind == "Parcel":
            resource.create(resource.new("v2", "thing", spec=spec("v2")))
            for version in ("v1alpha1", "v2"):
                item = cluster.kubectl("get", resource.argument(version), "thing", "-o", "json")
                (objects / f"{version}.json").write_text(item)
    ca = tmp_path / "ca.pem"
    ca.write_bytes(server.pem)
    done = product.project.holdall(
        "conform", server.url, "--ca", str(ca), "--crd", str(crds), "--objects", str(objects),
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)
