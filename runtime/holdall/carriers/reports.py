"""The reports of a conversion: what was lost, dropped, or kept unused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from holdall.engine.uncertain import Reason
from holdall.objects.tolerance import Unused
from holdall.text import json as _json

LOST_ELEMENT: Final = "it lost its owner: no element of the list is certainly the same"
_WHY: Final[dict[Reason, str]] = {
    "element": f"an element of {LOST_ELEMENT}",
    "hooks": "another hook kept it, and it does not agree with what the hook makes now",
    "name": "its version has an undeclared member of its name, and keeps that",
    "functions": "it was kept under another function, and does not agree with what that makes now",
}


class Lost(_json.Record, frozen=True, gc=False):  # there may be tens of thousands
    """A bag entry that a document does not carry. `path` is the JSON Pointer of its object."""

    path: str
    origin: str
    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.origin}/{self.key} is lost: {self.reason}"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A bag entry that a document carried but its objects do not take back.

    `address` is the carrier's address of its object. Without a key it names an entry of
    `changedValues`, and says why. Without origin and key it is the JSON Pointer of a carrier that
    could not be read and was left in place.
    """

    address: str
    origin: str
    key: str
    reason: str

    def __str__(self) -> str:
        if self.origin and not self.key:
            return f"{self.address}: the entry for {self.origin} is dropped"
        what = f"{self.origin}/{self.key} is dropped" if self.key else "not read"
        return f"{self.address or '/'}: {what}: {self.reason}"


Report: TypeAlias = list[Lost | Dropped | Unused]


def loses(report: Report) -> bool:
    """Return whether some of a document's data is lost.

    Dropped entries belonged to something that no longer exists, and unused ones are still kept.
    """
    return any(isinstance(entry, Lost) for entry in report)


def unused_parts(entries: Iterable[tuple[str, str, str, Reason]]) -> list[Dropped]:
    """Return reports of kept entries that cannot be used, given address, origin, key and reason."""
    return [Dropped(address, origin, key, _WHY[why]) for address, origin, key, why in entries]
