"""Exchanging the carrier of tracked values: bags for entries, or entries for bags.

An object is converted to the farthest versions and back. On the way there it takes back what is in
one carrier, on the way back it leaves the same in the other. Source: docs/declared.md, "Where
tracked values travel".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from holdall.carriers.reports import Report
from holdall.carriers.tracking.entries import Section, Sections
from holdall.errors import HoldallError
from holdall.text import json as _json
from holdall.types import Members

Step: TypeAlias = Callable[[Members, str, str, Sections, Report, bool], Members]
"""Converts an object from a version to its neighbour; the flag says whether what it leaves becomes
entries instead of bags."""

_WAYS: Final[tuple[tuple[int, Section], ...]] = ((1, "upgrades"), (-1, "downgrades"))


@dataclass
class Exchange:
    """Moves what an object carries into the other carrier.

    `versions` are all of its kind, oldest first; `origins` returns the versions in its bags. What
    cannot be exchanged, because a conversion fails, stays where it is: versions beyond could not be
    reached either.
    """

    versions: Sequence[str]
    step: Step
    origins: Callable[[Members], set[str]]
    sections: Sections
    report: Report = field(default_factory=list, init=False)

    def to_entries(self, root: Members, version: str) -> Members:
        """Return the object with entries instead of bags."""
        return self._exchange(root, version, entries=True)

    def to_bags(self, root: Members, version: str) -> Members:
        """Return the object with bags instead of entries."""
        return self._exchange(root, version, entries=False)

    def _exchange(self, root: Members, version: str, *, entries: bool) -> Members:
        at = self.versions.index(version)
        for way, section in _WAYS:
            waiting = self.origins(root) if entries else self.sections.lists[section].keys()
            beyond = self.versions[at + 1 :] if way > 0 else self.versions[:at]
            if not waiting.isdisjoint(beyond):
                root = self._there_and_back(root, at, way, entries)
        return root

    def _there_and_back(self, root: Members, at: int, way: int, entries: bool) -> Members:
        if not 0 <= at + way < len(self.versions):
            return root
        here, there = self.versions[at], self.versions[at + way]
        kept, before, reported = _json.copy(root), self.sections.copy(), len(self.report)
        try:
            away = self.step(root, here, there, self.sections, self.report, False)
            away = self._there_and_back(away, at + way, way, entries)
            return self.step(away, there, here, self.sections, self.report, entries)
        except (HoldallError, RecursionError):
            self.sections.lists = before.lists
            del self.report[reported:]
            return kept
