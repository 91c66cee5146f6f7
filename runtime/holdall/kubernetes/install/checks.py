"""Checking a webhook before anything depends on it: is it ready, correct and trusted?

*Ready*: the Service has ready addresses. *Correct*: it answers a synthetic review of every kind,
sent directly if its name can be resolved here, otherwise through the API server's proxy, which does
not check certificates. *Trusted*: the API server itself reaches the final URL and accepts the
certificate. Only the API server knows that, so it is made to convert a temporary kind.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from time import monotonic, sleep
from typing import Final, Literal
from urllib.parse import quote

from holdall.errors import Problem
from holdall.kubernetes.conform.client import ConnectError, Disconnected, Endpoint
from holdall.kubernetes.install import cluster as api
from holdall.kubernetes.install.cluster import CHECK_FAILED, CRDS, NOT_READY, PROBE_FAILED, Cluster
from holdall.kubernetes.install.plan import CrdChange
from holdall.kubernetes.install.target import Target
from holdall.review.request import fault_of_reply, write_request
from holdall.scheme.scheme import Scheme
from holdall.text import json
from holdall.types import JsonObject, JsonValue, items

Way = Literal["direct", "proxy"]
Sleep = Callable[[float], None]

PROBE_GROUP: Final = "install.holdall.dev"
PROBE: Final = f"probes.{PROBE_GROUP}"
_UID: Final = "00000000-0000-4000-8000-000000000000"
_NOT_REACHED: Final = (
    'Post "',
    "Get ",
    "the server ",
    "an error on the server",
    "0-length response",
    "couldn't get version/kind",
    "expected webhook response",
    "no response provided",
    "service ",
    "no endpoints ",
)
"""How messages of an API server start if no review came back."""


@dataclass(frozen=True, slots=True)
class Case:
    """A synthetic review: one small object, from one version to another."""

    kind: str
    source: str
    desired: str

    def body(self, review_version: str) -> bytes:
        """Return the review as an API server sends it."""
        obj: JsonObject = {
            "apiVersion": self.source,
            "kind": self.kind,
            "metadata": {"name": "holdall-check", "uid": _UID},
        }
        return write_request([obj], self.desired, _UID, _review(review_version))


def cases_of(schemes: Iterable[Scheme]) -> Iterator[Case]:
    """Yield a case for every kind and every ordered pair of its versions."""
    for scheme in schemes:
        for kind in scheme.kinds:
            for source, target in permutations(scheme.served(kind), 2):
                ends = scheme.api_version(source, kind), scheme.api_version(target, kind)
                yield Case(kind.name_in(source), *ends)


def cases_for(changes: Iterable[CrdChange]) -> Iterator[Case]:
    """Yield a case for every ordered pair of versions of CRDs, even unknown to the project."""
    for change in changes:
        for source, target in permutations(change.api_versions, 2):
            yield Case(change.kind, source, target)


def choose_way(target: Target) -> Way:
    """Return how to reach the webhook from here: directly if its name can be resolved."""
    if target.url:
        return "direct"
    try:
        socket.getaddrinfo(target.host, target.port)
    except OSError:
        return "proxy"
    return "direct"


def wait_ready(
    cluster: Cluster, target: Target, seconds: float, *, pause: Sleep = sleep
) -> list[Problem]:
    """Wait until the Service has ready addresses; for a URL there is nothing to wait for."""
    if target.url:
        return []
    path = f"/api/v1/namespaces/{target.namespace}/endpoints/{target.service}"
    end = monotonic() + seconds
    while True:
        found = api.get(cluster, path)
        if any(items(subset, "addresses") for subset in items(found, "subsets")):
            return []
        if monotonic() >= end:
            where = f"{target.service}.{target.namespace}"
            message = (
                f"the Service {where} does not exist, or has no endpoints"
                if found is None
                else f"no pod of the Service {where} is ready after {seconds:g} seconds"
            )
            fix = "deploy the webhook first, and check the logs of its pods"
            return [Problem(NOT_READY, where, message, fix)]
        pause(min(1.0, seconds))


def check_reviews(
    cluster: Cluster, target: Target, cases: Iterable[Case], way: Way
) -> list[Problem]:
    """Send all synthetic reviews, and return what is wrong with the answers."""
    try:
        send = _direct(target) if way == "direct" else _proxied(cluster, target)
    except ssl.SSLError as error:
        return [_not_asked(target, f"its CA cannot be read: {error}", "name a CA with --ca")]
    problems: list[Problem] = []
    for case in cases:
        try:
            status, body = send(case.body(target.reviews[0]))
        except (ConnectError, Disconnected, TimeoutError) as error:
            reason = str(error.args[0] if error.args else type(error).__name__)
            fix = "check the address, the names in the certificate, and the CA"
            return [_not_asked(target, reason, fix)]
        if status != 200:  # independent of the case
            reason = f"HTTP status {status}: {api.Answer(status, body).message}"
            return [_not_asked(target, reason, "check the address, and the log of the webhook")]
        if fault := fault_of_reply(body, case.desired, _UID, _review(target.reviews[0])):
            message = f"{case.kind} from {case.source} to {case.desired}: {fault}"
            fix = "see the log of the webhook, and check that its release knows these versions"
            problems.append(Problem(CHECK_FAILED, target.final_url, message, fix))
    return problems


def _not_asked(target: Target, reason: str, fix: str) -> Problem:
    message = f"the webhook cannot be asked: {reason}"
    return Problem(CHECK_FAILED, target.final_url, message, fix)


def probe(
    cluster: Cluster, target: Target, seconds: float, *, pause: Sleep = sleep
) -> list[Problem]:
    """Make the API server call the final URL with the CA; cleans up afterwards.

    Creates a temporary CRD with the same stanza, and an object of its other version. The webhook
    does not know the kind and says so: that message must come back.
    """
    _remove_probe(cluster, seconds, pause)  # an interrupted run may have left one behind
    created = cluster.send("POST", CRDS, json.encode(_probe_crd(target)))
    if not created.is_fine:
        fix = "see the message of the server, or skip the probe with --no-probe"
        return [Problem(PROBE_FAILED, PROBE, f"the server answers: {created.message}", fix)]
    try:
        said = _ask(cluster, seconds, pause)
    finally:
        _remove_probe(cluster, seconds, pause)
    _, _, reason = said.partition(" failed: ")
    if not said or (reason and not reason.startswith(_NOT_REACHED)):
        return []
    message = f"the API server does not get an answer from {target.final_url}: {said}"
    fix = "check the Service, its network policies, the names in the certificate, and the CA"
    return [Problem(PROBE_FAILED, PROBE, message, fix)]


def _ask(cluster: Cluster, seconds: float, pause: Sleep) -> str:
    """Return the message of creating an object of the probe; empty if that succeeds."""
    thing = {"apiVersion": f"{PROBE_GROUP}/v2", "kind": "Probe", "metadata": {"name": "probe"}}
    end = monotonic() + seconds
    while True:
        answer = cluster.send("POST", f"/apis/{PROBE_GROUP}/v2/probes", json.encode(thing))
        # Until the new kind is served everywhere, the server does not find it.
        if answer.status != 404 or monotonic() >= end:
            return "" if answer.is_fine or answer.status == 409 else answer.message
        pause(0.2)


def _remove_probe(cluster: Cluster, seconds: float, pause: Sleep) -> None:
    end = monotonic() + seconds
    path = api.crd_path(PROBE)
    if cluster.send("DELETE", path).is_fine:
        while api.get(cluster, path) is not None and monotonic() < end:
            pause(0.2)


def _probe_crd(target: Target) -> JsonObject:
    versions: list[JsonValue] = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": {"type": "object"}},
        }
        for name in ("v1", "v2")
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": PROBE},
        "spec": {
            "group": PROBE_GROUP,
            "scope": "Cluster",
            "names": {
                "kind": "Probe",
                "listKind": "ProbeList",
                "plural": "probes",
                "singular": "probe",
            },
            "versions": versions,
            "conversion": target.stanza(),
        },
    }


def _direct(target: Target) -> Callable[[bytes], tuple[int, bytes]]:
    parts = Endpoint.of(target.final_url)
    endpoint = Endpoint(parts.host, parts.port, parts.path, target.tls())

    def send(body: bytes) -> tuple[int, bytes]:
        with endpoint.connect() as connection:
            response = connection.request("POST", body=body)
        return response.status, response.body

    return send


def _proxied(cluster: Cluster, target: Target) -> Callable[[bytes], tuple[int, bytes]]:
    name = f"https:{target.service}:{target.port}"
    path = f"/api/v1/namespaces/{target.namespace}/services/{name}/proxy{quote(target.path)}"

    def send(body: bytes) -> tuple[int, bytes]:
        answer = cluster.send("POST", path, body)
        return answer.status, answer.body

    return send


def _review(version: str) -> str:
    return f"apiextensions.k8s.io/{version}"
