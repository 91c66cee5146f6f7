"""Finding a law that a mutant breaks, in a separate process.

The process loads a project and answers each request in a fork, so that a mutant cannot affect later
requests; without forks, it answers one request and ends.

The answer to a request without a mutant has the seconds that it took, and the cases that ran each
line of converters and of hooks. A mutant changes nothing for cases that do not run its line, and
one that takes many times these seconds does not end. Seconds are CPU time, so other processes do
not matter.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from multiprocessing import Pipe
from pathlib import Path
from typing import Final, TypeAlias

from holdall.engine.edges import Crossing
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import Case, drawn_case, fixed_cases
from holdall.testing.laws.duties import check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.marking import ALL, Lines
from holdall.testing.laws.mutating import Mutant, plant
from holdall.testing.laws.running import check_case
from holdall.testing.laws.subjects import Subject
from holdall.text.files import keep_for_results

_FULL: Final = 8
"""The number of first fixed cases: full objects, which show most mutants, mostly without edits."""
_DUTY_EXAMPLES: Final = 100

Part: TypeAlias = tuple[str, str]
"""What laws are checked on: a package and one of its kinds, or "" for the hooks of the package."""
_IDLE: Final = 10
"""The wall-clock limit of a mutant, as a multiple of its CPU limit."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a process loads: `packages` of groups in a folder, those `top` packages that are loaded
    again with a mutant, and the files whose lines count; and how many objects to draw."""

    root: str
    path: Sequence[str]
    top: Sequence[str]
    packages: Sequence[str]
    files: Sequence[str]
    examples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Request:
    """A mutant, or none, and the bits of the cases of each part that are checked; `limit` is in
    seconds of the processor."""

    mutant: Mutant | None
    parts: Mapping[Part, int]
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The first `law` that does not hold, "" if all do; without a mutant, also the seconds, and by
    file the lines that ran, each with its cases."""

    law: str
    seconds: float = 0.0
    lines: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


class Checker:
    """The groups of a project, loaded."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lines = Lines(project.root, project.files)
        self._tools = {name: _load(name) for name in project.packages}

    def answer(self, request: Request) -> Answer:
        """Find a law that does not hold with the mutant of a request."""
        try:
            if request.mutant is None:
                began = time.process_time()
                law = next(self._broken(request.parts), "")
                return Answer(law, time.process_time() - began, self._lines.by_file())
            is_loaded = plant(request.mutant, Path(self._project.root), self._project.top)
            if is_loaded or request.mutant.redraws:
                # Making tools reads the code.
                self._tools = {name: _load(name) for name, _ in request.parts}
            return Answer(next(self._broken(request.parts), ""))
        except Exception as error:  # noqa: BLE001 - code that does not load counts as noticed
            return Answer(type(error).__name__)

    def _broken(self, parts: Mapping[Part, int]) -> Iterator[str]:
        """Yield what does not hold for those cases of some parts whose bits are set."""
        kinds = [
            (self._tools[package], kind, wanted)
            for (package, kind), wanted in parts.items()
            if kind
        ]
        counts = [count() for _ in kinds]
        # The slowest comes last: every single edit of a full object.
        for stage in range(4):
            for (tools, kind, wanted), numbers in zip(kinds, counts, strict=True):
                for case in self._cases(tools.subject, kind, stage):
                    bit = 1 << next(numbers)
                    if wanted & bit:
                        self._lines.bits = bit
                        for it in check_case(tools, case):
                            yield f"{it.law} {it.kind} {it.start} -> {it.end}"
        for package in [package for package, kind in parts if not kind]:
            self._lines.bits = ALL
            subject, seed = self._tools[package].subject, self._project.seed
            for duty in check_duties(subject, _DUTY_EXAMPLES, seed):
                if not duty.needed:
                    yield f"L11 {duty.protocol}"

    def _cases(self, subject: Subject, kind: str, stage: int) -> Iterator[Case]:
        """Yield the cases of a stage: full ones, drawn ones, all others, a full one with edits."""
        starts = subject.versions(kind)
        if stage == 1:
            for number in range(self._project.examples):
                for start in starts:
                    yield drawn_case(subject, kind, start, self._project.seed + number)
            return
        first, last = {0: (0, _FULL), 2: (_FULL, None), 3: (0, 1)}[stage]
        for start in starts:
            for case in islice(fixed_cases(subject, kind, start), first, last):
                yield case if stage else replace(case, thorough=False)


def _load(package: str) -> Tools:
    scheme: Scheme = importlib.import_module(package).SCHEME
    return Tools.of(Subject(scheme))


_CHECKERS: Final[list[Checker]] = []
"""That of this process, once it has loaded its project."""


def begin(project: Project) -> None:
    """Load the project of this process."""
    keep_for_results()
    sys.path[:] = project.path
    Crossing.passes_over = False  # a mutant may change what its converter would skip
    _CHECKERS.append(Checker(project))


def answer(request: Request) -> Answer:
    """Answer a request in this process, in a fork if there are any."""
    (checker,) = _CHECKERS
    if not hasattr(os, "fork"):
        return checker.answer(request)
    import resource  # where there are forks

    limit = request.limit
    reader, writer = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        writer.send(checker.answer(request))
        os._exit(0)
    writer.close()
    with reader:
        if not reader.poll(None if limit is None else limit * _IDLE):
            os.kill(child, signal.SIGKILL)
        try:
            found: Answer | None = reader.recv()
        except EOFError:
            found = None
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return found or Answer("does not end" if killed else "ends the process")
