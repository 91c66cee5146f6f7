"""Verdicts: what a check of the conformance list came to, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdall.types import JsonObject

Outcome: TypeAlias = Literal["pass", "fail", "skip", "info"]


class Failed(Exception):
    """The webhook does not do what the check demands; the text says what it did."""


class NotChecked(Exception):
    """The check cannot be made here; the text says why, and what would make it possible."""


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


def demand(condition: object, text: str) -> None:
    """Raise Failed with the text unless the condition holds."""
    if not condition:
        raise Failed(text)
