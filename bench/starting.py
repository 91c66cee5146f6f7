"""What `holdall serve` costs from its start until it is ready, for the sample project."""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.report import Row

_ROOT = Path(__file__).parents[1]
_RUNS = 9


class _Start(NamedTuple):
    """CPU seconds of a server, and MiB of a worker: resident, and its share of what is shared."""

    seconds: float
    resident: float
    share: float


def measure() -> list[Row]:
    """Start the server several times; its modules are compiled before."""
    for name in ("runtime", "generated", "hooks"):
        compileall.compile_dir(_ROOT / name, quiet=1)
    alone = [_start(1) for _ in range(_RUNS)]
    worker = _start(2)
    seconds = statistics.median(start.seconds for start in alone)
    return [
        Row("serve: start to ready, CPU", seconds, f"{seconds * 1e3:.0f} ms", "300 ms"),
        Row("memory of a single process", None, f"{alone[0].resident:.0f} MiB", ""),
        Row("memory of one of two workers", None, f"{worker.resident:.0f} MiB", "40 MiB"),
        Row("the same, with shared memory divided", None, f"{worker.share:.0f} MiB", ""),
    ]


def _start(workers: int) -> _Start:
    command = [
        sys.executable,
        "-m",
        "holdall",
        "--project",
        str(_ROOT),
        "serve",
        "--plain-http",
    ]
    options = ["--host", "127.0.0.1", "--port", "0", "--drain", "0", "--workers", str(workers)]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    if process.stdout is None or not process.stdout.readline():
        raise SystemExit("the server does not start")
    try:
        times = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        ticks = sum(map(int, times.split()[11:13]))
        below = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
        held = Path(f"/proc/{below[0] if below else process.pid}/smaps_rollup").read_text("ascii")
        sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in held.splitlines()[1:]}
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
    return _Start(ticks / os.sysconf("SC_CLK_TCK"), sizes["Rss:"], sizes["Pss:"])
