"""`holdall convert` on a large file of JSON lines: rate with one process and two, memory, order."""

from __future__ import annotations

import filecmp
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.report import Row
from holdall.text import json as _json
from holdall.text.loading import load_file

_OBJECTS = int(os.environ.get("HOLDALL_BENCH_OBJECTS", "1000000"))
_ROOT = Path(__file__).parents[1]
_SIZE = 2048
_ROUNDS = 100


class _Spent(NamedTuple):
    seconds: float
    processor: float
    early: int
    late: int


def pool() -> bytes:
    """Return the sample project's Pool at its oldest version, made 2 KB long by a label."""
    values = [document.value for document in load_file(_ROOT / "samples/batch/pools.yaml")]
    (first,) = [
        value
        for value in values
        if isinstance(value, dict) and value["apiVersion"] == "batch.example.com/v20210101"
    ]
    metadata = first["metadata"]
    if not isinstance(metadata, dict):
        raise SystemExit("the sample Pool has no metadata")
    metadata["labels"] = {"padding": "x" * (_SIZE - len(_json.encode(first)) - 40)}
    return _json.encode(first)


def measure() -> list[Row]:
    """Convert the file over three edges, with one process and with two."""
    line = pool()
    rows = [_floor(line)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pools.jsonl"
        block = (line + b"\n") * 1000
        with source.open("wb") as file:
            for _ in range(_OBJECTS // 1000):
                file.write(block)
        spent = {jobs: _convert(source, Path(folder) / f"{jobs}.jsonl", jobs) for jobs in (1, 2)}
        if not filecmp.cmp(Path(folder) / "1.jsonl", Path(folder) / "2.jsonl", shallow=False):
            raise SystemExit("two processes do not write what one does")
    for jobs, found in spent.items():
        title = f"{_OBJECTS:,} Pools of {len(line):,} bytes, three edges, `--jobs {jobs}`"
        rows.append(Row(title, found.seconds, f"{_OBJECTS / found.seconds:,.0f}/s", ""))
        each = found.processor / _OBJECTS
        rows.append(Row("CPU time of all processes, for each", each, f"{1 / each:,.0f}/s", ""))
        figure = f"{found.early} and {found.late} MiB"
        rows.append(Row("memory of all processes at 10 % and at the end", None, figure, "flat"))
    gain = spent[1].seconds / spent[2].seconds
    return [*rows, Row("two processes against one", None, f"{gain:.2f} x", "1.8 x")]


def _floor(line: bytes) -> Row:
    count = 1000
    spent = []
    for _ in range(_ROUNDS):
        start = time.thread_time()
        for _ in range(count):
            _json.encode(_json.decode(line))
        spent.append((time.thread_time() - start) / count)
    return Row("parse and serialise alone, CPU time", min(spent), f"{1 / min(spent):,.0f}/s", "")


def _convert(source: Path, target: Path, jobs: int) -> _Spent:
    program = Path(sys.executable).with_name("holdall")
    command: list[str | Path] = [program, "--project", _ROOT, "convert", "--to", "v20240701"]
    command += [source, "-o", target, "--jobs", str(jobs)]
    part = target.with_name(f"{target.name}.part")
    whole = source.stat().st_size  # what is written is a little less
    early = late = 0
    start = time.perf_counter()
    before = _processor()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            time.sleep(0.1)
            written = part.stat().st_size if part.exists() else 0
            memory = _resident(process.pid)
            if written >= whole * 0.08 and not early:
                early = memory
            if written >= whole * 0.7:
                late = max(late, memory)
    if process.returncode:
        raise SystemExit(process.returncode)
    return _Spent(time.perf_counter() - start, _processor() - before, early, late)


def _processor() -> float:
    """Return the CPU time of all processes that have ended, those that they started included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _resident(pid: int) -> int:
    """Return the resident memory of a process and its children in MiB (Linux)."""
    total = 0
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (str(pid), *children):
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1])
    except OSError:
        return 0  # it has just ended
    return total * os.sysconf("SC_PAGE_SIZE") // 2**20


if __name__ == "__main__":
    from bench.report import markdown

    print(markdown(measure()))
