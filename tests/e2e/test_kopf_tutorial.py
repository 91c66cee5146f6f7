"""The operator of docs/kopf-operator.md: deployed with v2, while objects are stored at v1."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
import yaml

from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, conversion, move_storage, wait_until_served
from tests.e2e.harness.processes import Program, free_port, is_open, wait_for
from tests.e2e.harness.product import Project
from tests.support.pages import ROOT, files_of

_PAGE = ROOT / "docs/kopf-operator.md"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The project that the page ends with, generated, with a certificate for this machine."""
    for name, text in files_of(_PAGE).items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for folder in ("hooks", "hooks/farm"):  # as `hooks scaffold` leaves them
        (tmp_path / folder / "__init__.py").touch()
    project = Project(tmp_path, "farm.example.com")
    project.succeed("generate")
    project.succeed("certs", "create", str(tmp_path / "keys"), "--ip", "127.0.0.1")
    return project


def _operator(project: Project, cluster: Cluster, port: int, log: Path) -> Program:
    program = project.root / "gardens.py"
    text = program.read_text()
    assert text.count('key="keys/tls.key"') == 1
    program.write_text(text.replace('key="keys/tls.key"', f'key="keys/tls.key", port={port}'))
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--all-namespaces"]
    return Program(
        "kopf",
        [*command, "gardens.py"],
        log=log,
        folder=project.root,
        environment={"KUBECONFIG": str(cluster.kubeconfig), "PYTHONPATH": "."},
    )


def test_the_journey_ends_in_a_cluster(project: Project, cluster: Cluster, tmp_path: Path) -> None:
    """Operator, then CRD: old objects reach v2, edits come back, the storage moves."""
    crd = yaml.safe_load((project.root / "crds/gardens.yaml").read_text())
    gardens = Resource(cluster.api, crd)
    old = {**crd, "spec": {**crd["spec"], "versions": crd["spec"]["versions"][:1]}}
    cluster.api.post(CRDS, old).expect(201)
    wait_until_served(cluster.api, old)
    roses = {"plants": "roses,tulips", "minutes": 90, "note": "at dawn"}
    gardens.create(gardens.new("v1", "roses", spec=roses))

    port = free_port()
    operator = _operator(project, cluster, port, tmp_path / "kopf.log")
    try:
        wait_for("its webhook", lambda: is_open(port))
        bundle = base64.b64encode((project.root / "keys/ca.crt").read_bytes()).decode()
        crd["spec"]["conversion"] = conversion(f"https://127.0.0.1:{port}/convert", bundle)
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", given=crd)
        wait_for("v2", lambda: cluster.api.get(gardens.path("v2", "roses")).status == 200)
        # kopf looks at the event of a CRD, which may come before the API server has the version.
        cluster.kubectl("annotate", "crd", crd["metadata"]["name"], "farm.example.com/seen=v2")
        water = {"duration": "1h30m0s"}
        assert gardens.read("v2", "roses")["spec"] == {
            "plants": ["roses", "tulips"],
            "water": water,
            "note": "at dawn",
        }
        gardens.create(gardens.new("v2", "herbs", spec={"plants": ["a,b"], "paused": True}))
        wait_for("herbs", lambda: "paused" in operator.last_lines())
        cluster.api.patch(gardens.path("v1", "roses"), {"spec": {"minutes": 5}}).expect(200)
        wait_for("roses", lambda: "roses and tulips for 5m0s" in operator.last_lines())

        move_storage(cluster.api, gardens.crd, "v2")
        config = ("--kubeconfig", str(cluster.kubeconfig))
        project.succeed("migrate", "--apply", "--settle", "3", "--rate", "0", *config)
        assert gardens.read("v2", "herbs")["spec"] == {"plants": ["a,b"], "paused": True}
        assert gardens.read("v1", "roses")["spec"] == {**roses, "minutes": 5}
    finally:
        assert operator.stop() == 0


def test_its_manifest_is_one_that_a_server_takes(cluster: Cluster) -> None:
    """Deployment and Service of the page pass the server's validation."""
    cluster.api.post("/api/v1/namespaces", {"metadata": {"name": "farm"}})
    for document in yaml.safe_load_all(files_of(_PAGE)["deploy/operator.yaml"]):
        cluster.kubectl("apply", "--dry-run=server", "-f", "-", given=document)
