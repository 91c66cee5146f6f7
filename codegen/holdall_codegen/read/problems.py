"""The problems of sources: their codes, and the list that collects them."""

from __future__ import annotations

from typing import Final

from holdall.errors import Problem, SourceError
from holdall_codegen.model import Location

NO_SUCH_FILE: Final = "HA140"
NOT_A_CRD: Final = "HA141"
OTHER_GROUP: Final = "HA142"
UNLISTED_VERSION: Final = "HA143"
VERSION_WITHOUT_SOURCE: Final = "HA144"
DEFINED_TWICE: Final = "HA145"
NO_SUCH_KIND: Final = "HA146"
MALFORMED_SCHEMA: Final = "HA150"
UNSUPPORTED: Final = "HA151"
UNKNOWN_REF: Final = "HA152"
RESERVED_PROPERTY: Final = "HA153"
CONTRADICTION: Final = "HA154"
TOO_LARGE: Final = "HA155"
UNKNOWN_TYPE_PATH: Final = "HA156"
TYPE_NAME_CLASH: Final = "HA157"
UNKNOWN_OVERLAY_TARGET: Final = "HA170"
UNKNOWN_OVERLAY_PATH: Final = "HA171"
OVERLAY_WITHOUT_EFFECT: Final = "HA172"
OVERLAYS_CLASH: Final = "HA173"


class Findings:
    """All problems of all sources of a group, each reported once, in the order of discovery."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}

    def add(self, code: str, where: Location | str, message: str, fix: str) -> None:
        """Record one problem; `where` is `file:line[:column]`."""
        self._problems[Problem(code, str(where), message, fix)] = None

    def extend(self, problems: tuple[Problem, ...]) -> None:
        """Take over problems that were found elsewhere."""
        self._problems.update(dict.fromkeys(problems))

    def __bool__(self) -> bool:
        return bool(self._problems)

    def raise_any(self) -> None:
        """Raise SourceError with all problems, if there are any."""
        if self._problems:
            raise SourceError(self._problems)
