"""Trying every mutant of a project: which of them does no law notice?"""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeAlias, TypeVar

from holdall.engine.edges import Crossing
from holdall.errors import InternalError, Problem, SchemeError
from holdall.plan.plans import GroupPlan, Ref, TypeRef
from holdall.testing.laws.facts import peers_of
from holdall.testing.laws.mutating import Entry, Mutant, mutants_of_hooks, mutants_of_storage
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject

EXAMPLES: Final = 60
"""Drawn objects of each kind and version, for each mutant that full objects do not break."""
_TIMES: Final = 10
"""A mutant does not end if it takes this many times what its parts take without it,"""
_LEAST: Final = 30
"""and these seconds besides."""

Part: TypeAlias = tuple[str, str]
"""What laws are checked on: a package and one of its kinds, or "" for the hooks of the package."""
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant, and the parts where it matters."""

    mutant: Mutant
    parts: tuple[Part, ...]
    is_hook: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happened to a mutant: the law that noticed it, "" if it survived.

    It is not `reached` if no object made its line run.
    """

    mutant: Mutant
    law: str
    reached: bool = True


@dataclass(frozen=True, slots=True)
class Unbroken:
    """What a part is without any mutant: its seconds, and which lines of hooks it runs, by file."""

    part: Part
    seconds: float
    lines: Mapping[str, Sequence[int]]

    def reaches(self, mutant: Mutant) -> bool:
        """Tell whether a line of a mutant of a hook runs."""
        ran = self.lines.get(mutant.file, ())
        return any(mutant.line <= line <= mutant.last_line for line in ran)


def find_trials(root: Path, subjects: Sequence[Subject], kinds: Sequence[str] = ()) -> list[Trial]:
    """Return the mutants of all converters and hooks of a project; with `kinds`, those of
    converters that matter to these kinds, and those of all hooks."""
    found: list[Trial] = []
    for subject in subjects:
        found += _of_group(root, subject, kinds)
    parts = parts_of(subjects, kinds)
    for name in hook_files(root, subjects):
        text = (root / name).read_text(encoding="utf-8")
        found += [Trial(mutant, parts, is_hook=True) for mutant in mutants_of_hooks(name, text)]
    return found


def hook_files(root: Path, subjects: Sequence[Subject]) -> list[str]:
    """Return the names of the files with hooks, below the folder of the project."""
    folders = dict.fromkeys(subject.scheme.hooks.replace(".", "/") for subject in subjects)
    paths = (path for folder in folders for path in sorted((root / folder).rglob("*.py")))
    return [path.relative_to(root).as_posix() for path in paths]


def parts_of(subjects: Sequence[Subject], kinds: Sequence[str] = ()) -> tuple[Part, ...]:
    """Return all parts of some groups; with `kinds`, those of these kinds and of their hooks."""
    return tuple(
        (subject.scheme.package, kind)
        for subject in subjects
        if (own := [kind for kind in subject.kinds() if not kinds or kind in kinds])
        for kind in (*own, "")
    )


def _of_group(root: Path, subject: Subject, wanted: Sequence[str]) -> Iterator[Trial]:
    scheme = subject.scheme
    bound = [crossing for _, _, crossing in subject.crossings() if crossing.bound is not None]
    claims = {
        id(crossing): names.reads | names.writes
        for crossing in bound
        if (names := crossing.hook_names) is not None
    }
    moved = _moved(subject.plan)
    for version in scheme.versions:
        module = importlib.import_module(f"{scheme.package}.{version.module}.storage")
        path = Path(str(module.__file__))
        hooked = {
            name: claims[id(value)]
            for name, value in vars(module).items()
            if isinstance(value, Crossing) and id(value) in claims
        }
        text = path.read_text(encoding="utf-8")
        shown = path.relative_to(root.resolve()).as_posix()
        for mutant in mutants_of_storage(shown, text, hooked, moved):
            owner = TypeRef(version.name, mutant.owner)
            kinds = _kinds_with(subject, owner) if mutant.owner else subject.kinds()
            kinds = [kind for kind in kinds if not wanted or kind in wanted]
            if kinds:
                yield Trial(mutant, tuple((scheme.package, kind) for kind in (*kinds, "")))


def _moved(plan: GroupPlan) -> dict[str, frozenset[Entry]]:
    """Return the entries of properties that moves take out of objects, by the types' names."""
    found: dict[str, set[Entry]] = {}
    for edge in plan.edges:
        for decision in edge.decisions:
            *parents, name = decision.name.split("/")
            ref = edge.older if decision.side == "older" else edge.newer
            for parent in parents:
                inner = plan.types[ref].get(parent)
                ref = inner.type if isinstance(inner, Ref) else ref
            if parents:
                for holder in (ref, *peers_of(plan, ref)):
                    found.setdefault(holder.name, set()).add((ref.version, name))
    return {name: frozenset(entries) for name, entries in found.items()}


def _kinds_with(subject: Subject, ref: TypeRef) -> list[str]:
    """Return the kinds whose objects hold an object of a type."""
    return [
        kind
        for kind in subject.kinds()
        if ref.version in subject.kind(kind).types
        and ref in subject.plan.reachable(subject.root(kind, ref.version))
    ]


class Checkers:
    """Processes that check the laws on a project with a mutant, or without; no file is changed."""

    def __init__(
        self, root: Path, subjects: Sequence[Subject], jobs: int, examples: int, seed: int
    ) -> None:
        names = [name for s in subjects for name in (s.scheme.package, s.scheme.hooks)]
        begin = {
            "root": str(root.resolve()),
            "path": [str(root.resolve()), *(entry for entry in sys.path if entry)],
            "top": sorted({name.split(".")[0] for name in names}),
            "packages": sorted(subject.scheme.package for subject in subjects),
            "hooks": hook_files(root, subjects),
            "examples": examples,
            "seed": seed,
        }
        self._jobs = jobs
        self._free: SimpleQueue[_Checker] = SimpleQueue()
        self._all = [_Checker(begin) for _ in range(jobs)]
        for checker in self._all:
            self._free.put(checker)

    def close(self) -> None:
        """End the processes."""
        for checker in self._all:
            checker.close()

    def check_unbroken(self, parts: Sequence[Part]) -> Iterator[Unbroken]:
        """Yield each part without a mutant, as they are done.

        Raises SchemeError if a law fails.
        """
        for part, answer in self._each(parts, lambda part: _request(None, [part], None)):
            if answer["law"]:
                text = f"a law fails without any mutant: {answer['law']}"
                raise SchemeError([Problem("HA705", "", text, "run `holdall laws` first")])
            yield Unbroken(part, answer["seconds"], answer["lines"])

    def try_all(self, trials: Sequence[Trial], unbroken: Sequence[Unbroken]) -> Iterator[Verdict]:
        """Yield a verdict for each trial, as they are done."""
        seconds = {each.part: each.seconds for each in unbroken}
        reached = [trial for trial in trials if trial.parts]

        def request(trial: Trial) -> JsonObject:
            # What is done soon comes first: most mutants are noticed at once.
            parts = sorted(trial.parts, key=lambda part: (not part[1], seconds[part]))
            limit = math.ceil(_LEAST + _TIMES * sum(seconds[part] for part in parts))
            return _request(trial.mutant, parts, limit)

        for trial in trials:
            if not trial.parts:
                yield Verdict(trial.mutant, "", reached=False)
        for trial, answer in self._each(reached, request):
            yield Verdict(trial.mutant, answer["law"])

    def _each(
        self, items: Sequence[_Item], request: Callable[[_Item], JsonObject]
    ) -> Iterator[tuple[_Item, Any]]:
        def ask(item: _Item) -> Any:
            checker = self._free.get()
            try:
                return checker.ask(request(item))
            finally:
                self._free.put(checker)

        with ThreadPoolExecutor(self._jobs) as pool:
            waiting = {pool.submit(ask, item): item for item in items}
            try:
                for future in as_completed(waiting):
                    yield waiting[future], future.result()
            finally:
                pool.shutdown(cancel_futures=True)


def narrowed(
    trials: Sequence[Trial], unbroken: Sequence[Unbroken], kinds: Sequence[str]
) -> list[Trial]:
    """Return trials of hooks with the parts that run the line of their mutant alone: for others
    it changes nothing. Of some `kinds` it is not known whether others run what they do not."""
    found = []
    for trial in trials:
        if trial.is_hook:
            parts = tuple(each.part for each in unbroken if each.reaches(trial.mutant))
            if kinds and not any(kind for _, kind in parts):
                continue
            trial = replace(trial, parts=parts)
        found.append(trial)
    return found


def _request(mutant: Mutant | None, parts: Sequence[Part], limit: int | None) -> JsonObject:
    shown = None if mutant is None else asdict(mutant)
    return {"mutant": shown, "parts": [[*part] for part in parts], "limit": limit}


class _Checker:
    """A process that checks mutants, started again whenever it has ended."""

    def __init__(self, begin: Mapping[str, object]) -> None:
        self._begin = begin
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: JsonObject) -> Any:
        """Return the answer to a request."""
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = self._start()
        if process.stdin is None or process.stdout is None:
            raise InternalError("a process without standard input and output")
        process.stdin.write(_json.encode(request) + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise InternalError("the process that checks mutants has ended")
        return _json.decode(answer)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "holdall.testing.laws.mutant_check"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        if process.stdin is not None:
            process.stdin.write(_json.encode(self._begin) + b"\n")
        return process
