"""Checking the laws in several processes, in portions of kinds, versions and seeds."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeVar

from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Fixed, Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from holdall.text.files import keep_for_results

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

PORTION = 250
"""Objects that one process checks before it reports."""

_TOOLS: dict[str, Tools] = {}


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of the work: one kind from one version on, and the seeds `first` up to `last`.

    `fixed` says which cases that no seed chooses are checked, too.
    """

    package: str
    kind: str
    start: str
    first: int
    last: int
    fixed: Fixed


def portions(
    subjects: Sequence[Subject], kinds: Sequence[str], examples: int, seed: int
) -> list[Portion]:
    """Return all the work: the number of examples for each kind and version, from one seed.

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
                    fixed = certain if first == seed else "none"
                    found.append(Portion(package, kind, start, first, last, fixed))
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
    # Spawned, not forked: each process then has a hash seed of its own, and so L6 more to say.
    with ProcessPoolExecutor(
        min(jobs, len(work)), get_context("spawn"), _begin, (list(sys.path),)
    ) as pool:
        yield from each_done(pool, _check, work)


def each_done(
    pool: Executor, act: Callable[[_Item], _Result], items: Sequence[_Item]
) -> Iterator[tuple[_Item, _Result]]:
    """Yield each item with its result, as they are done; after an early end no other is begun."""
    waiting = {pool.submit(act, item): item for item in items}
    try:
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(path: list[str]) -> None:
    sys.path[:] = path
    keep_for_results()


def _check(portion: Portion) -> Outcome:
    tools = _TOOLS.get(portion.package)
    if tools is None:
        subject = Subject(importlib.import_module(portion.package).SCHEME)
        tools = _TOOLS[portion.package] = Tools.of(subject)
    seeds = range(portion.first, portion.last)
    return check_kind(tools, portion.kind, portion.start, seeds, fixed=portion.fixed)
