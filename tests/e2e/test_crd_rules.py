"""What holdall says of a CRD is what the API server says, for each of its specimens."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.kubernetes.crds.rules import check_crd
from holdall_codegen.output.crds import make_crds
from holdall_codegen.project import load_project
from tests.e2e.harness.cluster import Cluster
from tests.support.crd_specimens import SPECIMENS, Specimen

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.title)
def test_the_server_agrees(cluster: Cluster, specimen: Specimen) -> None:
    """The server refuses what we call an error, except for what is said of the specimen."""
    reply = cluster.api.post(CRDS, specimen.crd())
    expected = specimen.refused if specimen.refused is not None else bool(specimen.codes)
    assert (reply.status >= 300) == expected, reply.message
    if reply.status >= 300:
        assert any(finding.level == "error" for finding in check_crd(specimen.crd()))


def test_the_sample_project(uncached: Cluster, project_root: Path) -> None:
    """The server takes the CRDs of the sample project, those of both kinds of sources."""
    manifests = make_crds(load_project(project_root)).manifests
    assert manifests
    for manifest in manifests:
        uncached.api.post(CRDS, manifest.value).expect(201)
