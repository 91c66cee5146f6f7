"""A running load of reads that notes every call that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Self

from tests.e2e.harness.api import Api
from tests.e2e.harness.processes import wait_for


class Load:
    """Threads that GET paths in turn, without pause, and check each answer.

    `failures` holds a text for each call that failed or whose answer `is_right` does not accept.
    """

    def __init__(
        self, api: Api, paths: list[str], is_right: Callable[[str, Any], bool], *, threads: int = 4
    ) -> None:
        """Prepare it; it runs inside of a `with` block."""
        self.failures: list[str] = []
        self.calls = 0
        self._api = api
        self._paths = paths
        self._is_right = is_right
        self._lock = threading.Lock()
        self._running = threading.Event()
        self._stop = False
        self._busy = 0
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(threads)]

    def __enter__(self) -> Self:
        self._running.set()
        for thread in self._threads:
            thread.start()
        self.more()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        self._running.set()
        for thread in self._threads:
            thread.join()

    def more(self, calls: int = 50) -> None:
        """Wait until so many more calls were answered."""
        goal = self.calls + calls
        wait_for(f"{calls} more calls", lambda: self.calls >= goal)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let no call be in flight for a moment; the connections stay."""
        self._running.clear()
        wait_for("the calls in flight", lambda: self._busy == 0, pause=0.001)
        try:
            yield
        finally:
            self._running.set()

    def _run(self, number: int) -> None:
        with closing(self._api.connect()) as connection:
            while not self._stop:
                self._running.wait()
                with self._lock:
                    self._busy += 1
                try:
                    if self._running.is_set():
                        path = self._paths[(self.calls + number) % len(self._paths)]
                        reply = self._api.request("GET", path, on=connection)
                        if reply.status != 200 or not self._is_right(path, reply.json):
                            self.failures.append(f"GET {path}: {reply.status} {reply.message}")
                        self.calls += 1
                finally:
                    with self._lock:
                        self._busy -= 1
