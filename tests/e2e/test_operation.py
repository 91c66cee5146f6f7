"""Restarts, rotated certificates, killed workers and overload, under a running load of reads."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.balancer import Balancer
from tests.e2e.harness.certificates import Authority, Pair
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, change_crd, conversion
from tests.e2e.harness.load import Load
from tests.e2e.harness.parcels import VERSIONS, spec
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.product import Product, Server


@pytest.fixture
def product(start_product: StartProduct, group: str) -> Product:
    """The project of the suite, served by two workers."""
    return start_product(group, "--workers", "2", "--drain", "2")


@pytest.fixture
def parcels(product: Product, cluster: Cluster) -> Resource:
    """One parcel, written at v2 and stored at v1."""
    found = product.create(cluster.api, "Parcel", storage="v1")
    found.create(found.new("v2", "thing", spec=spec("v2")))
    return found


@pytest.fixture
def load(cluster: Cluster, parcels: Resource) -> Iterator[Load]:
    """Reads of the parcel and lists of it, at the versions that are not stored."""
    paths = {
        parcels.path(version, name): version
        for version in ("v1alpha1", "v2")
        for name in ("thing", "")
    }

    def is_right(path: str, found: Any) -> bool:
        items = found.get("items", [found])
        return [item["spec"] for item in items] == [spec(paths[path])]

    with Load(cluster.api, list(paths), is_right) as running:
        yield running


def _workers(server: Server) -> list[int]:
    pid = server.program.pid
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _wait_until_gone(server: Server, pid: int) -> None:
    wait_for("a worker's end", lambda: pid not in _workers(server))


def _point(cluster: Cluster, parcels: Resource, port: int, bundle: str) -> None:
    stanza = conversion(f"https://127.0.0.1:{port}/convert", bundle)
    change_crd(cluster.api, parcels.crd, lambda crd: crd.update(conversion=stanza))


def test_a_rolling_restart_loses_no_call(
    cluster: Cluster,
    product: Product,
    parcels: Resource,
    load: Load,
    authority: Authority,
    tmp_path: Path,
) -> None:
    """Replicas behind a Service are replaced one by one; it hears of that late; no call fails.

    The one that ends answers 503 with Retry-After meanwhile, which the API server obeys.
    """
    with ExitStack() as stack:
        balancer = stack.enter_context(Balancer(product.server.port))
        _point(cluster, parcels, balancer.port, product.server.bundle)
        load.more(200)
        old = product.server
        for number in range(3):
            folder = tmp_path / str(number)
            folder.mkdir()
            new = Server(product.project.root, folder, authority, "--drain", "2")
            stack.callback(new.stop)
            balancer.ports = [old.port, new.port]
            load.more()
            old.program.send(signal.SIGTERM)
            time.sleep(0.5)  # so long the Service does not know
            balancer.ports = [new.port]
            assert old.program.wait() == 0
            load.more()
            old = new
        assert not load.failures


def test_rotated_certificates_lose_no_call(
    cluster: Cluster, product: Product, parcels: Resource, load: Load, authority: Authority
) -> None:
    """A new certificate, a broken one, one of a new authority after its bundle: no call fails."""
    server = product.server
    shown = server.certificate()
    _replace(server.pair, authority.issue(server.folder, "next"))
    wait_for("the new certificate", lambda: server.certificate() != shown)
    load.more()

    shown = server.certificate()
    errors = _metric(server, "holdall_webhook_certificate_errors_total")
    server.pair.certificate.write_text("broken")
    wait_for(
        "the broken certificate to be refused",
        lambda: _metric(server, "holdall_webhook_certificate_errors_total") > errors,
    )
    assert server.certificate() == shown
    load.more()

    newer = Authority("newer")
    both = newer.bundle_with(authority)
    _point(cluster, parcels, server.port, both)
    time.sleep(2)  # until the API server knows both authorities
    _replace(server.pair, newer.issue(server.folder, "newer"))
    wait_for("the certificate of the new authority", lambda: server.certificate() != shown)
    _point(cluster, parcels, server.port, newer.bundle)
    load.more(200)
    assert not load.failures


def _replace(pair: Pair, by: Pair) -> None:
    """Replace the files one after the other, as an editor does: for a moment they do not match."""
    shutil.move(by.key, pair.key)
    shutil.move(by.certificate, pair.certificate)


def _metric(server: Server, name: str) -> float:
    samples = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", server.get("/metrics"), re.MULTILINE)
    return sum(map(float, samples))


def test_workers_that_are_ended_lose_no_call(product: Product, load: Load) -> None:
    """Each worker gets a SIGTERM in turn, is replaced, and no call fails."""
    for _ in range(2):
        for pid in _workers(product.server):
            os.kill(pid, signal.SIGTERM)
            _wait_until_gone(product.server, pid)
            wait_for("its replacement", lambda: len(_workers(product.server)) == 2)
            load.more()
    assert not load.failures


def test_workers_that_are_killed_lose_no_call(product: Product, load: Load) -> None:
    """Killed while no call is in flight, a worker takes its connections along, but no call."""
    for _ in range(3):
        for pid in _workers(product.server):
            with load.pause():
                os.kill(pid, signal.SIGKILL)
                _wait_until_gone(product.server, pid)
            load.more()
            wait_for("its replacement", lambda: len(_workers(product.server)) == 2)
    assert not load.failures


def test_a_killed_worker_loses_only_what_it_was_doing(product: Product, load: Load) -> None:
    """Killed amid its work, it loses the calls in flight: the API server does not repeat them."""
    for pid in _workers(product.server):
        os.kill(pid, signal.SIGKILL)
        _wait_until_gone(product.server, pid)
        load.more()
        lost = list(load.failures)
        assert all("EOF" in text or "reset by peer" in text for text in lost)
        load.more(200)
        assert load.failures == lost


def test_overload_is_waited_for(cluster: Cluster, start_product: StartProduct, group: str) -> None:
    """A server that is full answers 503 with Retry-After; the call succeeds once there is room."""
    product = start_product(group)
    parcels = product.create(cluster.api, "Parcel", storage="v1")
    large = parcels.new("v1", "large", spec=spec("v1", "v1"))
    large["metadata"]["annotations"] = {"example.com/large": "x" * 100_000}
    parcels.create(large)
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        context = ssl.create_default_context(cadata=product.server.pem.decode())
        held = []
        for _ in range(256):
            plain = stack.enter_context(
                socket.create_connection(("127.0.0.1", product.server.port))
            )
            secured = stack.enter_context(context.wrap_socket(plain, server_hostname="127.0.0.1"))
            secured.sendall(
                b"POST /convert HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 100000\r\n\r\n{"
            )
            held.append(secured)
        shed = "holdall_webhook_shed_total"
        waiting = pool.submit(cluster.api.get, parcels.path("v2", "large"))
        wait_for("a request that is turned away", lambda: _metric(product.server, shed) > 0)
        for secured in held:
            secured.close()
        assert waiting.result().expect(200)["spec"] == spec("v2", "v1")


def test_forty_at_once(cluster: Cluster, parcels: Resource) -> None:
    """Forty clients at once are all answered."""
    paths = [parcels.path(version, "thing") for version in VERSIONS]
    with Load(cluster.api, paths, lambda path, found: "spec" in found, threads=40) as load:
        load.more(800)
    assert not load.failures
