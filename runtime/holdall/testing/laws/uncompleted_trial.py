"""The laws on one case without completing hooks: for what edges make by themselves."""

from __future__ import annotations

from dataclasses import replace

from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.subjects import without
from holdall.testing.laws.trial import Trial


class UncompletedTrial:
    """One case in its stored form, if its kind has completing hooks.

    Such a hook claims whole members, and its residue brings back what the edges lose that it
    completes. So what these make is looked at by itself.
    """

    def __init__(self, tools: Tools, case: Case) -> None:
        self._tools = tools
        self._case = case

    def run(self) -> list[Violation]:
        """Check all laws of the stored form; return what does not hold."""
        completed, tools = self._tools.completed, self._tools.uncompleted
        if tools is None or self._case.kind not in completed.kinds:
            return []
        with without(completed.crossings):
            found = Trial(tools, self._case).run()
        claim = f"without {', '.join(completed.names)}: "
        return [replace(one, claim=claim + one.claim) for one in found]
