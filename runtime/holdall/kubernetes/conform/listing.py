"""The conformance list: claims about a webhook with their levels, and their checks.

`docs/conform.md` has the list as a table, with the source of each claim and what a violation costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import TypeAlias

from holdall.kubernetes.conform.trial import NO_OBJECTS, Trial
from holdall.kubernetes.conform.verdicts import Level, NotChecked, demand
from holdall.words import counted

Run: TypeAlias = Callable[[Trial], str | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its number in the conformance list, its claim, and the function that tries it.

    The function returns remarks, if there are any; `informs` says that they are measurements, not a
    verdict. It raises Failed or NotChecked.
    """

    id: str
    level: Level
    title: str
    run: Run
    informs: bool = False


CHECKS: list[Check] = []
"""All checks, in the order of the list; filled by the modules that define them."""


def check(number: int, level: Level, title: str, *, informs: bool = False) -> Callable[[Run], Run]:
    """Register a function as the check WC-`number`; its docstring says what it does."""

    def register(run: Run) -> Run:
        CHECKS.append(Check(f"WC-{number:02}", level, title, run, informs))
        return run

    return register


def check_tries(
    number: int, level: Level, title: str, noun: str, unless: str = NO_OBJECTS
) -> Callable[[Callable[[Trial], Iterator[str]]], Run]:
    """Register a generator as the check WC-`number`: it yields the fault of each try, or "".

    The check ends with the first fault, or with the number of tries, each of which is a `noun`.
    Without any try it is not checked, for the reason `unless`.
    """

    def register(tries: Callable[[Trial], Iterator[str]]) -> Run:
        @check(number, level, title)
        @wraps(tries)
        def run(trial: Trial) -> str:
            tried = 0
            for fault in tries(trial):
                demand(not fault, fault)
                tried += 1
            if not tried:
                raise NotChecked(unless)
            return counted(tried, noun)

        return run

    return register
