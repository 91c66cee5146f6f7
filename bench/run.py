"""Run all benchmarks, or those named on the command line, and print their tables."""

from __future__ import annotations

import platform
import sys

from bench import (
    clusterapi,
    conversion,
    generation,
    hooked,
    hostile,
    imports,
    lines,
    memory,
    samples,
    starting,
)
from bench.report import markdown

BENCHMARKS = {
    "conversion": conversion.measure,
    "samples": samples.measure,
    "hooked": hooked.measure,
    "clusterapi": clusterapi.measure,
    "hostile": hostile.measure,
    "generation": generation.measure,
    "imports": imports.measure,
    "lines": lines.measure,
    "memory": memory.measure,
    "starting": starting.measure,
}


def main(names: list[str]) -> None:
    """Print a table for every benchmark asked for."""
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        raise SystemExit(f"unknown benchmark {unknown[0]}; known: {', '.join(BENCHMARKS)}")
    print(f"CPython {platform.python_version()}, {platform.machine()}\n")
    for name in names or BENCHMARKS:
        print(f"## {name}\n\n{markdown(BENCHMARKS[name]())}\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
