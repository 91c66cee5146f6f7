"""What the gate finds: one breaking change, with its place, its reason and its fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from holdall.errors import Problem, problem_value
from holdall.types import JsonValue
from holdall.words import counted
from holdall_codegen.breaking.rules import LEVELS, RULES, Rule

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One breaking change.

    `version` is the version that changed, or a pair as `v1 -> v2`; `path` is the place below the
    kind, `spec/pools/*/size`, and `others` are more places of the same schema. `where` is
    `file:line[:column]` in the state of today.
    """

    name: str
    kind: str
    version: str
    path: str
    what: str
    where: str
    others: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return self.path, *self.others

    def at(self, places: Sequence[str]) -> Finding:
        """Return the finding of some of its places."""
        return replace(self, path=places[0], others=tuple(places[1:]))

    @property
    def rule(self) -> Rule:
        return RULES[self.name]

    @property
    def subject(self) -> str:
        """What changed: kind, version and path, as far as there are any."""
        return " ".join(part for part in (self.kind, self.version, self.path) if part)

    @property
    def order(self) -> tuple[int, str, str, str, str]:
        """The place in reports: levels in their order, then by what changed."""
        level = LEVELS.index(self.rule.level)
        return level, self.kind, self.version, self.path, self.name

    def problem(self) -> Problem:
        """Return it as a problem, whose code is the name of the rule."""
        message = f"{self.subject}{_more(self.others)}: {self.what}; {self.rule.cost}"
        return Problem(self.name, self.where, message, self.rule.fix)

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        place = problem_value(self.problem())
        return {
            "rule": self.name,
            "level": self.rule.level,
            "kind": self.kind,
            "version": self.version,
            "path": self.path,
            "others": list(self.others),
            "what": self.what,
            "reason": self.rule.cost,
            "fix": self.rule.fix,
            **{key: place[key] for key in ("where", "file", "line", "column") if key in place},
        }


def _more(places: tuple[str, ...]) -> str:
    if not places:
        return ""
    shown = places if len(places) <= _SHOWN else (*places[:_SHOWN], "…")
    more = counted(len(places), "more place")
    return f" and {more} ({', '.join(shown)})"
