"""Exchanging the carrier of tracked values: bags for entries, or entries for bags.

An object goes to the farthest versions and back. On the way there it takes back what waits in the
one carrier, on the way back it leaves the same in the other. Source: declared versions, 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import storage_objects
from holdall.carriers.reports import Report
from holdall.carriers.tracking.entries import Section, Sections
from holdall.errors import HoldallError
from holdall.objects.views import StorageRoot

Step: TypeAlias = Callable[[StorageRoot, str, str, Sections, Report, bool], StorageRoot]
"""Converts an object from a version to its neighbour; the flag says that what it leaves becomes
entries, and stays no bag."""

_WAYS: Final[tuple[tuple[int, Section], ...]] = ((1, "upgrades"), (-1, "downgrades"))


class Exchange:
    """Puts what an object carries into the one carrier or the other.

    `versions` are all of its kind, oldest first. What cannot be exchanged, because a conversion
    fails, stays where it is: what lies beyond could not be reached either.
    """

    def __init__(self, versions: Sequence[str], step: Step, sections: Sections) -> None:
        self._versions = versions
        self._step = step
        self._sections = sections
        self.report: Report = []

    def to_entries(self, root: StorageRoot, version: str) -> StorageRoot:
        """Return the object with entries for what its bags hold."""
        return self._exchange(root, version, entries=True)

    def to_bags(self, root: StorageRoot, version: str) -> StorageRoot:
        """Return the object with bags for what the entries say."""
        return self._exchange(root, version, entries=False)

    def _exchange(self, root: StorageRoot, version: str, *, entries: bool) -> StorageRoot:
        at = self._versions.index(version)
        for way, section in _WAYS:
            waiting = _origins(root) if entries else self._sections.lists[section].keys()
            beyond = self._versions[at + 1 :] if way > 0 else self._versions[:at]
            if not waiting.isdisjoint(beyond):
                root = self._there_and_back(root, at, way, entries)
        return root

    def _there_and_back(self, root: StorageRoot, at: int, way: int, entries: bool) -> StorageRoot:
        if not 0 <= at + way < len(self._versions):
            return root
        here, there = self._versions[at], self._versions[at + way]
        bags = [(twin, twin.property_bag) for _, twin in storage_objects(root)]
        before, reported = self._sections.copy(), len(self.report)
        try:
            away = self._step(root, here, there, self._sections, self.report, not entries)
            away = self._there_and_back(away, at + way, way, entries)
            return self._step(away, there, here, self._sections, self.report, entries)
        except (HoldallError, RecursionError):
            for twin, bag in bags:
                owner: Any = twin
                owner.property_bag = bag
            self._sections.lists = before.lists
            del self.report[reported:]
            return root


def _origins(root: StorageRoot) -> set[str]:
    found: set[str] = set()
    for _, twin in storage_objects(root):
        found.update(twin.property_bag or ())
    return found
