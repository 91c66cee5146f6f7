"""Trying every mutant of a project, to find those that no law notices."""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from pathlib import Path
from types import ModuleType
from typing import Final

from holdall.engine.edges import Crossing
from holdall.errors import Problem, SchemeError
from holdall.explain.standing import steps_of
from holdall.plan.plans import GroupPlan, TypeRef
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.facts import peers_of
from holdall.testing.laws.marking import ALL
from holdall.testing.laws.mutant_check import Part, Project, Request, answer, begin
from holdall.testing.laws.mutating import (
    Entry,
    Mutant,
    mutants_of_hooks,
    mutants_of_storage,
    text_of,
)
from holdall.testing.laws.running import each_done, spawned
from holdall.testing.laws.subjects import Subject
from holdall.verification import find_sources

EXAMPLES: Final = 60
"""Drawn objects of each kind and version, for each mutant that full objects do not break."""
_TIMES: Final = 10
"""A mutant does not end if it takes this many times what its parts take without it,"""
_LEAST: Final = 30
"""and these seconds besides."""


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
    """A part without any mutant: its seconds, and by file which of its cases run each line.

    Each case has a bit; all bits are set if a line runs independently of cases.
    """

    part: Part
    seconds: float
    lines: Mapping[str, Mapping[int, int]]

    def cases(self, mutant: Mutant) -> int:
        """Return the bits of the cases for which a line of a mutant runs."""
        ran = self.lines.get(mutant.file, {})
        return reduce(or_, (ran.get(n, 0) for n in range(mutant.line, mutant.last_line + 1)))


def find_trials(root: Path, subjects: Sequence[Subject], kinds: Sequence[str] = ()) -> list[Trial]:
    """Return the mutants of all converters and hooks of a project; with `kinds`, those of
    converters for these kinds, and of all hooks."""
    found: list[Trial] = []
    for subject in subjects:
        found += _of_group(root, subject, kinds)
    parts = parts_of(subjects, kinds)
    for name in hook_files(root, subjects):
        text = text_of(root / name)
        found += [Trial(mutant, parts, is_hook=True) for mutant in mutants_of_hooks(name, text)]
    return found


def hook_files(root: Path, subjects: Sequence[Subject]) -> list[str]:
    """Return the names of the files with hooks, below the folder of the project."""
    packages = dict.fromkeys(subject.scheme.hooks for subject in subjects)
    return [
        source.file
        for package in packages
        for source in find_sources(package, root=root)
        if source.problem is None
    ]


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
    bound = [crossing for _, _, crossing in subject.crossings() if _runs_hook(crossing)]
    claims = {
        id(crossing): names.reads | names.writes
        for crossing in bound
        if (names := crossing.hook_names) is not None
    }
    moved, carried = _moved(subject.plan), _carried(subject.plan)
    for version, module in _storage_modules(scheme):
        path = Path(str(module.__file__))
        hooked = {
            name: claims[id(value)]
            for name, value in vars(module).items()
            if isinstance(value, Crossing) and id(value) in claims
        }
        text = text_of(path)
        for mutant in mutants_of_storage(_shown(root, path), text, hooked, moved, carried):
            owner = TypeRef(version, mutant.owner)
            kinds = _kinds_with(subject, owner) if mutant.owner else subject.kinds()
            kinds = [kind for kind in kinds if not wanted or kind in wanted]
            if kinds:
                yield Trial(mutant, tuple((scheme.package, kind) for kind in (*kinds, "")))


def _runs_hook(crossing: Crossing) -> bool:
    """Return whether a converter runs a hook at its end; `Always` fills in around the converter."""
    return crossing.bound is not None and (crossing.steps is None or bool(crossing.two_way))


def _storage_modules(scheme: Scheme) -> Iterator[tuple[str, ModuleType]]:
    for version in scheme.versions:
        yield version.name, importlib.import_module(f"{scheme.package}.{version.module}.storage")


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root.resolve()).as_posix()


def _moved(plan: GroupPlan) -> dict[str, frozenset[Entry]]:
    """Return the entries of properties that moves take out of objects, by the types' names."""
    found: dict[str, set[Entry]] = {}
    for edge in plan.edges:
        for decision in edge.decisions:
            ref = edge.older if decision.side == "older" else edge.newer
            *parents, name = steps_of(plan, ref, decision.name)
            holder = plan.within(ref, parents)
            if parents and holder is not None:
                for held in (holder, *peers_of(plan, holder)):
                    found.setdefault(held.name, set()).add((ref.version, name))
    return {name: frozenset(entries) for name, entries in found.items()}


def _carried(plan: GroupPlan) -> dict[str, frozenset[str]]:
    """Return the members that a move takes out of an object itself, by the older type's name."""
    found: dict[str, frozenset[str]] = {}
    for edge in plan.edges:
        own = {
            it.name
            for it in edge.decisions
            if it.fate == "moved"
            and it.name in plan.types[edge.older if it.side == "older" else edge.newer]
        }
        found[edge.older.name] = found.get(edge.older.name, frozenset()) | own
    return found


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
        modules = (module for s in subjects for _, module in _storage_modules(s.scheme))
        converters = (Path(str(module.__file__)) for module in modules)
        project = Project(
            str(root.resolve()),
            [str(root.resolve()), *(entry for entry in sys.path if entry)],
            sorted({name.split(".")[0] for name in names}),
            sorted(subject.scheme.package for subject in subjects),
            [*hook_files(root, subjects), *(_shown(root, path) for path in converters)],
            examples,
            seed,
        )
        tasks = None if hasattr(os, "fork") else 1
        self._pool = spawned(jobs, begin, project, tasks=tasks)

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)

    def check_unbroken(self, parts: Sequence[Part]) -> Iterator[Unbroken]:
        """Yield each part without a mutant, as they are done.

        Raises SchemeError if a law fails.
        """
        requests = [Request(None, {part: ALL}) for part in parts]
        for request, found in each_done(self._pool, answer, requests):
            if found.law:
                text = f"a law fails without any mutant: {found.law}"
                raise SchemeError([Problem("HA705", "", text, "run `holdall laws` first")])
            (part,) = request.parts
            yield Unbroken(part, found.seconds, found.lines)

    def try_all(self, trials: Sequence[Trial], unbroken: Sequence[Unbroken]) -> Iterator[Verdict]:
        """Yield a verdict for each trial, as they are done."""
        requests: list[Request] = []
        for trial in trials:
            own = [each for each in unbroken if each.part in trial.parts]
            # Quick ones come first: most mutants are noticed at once.
            own.sort(key=lambda each: each.seconds)
            limit = math.ceil(_LEAST + _TIMES * sum(each.seconds for each in own))
            mutant = trial.mutant
            cases = {it.part: ALL if mutant.redraws else it.cases(mutant) for it in own}
            if trial.parts:
                requests.append(Request(mutant, cases, limit))
            else:
                yield Verdict(mutant, "", reached=False)
        for request, found in each_done(self._pool, answer, requests):
            if request.mutant is not None:
                yield Verdict(request.mutant, found.law)


def narrowed(
    trials: Sequence[Trial], unbroken: Sequence[Unbroken], kinds: Sequence[str]
) -> list[Trial]:
    """Return trials with only the parts that run the line of their mutant, because it changes
    nothing for others. With `kinds`, a line of a hook that only other kinds run stays."""
    found = []
    for trial in trials:
        own = [each for each in unbroken if each.part in trial.parts]
        parts = tuple(each.part for each in own if each.cases(trial.mutant))
        if not (trial.is_hook and kinds) or any(kind for _, kind in parts):
            found.append(replace(trial, parts=parts))
    return found
