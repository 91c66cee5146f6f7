"""Objects without properties: an API server prunes them, whatever another version has there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.product import Product, Project
from tests.support.crds import crd_of, struct

GROUP = "emptied.example.com"
OPEN: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
EMPTY: dict[str, Any] = {"type": "object"}
CONFIG = f"""
groups:
  emptied:
    api_group: {GROUP}
    sources:
      - crds: crd.json
    versions: [v1, v2, v3]
"""
FREE = {"a": 1, "b": {"c": [None, {"d": "e"}]}}
CONTENT: dict[str, Any] = {
    "one": FREE,
    "list": [FREE, {"z": 1}],
    "map": {"k/1": FREE, "l": {"free": 2}},
    "texts": {"a": "b"},
}
EMPTIED: dict[str, Any] = {"one": {}, "list": [{}, {}], "map": {"k/1": {}, "l": {}}, "texts": {}}


def half(inner: dict[str, Any], texts: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "size": {"type": "integer"},
            "one": inner,
            "list": {"type": "array", "items": inner},
            "map": {"type": "object", "additionalProperties": inner},
            "texts": texts,
        },
    }


OPENED = half(OPEN, {"type": "object", "additionalProperties": {"type": "string"}})
CLOSED = half(EMPTY, EMPTY)


@pytest.fixture(scope="module")
def product(start_product: StartProduct, tmp_path_factory: pytest.TempPathFactory) -> Product:
    """A project read from a CRD whose version in the middle declares nothing of these objects."""
    root: Path = tmp_path_factory.mktemp("emptied")
    schemas = {
        name: struct(spec=both, status=both)
        for name, both in (("v1", OPENED), ("v2", CLOSED), ("v3", OPENED))
    }
    crd = crd_of("Vessel", schemas, group=GROUP, stored="v1", subresources={"status": {}})
    (root / "crd.json").write_text(json.dumps(crd))
    (root / "holdall.yaml").write_text(CONFIG)
    project = Project(root, GROUP)
    project.succeed("generate")
    return start_product(project)


@pytest.fixture(scope="module", params=["v1", "v2"])
def vessels(product: Product, cluster: Cluster, request: pytest.FixtureRequest) -> Any:
    """Vessels, stored at a version that is open, and at one that is closed."""
    found = product.create(cluster.api, "Vessel", storage=request.param)
    yield found
    cluster.kubectl("delete", "crd", found.crd)


@pytest.mark.parametrize("written_at", ["v1", "v3"])
def test_what_a_closed_version_cannot_hold_survives_it(
    cluster: Cluster, vessels: Resource, written_at: str
) -> None:
    """kubectl writes and reads it at open versions, and edits at the closed one in between."""
    name = f"vessel-{written_at}"
    item = vessels.new(written_at, name, spec={**CONTENT, "size": 1})
    cluster.kubectl("create", "-f", "-", given=item)
    path = vessels.path(written_at, name, "status")
    status = {**vessels.read(written_at, name), "status": CONTENT}
    cluster.api.put(path, status).expect(200)
    for size in (2, 3):
        seen = cluster.kubectl.json("get", vessels.argument("v2"), name)
        assert seen["spec"] == {**EMPTIED, "size": size - 1}
        assert seen["status"] == EMPTIED
        patch = json.dumps({"spec": {"size": size}})
        cluster.kubectl("patch", vessels.argument("v2"), name, "--type", "merge", "-p", patch)
        for version in ("v1", "v3"):
            found = cluster.kubectl.json("get", vessels.argument(version), name)
            assert found["spec"] == {**CONTENT, "size": size}
            assert found["status"] == CONTENT
    patch = json.dumps({"spec": {"one": None, "map": {"l": None}}})
    cluster.kubectl("patch", vessels.argument("v2"), name, "--type", "merge", "-p", patch)
    rest = {"list": CONTENT["list"], "map": {"k/1": FREE}, "texts": {"a": "b"}, "size": 3}
    assert vessels.read(written_at, name)["spec"] == rest
    cluster.kubectl("delete", vessels.argument("v1"), name)
