"""What a conversion reports: what was lost, dropped, or kept without being used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from holdall.carriers.boundary import LOST_ELEMENT, Dropped, Lost
from holdall.objects.bag import RESIDUE_PREFIX
from holdall.objects.tolerance import Unused

_OTHER_HOOK: Final = "another hook kept it, and it does not agree with what the hook makes now"
Report: TypeAlias = list[Lost | Dropped | Unused]


def loses(report: Report) -> bool:
    """Tell whether a document does not carry what it should: some of its data is gone.

    What is dropped was about something that is there no longer, and what is unused is still kept.
    """
    return any(isinstance(entry, Lost) for entry in report)


def lost_elements(entries: Iterable[tuple[str, str, str]]) -> list[Dropped]:
    """Return a report of elements that were kept in entries: address, origin and key of each.

    What two-way hooks have kept has no elements.
    """
    element = f"an element of {LOST_ELEMENT}"
    return [
        Dropped(*entry, _OTHER_HOOK if entry[2].startswith(RESIDUE_PREFIX) else element)
        for entry in entries
    ]
