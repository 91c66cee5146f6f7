"""Run the benchmark of the webhook: `python -m bench.webhook [--rounds N] [--seconds S] [PART]...`.

Parts: latency, many, workers, start, memory. Needs `wrk`. Every figure is the best of interleaved
rounds, with the median beside it: other work on the machine only ever makes figures worse.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.specimen import account, build
from bench.timing import per_call
from bench.webhook.load import Run, load, served
from bench.webhook.projects import build_many, review_of
from holdall.webhook.key_files import write_keyring
from holdall.webhook.keyring import Lives, create

APPS: Final = {"echo": "echo", "dictionary": "dictionary converter", "holdall": "holdall"}
CASES: Final = ((1, 1), (10, 1), (1, 100))


@dataclass(frozen=True)
class Bench:
    """Where everything lies, and how long to measure."""

    folder: Path
    rounds: int
    seconds: float

    def arguments(self, app: str, workers: int = 1, project: str = "project") -> dict[str, Any]:
        """Return how to serve an application."""
        return {
            "app": app,
            "workers": workers,
            "project": str(self.folder / project),
            "cert": str(self.folder / "tls.crt"),
            "key": str(self.folder / "tls.key"),
        }

    def review(self, count: int, desired: str = "v2") -> Path:
        """Return the file of a review of some objects."""
        path = self.folder / f"review-{count}-{desired}.json"
        path.write_bytes(review_of(count, desired))
        return path


def latency(bench: Bench) -> Iterator[str]:
    """Compare the three applications, one worker each."""
    build(bench.folder / "project")
    runs: dict[tuple[str, int, int], list[Run]] = {}
    for _ in range(bench.rounds):
        for app in APPS:
            with served(**bench.arguments(app)) as server:
                for connections, count in CASES:
                    body = bench.review(count)
                    load(server, body, connections=connections, seconds=1)
                    run = load(server, body, connections=connections, seconds=bench.seconds)
                    runs.setdefault((app, connections, count), []).append(run)
    yield (
        "| objects | connections | server | p50 | p99 | requests/s | per core "
        "| p50 / echo | per core / echo |"
    )
    yield "|---:|---:|---|---:|---:|---:|---:|---:|---:|"
    for connections, count in CASES:
        echo = runs["echo", connections, count]
        for app, title in APPS.items():
            found = runs[app, connections, count]
            slower = statistics.median(a.p50 / b.p50 for a, b in zip(found, echo, strict=True))
            share = statistics.median(
                a.per_core / b.per_core for a, b in zip(found, echo, strict=True)
            )
            yield (
                f"| {count} | {connections} | {title} "
                f"| {_both(found, lambda run: run.p50 * 1e6, min)} µs "
                f"| {_both(found, lambda run: run.p99 * 1e6, min)} µs "
                f"| {_both(found, lambda run: run.per_second, max)} "
                f"| {_both(found, lambda run: run.per_core, max)} "
                f"| {slower:.2f} | {share:.0%} |"
            )


def many(bench: Bench) -> Iterator[str]:
    """Compare a review of 100 objects with `convert_bytes` for each of them, in one process."""
    scheme = build(bench.folder / "project")
    texts = [json.dumps(account(), separators=(",", ":")).encode() for _ in range(100)]
    body = review_of(100)
    one, hundred = [], []
    for _ in range(10 * bench.rounds):
        one.append(per_call(lambda: [scheme.convert_bytes(text, to="v2") for text in texts]) / 100)
        hundred.append(per_call(lambda: scheme.review(body)) / 100)
    ratio = statistics.median(b / a for a, b in zip(one, hundred, strict=True))
    yield "| `convert_bytes` | review of 100 objects, for each | ratio |"
    yield "|---:|---:|---:|"
    yield f"| {min(one) * 1e6:.1f} µs | {min(hundred) * 1e6:.1f} µs | {ratio:.2f} |"


def workers(bench: Bench) -> Iterator[str]:
    """Compare one worker with two, under ten connections: small reviews, and large ones.

    The load needs a part of the cores, too: the less of it, the more there is to convert.
    """
    build(bench.folder / "project")
    bodies = {"1 object, 1 edge": bench.review(1), "100 objects, 4 edges": bench.review(100, "v5")}
    runs: dict[tuple[str, int], list[Run]] = {}
    for _ in range(bench.rounds):
        for count in (1, 2):
            with served(**bench.arguments("holdall", count)) as server:
                for title, body in bodies.items():
                    load(server, body, connections=10, seconds=1)
                    run = load(server, body, connections=10, seconds=bench.seconds)
                    runs.setdefault((title, count), []).append(run)
    yield "| review | workers | requests/s | per core | requests/s / one worker |"
    yield "|---|---:|---:|---:|---:|"
    for title in bodies:
        for count in (1, 2):
            found = runs[title, count]
            pairs = zip(found, runs[title, 1], strict=True)
            ratio = statistics.median(a.per_second / b.per_second for a, b in pairs)
            yield (
                f"| {title} | {count} | {_both(found, lambda run: run.per_second, max)} "
                f"| {_both(found, lambda run: run.per_core, max)} | {ratio:.2f} |"
            )


def start(bench: Bench) -> Iterator[str]:
    """Measure how long servers of 100 and 200 types take from their start to readiness."""
    yield "| start to ready | wall | processor time |"
    yield "|---|---:|---:|"
    for kinds in (50, 100):
        project = f"many-{kinds}"
        build_many(bench.folder / project, kinds)
        walls, used = [], []
        for _ in range(bench.rounds + 1):
            begin = time.perf_counter()
            with served(**bench.arguments("holdall", project=project)) as server:
                walls.append(time.perf_counter() - begin)
                used.append(server.processor_seconds())
        # The first run compiles the generated modules.
        title = f"{kinds} kinds, {2 * kinds} types, in two versions each"
        yield f"| {title}, without bytecode | {walls[0]:.2f} s | {used[0]:.2f} s |"
        yield f"| {title} | {min(walls[1:]):.2f} s | {min(used[1:]):.2f} s |"


def memory(bench: Bench) -> Iterator[str]:
    """Watch the memory over a million requests."""
    build(bench.folder / "project")
    body = bench.review(1)
    yield "| requests | resident |"
    yield "|---:|---:|"
    with served(**bench.arguments("holdall")) as server:
        done = 0.0
        due = 10_000
        while done < 1_000_000:
            run = load(server, body, connections=10, seconds=5)
            done += run.per_second * 5
            if done >= due:
                yield f"| {done:,.0f} | {server.resident() / 1e6:.1f} MB |"
                due = 100_000 * (int(done) // 100_000 + 1)


def _both(runs: list[Run], figure: Callable[[Run], float], best: Any) -> str:
    """Return the best and the median of a figure."""
    values = [figure(run) for run in runs]
    return f"{best(values):,.0f} ({statistics.median(values):,.0f})"


PARTS: Final = {
    "latency": latency,
    "many": many,
    "workers": workers,
    "start": start,
    "memory": memory,
}


def main() -> None:
    """Run what is asked for and print tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("the webhook is not measured: there is no `wrk` on the path")
    print(f"CPython {platform.python_version()}, {platform.machine()}, best (median)\n")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.rounds, options.seconds)
        write_keyring(bench.folder, create(["127.0.0.1"], datetime.now(UTC), Lives()))
        for part in options.parts or ("latency", "many", "workers", "start"):
            print(f"## {part}\n")
            for line in PARTS[part](bench):
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
