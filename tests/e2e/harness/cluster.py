"""A control plane without nodes: etcd and kube-apiserver on free ports of 127.0.0.1."""

from __future__ import annotations

import json
import re
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from tests.e2e.harness.api import Api
from tests.e2e.harness.assets import Assets
from tests.e2e.harness.certificates import private_pem
from tests.e2e.harness.etcd import Etcd
from tests.e2e.harness.kubectl import Kubectl
from tests.e2e.harness.processes import Program, free_port, wait_for

_USERS = {
    "admin-token": "admin,admin,system:masters",
    "tenant-token": "tenant,tenant,",
}
_PLUGINS = ("Policy", "Webhook")
_ASKS = ("", "authentication-", "authorization-")


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """A running API server and the ways to it."""

    program: Program
    api: Api
    etcd: Etcd
    kubectl: Kubectl
    url: str
    kubeconfig: Path

    def metric(self, name: str, **labels: str) -> float:
        """Return the sum of the samples of a metric that carry these labels."""
        total = 0.0
        for line in self.api.get("/metrics").body.decode().splitlines():
            found = re.fullmatch(rf"{name}\{{(.*)\}} (\S+)", line)
            if found and all(f'{key}="{value}"' in found[1] for key, value in labels.items()):
                total += float(found[2])
        return total


def start_etcd(assets: Assets, folder: Path) -> tuple[Program, int]:
    """Start etcd in a folder and wait until it is healthy; return it with its client port."""
    folder.mkdir()
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    program = Program(
        "etcd",
        [
            assets.etcd,
            f"--data-dir={folder / 'data'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
        ],
        log=folder / "log",
    )
    port = int(client.rpartition(":")[2])
    try:
        wait_for("etcd to be healthy", lambda: _alive(program) and Etcd(port).is_healthy())
    except BaseException:
        program.stop()
        raise
    return program, port


def start_apiserver(
    assets: Assets, folder: Path, etcd_port: int, *, watch_cache: bool = True
) -> Cluster:
    """Start an API server in a folder, with its own part of etcd, and wait until it is ready."""
    folder.mkdir()
    key, tokens, prefix = folder / "sa.key", folder / "tokens.csv", f"/{folder.name}"
    key.write_bytes(private_pem(ec.generate_private_key(ec.SECP256R1())))
    tokens.write_text("".join(f"{token},{user}\n" for token, user in _USERS.items()))
    port = free_port()
    program = Program(
        "kube-apiserver",
        [
            assets.apiserver,
            f"--etcd-servers=http://127.0.0.1:{etcd_port}",
            f"--etcd-prefix={prefix}",
            f"--watch-cache={str(watch_cache).lower()}",
            f"--cert-dir={folder / 'certs'}",
            f"--secure-port={port}",
            "--bind-address=127.0.0.1",
            f"--token-auth-file={tokens}",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://k8s.local",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
        ],
        log=folder / "log",
    )
    try:
        authority = folder / "certs/apiserver.crt"
        wait_for("the API server's certificate", lambda: _alive(program) and authority.exists())
        api = Api(port, ssl.create_default_context(cafile=str(authority)), "admin-token")
        wait_for("the API server", lambda: _alive(program) and _is_ready(api))
    except BaseException:
        program.stop()
        raise
    url = f"https://127.0.0.1:{port}"
    config = folder / "kubeconfig"
    config.write_text(_kubeconfig(url, authority))
    kubectl = Kubectl(assets.kubectl, config, folder)
    return Cluster(program, api, Etcd(etcd_port, prefix), kubectl, url, config)


def start_newer(newer: Path, folder: Path, etcd_port: int, core: Cluster) -> tuple[Program, Api]:
    """Start a newer server of custom resources alone; `core` says who its clients are."""
    folder.mkdir()
    port = free_port()
    off = ["NamespaceLifecycle"]  # it has no namespaces of its own
    off += [f"{what}Admission{how}" for what in ("Mutating", "Validating") for how in _PLUGINS]
    program = Program(
        "apiextensions-apiserver",
        [
            newer,
            f"--etcd-servers=http://127.0.0.1:{etcd_port}",
            f"--etcd-prefix=/{folder.name}",
            f"--cert-dir={folder / 'certs'}",
            f"--secure-port={port}",
            "--bind-address=127.0.0.1",
            *(f"--{part}kubeconfig={core.kubeconfig}" for part in _ASKS),
            "--authentication-tolerate-lookup-failure",
            "--enable-priority-and-fairness=false",
            f"--disable-admission-plugins={','.join(off)}",
        ],
        log=folder / "log",
    )
    try:
        authority = folder / "certs/apiserver.crt"
        wait_for("the server's certificate", lambda: _alive(program) and authority.exists())
        api = Api(port, ssl.create_default_context(cafile=str(authority)), "admin-token")
        wait_for("the newer server", lambda: _alive(program) and _answers(api))
    except BaseException:
        program.stop()
        raise
    return program, api


def _answers(api: Api) -> bool:
    try:
        return api.get("/readyz").body == b"ok"
    except OSError:
        return False


def _alive(program: Program) -> bool:
    if not program.is_running():
        raise RuntimeError(f"{program.name} has ended:\n{program.last_lines()}")
    return True


def _is_ready(api: Api) -> bool:
    try:
        return (
            api.get("/readyz").body == b"ok" and api.get("/api/v1/namespaces/default").status == 200
        )
    except OSError:
        return False


def _kubeconfig(url: str, authority: Path) -> str:
    """Return a kubeconfig; it is YAML, and JSON is YAML."""
    cluster = {"server": url, "certificate-authority": str(authority)}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": "admin-token"}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}],
            "current-context": "e2e",
        }
    )
