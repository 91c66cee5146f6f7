"""Whether the memory of `holdall convert --requests` stays flat over a million objects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter

from bench.report import Row
from bench.specimen import account, build

_OBJECTS = int(os.environ.get("HOLDALL_BENCH_OBJECTS", "1000000"))


def measure() -> list[Row]:
    """Send the objects through the filter and compare its memory early and late."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build(root)
        line = json.dumps({"to": "v2", "object": account()}).encode() + b"\n"
        program = Path(sys.executable).with_name("holdall")
        command: list[str | Path] = [program, "--project", root, "convert", "--requests"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        writer = threading.Thread(target=_feed, args=(process, line))
        start = perf_counter()
        writer.start()
        early = late = 0
        if process.stdout is None:
            raise SystemExit("the filter has no output")
        for number, reply in enumerate(process.stdout, 1):
            if number == 1 and not reply.startswith(b'{"object"'):
                raise SystemExit(reply.decode())
            if number == _OBJECTS // 10:
                early = _resident(process.pid)
            if number == _OBJECTS - 1:
                late = _resident(process.pid)
        spent = perf_counter() - start
        writer.join()
        process.wait()
    growth = late / max(early, 1)
    return [
        Row(f"--requests, {_OBJECTS:,} objects", spent, f"{_OBJECTS / spent:,.0f} objects/s", ""),
        Row("memory at 10 % and at the end", None, f"{early} and {late} MiB", "flat"),
        Row("growth", None, f"{growth:.2f} x", "1.05 x"),
    ]


def _feed(process: subprocess.Popen[bytes], line: bytes) -> None:
    if process.stdin is None:
        return
    block = line * 100
    for _ in range(_OBJECTS // 100):
        process.stdin.write(block)
    process.stdin.close()


def _resident(pid: int) -> int:
    """Return the resident memory of a process in MiB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
