"""A counterexample for people: what does not hold, where, for which object, and how to see it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from holdall.testing.laws.cases import LAWS, PART
from holdall.testing.laws.differences import MISSING, Missing, shown
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import FIXED, Finding
from holdall.testing.laws.shrinking import shrink
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A small object that breaks a law, and the command that finds it again.

    `document` is an API object, or a stored one whose bags are in sight; it was drawn at the
    version `drawn`. `edit` and `damage` are what was done to it, `path` and value.
    """

    law: str
    kind: str
    start: str
    end: str
    claim: str
    differences: tuple[str, ...]
    document: JsonObject
    is_api: bool
    drawn: str
    seed: int | None
    command: str
    edit: Edit | None = None
    damage: Edit | None = None

    def text(self) -> str:
        """Return the counterexample as lines for a terminal."""
        lines = [
            f"{self.kind} {self.start} -> {self.end} breaks {self.law}: {LAWS[self.law]}",
            f"  {self.claim}",
            *(f"    {line}" for text in self.differences for line in text.splitlines()),
            f"  {'API' if self.is_api else 'stored'} object of {self.drawn}:",
            *(f"    {line}" for line in _json.encode_pretty(self.document).splitlines()),
        ]
        for what, edit in ((f"edited at {self.end}", self.edit), ("damaged", self.damage)):
            if edit is not None:
                now = "deleted" if edit.value is MISSING else f"is {shown(edit.value)}"
                lines.append(f"  {what}: {join('', *edit.path)} {now}")
        lines.append(f"  again: {self.command}")
        return "\n".join(lines)

    def to_json(self) -> JsonObject:
        """Return the counterexample as JSON."""
        found: JsonObject = {
            "law": self.law,
            "kind": self.kind,
            "from": self.start,
            "to": self.end,
            "claim": self.claim,
            "differences": list(self.differences),
            "object": self.document,
            "form": "api" if self.is_api else "stored",
            "version": self.drawn,
            "command": self.command,
        }
        if self.seed is not None:
            found["seed"] = self.seed
        for name, edit in (("edit", self.edit), ("damage", self.damage)):
            if edit is not None:
                value, where = edit.value, join("", *edit.path)
                is_now = {"deleted": True} if isinstance(value, Missing) else {"value": value}
                found[name] = {"path": where, **is_now}
        return found


def explain(tools: Tools, finding: Finding, *, options: Sequence[str] = ()) -> Counterexample:
    """Shrink a finding and tell all about it; `options` name what was checked, for the command."""
    smallest = shrink(tools, finding.case, finding.violation)
    case, violation = smallest.case, smallest.violation
    return Counterexample(
        law=violation.law,
        kind=violation.kind,
        start=violation.start,
        end=violation.end,
        claim=violation.claim,
        differences=violation.differences,
        document=smallest.document,
        is_api=smallest.is_api,
        drawn=case.drawn,
        seed=finding.seed if finding.seed != FIXED else None,
        command=command_of(finding, options),
        edit=violation.edit,
        damage=case.damage if violation.damaged else None,
    )


def command_of(finding: Finding, options: Sequence[str] = ()) -> str:
    """Return the command that finds a finding again."""
    law, kind, _, _ = finding.violation.cell
    parts = ["holdall", "laws", "--kind", kind, "--law", law, *options]
    if not options:
        if finding.seed != FIXED:
            parts += ["--seed", str(finding.seed)]
        is_whole = finding.seed == FIXED and f"/{PART} " not in finding.case.seed
        parts += ["--examples", "0" if is_whole else "1"]
    return shlex.join(parts)
