"""Looking for a law that a mutant breaks, in a process of its own.

`python -m holdall.testing.laws.mutant_check` loads a project and reads requests from standard
input. It answers each in a fork of its own, where the mutant cannot spoil what comes next; where
there are no forks, it answers one and ends.

A request without a mutant is answered with the seconds that it took, and with the lines of hooks
that ran. A mutant of a line that did not run changes nothing, and one that takes many times the
seconds does not end. Seconds are those of the processor: others that want it do not count.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, Final

from holdall.engine.edges import Crossing
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import Case, drawn_case, fixed_cases
from holdall.testing.laws.duties import check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.mutating import Mutant
from holdall.testing.laws.planting import plant
from holdall.testing.laws.running import check_case
from holdall.testing.laws.spoiling import RARE
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json

_FULL: Final = 8
"""The first fixed cases are full objects: they break most mutants, most of them unedited."""
_DUTY_EXAMPLES: Final = 100
_IDLE: Final = 10
"""How many times its seconds of the processor a mutant may wait for it, or for anything else."""


class Checker:
    """The groups of a project, loaded, and how many objects to draw for a mutant."""

    def __init__(self, request: Any) -> None:
        self._root = Path(request["root"])
        self._top: list[str] = request["top"]
        self._examples: int = request["examples"]
        self._seed: int = request["seed"]
        self._lines = Lines(request["root"], request["hooks"])
        with self._lines.noted():
            self._tools = {name: _load(name) for name in request["packages"]}

    def answer(self, request: Any) -> Any:
        """Return the first `law` that does not hold for the mutant of a request, "" if all do;
        without a mutant, also the `seconds`, and the `lines` that ran."""
        parts: list[tuple[str, str]] = request["parts"]
        try:
            if request["mutant"] is None:
                began = time.process_time()
                with self._lines.noted():
                    law = next(self._broken(parts), "")
                seconds = time.process_time() - began
                return {"law": law, "seconds": seconds, "lines": self._lines.by_file()}
            mutant = Mutant(**request["mutant"])
            if plant(mutant, self._root, self._top) or mutant.what == RARE:
                # What the code compares with is looked for when tools are made.
                self._tools = {name: _load(name) for name, _ in parts}
            return {"law": next(self._broken(parts), "")}
        except Exception as error:  # noqa: BLE001 - code that does not even load is noticed
            return {"law": type(error).__name__}

    def _broken(self, parts: Sequence[tuple[str, str]]) -> Iterator[str]:
        starts = [
            (self._tools[package], kind, start)
            for package, kind in parts
            if kind
            for start in self._tools[package].subject.versions(kind)
        ]
        for own, kind, start in starts:
            full = islice(fixed_cases(own.subject, kind, start), _FULL)
            yield from _of_cases(own, (replace(case, thorough=False) for case in full))
        for number in range(self._examples):
            for own, kind, start in starts:
                case = drawn_case(own.subject, kind, start, self._seed + number)
                yield from _of_cases(own, [case])
        for own, kind, start in starts:
            yield from _of_cases(own, fixed_cases(own.subject, kind, start))
        for package in [package for package, kind in parts if not kind]:
            for duty in check_duties(self._tools[package].subject, _DUTY_EXAMPLES, self._seed):
                if not duty.needed:
                    yield f"L11 {duty.protocol}"


class Lines:
    """Which lines of some files run, by the files' names below a folder."""

    def __init__(self, root: str, names: Sequence[str]) -> None:
        self._files = {f"{root}/{name}": name for name in names}
        self._ran: set[tuple[str, int]] = set()

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what runs inside."""
        sys.settrace(self._enter if self._files else None)
        try:
            yield
        finally:
            sys.settrace(None)

    def by_file(self) -> dict[str, list[int]]:
        """Return the lines that ran."""
        found: dict[str, list[int]] = {}
        for path, line in sorted(self._ran):
            found.setdefault(self._files[path], []).append(line)
        return found

    def _enter(self, frame: FrameType, event: str, given: object) -> Any:
        return self._note if frame.f_code.co_filename in self._files else None

    def _note(self, frame: FrameType, event: str, given: object) -> Any:
        self._ran.add((frame.f_code.co_filename, frame.f_lineno))
        return self._note


def _of_cases(tools: Tools, cases: Iterable[Case]) -> Iterator[str]:
    for case in cases:
        for violation in check_case(tools, case):
            yield f"{violation.law} {violation.kind} {violation.start} -> {violation.end}"


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
    first: Any = _json.decode(sys.stdin.buffer.readline())
    sys.path[:] = first["path"]
    Crossing.passes_over = False  # a mutant may change what its converter leaves alone
    checker = Checker(first)
    for line in sys.stdin.buffer:
        request: Any = _json.decode(line)
        forks = hasattr(os, "fork")
        answer = _answer_in_fork(checker, request) if forks else checker.answer(request)
        sys.stdout.buffer.write(_json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
        if not forks:
            return


if __name__ == "__main__":
    main()
