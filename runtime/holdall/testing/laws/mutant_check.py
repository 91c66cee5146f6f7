"""Looking for a law that a mutant breaks, in a process of its own.

`python -m holdall.testing.laws.mutant_check` loads a project and reads requests from standard
input. It answers each in a fork of its own, where the mutant cannot spoil what comes next; where
there are no forks, it answers one and ends.

A request without a mutant is answered with the seconds that it took, and with the cases that ran
each line of converters and of hooks. A mutant changes nothing for cases that do not run its line,
and one that takes many times the seconds does not end. Seconds are those of the processor: others
that want it do not count.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from holdall.engine.edges import Crossing
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import Case, drawn_case, fixed_cases
from holdall.testing.laws.duties import check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.marking import ALL, Lines
from holdall.testing.laws.mutating import Mutant, plant
from holdall.testing.laws.running import check_case
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.text.files import keep_for_results

_FULL: Final = 8
"""The first fixed cases are full objects: they break most mutants, most of them unedited."""
_DUTY_EXAMPLES: Final = 100

Part: TypeAlias = tuple[str, str]
"""What laws are checked on: a package and one of its kinds, or "" for the hooks of the package."""
_IDLE: Final = 10
"""How many times its seconds of the processor a mutant may wait for it, or for anything else."""


class Checker:
    """The groups of a project, loaded, and how many objects to draw for a mutant."""

    def __init__(self, request: Any) -> None:
        self._root = Path(request["root"])
        self._top: list[str] = request["top"]
        self._examples: int = request["examples"]
        self._seed: int = request["seed"]
        self._lines = Lines(request["root"], request["files"])
        self._tools = {name: _load(name) for name in request["packages"]}

    def answer(self, request: Any) -> Any:
        """Return the first `law` that does not hold for the mutant of a request, "" if all do;
        without a mutant, also the `seconds`, and the `lines` that ran, each with its cases."""
        parts = [((package, kind), int(cases, 16)) for package, kind, cases in request["parts"]]
        try:
            if request["mutant"] is None:
                began = time.process_time()
                law = next(self._broken(parts), "")
                seconds = time.process_time() - began
                return {"law": law, "seconds": seconds, "lines": self._lines.by_file()}
            mutant = Mutant(**request["mutant"])
            if plant(mutant, self._root, self._top) or mutant.redraws:
                # What the code says is looked for when tools are made.
                self._tools = {name: _load(name) for (name, _), _ in parts}
            return {"law": next(self._broken(parts), "")}
        except Exception as error:  # noqa: BLE001 - code that does not even load is noticed
            return {"law": type(error).__name__}

    def _broken(self, parts: Sequence[tuple[Part, int]]) -> Iterator[str]:
        """Yield what does not hold for those cases of some parts whose bits are set."""
        kinds = [(self._tools[package], kind, wanted) for (package, kind), wanted in parts if kind]
        counts = [count() for _ in kinds]
        # What takes long comes last: every single edit of a full object.
        for stage in range(4):
            for (tools, kind, wanted), numbers in zip(kinds, counts, strict=True):
                for case in self._cases(tools.subject, kind, stage):
                    bit = 1 << next(numbers)
                    if wanted & bit:
                        self._lines.bits = bit
                        for it in check_case(tools, case):
                            yield f"{it.law} {it.kind} {it.start} -> {it.end}"
        for package in [package for (package, kind), _ in parts if not kind]:
            self._lines.bits = ALL
            for duty in check_duties(self._tools[package].subject, _DUTY_EXAMPLES, self._seed):
                if not duty.needed:
                    yield f"L11 {duty.protocol}"

    def _cases(self, subject: Subject, kind: str, stage: int) -> Iterator[Case]:
        """Yield the cases of a stage: full ones, drawn ones, all others, a full one with edits."""
        starts = subject.versions(kind)
        if stage == 1:
            for number in range(self._examples):
                for start in starts:
                    yield drawn_case(subject, kind, start, self._seed + number)
            return
        first, last = {0: (0, _FULL), 2: (_FULL, None), 3: (0, 1)}[stage]
        for start in starts:
            for case in islice(fixed_cases(subject, kind, start), first, last):
                yield case if stage else replace(case, thorough=False)


def _load(package: str) -> Tools:
    scheme: Scheme = importlib.import_module(package).SCHEME
    return Tools.of(Subject(scheme))


def _answer_in_fork(checker: Checker, request: Any) -> Any:
    import resource  # where there are forks

    limit: int | None = request["limit"]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        with os.fdopen(writer, "wb") as out:
            out.write(_json.encode(checker.answer(request)))
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], None if limit is None else limit * _IDLE)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reader, "rb") as answers:
        text = answers.read()
    _, status = os.waitpid(child, 0)
    if text:
        return _json.decode(text)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"law": "does not end" if killed else "ends the process"}


def main() -> None:
    """Load what the first line asks for, and answer the requests of the others."""
    results = keep_for_results()
    first: Any = _json.decode(sys.stdin.buffer.readline())
    sys.path[:] = first["path"]
    Crossing.passes_over = False  # a mutant may change what its converter leaves alone
    checker = Checker(first)
    for line in sys.stdin.buffer:
        request: Any = _json.decode(line)
        forks = hasattr(os, "fork")
        answer = _answer_in_fork(checker, request) if forks else checker.answer(request)
        results.write(_json.encode(answer) + b"\n")
        results.flush()
        if not forks:
            return


if __name__ == "__main__":
    main()
