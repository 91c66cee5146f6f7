"""Applying the manifests of the deployment, and waiting until it is available."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic, sleep

from holdall.errors import Problem
from holdall.kubernetes.crds.access import is_crd
from holdall.kubernetes.install import cluster as api
from holdall.kubernetes.install.checks import Sleep
from holdall.kubernetes.install.cluster import (
    BAD_MANIFEST,
    MANAGER,
    NOT_READY,
    Cluster,
    InstallError,
)
from holdall.text.documents import Document
from holdall.text.streams import parts_of
from holdall.types import JsonObject, get, items, members, text


def read_manifests(documents: Iterable[Document]) -> tuple[list[JsonObject], list[Problem]]:
    """Return the objects in documents; anything else, and CRDs, are problems."""
    found: list[JsonObject] = []
    problems = []
    for document in documents:
        for pointer, part in parts_of(document.value):
            if part is None and not pointer:
                continue  # an empty document
            where, value = document.where(pointer), members(part)
            if not text(value, "apiVersion") or not text(value, "kind"):
                message = "this is not an object: it has no apiVersion or kind"
                problems.append(Problem(BAD_MANIFEST, where, message, "remove it"))
            elif text(value, "kind") == "Kustomization":
                message = "a Kustomization cannot be applied directly"
                fix = "render it: `kubectl kustomize DIR > all.yaml`, and deploy that"
                problems.append(Problem(BAD_MANIFEST, where, message, fix))
            elif is_crd(value):
                message = "a CRD does not belong to the deployment of the webhook"
                fix = "apply it separately: `kubectl apply --server-side`"
                problems.append(Problem(BAD_MANIFEST, where, message, fix))
            else:
                found.append(value)
    return found, problems


def deploy(cluster: Cluster, objects: Iterable[JsonObject]) -> list[Problem]:
    """Apply objects in order, and return the problems of those that are refused."""
    problems: list[Problem] = []
    for value in objects:
        try:
            api.apply(cluster, path_of(cluster, value), value, manager=MANAGER)
        except InstallError as error:
            problems += error.problems
    return problems


def wait_available(
    cluster: Cluster, objects: Iterable[JsonObject], seconds: float, *, pause: Sleep = sleep
) -> list[Problem]:
    """Wait until all Deployments among the objects are rolled out."""
    end = monotonic() + seconds
    problems: list[Problem] = []
    for value in objects:
        if text(value, "kind") != "Deployment":
            continue
        path = path_of(cluster, value)
        while not _is_available(found := api.get(cluster, path)):
            if monotonic() >= end:
                name = text(value, "metadata", "name")
                ready = get(found, "status", "availableReplicas") or 0
                message = (
                    f"the Deployment {name} is not rolled out after {seconds:g} seconds: "
                    f"{ready} replicas are available"
                )
                fix = f"check `kubectl describe deployment {name}` and the logs of its pods"
                problems.append(Problem(NOT_READY, name, message, fix))
                break
            pause(min(1.0, seconds))
    return problems


def path_of(cluster: Cluster, value: JsonObject) -> str:
    """Return the path of an object, by the server's discovery. Raises InstallError."""
    version, kind = text(value, "apiVersion"), text(value, "kind")
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    name = text(value, "metadata", "name")
    for resource in items(api.get(cluster, root), "resources"):
        if text(resource, "kind") == kind and "/" not in text(resource, "name"):
            plural = text(resource, "name")
            if get(resource, "namespaced") is not True:
                return f"{root}/{plural}/{name}"
            namespace = text(value, "metadata", "namespace") or "default"
            return f"{root}/namespaces/{namespace}/{plural}/{name}"
    message = f"the cluster has no kind {kind} in {version}"
    raise InstallError([Problem(BAD_MANIFEST, name, message, "install what defines it first")])


def _is_available(deployment: JsonObject | None) -> bool:
    wanted = get(deployment, "spec", "replicas")
    generation = get(deployment, "metadata", "generation") or 0
    status = get(deployment, "status")
    seen = get(status, "observedGeneration") or 0
    numbers = [get(status, name) or 0 for name in ("updatedReplicas", "availableReplicas")]
    count = wanted if isinstance(wanted, int) else 1
    return (
        deployment is not None
        and isinstance(seen, int)
        and isinstance(generation, int)
        and seen >= generation
        and all(isinstance(number, int) and number >= count for number in numbers)
    )
