"""CustomResourceDefinitions: created, changed and ready at every served version."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tests.e2e.harness.api import Api
from tests.e2e.harness.processes import wait_for

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SERVERS_OWN = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")
"""Members of metadata that only a server writes."""


def conversion(url: str, bundle: str, reviews: Sequence[str] = ("v1",)) -> dict[str, Any]:
    """Return the `conversion` stanza of a webhook."""
    return {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": list(reviews),
            "clientConfig": {"url": url, "caBundle": bundle},
        },
    }


class Resource:
    """One custom resource, in a namespace if it has any: its paths in the API, its keys in etcd."""

    def __init__(self, api: Api, crd: dict[str, Any]) -> None:
        """Describe the resource of a CRD, in the namespace `default` unless it is the cluster's."""
        spec = crd["spec"]
        self.crd: str = crd["metadata"]["name"]
        self.group: str = spec["group"]
        self.kind: str = spec["names"]["kind"]
        self.plural: str = spec["names"]["plural"]
        self.namespace = "" if spec["scope"] == "Cluster" else "default"
        self._api = api

    def in_namespace(self, name: str) -> Resource:
        """Return the same resource in another namespace, which must exist."""
        found = copy.copy(self)
        found.namespace = name
        return found

    def path(self, version: str, name: str = "", *more: str) -> str:
        """Return the path of the collection, of an object or of a subresource."""
        space = ("namespaces", self.namespace) if self.namespace else ()
        names = filter(None, (name, *more))
        return "/".join(["/apis", self.group, version, *space, self.plural, *names])

    def key(self, name: str) -> str:
        """Return the key under which an object is stored."""
        return "/".join(filter(None, (self.group, self.plural, self.namespace, name)))

    def argument(self, version: str) -> str:
        """Return the resource as kubectl takes it, with its version."""
        return f"{self.plural}.{version}.{self.group}"

    def new(self, version: str, name: str, **members: Any) -> dict[str, Any]:
        """Return an object of a version."""
        return {
            "apiVersion": f"{self.group}/{version}",
            "kind": self.kind,
            "metadata": {"name": name, **({"namespace": self.namespace} if self.namespace else {})},
            **members,
        }

    def create(self, item: dict[str, Any]) -> Any:
        """Create an object at its own version."""
        version = item["apiVersion"].rpartition("/")[2]
        return self._api.post(self.path(version), item).expect(201)

    def read(self, version: str, name: str) -> Any:
        """Return an object."""
        return self._api.get(self.path(version, name)).expect(200)

    def exported(self, version: str, name: str) -> dict[str, Any]:
        """Return an object as a file has it that is applied or created again."""
        item: dict[str, Any] = self.read(version, name)
        for member in SERVERS_OWN:
            item["metadata"].pop(member, None)
        return item

    def items(self, version: str) -> list[Any]:
        """Return all objects."""
        found: list[Any] = self._api.get(self.path(version)).expect(200)["items"]
        return found


def create_crd(api: Api, crd: dict[str, Any]) -> Resource:
    """Create a CRD and wait until each served version can be read."""
    api.post(CRDS, crd).expect(201)
    wait_until_served(api, crd)
    return Resource(api, crd)


def wait_until_served(api: Api, crd: dict[str, Any]) -> None:
    """Wait until a CRD is established and each served version can be listed or fails to convert."""
    spec = crd["spec"]
    for version in spec["versions"]:
        if version["served"]:
            path = f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}?limit=1"
            wait_for(path, partial(_is_served, api, path))


def _is_served(api: Api, path: str) -> bool:
    reply = api.get(path)
    return reply.status != 404 and "not yet" not in reply.message


def change_crd(api: Api, name: str, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Change the `spec` of a CRD; a conflict with the server's own updates is tried again."""
    while True:
        crd: dict[str, Any] = api.get(f"{CRDS}/{name}").expect(200)
        changed = copy.deepcopy(crd)
        change(changed["spec"])
        reply = api.put(f"{CRDS}/{name}", changed)
        if reply.status != 409:
            return dict(reply.expect(200))


def move_storage(api: Api, name: str, version: str) -> None:
    """Make a version the storage version, and wait until the server knows."""

    def change(spec: dict[str, Any]) -> None:
        for entry in spec["versions"]:
            entry["storage"] = entry["name"] == version

    change_crd(api, name, change)
    wait_for(
        f"{version} among the stored versions of {name}",
        lambda: version in api.get(f"{CRDS}/{name}").expect(200)["status"]["storedVersions"],
    )
