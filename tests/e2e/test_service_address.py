"""The webhook behind a Service: the address that a cluster uses, and the certificate for it.

There is no network of a cluster here, so the Service is an alias of this host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, create_crd
from tests.e2e.harness.parcels import VERSIONS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import CertificateFolder, Server, make_project

SERVICES = "/api/v1/namespaces/default/services"


@contextmanager
def served(
    cluster: Cluster, group: str, folder: Path, name: str, certified: str
) -> Iterator[Resource]:
    """Serve parcels behind a Service, with a certificate for a Service."""
    service: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }
    cluster.api.post(SERVICES, service).expect(201)
    project = make_project(folder / "project", group)
    server = Server(
        project.root, folder, CertificateFolder(project, folder / "keys", certified), "--drain", "0"
    )
    try:
        crd = project.crds()["Parcel"]
        address = {"namespace": "default", "name": name, "path": "/convert", "port": server.port}
        crd["spec"]["conversion"] = {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": address, "caBundle": server.bundle},
            },
        }
        yield create_crd(cluster.api, crd)
    finally:
        server.stop()


def test_a_service_is_called_by_its_name(cluster: Cluster, group: str, tmp_path: Path) -> None:
    """The API server finds the address by the Service, and takes the certificate for its name."""
    with served(cluster, group, tmp_path, "posted", "posted.default") as parcels:
        parcels.create(parcels.new("v2", "thing", spec=spec("v2")))
        path = parcels.path("v1", "thing")
        wait_for("conversion", lambda: cluster.api.get(path).json.get("spec") == spec("v1"))
        for version in VERSIONS:
            assert parcels.read(version, "thing")["spec"] == spec(version)


def test_a_certificate_for_another_name_is_refused(
    cluster: Cluster, group: str, tmp_path: Path
) -> None:
    """It is asked for by the name of the Service, not by where that leads."""
    with served(cluster, group, tmp_path, "lost", "posted.default") as parcels:
        reply = cluster.api.post(parcels.path("v1"), parcels.new("v1", "thing", spec=spec("v1")))
        reply.expect(500)
        assert "x509" in reply.message
        assert "lost.default.svc" in reply.message
