"""Trying every mutant of a project: which of them does no law notice?"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant, and where it matters: some packages, and some of their kinds (all if none)."""

    mutant: Mutant
    packages: tuple[str, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happened to a mutant: the law that noticed it, "" if it survived."""

    mutant: Mutant
    law: str


def find_trials(root: Path, subjects: Sequence[Subject]) -> list[Trial]:
    """Return the mutants of all converters and hooks of a project."""
    found: list[Trial] = []
    for subject in subjects:
        found += _of_group(root, subject)
    packages = tuple(subject.scheme.package for subject in subjects)
    for name in dict.fromkeys(subject.scheme.hooks for subject in subjects):
        folder = root / name.replace(".", "/")
        for path in sorted(folder.rglob("*.py")):
            shown = path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            found += [Trial(mutant, packages) for mutant in mutants_of_hooks(shown, text)]
    return found


def _of_group(root: Path, subject: Subject) -> Iterator[Trial]:
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
            kinds = _kinds_with(subject, owner) if mutant.owner else tuple(subject.kinds())
            if kinds:
                yield Trial(mutant, (scheme.package,), kinds)


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


def _kinds_with(subject: Subject, ref: TypeRef) -> tuple[str, ...]:
    """Return the kinds whose objects hold an object of a type."""
    return tuple(
        kind
        for kind in subject.kinds()
        if ref.version in subject.kind(kind).types
        and ref in subject.plan.reachable(subject.root(kind, ref.version))
    )


def try_all(
    root: Path, subjects: Sequence[Subject], trials: Sequence[Trial], jobs: int, seed: int
) -> Iterator[Verdict]:
    """Yield a verdict for each trial, as they are done; no file is changed.

    Raises SchemeError if a law fails without any mutant.
    """
    packages = sorted({package for trial in trials for package in trial.packages})
    names = [name for s in subjects for name in (s.scheme.package, s.scheme.hooks)]
    begin = {
        "root": str(root.resolve()),
        "path": [str(root.resolve()), *(entry for entry in sys.path if entry)],
        "top": sorted({name.split(".")[0] for name in names}),
        "packages": packages,
        "examples": EXAMPLES,
        "seed": seed,
    }
    with ExitStack() as stack:
        checkers: SimpleQueue[_Checker] = SimpleQueue()
        for _ in range(min(jobs, max(len(trials), 1))):
            checkers.put(stack.enter_context(closing(_Checker(begin))))
        first = checkers.get()
        broken = first.ask({"mutant": None, "packages": [*packages], "kinds": []})
        checkers.put(first)
        if broken:
            text = f"a law fails without any mutant: {broken}"
            raise SchemeError([Problem("HA705", "", text, "run `holdall laws` first")])
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [pool.submit(_try, trial, checkers) for trial in trials]
            try:
                for future in as_completed(waiting):
                    yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)


def _try(trial: Trial, checkers: SimpleQueue[_Checker]) -> Verdict:
    checker = checkers.get()
    try:
        request: JsonObject = {
            "mutant": asdict(trial.mutant),
            "packages": [*trial.packages],
            "kinds": [*trial.kinds],
        }
        return Verdict(trial.mutant, checker.ask(request))
    finally:
        checkers.put(checker)


class _Checker:
    """A process that checks mutants, started again whenever it has ended."""

    def __init__(self, begin: Mapping[str, object]) -> None:
        self._begin = begin
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: JsonObject) -> str:
        """Return the law that notices a mutant, "" if none does."""
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
        return str(_json.decode(answer))

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
