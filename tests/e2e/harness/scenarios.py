"""The integration scenarios: with and without watch cache, with either order of reviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, conversion, create_crd, move_storage
from tests.e2e.harness.multiversion import content, multiversion_crd
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.webhooks import Webhook

ORDERS = (("v1", "v1beta1"), ("v1beta1", "v1"))


@dataclass(slots=True)
class Scenario:
    """One resource with its webhook on one API server."""

    cluster: Cluster
    resource: Resource
    webhook: Webhook
    markers: int = 0

    @property
    def crd(self) -> str:
        """The name of the CRD."""
        return self.resource.crd

    def create(self, version: str, name: str, **more: Any) -> Any:
        """Create an object of a version, and return it as the server does."""
        item = self.resource.new(version, name, **content(version), **more)
        return self.resource.create(item)

    def stored(self, name: str) -> Any:
        """Return the stored form of an object."""
        return self.cluster.etcd.object(self.resource.key(name))

    def in_namespace(self, name: str) -> Scenario:
        """Return the same in a new namespace."""
        self.cluster.api.post("/api/v1/namespaces", {"metadata": {"name": name}}).expect(201)
        return replace(self, resource=self.resource.in_namespace(name))

    def store_at(self, version: str) -> None:
        """Make a version the storage version, and wait until new objects are stored so."""
        move_storage(self.cluster.api, self.crd, version)
        wait_for(f"an object stored at {version}", lambda: self._is_stored_at(version))

    def _is_stored_at(self, version: str) -> bool:
        self.markers += 1
        name = f"marker-{self.markers}"
        # While versions are being exchanged the server may answer that it does not know the path.
        reply = self.cluster.api.post(
            self.resource.path("v1alpha1"), self.resource.new("v1alpha1", name)
        )
        return reply.status == 201 and self.stored(name)["apiVersion"].endswith(f"/{version}")


def start_scenario(
    cluster: Cluster,
    webhook: Webhook,
    group: str,
    reviews: Sequence[str] = ("v1",),
    *,
    without: Sequence[str] = (),
) -> Scenario:
    """Create the resource of the scenarios in a group, `without` some of its versions."""
    crd = multiversion_crd(group, conversion(webhook.url, webhook.bundle, reviews))
    versions = crd["spec"]["versions"]
    crd["spec"]["versions"] = [item for item in versions if item["name"] not in without]
    return Scenario(cluster, create_crd(cluster.api, crd), webhook)
