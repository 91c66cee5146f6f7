"""What the gate finds: one breaking change, with its place, its reason and its fix."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.cli.problems import problem_value
from holdall.errors import Problem
from holdall.types import JsonValue
from holdall_codegen.breaking.rules import LEVELS, RULES, Rule


@dataclass(frozen=True, slots=True)
class Finding:
    """One breaking change.

    `version` is the version that changed, or a pair as `v1 -> v2`; `path` is the place below the
    kind, `spec/pools/*/size`. `where` is `file:line[:column]` in the state of today.
    """

    name: str
    kind: str
    version: str
    path: str
    what: str
    where: str

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
        message = f"{self.subject}: {self.what}; {self.rule.cost}"
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
            "what": self.what,
            "reason": self.rule.cost,
            "fix": self.rule.fix,
            **{key: place[key] for key in ("where", "file", "line", "column") if key in place},
        }
