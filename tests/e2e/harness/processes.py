"""Programs in the background: started with a log file, stopped by process id."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


class Program:
    """A running program whose output goes to a file."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start the program; `environment` is added to that of this process."""
        self.name = name
        self.log = log
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                cwd=folder,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_running(self) -> bool:
        """Tell whether the program has not ended yet."""
        return self._process.poll() is None

    def send(self, signal: int) -> None:
        """Send a signal to the process."""
        self._process.send_signal(signal)

    def stop(self, *, seconds: float = 30) -> int:
        """Ask the program to end, wait, kill it if it does not, and return its exit code."""
        self._process.terminate()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def wait(self, *, seconds: float = 60) -> int:
        """Wait until the program has ended, and return its exit code."""
        return self._process.wait(seconds)

    def last_lines(self, count: int = 50) -> str:
        """Return the end of the log."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-count:])


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_open(port: int) -> bool:
    """Tell whether something listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(
    what: str, probe: Callable[[], _T | None], *, seconds: float = 60, pause: float = 0.05
) -> _T:
    """Repeat `probe` until it returns something true. Raises TimeoutError, which names `what`."""
    end = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s for {what}; at last it was {found!r}")
        time.sleep(pause)
