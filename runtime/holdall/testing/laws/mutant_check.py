"""Looking for a law that a mutant breaks, in a process of its own.

`python -m holdall.testing.laws.mutant_check` loads a project and reads requests from standard
input. It answers each in a fork of its own, where the mutant cannot spoil what comes next; where
there are no forks, it answers one and ends.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
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
"""The first fixed cases are full objects: they break most mutants."""
_DUTY_EXAMPLES: Final = 100
_TIMEOUT: Final = 300
"""Seconds until a mutant counts as noticed because it does not end."""


class Checker:
    """The groups of a project, loaded, and how many objects to draw for a mutant."""

    def __init__(self, request: Any) -> None:
        self._root = Path(request["root"])
        self._top: list[str] = request["top"]
        self._examples: int = request["examples"]
        self._seed: int = request["seed"]
        self._tools = {name: _load(name) for name in request["packages"]}

    def answer(self, request: Any) -> str:
        """Return the first law that does not hold for the mutant of a request; "" if all do."""
        names: list[str] = request["packages"]
        try:
            mutant = None if request["mutant"] is None else Mutant(**request["mutant"])
            if mutant is not None and (plant(mutant, self._root, self._top) or mutant.what == RARE):
                # What the code compares with is looked for when tools are made.
                self._tools = {name: _load(name) for name in names}
            tools = [self._tools[name] for name in names]
            return next(self._broken(tools, request["kinds"]), "")
        except Exception as error:  # noqa: BLE001 - code that does not even load is noticed
            return type(error).__name__

    def _broken(self, tools: Sequence[Tools], kinds: Sequence[str]) -> Iterator[str]:
        starts = [
            (own, kind, start)
            for own in tools
            for kind in own.subject.kinds()
            if not kinds or kind in kinds
            for start in own.subject.versions(kind)
        ]
        for own, kind, start in starts:
            full = islice(fixed_cases(own.subject, kind, start), _FULL)
            yield from _of_cases(own, full)
        for number in range(self._examples):
            for own, kind, start in starts:
                case = drawn_case(own.subject, kind, start, self._seed + number)
                yield from _of_cases(own, [case])
        for own, kind, start in starts:
            rest = islice(fixed_cases(own.subject, kind, start), _FULL, None)
            yield from _of_cases(own, rest)
        for own in tools:
            for duty in check_duties(own.subject, _DUTY_EXAMPLES, self._seed):
                if not duty.needed:
                    yield f"L11 {duty.protocol}"


def _of_cases(tools: Tools, cases: Iterable[Case]) -> Iterator[str]:
    for case in cases:
        for violation in check_case(tools, case):
            yield f"{violation.law} {violation.kind} {violation.start} -> {violation.end}"


def _load(package: str) -> Tools:
    scheme: Scheme = importlib.import_module(package).SCHEME
    return Tools.of(Subject(scheme))


def _answer_in_fork(checker: Checker, request: Any) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, checker.answer(request).encode()[:1000] or b"\0")
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], _TIMEOUT)
    answer = os.read(reader, 1000).decode() if ready else "does not end"
    if not ready:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    os.waitpid(child, 0)
    # Without an answer the process ended: that was noticed, too.
    return answer.strip("\0") if answer else "ends the process"


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
