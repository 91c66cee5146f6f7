"""Exchanging the carrier of tracked values: bags for entries, or entries for bags.

An object goes to the farthest versions and back. On the way there it takes back what is in the
one carrier, on the way back it leaves the same in the other. Source: declared versions, 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from holdall.carriers.reports import Report
from holdall.carriers.tracking.entries import Section, Sections
from holdall.errors import HoldallError
from holdall.text import json as _json
from holdall.types import Members

Step: TypeAlias = Callable[[Members, str, str, Sections, Report, bool], Members]
"""Converts an object from a version to its neighbour; the flag says that what it leaves becomes
entries, and stays no bag."""

_WAYS: Final[tuple[tuple[int, Section], ...]] = ((1, "upgrades"), (-1, "downgrades"))


class Exchange:
    """Puts what an object carries into the one carrier or the other.

    `versions` are all of its kind, oldest first; `origins` tells what versions its bags name. What
    cannot be exchanged, because a conversion fails, stays where it is: what lies beyond could not
    be reached either.
    """

    def __init__(
        self,
        versions: Sequence[str],
        step: Step,
        origins: Callable[[Members], set[str]],
        sections: Sections,
    ) -> None:
        self._versions = versions
        self._step = step
        self._origins = origins
        self._sections = sections
        self.report: Report = []

    def to_entries(self, root: Members, version: str) -> Members:
        """Return the object with entries for what its bags hold."""
        return self._exchange(root, version, entries=True)

    def to_bags(self, root: Members, version: str) -> Members:
        """Return the object with bags for what the entries say."""
        return self._exchange(root, version, entries=False)

    def _exchange(self, root: Members, version: str, *, entries: bool) -> Members:
        at = self._versions.index(version)
        for way, section in _WAYS:
            waiting = self._origins(root) if entries else self._sections.lists[section].keys()
            beyond = self._versions[at + 1 :] if way > 0 else self._versions[:at]
            if not waiting.isdisjoint(beyond):
                root = self._there_and_back(root, at, way, entries)
        return root

    def _there_and_back(self, root: Members, at: int, way: int, entries: bool) -> Members:
        if not 0 <= at + way < len(self._versions):
            return root
        here, there = self._versions[at], self._versions[at + way]
        kept, before, reported = _json.copy(root), self._sections.copy(), len(self.report)
        try:
            away = self._step(root, here, there, self._sections, self.report, False)
            away = self._there_and_back(away, at + way, way, entries)
            return self._step(away, there, here, self._sections, self.report, entries)
        except (HoldallError, RecursionError):
            self._sections.lists = before.lists
            del self.report[reported:]
            return kept
