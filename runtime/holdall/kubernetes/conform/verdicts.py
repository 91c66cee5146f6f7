"""Verdicts: the outcomes of checks, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from holdall.kubernetes.conform.exchanges import Exchange
from holdall.types import JsonObject

Outcome: TypeAlias = Literal["pass", "fail", "expected", "skip", "info"]
Level: TypeAlias = Literal["must", "lossless", "operations", "polite"]

LEVELS: Final[tuple[Level, ...]] = ("must", "lossless", "operations", "polite")
"""What API servers depend on, what keeps data, what operators need, and what is good practice."""


class Failed(Exception):
    """The webhook does not do what the check demands; the text says what it did.

    `level` is that of the failed part, if it is milder than the check's.
    """

    def __init__(self, text: str, level: Level | None = None) -> None:
        super().__init__(text)
        self.level: Level | None = level


class Measured(str):
    """What a check measured: figures that differ between runs, and are not part of the verdict."""

    __slots__ = ()


class NotChecked(Exception):
    """The check cannot be run here; the text says why, and what would make it possible."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check, and why.

    `exchanges` prove a failure. Except for what is `measured`, two runs give the same verdicts.
    `known` are the kinds for which the check fails as expected, each with the reason why that is
    right, and what the check found.
    """

    id: str
    level: Level
    title: str
    outcome: Outcome
    reason: str
    exchanges: tuple[Exchange, ...] = ()
    measured: str = ""
    known: tuple[tuple[str, str, str], ...] = ()

    def to_json(self) -> JsonObject:
        """Return the verdict as JSON."""
        return {
            "id": self.id,
            "level": self.level,
            "title": self.title,
            "outcome": self.outcome,
            "reason": self.reason,
            "measured": self.measured,
            "known": [
                {"kind": kind, "reason": reason, "seen": seen} for kind, reason, seen in self.known
            ],
        }

    def counts_at(self, level: Level) -> bool:
        """Return whether this is a failure of a level or of one before it."""
        return self.outcome == "fail" and LEVELS.index(self.level) <= LEVELS.index(level)


def demand(condition: object, text: str, level: Level | None = None) -> None:
    """Raise Failed with the text unless the condition holds."""
    if not condition:
        raise Failed(text, level)
