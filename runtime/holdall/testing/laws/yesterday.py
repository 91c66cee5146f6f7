"""Objects as another plan stored them: what a process of its own draws and converts.

`python -m holdall.testing.laws.yesterday EXAMPLES SEED PACKAGE...` writes a line for each.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from holdall.errors import HoldallError
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import drawn_case, fixed_cases
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.text.files import keep_for_results
from holdall.types import JsonObject

_FULL = 4


def stored_yesterday(
    path: Sequence[Path], packages: Sequence[str], examples: int, seed: int
) -> Iterator[tuple[str, JsonObject]]:
    """Yield objects that the packages on a path convert, each with its package.

    They are of the version that they were converted to, with what that hides in their carrier.
    """
    entries = [*(str(entry.resolve()) for entry in path), *filter(None, sys.path)]
    command = [sys.executable, "-P", "-m", __name__, str(examples), str(seed), *packages]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entries)},
    )
    for line in done.stdout.splitlines():
        found: Any = _json.decode(line)
        yield found["package"], found["object"]


def _objects(subject: Subject, examples: int, seed: int) -> Iterator[JsonObject]:
    for kind in subject.kinds():
        served = subject.served(kind)
        for start in served:
            cases = [
                case
                for number, case in enumerate(fixed_cases(subject, kind, start))
                if number < _FULL
            ]
            cases += [drawn_case(subject, kind, start, seed + number) for number in range(examples)]
            for case in cases:
                if case.drawn in served:
                    yield from _converted(subject, case.api, case.drawn, served)


def _converted(
    subject: Subject, given: JsonObject, start: str, served: Sequence[str]
) -> Iterator[JsonObject]:
    for version in served:
        if version != start:
            try:
                yield subject.scheme.convert(_json.copy(given), to=version)
            except HoldallError:
                continue  # L5 is checked elsewhere


def main(examples: str, seed: str, *packages: str) -> None:
    """Write the objects of all packages."""
    results = keep_for_results()
    for package in packages:
        scheme: Scheme = importlib.import_module(package).SCHEME
        for document in _objects(Subject(scheme), int(examples), int(seed)):
            line = _json.encode({"package": package, "object": document})
            results.write(line + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
