"""Cluster API's 21 kinds on a real API server: created, edited at another version, read back.

The CRDs are upstream's, stored at v1beta2. kube-apiserver 1.20.2 drops `x-kubernetes-validations`
from them, so it accepts objects that newer ones refuse; types, required members, enums, formats and
patterns it judges. What it makes of an object by itself, defaults and pruning, a dry run shows: it
stores nothing and converts nothing.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from holdall.kubernetes.conform.values import compare
from holdall.text import yaml
from tests.e2e.conftest import StartProduct
from tests.e2e.harness.api import Api
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, conversion, wait_until_served
from tests.e2e.harness.product import Project
from tests.support.clusterapi import build_clusterapi, data_folder


class Edit(NamedTuple):
    """What a client writes at one version, and where the other shows it: paths and values."""

    older: str
    value: Any
    newer: str
    other: Any

    def put(self, item: Any) -> None:
        """Make the edit in an object, at its own version."""
        is_newest = item["apiVersion"].endswith(f"/{NEWEST}")
        path, value = (self.newer, self.other) if is_newest else (self.older, self.value)
        above, _, name = path.rpartition("/")
        _at(item, above)[name] = value


def same(path: str, value: Any) -> Edit:
    return Edit(path, value, path, value)


def timeout(older: str, newer: str) -> Edit:
    return Edit(f"{older}/nodeDrainTimeout", "7m30s", f"{newer}/nodeDrainTimeoutSeconds", 450)


NEWEST: Final = "v1beta2"
_SPEC: Final = "spec/template/spec"
EDITS: Final = {
    "Cluster": same("spec/paused", True),
    "ClusterClass": timeout("spec/controlPlane", "spec/controlPlane/deletion"),
    "ClusterResourceSet": same("spec/strategy", "Reconcile"),
    "ClusterResourceSetBinding": same("spec/clusterName", "edited"),
    "DevCluster": same("spec/controlPlaneEndpoint/host", "edited.example.com"),
    "DevClusterTemplate": same(f"{_SPEC}/controlPlaneEndpoint/port", 4711),
    "DevMachine": same("spec/providerID", "dev:////edited"),
    "DevMachineTemplate": same(f"{_SPEC}/providerID", "dev:////edited"),
    "ExtensionConfig": same("spec/settings/edited", "yes"),
    "IPAddress": same("spec/gateway", "10.0.0.254"),
    "IPAddressClaim": same("spec/poolRef/name", "edited"),
    "KubeadmConfig": same("spec/verbosity", 7),
    "KubeadmConfigTemplate": same(f"{_SPEC}/verbosity", 7),
    "KubeadmControlPlane": timeout("spec/machineTemplate", "spec/machineTemplate/spec/deletion"),
    "KubeadmControlPlaneTemplate": timeout(
        f"{_SPEC}/machineTemplate", f"{_SPEC}/machineTemplate/spec/deletion"
    ),
    "Machine": timeout("spec", "spec/deletion"),
    "MachineDeployment": Edit(
        "spec/strategy/rollingUpdate/deletePolicy", "Newest", "spec/deletion/order", "Newest"
    ),
    "MachineDrainRule": same("spec/drain/order", 7),
    "MachineHealthCheck": Edit(
        "spec/nodeStartupTimeout", "7m30s", "spec/checks/nodeStartupTimeoutSeconds", 450
    ),
    "MachinePool": timeout(_SPEC, f"{_SPEC}/deletion"),
    "MachineSet": Edit("spec/deletePolicy", "Newest", "spec/deletion/order", "Newest"),
}
OLDER: Final = {
    "ExtensionConfig": ("v1alpha1",),
    "IPAddress": ("v1alpha1", "v1beta1"),
    "IPAddressClaim": ("v1alpha1", "v1beta1"),
}


def _ways() -> Iterator[tuple[str, str, str]]:
    for kind in EDITS:
        versions = (*OLDER.get(kind, ("v1beta1",)), NEWEST)
        yield from ((kind, one, other) for one in versions for other in versions if one != other)


_POOL: Final = {"apiGroup": "ipam.cluster.x-k8s.io", "kind": "InClusterIPPool", "name": "pool"}
POOLED: Final[dict[str, dict[str, Any]]] = {
    "IPAddress": {
        "claimRef": {"name": "claim"},
        "poolRef": _POOL,
        "address": "10.0.0.7",
        "prefix": 24,
        "gateway": "10.0.0.1",
    },
    "IPAddressClaim": {"clusterName": "mine", "poolRef": _POOL},
}
"""Of these the data has no realistic object at most versions."""
SET: Final = ("clusterName", "replicas", "selector", "template")
"""The members of a MachineDeployment that a MachineSet has."""
STRATEGY: Final = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
DEFAULTED: Final = {
    "KubeadmControlPlane": "spec/rollout",
    "KubeadmControlPlaneTemplate": f"{_SPEC}/rollout",
}
"""Where the API server fills in the default that v1beta1 has, and its clients write it."""
INVALID: Final = {
    ("Cluster", "v1beta1"): 1,
    ("Cluster", "v1beta2"): 6,  # names of templates that are variables
    ("ClusterClass", "v1beta2"): 3,
    ("ClusterResourceSetBinding", "v1beta1"): 6,
    ("ClusterResourceSetBinding", "v1beta2"): 8,
    ("KubeadmConfig", "v1beta1"): 2,
    ("KubeadmConfigTemplate", "v1beta1"): 4,
    ("KubeadmConfigTemplate", "v1beta2"): 1,
    ("KubeadmControlPlane", "v1beta1"): 5,
    ("KubeadmControlPlane", "v1beta2"): 1,
    ("KubeadmControlPlaneTemplate", "v1beta2"): 1,
    ("Machine", "v1beta1"): 1,
    ("Machine", "v1beta2"): 2,
    ("MachineDeployment", "v1beta1"): 1,
    ("MachineDeployment", "v1beta2"): 2,
    ("MachinePool", "v1beta1"): 1,
    ("MachineSet", "v1beta1"): 1,
    ("MachineSet", "v1beta2"): 2,
}
"""How many objects of the data their own CRD refuses, by kind and version: they are left out."""
READ_ONLY: Final = {
    ("ClusterClass", "v1beta1"): 2,  # without what v1beta2 requires
    ("DevCluster", "v1beta2"): 1,  # without what v1beta1 requires
    ("KubeadmConfigTemplate", "v1beta1"): 1,  # an empty object in an empty one
    ("Machine", "v1beta1"): 1,  # a name that v1beta2 forbids
    ("MachineHealthCheck", "v1beta1"): 1,  # without what v1beta2 requires
}
"""How many the other version shows, but its schema forbids what it has or lacks."""


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    """The folder with Cluster API's schemas and cases."""
    return data_folder(shared)


@pytest.fixture(scope="module")
def resources(
    data: Path,
    cluster: Cluster,
    start_product: StartProduct,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Resource]:
    """All kinds by name, as upstream's CRDs with a served project as their webhook."""
    root = tmp_path_factory.mktemp("clusterapi") / "project"
    project = build_clusterapi(root, data, **{"*": "drawn.example.com/v1"})
    server = start_product(Project(project, "")).server
    found = {}
    for path in sorted((data / "schemas").glob("*.yaml")):
        crd: Any = yaml.load_all(path.read_text(encoding="utf-8"), path.name)[0].value
        crd["spec"]["conversion"] = conversion(server.url, server.bundle)
        cluster.api.post(CRDS, crd).expect(201)
        found[crd["spec"]["names"]["kind"]] = (crd, Resource(cluster.api, crd))
    for crd, _ in found.values():
        wait_until_served(cluster.api, crd)
    return {kind: resource for kind, (_, resource) in found.items()}


@pytest.mark.parametrize(("kind", "version", "other"), list(_ways()))
def test_what_was_not_edited_is_what_was_written(
    cluster: Cluster,
    resources: dict[str, Resource],
    data: Path,
    kind: str,
    version: str,
    other: str,
) -> None:
    """A client of another version reads, edits and writes; the first one sees this edit alone."""
    resource, api, edit = resources[kind], cluster.api, EDITS[kind]
    invalid = read_only = accepted = 0
    for number, given in enumerate(_objects(data, kind, version)):
        name = f"{version}-{other}-{number}"
        written = _write(api, resource, _renamed(given, resource, name))
        if written is None:
            invalid += 1
            continue
        shown = resource.read(other, name)
        edit.put(shown)
        reply = api.put(resource.path(other, name), shown)
        if reply.status == 422:
            read_only += 1
            continue
        reply.expect(200)
        accepted += 1
        edit.put(written)
        if version == NEWEST and kind in DEFAULTED:
            _at(written, DEFAULTED[kind]).setdefault("strategy", copy.deepcopy(STRATEGY))
        assert not compare(written, _seen(resource.read(version, name))), name
    assert invalid == INVALID.get((kind, version), 0)
    assert read_only == READ_ONLY.get((kind, version), 0)
    assert accepted


def _objects(data: Path, kind: str, version: str) -> list[Any]:
    """Return the realistic objects of a version; of kinds that have none, those made for them.

    A MachineSet is a MachineDeployment with less; of bindings there are artificial ones alone.
    """
    if kind in POOLED:
        unknown = {"clusterName"} if version == "v1alpha1" else set()
        spec = _only(POOLED[kind], *(POOLED[kind].keys() - unknown))
        return [{"apiVersion": f"ipam.cluster.x-k8s.io/{version}", "kind": kind, "spec": spec}]
    base = "MachineDeployment" if kind == "MachineSet" else kind
    text = (data / "cases" / "visible" / f"{base}.json").read_text(encoding="utf-8")
    cases = [case for case in json.loads(text) if case["from"] == version]
    origins = ("handmade", "crafted") if kind == "ClusterResourceSetBinding" else ("realistic",)
    found = [case["input"] for case in cases if case["origin"] in origins]
    if kind == "MachineSet":
        found = [{**item, "kind": kind, "spec": _only(item["spec"], *SET)} for item in found]
    return found


def _renamed(given: Any, resource: Resource, name: str) -> Any:
    """Return an object under another name; of its metadata, labels and annotations stay."""
    metadata = given.get("metadata") or {}
    kept = {key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)}
    new = resource.new("", name)["metadata"]
    return {**given, "metadata": {**kept, **new}}


def _write(api: Api, resource: Resource, item: Any) -> Any:
    """Create an object with its status; return it as a dry run shows it, None if it is refused."""
    version, name = item["apiVersion"].rpartition("/")[2], item["metadata"]["name"]
    path = resource.path(version)
    tried = api.post(f"{path}?dryRun=All", item)
    if tried.status == 422:
        return None
    written = _seen(tried.expect(201))
    made = api.post(path, item).expect(201)
    if item.get("status") and "status" not in written:
        made["status"] = item["status"]
        path = resource.path(version, name, "status")
        tried = api.put(f"{path}?dryRun=All", made)
        if tried.status == 422:
            return None
        written |= {key: value for key, value in tried.expect(200).items() if key == "status"}
        api.put(path, made).expect(200)
    return written


def _seen(item: Any) -> Any:
    """Return what clients wrote of an object: all but identity, and annotations of holdall."""
    metadata = item["metadata"]
    notes = metadata.get("annotations") or {}
    own = {key: text for key, text in notes.items() if not key.startswith("holdall.dev/")}
    labels = metadata.get("labels") or {}
    return copy.deepcopy({**item, "metadata": {"labels": labels, "annotations": own}})


def _only(members: Any, *names: str) -> Any:
    return {name: members[name] for name in names if name in members}


def _at(item: Any, path: str) -> Any:
    """Return the object at a path, made where it is missing."""
    for step in path.split("/"):
        item = item.setdefault(step, {})
    return item
