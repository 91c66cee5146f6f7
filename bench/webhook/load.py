"""Servers as processes, the load of wrk on them, and what both say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SCRIPT: Final = Path(__file__).with_name("load.lua")
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the load. Latencies in seconds; `per_core` is requests per second of the
    servers' own processor time, which other work on the machine hardly changes."""

    p50: float
    p99: float
    per_second: float
    per_core: float


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def pids(self) -> list[int]:
        """Return the processes of the server, its workers included."""
        own = self.process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii")
        return [own, *map(int, children.split())]

    def processor_seconds(self) -> float:
        """Return the processor time that all its processes have used."""
        total = 0
        for pid in self.pids():
            text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
            fields = text.rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / _TICKS

    def resident(self) -> int:
        """Return the resident bytes of its processes together."""
        pages = 0
        for pid in self.pids():
            pages += int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def served(**arguments: Any) -> Iterator[Server]:
    """Serve one of the applications in a process of its own."""
    command = [sys.executable, "-m", "bench.webhook.apps", json.dumps(arguments)]
    environment = {
        **os.environ,
        # As an installed package is: compiled once. The folder is that of the projects.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(arguments["cert"]).with_name("bytecode")),
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            said = process.stdout.readline() if process.stdout else ""
            yield Server(process, int(said))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def load(server: Server, body: Path, *, connections: int, seconds: float) -> Run:
    """Put load on a server. Raises SystemExit if a request fails."""
    url = f"https://127.0.0.1:{server.port}/convert?timeout=30s"
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "-s", str(_SCRIPT), url]
    before = server.processor_seconds()
    done = subprocess.run(
        [*command, "--", str(body)], capture_output=True, text=True, check=True, timeout=600
    )
    used = server.processor_seconds() - before
    said = json.loads(done.stdout.splitlines()[-1])
    if said["failed"]:
        raise SystemExit(f"{said['failed']} requests failed:\n{done.stdout}")
    return Run(
        said["p50"] / 1e6,
        said["p99"] / 1e6,
        said["requests"] / (said["microseconds"] / 1e6),
        said["requests"] / used,
    )
