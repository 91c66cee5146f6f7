"""What install needs of a cluster: sending a request, and a few operations built on that.

Writes can be limited to a rate, and are retried after 429.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Final, Protocol
from urllib.parse import quote, urlencode

from holdall.errors import DecodeError, Problem, ProblemsError
from holdall.text import json
from holdall.types import JsonObject, JsonValue, is_json_object, items, members, text

CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MANAGER: Final = "holdall"
"""The field manager that owns the strategy, the review versions and where the webhook is."""

CA_MANAGER: Final = "holdall-ca"
"""The field manager that owns only `caBundle`, so that a rotation touches nothing else."""

JSON: Final = "application/json"
APPLY: Final = "application/apply-patch+yaml"
MERGE: Final = "application/merge-patch+json"

CONNECTION: Final = "HA880"
NO_CRD: Final = "HA881"
REFUSED: Final = "HA882"
FOREIGN: Final = "HA883"
NOT_READY: Final = "HA884"
CHECK_FAILED: Final = "HA885"
PROBE_FAILED: Final = "HA886"
BAD_TARGET: Final = "HA887"
BAD_MANIFEST: Final = "HA888"

_WAITS: Final = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each retry of a request that was answered with 429."""


class InstallError(ProblemsError):
    """An installation that did not start, or that stopped; `problems` say where and why."""

    code = "HA889"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an API server: HTTP status and body."""

    status: int
    body: bytes

    @property
    def is_fine(self) -> bool:
        return 200 <= self.status < 300

    @property
    def value(self) -> JsonObject:
        """The body as a JSON object, an empty one if it is none."""
        try:
            return members(json.decode(self.body))
        except DecodeError:
            return {}

    @property
    def message(self) -> str:
        """The message of a Status, or else the start of the body, on one line."""
        said = text(self.value, "message") or self.body.decode(errors="replace")
        return " ".join(said.split())[:600] or f"HTTP status {self.status}"


class Cluster(Protocol):
    """An API server, with credentials."""

    def send(
        self, method: str, path: str, body: bytes | None = None, *, content: str = JSON
    ) -> Answer:
        """Send one request and return its answer, whatever its status.

        Raises InstallError if the server cannot be reached.
        """
        ...


def get(cluster: Cluster, path: str) -> JsonObject | None:
    """Return an object, None if there is none. Raises InstallError."""
    answer = cluster.send("GET", path)
    if answer.status == 404:
        return None
    return checked(answer, f"GET {path}")


def list_crds(cluster: Cluster) -> list[JsonObject]:
    """Return all CRDs of a cluster. Raises InstallError."""
    found = checked(cluster.send("GET", CRDS), "the list of CRDs")
    return [item for item in items(found, "items") if is_json_object(item)]


def crd_path(name: str) -> str:
    """Return the path of a CRD."""
    return f"{CRDS}/{quote(name, safe='')}"


def apply(
    cluster: Cluster, path: str, value: JsonValue, *, manager: str, force: bool = False
) -> JsonObject:
    """Apply an object server-side; `manager` gives up fields that it applied before and not now.

    Raises InstallError.
    """
    query = urlencode({"fieldManager": manager, "force": str(force).lower()})
    answer = cluster.send("PATCH", f"{path}?{query}", json.encode(value), content=APPLY)
    return checked(answer, path)


def patch(cluster: Cluster, path: str, change: JsonValue, content: str) -> Answer:
    """Change an object by a patch, and return the answer. Raises InstallError."""
    query = urlencode({"fieldManager": MANAGER})
    return cluster.send("PATCH", f"{path}?{query}", json.encode(change), content=content)


def merge(cluster: Cluster, path: str, change: JsonValue) -> JsonObject:
    """Change an object by a merge patch. Raises InstallError."""
    return checked(patch(cluster, path, change, MERGE), path)


def checked(answer: Answer, what: str) -> JsonObject:
    """Return the object of a success. Raises InstallError with the server's message."""
    if answer.is_fine:
        return answer.value
    fix = {
        401: "log in, or name another --context",
        403: "grant the user the permission, or name another --context",
        409: "run it again: someone else changed the object meanwhile",
    }.get(answer.status, "see the message of the server")
    raise InstallError([Problem(REFUSED, what, f"the server answers: {answer.message}", fix)])


@dataclass(slots=True)
class PacedCluster:
    """Passes requests to another cluster, at most `rate` patches per second, without limit if 0."""

    cluster: Cluster
    rate: float = 0.0
    clock: Callable[[], float] = monotonic
    pause: Callable[[float], None] = sleep
    _next: float = field(default=0.0, init=False)

    def send(
        self, method: str, path: str, body: bytes | None = None, *, content: str = JSON
    ) -> Answer:
        """Send one request, when the rate allows it. Raises InstallError."""
        if method == "PATCH" and self.rate:
            now = self.clock()
            if now < self._next:
                self.pause(self._next - now)
            self._next = max(now, self._next) + 1 / self.rate
        answer = self.cluster.send(method, path, body, content=content)
        for wait in _WAITS:
            if answer.status != 429:
                break
            self.pause(wait)
            answer = self.cluster.send(method, path, body, content=content)
        return answer
