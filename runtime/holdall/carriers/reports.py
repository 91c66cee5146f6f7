"""What a conversion reports: what was lost, dropped, or kept without being used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from holdall.carriers.boundary import LOST_ELEMENT, Dropped, Lost
from holdall.engine.uncertain import Reason
from holdall.objects.tolerance import Unused

_WHY: Final[dict[Reason, str]] = {
    "element": f"an element of {LOST_ELEMENT}",
    "hooks": "another hook kept it, and it does not agree with what the hook makes now",
    "name": "its version has an undeclared member of its name, and keeps that",
    "functions": "it was kept under another function, and does not agree with what that makes now",
}
Report: TypeAlias = list[Lost | Dropped | Unused]


def loses(report: Report) -> bool:
    """Tell whether a document does not carry what it should: some of its data is gone.

    What is dropped was about something that is there no longer, and what is unused is still kept.
    """
    return any(isinstance(entry, Lost) for entry in report)


def unused_parts(entries: Iterable[tuple[str, str, str, Reason]]) -> list[Dropped]:
    """Return a report of what was kept and cannot be used: address, origin and key of each."""
    return [Dropped(address, origin, key, _WHY[why]) for address, origin, key, why in entries]
