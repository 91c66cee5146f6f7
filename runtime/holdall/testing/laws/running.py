"""Checking the laws on many cases: one run for each kind and starting version, in one process or in
several, in portions of seeds."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from typing import Any, Final, Literal, TypeAlias, TypeVar

from holdall.errors import WorkerLost
from holdall.testing.laws.api_trial import ApiTrial
from holdall.testing.laws.cases import Case, Cases, Violation
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.subjects import Subject, without
from holdall.testing.laws.trial import Trial
from holdall.text.files import keep_for_results

Cell = tuple[str, str, str, str]
"""A law, a kind, and the two versions."""

FIXED = -1
"""The seed of fixed cases."""
Fixed = Literal["none", "whole", "all"]
"""Which fixed cases: none, those of whole objects, or also those of single members."""

_ONE_WAY: Final = {"L1": True, "L2": False}


@dataclass(frozen=True, slots=True)
class Finding:
    """The first case for which a cell does not hold; `seed` draws it, if it was drawn."""

    violation: Violation
    case: Case
    seed: int = FIXED


@dataclass(slots=True)
class Outcome:
    """The outcome of a run: how many objects it checked, and a finding for each cell that fails."""

    objects: int = 0
    findings: dict[Cell, Finding] = field(default_factory=dict)

    def add(self, found: Iterable[Violation], case: Case, seed: int = FIXED) -> None:
        """Add the violations of a case; the first of each cell counts."""
        self.objects += 1
        for violation in found:
            self.findings.setdefault(violation.cell, Finding(violation, case, seed))

    def merge(self, other: Outcome) -> None:
        """Add the outcome of another run; of two findings, the one with the lower seed counts."""
        self.objects += other.objects
        for cell, finding in other.findings.items():
            mine = self.findings.get(cell)
            if mine is None or finding.seed < mine.seed:
                self.findings[cell] = finding


def check_stored(tools: Tools, case: Case) -> list[Violation]:
    """Check all laws of the stored form of a case."""
    return Trial(tools, case).run()


def check_api(tools: Tools, case: Case) -> list[Violation]:
    """Check all laws of a case as an API object."""
    return ApiTrial(tools, case).run()


def check_uncompleted(tools: Tools, case: Case) -> list[Violation]:
    """Check the stored form of a case without completing hooks, if its kind has some.

    Such a hook claims whole members, and its residue brings back what the edges that it completes
    lose. So the results of these edges are checked separately.
    """
    completed, bare = tools.completed, tools.uncompleted
    if bare is None or case.kind not in completed.kinds:
        return []
    with without(completed.crossings):
        found = Trial(bare, case).run()
    claim = f"without {', '.join(completed.names)}: "
    return [replace(one, claim=claim + one.claim) for one in found]


Trialled: TypeAlias = Callable[[Tools, Case], list[Violation]]
TRIALS: Final[tuple[Trialled, ...]] = (check_stored, check_api, check_uncompleted)


def check_case(tools: Tools, case: Case) -> list[Violation]:
    """Check all laws except that of hooks on one case, in all trials."""
    return [found for trial in TRIALS for found in trial(tools, case)]


def check_kind(
    tools: Tools,
    kind: str,
    start: str,
    seeds: Iterable[int],
    *,
    fixed: Fixed = "all",
    before: int = 0,
) -> Outcome:
    """Check a kind from one version: on fixed cases, and on those of seeds.

    If another call has checked the cases of `before` seeds, it has checked the fixed ones, too.
    """
    outcome, cases = Outcome(), Cases(tools.subject, kind, start)
    if fixed != "none" and not before:
        for case in cases.fixed(parts=fixed == "all"):
            outcome.add(check_case(tools, case), case)
    for number, seed in enumerate(seeds, before):
        for case in cases.of(seed, number, shares=fixed == "all"):
            outcome.add(check_case(tools, case), case, seed)
    return outcome


def cells_of(
    subjects: Sequence[Subject],
    kinds: Sequence[str],
    wanted: Sequence[str],
    starts: Collection[tuple[str, str]] | None,
) -> list[Cell]:
    """Return what is checked: kinds (all, if none is named) and laws for each pair of versions.

    With `starts`, only from these kinds and versions on. L11 is about hooks and has no pairs.
    """
    return [
        (law, kind, start, end)
        for subject in subjects
        for kind in subject.kinds()
        if not kinds or kind in kinds
        for start in subject.versions(kind)
        if starts is None or (kind, start) in starts
        for end in subject.versions(kind)
        if start != end
        for law in laws_of(wanted, upward=subject.is_older(start, end))
    ]


def laws_of(wanted: Iterable[str], *, upward: bool) -> list[str]:
    """Return the laws of a pair of versions, from older to newer or back."""
    return [law for law in wanted if law != "L11" and _ONE_WAY.get(law, upward) == upward]


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

PORTION = 250
"""Objects that one process checks before it reports."""

_TOOLS: dict[str, Tools] = {}


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of the work: one kind from one version on, and the seeds `first` up to `last`.

    `fixed` says which fixed cases are checked, too: by the portion without seeds `before` it.
    """

    package: str
    kind: str
    start: str
    first: int
    last: int
    fixed: Fixed
    before: int


def portions(
    subjects: Sequence[Subject], kinds: Sequence[str], examples: int, seed: int
) -> list[Portion]:
    """Split the work into portions: `examples` for each kind and version, from one seed.

    With 0, only whole objects are checked.
    """
    certain: Fixed = "all" if examples else "whole"
    found = []
    for subject in subjects:
        package = subject.scheme.package
        for kind in subject.kinds():
            if kinds and kind not in kinds:
                continue
            for start in subject.versions(kind):
                for first in range(seed, seed + max(examples, 1), PORTION):
                    last = min(first + PORTION, seed + examples)
                    before = first - seed
                    found.append(Portion(package, kind, start, first, last, certain, before))
    return found


def check_portions(
    work: Sequence[Portion], subjects: Sequence[Subject], jobs: int
) -> Iterator[tuple[Portion, Outcome]]:
    """Yield each portion with its outcome, as they are done."""
    _TOOLS.update({subject.scheme.package: Tools.of(subject) for subject in subjects})
    if jobs < 2 or len(work) < 2:
        for portion in work:
            yield portion, _check(portion)
        return
    # Spawned, not forked: then each process has its own hash seed, which makes L6 stronger.
    with spawned(min(jobs, len(work)), _begin, list(sys.path)) as pool:
        yield from each_done(pool, _check, work)


def spawned(
    jobs: int, begin: Callable[..., None], *arguments: Any, tasks: int | None = None
) -> ProcessPoolExecutor:
    """Return a pool of processes that start with `begin(*arguments)` and end after `tasks` tasks.

    Raises WorkerLost if the system cannot share memory, as without `/dev/shm`.
    """
    context = get_context("spawn")
    try:
        return ProcessPoolExecutor(jobs, context, begin, arguments, max_tasks_per_child=tasks)
    except (ImportError, NotImplementedError, OSError) as error:
        raise WorkerLost(error) from error


def each_done(
    pool: Executor, act: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Iterator[tuple[_Item, _Result]]:
    """Yield each item with its result, as they are done; after an early exit no further one starts.

    Raises WorkerLost if a process is killed.
    """
    waiting: dict[Future[_Result], _Item] = {}
    try:
        waiting.update((pool.submit(act, item), item) for item in items)
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool as error:
        raise WorkerLost from error
    finally:
        for future in waiting:
            future.cancel()


def _begin(path: list[str]) -> None:
    sys.path[:] = path
    keep_for_results()


def _check(portion: Portion) -> Outcome:
    tools = _TOOLS.get(portion.package)
    if tools is None:
        subject = Subject(importlib.import_module(portion.package).SCHEME)
        tools = _TOOLS[portion.package] = Tools.of(subject)
    kind, start, seeds = portion.kind, portion.start, range(portion.first, portion.last)
    return check_kind(tools, kind, start, seeds, fixed=portion.fixed, before=portion.before)
