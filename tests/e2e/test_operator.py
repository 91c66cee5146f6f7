"""The operator of the README: kopf works at one version, and converts for all others."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, conversion, create_crd
from tests.e2e.harness.processes import Program, free_port, is_open, wait_for
from tests.e2e.harness.product import Project
from tests.support.pages import ROOT, files_of

_README = ROOT / "README.md"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The files of the README, generated, with the certificate that it makes."""
    for name, text in files_of(_README).items():
        (tmp_path / name).write_text(text)
    project = Project(tmp_path, "post.example.com")
    project.succeed("generate")
    project.succeed("certs", "create", str(tmp_path / "keys"), "--ip", "127.0.0.1")
    return project


def _parcels(project: Project, cluster: Cluster, port: int) -> Resource:
    """Create the generated CRD, stored at v1, so that the operator's own version is converted."""
    text = (project.root / "generated/post/crds/parcels.yaml").read_text()
    crd: dict[str, Any] = yaml.safe_load(text)
    bundle = base64.b64encode((project.root / "keys/ca.crt").read_bytes()).decode()
    crd["spec"]["conversion"] = conversion(f"https://127.0.0.1:{port}/convert", bundle)
    for version in crd["spec"]["versions"]:
        version["storage"] = version["name"] == "v1"
    return create_crd(cluster.api, crd)


def test_it_works_at_its_version_and_converts_for_the_others(
    project: Project, cluster: Cluster, tmp_path: Path
) -> None:
    """What a client writes at v1 reaches it at v2, with what only v2 can say; it ends in order."""
    port = free_port()
    program = project.root / "parcels.py"
    text = program.read_text()
    assert text.count('key="keys/tls.key"') == 1
    program.write_text(text.replace('key="keys/tls.key"', f'key="keys/tls.key", port={port}'))
    parcels = _parcels(project, cluster, port)
    operator = Program(
        "kopf",
        [sys.executable, "-m", "kopf", "run", "--standalone", "--all-namespaces", "parcels.py"],
        log=tmp_path / "kopf.log",
        folder=project.root,
        environment={"KUBECONFIG": str(cluster.kubeconfig), "PYTHONPATH": "."},
    )
    try:
        wait_for("its webhook", lambda: is_open(port))
        parcels.create(parcels.new("v2", "books", spec={"grams": 500, "fragile": True}))
        wait_for("its look", lambda: "500 grams, fragile: True" in operator.last_lines())
        assert parcels.read("v1", "books")["spec"] == {"weight": 500}
        patch = {"spec": {"weight": 750}}
        cluster.api.patch(parcels.path("v1", "books"), patch).expect(200)
        wait_for("its look", lambda: "750 grams, fragile: True" in operator.last_lines())
        assert parcels.read("v2", "books")["spec"] == {"grams": 750, "fragile": True}
    finally:
        assert operator.stop() == 0
