"""A cluster that is spared: writes keep to a rate, and its plea for time is heard."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

from holdall.kubernetes.install.cluster import JSON, Answer, Cluster

_WAITS: Final = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each new try of a request that was answered with 429."""


class PacedCluster:
    """Sends what another cluster sends, at most `rate` patches per second; 0 is without limit."""

    def __init__(
        self,
        cluster: Cluster,
        rate: float = 0.0,
        *,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._cluster = cluster
        self._interval = 1 / rate if rate else 0.0
        self._clock = clock
        self._pause = pause
        self._next = 0.0

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        content: str = JSON,
        timeout: float = 60.0,
    ) -> Answer:
        """Send one request, when its time has come. Raises InstallError."""
        if method == "PATCH" and self._interval:
            self._keep_rate()
        answer = self._cluster.send(method, path, body, content=content, timeout=timeout)
        for wait in _WAITS:
            if answer.status != 429:
                break
            self._pause(wait)
            answer = self._cluster.send(method, path, body, content=content, timeout=timeout)
        return answer

    def _keep_rate(self) -> None:
        now = self._clock()
        if now < self._next:
            self._pause(self._next - now)
        self._next = max(now, self._next) + self._interval
