"""From nothing to a converted resource with holdall's own commands, and back."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import CRDS, Resource, wait_until_served
from tests.e2e.harness.load import Load
from tests.e2e.harness.parcels import VERSIONS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import CertificateFolder, Product, Server


@pytest.fixture
def product(start_product: StartProduct, group: str) -> Product:
    """The project of the suite, served."""
    return start_product(group)


@pytest.fixture
def crds(product: Product, cluster: Cluster, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """The CRDs, applied by kubectl as `holdall crd` writes them: without conversion."""
    folder = tmp_path / "crds"
    product.project.succeed("crd", "--output", str(folder))
    cluster.kubectl("apply", "-f", str(folder))
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", "-f", str(folder))
    found = product.project.crds()
    for crd in found.values():
        wait_until_served(cluster.api, crd)
    return found


def _install(product: Product, cluster: Cluster, tmp_path: Path, *more: str) -> tuple[int, str]:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(product.server.pem)
    to = ("--url", product.server.url, "--ca", str(ca))
    done = product.project.holdall("install", "--kubeconfig", str(cluster.kubeconfig), *to, *more)
    return done.returncode, done.stdout + done.stderr


def _conversion(cluster: Cluster, crd: dict[str, Any]) -> dict[str, Any]:
    found = cluster.api.get(f"{CRDS}/{crd['metadata']['name']}").expect(200)
    conversion: dict[str, Any] = found["spec"]["conversion"]
    return conversion


def test_a_cluster_is_converted_by_two_commands(
    product: Product, cluster: Cluster, crds: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """`crd` and `install --apply`: a dry run shows it, the apply does it, another finds no work."""
    code, said = _install(product, cluster, tmp_path, "--dry-run")
    assert code == 1, said
    assert _conversion(cluster, crds["Parcel"]) == {"strategy": "None"}

    code, said = _install(product, cluster, tmp_path, "--apply")
    assert code == 0, said
    for crd in crds.values():
        client = _conversion(cluster, crd)["webhook"]["clientConfig"]
        assert client == {"url": product.server.url, "caBundle": product.server.bundle}

    parcels = Resource(cluster.api, crds["Parcel"])
    parcels.create(parcels.new("v2", "thing", spec=spec("v2")))
    path = parcels.path("v1", "thing")
    wait_for("conversion", lambda: cluster.api.get(path).json.get("spec") == spec("v1"))
    for version in VERSIONS:
        assert parcels.read(version, "thing")["spec"] == spec(version)

    code, said = _install(product, cluster, tmp_path, "--dry-run")
    assert code == 0, said
    code, said = _install(product, cluster, tmp_path, "--apply")
    assert code == 0, said


def test_what_holdall_does_not_own_stays(
    product: Product, cluster: Cluster, crds: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Labels and short names that others set on a CRD survive the installation."""
    name = crds["Label"]["metadata"]["name"]
    patch = json.dumps({"metadata": {"labels": {"team": "post"}}})
    cluster.kubectl("patch", "crd", name, "--type=merge", "-p", patch)
    code, said = _install(product, cluster, tmp_path, "--apply")
    assert code == 0, said
    found = cluster.api.get(f"{CRDS}/{name}").expect(200)
    assert found["metadata"]["labels"] == {"team": "post"}
    assert found["spec"]["names"] == {
        **crds["Label"]["spec"]["names"],
        "singular": "label",
    }


def test_nothing_depends_on_a_webhook_that_does_not_answer(
    product: Product, cluster: Cluster, crds: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """With the webhook down, or with a foreign CA, the CRDs are left as they are."""
    product.server.stop()
    code, said = _install(product, cluster, tmp_path, "--apply", "--wait", "1")
    assert code != 0, said
    assert _conversion(cluster, crds["Parcel"]) == {"strategy": "None"}


def test_rescue_turns_conversion_off_and_its_backup_on_again(
    product: Product, cluster: Cluster, crds: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """`install --rescue` sets `strategy: None`; the script that it leaves takes it back."""
    code, said = _install(product, cluster, tmp_path, "--apply")
    assert code == 0, said
    before = _conversion(cluster, crds["Parcel"])
    backup = tmp_path / "backup.sh"
    config = ("--kubeconfig", str(cluster.kubeconfig))
    product.project.succeed("install", "--rescue", "--apply", "--backup", str(backup), *config)
    assert _conversion(cluster, crds["Parcel"]) == {"strategy": "None"}

    path = f"{cluster.kubectl.program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "KUBECONFIG": str(cluster.kubeconfig)}
    subprocess.run(["sh", str(backup)], check=True, env=environment, capture_output=True)
    assert _conversion(cluster, crds["Parcel"]) == before


def test_a_self_managed_authority_is_replaced_without_a_failed_call(
    product: Product, cluster: Cluster, crds: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """`certs` and `install` alone: the bundle first, the new authority's certificate second."""
    project = product.project
    certificates = CertificateFolder(project, tmp_path / "certificates")
    server = Server(project.root, tmp_path, certificates, "--drain", "0")
    install = (
        "install", "--apply", "--kubeconfig", str(cluster.kubeconfig),
        "--ca", str(certificates.path / "ca.crt"),
    )  # fmt: skip
    try:
        project.succeed(*install, "--url", server.url)
        parcels = Resource(cluster.api, crds["Parcel"])
        parcels.create(parcels.new("v2", "thing", spec=spec("v2")))
        path = parcels.path("v1", "thing")
        wait_for("conversion", lambda: cluster.api.get(path).json.get("spec") == spec("v1"))
        with Load(cluster.api, [path], lambda _, found: found["spec"] == spec("v1")) as load:
            first = certificates.bundle
            project.succeed("certs", "rotate", str(certificates.path), "--new-ca")
            project.succeed(*install, "--ca-only")
            assert len(certificates.bundle) > len(first)
            client = _conversion(cluster, crds["Parcel"])["webhook"]["clientConfig"]
            assert client == {"url": server.url, "caBundle": certificates.bundle}
            time.sleep(2)  # until the API server knows both authorities
            shown = server.certificate()
            project.succeed("certs", "rotate", str(certificates.path), "--overlap", "0")
            wait_for("the new certificate", lambda: server.certificate() != shown)
            load.more(100)
            assert not load.failures
    finally:
        server.stop()


def test_the_patches_that_certs_prints_fit_an_installation(
    product: Product, cluster: Cluster, tmp_path: Path
) -> None:
    """By the manager that docs/webhook.md names, `kubectl apply` and `install` take turns."""
    project, kubectl = product.project, cluster.kubectl
    crd = project.crds()["Label"]
    kubectl("apply", "--server-side", "-f", "-", given=crd)
    wait_until_served(cluster.api, crd)
    certificates = CertificateFolder(project, tmp_path / "certificates")
    server = Server(project.root, tmp_path, certificates, "--drain", "0")
    name = crd["metadata"]["name"]
    install = (
        "install", "--apply", "--kubeconfig", str(cluster.kubeconfig), "--crd", name,
        "--ca", str(certificates.path / "ca.crt"),
    )  # fmt: skip
    apply = ("apply", "--server-side", "--validate=false", "--field-manager", "holdall-ca")
    try:
        project.succeed(*install, "--url", server.url)
        for _ in range(2):
            printed = project.succeed(
                "certs", "rotate", str(certificates.path), "--new-ca",
                "--print", "--secret", "default/tls", "--crd", name,
            )  # fmt: skip
            kubectl(*apply, "-f", "-", given=printed)
            client = _conversion(cluster, crd)["webhook"]["clientConfig"]
            assert client == {"url": server.url, "caBundle": certificates.bundle}
            assert "nothing to change" in project.succeed(*install, "--ca-only")
    finally:
        server.stop()
