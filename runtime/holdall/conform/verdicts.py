"""Verdicts: what a check of the conformance list came to, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdall.types import JsonObject

if TYPE_CHECKING:
    from holdall.conform.trial import Trial

Outcome: TypeAlias = Literal["pass", "fail", "skip", "info"]


class Failed(Exception):
    """The webhook does not do what the check demands; the text says what it did."""


class NotChecked(Exception):
    """The check cannot be made here; the text says why, and what would make it possible."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its number in the conformance list, its claim, and the function that tries it.

    The function returns what it saw; `informs` says that this is no judgement. It raises Failed
    or NotChecked.
    """

    id: str
    title: str
    run: Callable[[Trial], str]
    informs: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check came to, and why."""

    id: str
    title: str
    outcome: Outcome
    reason: str

    def to_json(self) -> JsonObject:
        """Return the verdict as JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "outcome": self.outcome,
            "reason": self.reason,
        }


CHECKS: list[Check] = []
"""All checks, in the order of the list; filled by the modules that define them."""


def check(
    number: int, title: str, *, informs: bool = False
) -> Callable[[Callable[[Trial], str]], Callable[[Trial], str]]:
    """Register a function as the check WC-`number`; its docstring says how it is made."""

    def register(run: Callable[[Trial], str]) -> Callable[[Trial], str]:
        CHECKS.append(Check(f"WC-{number:02}", title, run, informs))
        return run

    return register


def demand(condition: object, text: str) -> None:
    """Raise Failed with the text unless the condition holds."""
    if not condition:
        raise Failed(text)
