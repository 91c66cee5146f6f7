"""The checks, each with its number in the conformance list and its claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps

from holdall.kubernetes.conform.claims import CLAIMS, Claim
from holdall.kubernetes.conform.trial import Trial
from holdall.kubernetes.conform.verdicts import NotChecked, demand
from holdall.words import counted


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its number in the conformance list, its claim, and the function that tries it.

    The function returns what it saw; `informs` says that this is not a judgement. It raises Failed
    or NotChecked.
    """

    id: str
    claim: Claim
    run: Callable[[Trial], str]
    informs: bool = False

    @property
    def title(self) -> str:
        """The claim in words."""
        return self.claim.title


CHECKS: list[Check] = []
"""All checks, in the order of the list; filled by the modules that define them."""


def check(
    number: int, *, informs: bool = False
) -> Callable[[Callable[[Trial], str]], Callable[[Trial], str]]:
    """Register a function as the check WC-`number`; its docstring says how it is made."""

    def register(run: Callable[[Trial], str]) -> Callable[[Trial], str]:
        CHECKS.append(Check(f"WC-{number:02}", CLAIMS[number], run, informs))
        return run

    return register


def check_tries(
    number: int, noun: str, unless: str = ""
) -> Callable[[Callable[[Trial], Iterator[str]]], Callable[[Trial], str]]:
    """Register a generator as the check WC-`number`: it yields the fault of each try, or "".

    The check ends with the first fault, else with the number of tries, each of which is a `noun`.
    `unless` is why there may be none: the check is not made then.
    """

    def register(tries: Callable[[Trial], Iterator[str]]) -> Callable[[Trial], str]:
        @check(number)
        @wraps(tries)
        def run(trial: Trial) -> str:
            tried = 0
            for fault in tries(trial):
                demand(not fault, fault)
                tried += 1
            if unless and not tried:
                raise NotChecked(unless)
            return counted(tried, noun)

        return run

    return register
