"""A counterexample for people: the broken law, where, the object, and how to reproduce it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdall.testing.laws.cases import LAWS, PART
from holdall.testing.laws.differences import MISSING, Missing, shown
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import FIXED, Finding
from holdall.testing.laws.shrinking import Smallest
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A small object that breaks a law, and the command that finds it again.

    The object is an API object, or a stored one with visible bags. `edits` are the changes made to
    it, path and value, by name.
    """

    found: Smallest
    seed: int | None
    command: str

    @property
    def edits(self) -> Mapping[str, Edit | None]:
        violation = self.found.violation
        return {
            "edit": violation.edit,
            "damage": self.found.case.damage if violation.damaged else None,
        }

    def text(self) -> str:
        """Return the counterexample as lines for a terminal."""
        found, it = self.found, self.found.violation
        lines = [
            f"{it.kind} {it.start} -> {it.end} breaks {it.law}: {LAWS[it.law]}",
            f"  {it.claim}",
            *(f"    {line}" for text in it.differences for line in text.splitlines()),
            f"  {'API' if found.is_api else 'stored'} object of {found.case.drawn}:",
            *(f"    {line}" for line in _json.encode_pretty(found.document).splitlines()),
        ]
        for what, edit in zip((f"edited at {it.end}", "damaged"), self.edits.values(), strict=True):
            if edit is not None:
                now = "deleted" if edit.value is MISSING else f"is {shown(edit.value)}"
                lines.append(f"  {what}: {join('', *edit.path)} {now}")
        lines.append(f"  again: {self.command}")
        return "\n".join(lines)

    def to_json(self) -> JsonObject:
        """Return the counterexample as JSON."""
        it = self.found.violation
        found: JsonObject = {
            "law": it.law,
            "kind": it.kind,
            "from": it.start,
            "to": it.end,
            "claim": it.claim,
            "differences": list(it.differences),
            "object": self.found.document,
            "form": "api" if self.found.is_api else "stored",
            "version": self.found.case.drawn,
            "command": self.command,
        }
        if self.seed is not None:
            found["seed"] = self.seed
        for name, edit in self.edits.items():
            if edit is not None:
                value, where = edit.value, join("", *edit.path)
                is_now = {"deleted": True} if isinstance(value, Missing) else {"value": value}
                found[name] = {"path": where, **is_now}
        return found


def explain(tools: Tools, finding: Finding, *, options: Sequence[str] = ()) -> Counterexample:
    """Shrink a finding and describe it; `options` are those of the command that reproduces it."""
    smallest = Smallest(tools, finding.case, finding.violation)
    seed = finding.seed if finding.seed != FIXED else None
    return Counterexample(smallest, seed, command_of(finding, options))


def command_of(finding: Finding, options: Sequence[str] = ()) -> str:
    """Return the command that reproduces a finding."""
    law, kind, _, _ = finding.violation.cell
    parts = ["holdall", "laws", "--kind", kind, "--law", law, *options]
    if not options:
        if finding.seed != FIXED:
            parts += ["--seed", str(finding.seed)]
        is_whole = finding.seed == FIXED and f"/{PART} " not in finding.case.seed
        parts += ["--examples", "0" if is_whole else "1"]
    return shlex.join(parts)
