"""What `holdall conform` draws from schemas of public CRDs, a real API server accepts as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.conform.specimens import draw_objects
from holdall.kubernetes.conform.subjects import Kind, Version, read_kinds
from holdall.kubernetes.conform.values import data_of
from holdall.text import yaml
from tests.e2e.harness.api import Api
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, create_crd
from tests.support.crds import crd_of, struct

SEEDS = (0, 1)
CRDS = [
    "crds/kubernetes-sigs_kueue/kueue.x-k8s.io_ClusterQueue.yaml",
    "crds/kubernetes-sigs_kueue/kueue.x-k8s.io_ResourceFlavor.yaml",
    "crds/kubernetes-sigs_kueue/kueue.x-k8s.io_Workload.yaml",
    "crds/external-secrets_external-secrets/external-secrets.io_ExternalSecret.yaml",
    "crds/external-secrets_external-secrets/external-secrets.io_SecretStore.yaml",
    "crds/tektoncd_pipeline/tekton.dev_PipelineRun.yaml",
    "crds/tektoncd_pipeline/tekton.dev_Task.yaml",
    "clusterapi/schemas/cluster.x-k8s.io_clusterclasses.yaml",
    "clusterapi/schemas/cluster.x-k8s.io_machinehealthchecks.yaml",
    "clusterapi/schemas/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml",
    "clusterapi/schemas/ipam.cluster.x-k8s.io_ipaddresses.yaml",
]


@pytest.fixture(params=["1.20.2", "newer"])
def api(request: pytest.FixtureRequest, cluster: Cluster) -> Api:
    """Each of the two servers; only the newer one judges CEL."""
    found: Api = cluster.api if request.param == "1.20.2" else request.getfixturevalue("newer")
    return found


def test_the_newer_server_judges_rules(newer: Api) -> None:
    """What breaks a rule is refused, so what is accepted below keeps all of them."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    rules = [{"rule": "self.a < self.b"}]
    spec = {**schema, "x-kubernetes-validations": rules}
    group = "rules.example.com"
    crd = crd_of("Pair", {"v1": struct(spec=spec)}, group=group)
    resource = create_crd(newer, crd)
    resource.create({**resource.new("v1", "good"), "spec": {"a": 1, "b": 2}})
    bad = {**resource.new("v1", "bad"), "spec": {"a": 2, "b": 1}}
    answer = newer.post(resource.path("v1"), bad)
    assert (answer.status, "failed rule: self.a < self.b" in answer.message) == (422, True)


@pytest.mark.parametrize("file", CRDS, ids=lambda file: Path(file).stem)
def test_drawn_objects_are_accepted(api: Api, shared: Path, file: str) -> None:
    """Each one is stored whole: nothing is refused, pruned or filled in."""
    path = shared / file
    if not path.is_file():
        pytest.skip(f"needs `shared/{file}` beside the repository")
    [kind] = read_kinds([path], [])
    crd: Any = yaml.load_all(path.read_text(encoding="utf-8"), file)[0].value
    accepted = 0
    for version in kind.versions:
        resource = create_crd(api, _alone(crd, kind, version))
        for seed in SEEDS:
            for obj in draw_objects(kind, version, seed).objects:
                _demand_whole(api, resource, version, obj)
                accepted += 1
    assert accepted >= len(SEEDS) * len(kind.versions)


def _alone(crd: Any, kind: Kind, version: Version) -> dict[str, Any]:
    """Return a CRD of one version, in a group of its own: no webhook is needed."""
    group = f"{version.name}.drawn.{kind.group}"
    [own] = [item for item in crd["spec"]["versions"] if item["name"] == version.name]
    spec = {key: value for key, value in crd["spec"].items() if key != "conversion"}
    spec["scope"] = "Namespaced"
    return {
        "apiVersion": crd["apiVersion"],
        "kind": crd["kind"],
        "metadata": {"name": f"{spec['names']['plural']}.{group}"},
        "spec": {**spec, "group": group, "versions": [{**own, "storage": True, "served": True}]},
    }


def _demand_whole(api: Api, resource: Resource, version: Version, obj: Any) -> None:
    metadata = {key: obj["metadata"][key] for key in ("name", "labels", "annotations")}
    new = resource.new(version.name, metadata["name"])
    new = {**obj, "apiVersion": new["apiVersion"], "metadata": {**new["metadata"], **metadata}}
    name = metadata["name"]
    found = resource.create(new)
    if version.has_status and "status" in obj:
        found["status"] = obj["status"]
        path = resource.path(version.name, name, "status")
        found = api.put(path, found).expect(200)
    assert data_of(found) == data_of(obj)
    api.delete(resource.path(version.name, name)).expect(200)
