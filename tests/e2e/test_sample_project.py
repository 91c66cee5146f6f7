"""The sample project of the repository on a real API server: its CRDs, hooks and samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from holdall.scheme.projects import load_schemes
from holdall.text.streams import find_inputs, read_inputs
from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.product import Project

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMES: Final = {scheme.group: scheme for scheme in load_schemes(ROOT)}


def _samples() -> dict[str, dict[str, Any]]:
    """Return the samples by a name of their own; the API server gives them their metadata."""
    found = {}
    for number, stream in enumerate(read_inputs(find_inputs([ROOT / "samples"]))):
        for index, document in enumerate(stream.documents):
            item: Any = document.value
            metadata = item.get("metadata") or {}
            kept = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
            item["metadata"] = {**kept, "name": f"sample-{number}-{index}"}
            found[f"{item['kind']} {number}-{index}".lower()] = item
    return found


SAMPLES: Final = _samples()


@pytest.fixture(scope="module")
def resources(start_product: StartProduct, cluster: Cluster) -> dict[str, Resource]:
    """All kinds of the sample project, by name."""
    product = start_product(Project(ROOT, ""))
    return {kind: product.create(cluster.api, kind) for kind in product.project.crds()}


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_version_shows_what_the_library_says(
    cluster: Cluster, resources: dict[str, Resource], sample: str
) -> None:
    """A sample reads at each version as the library converts the stored one; at its own, unchanged.

    An edit of its labels at every version, one after the other, changes nothing else.
    """
    item = SAMPLES[sample]
    resource = resources[item["kind"]]
    scheme = SCHEMES[resource.group]
    own = item["apiVersion"].rpartition("/")[2]
    name = item["metadata"]["name"]
    created = resource.create(item)
    if "status" in item and "status" in created:
        path = resource.path(own, name, "status")
        created = cluster.api.put(path, {**created, "status": item["status"]}).expect(200)
    hub = scheme.hub
    stored = resource.read(hub, name)
    versions = [version.name for version in scheme.versions]
    for version in versions:
        shown = resource.read(version, name)
        assert _contents(shown) == _contents(scheme.convert(stored, to=version))
    for version in versions:
        patch = {"metadata": {"labels": {f"seen-{version}": "yes"}}}
        reply = cluster.api.patch(resource.path(version, name), patch)
        # A value that an old version's `enum` lacks makes the object read-only there.
        if not (reply.status == 422 and "Unsupported value" in reply.message):
            reply.expect(200)
    assert _contents(resource.read(own, name)) == _contents(created)


def _contents(item: dict[str, Any]) -> dict[str, Any]:
    """Return what is no head and no bag."""
    heads = ("apiVersion", "kind", "metadata", "$propertyBag")
    return {key: value for key, value in item.items() if key not in heads}
