"""Findings in a CRD, by JSON Pointer; code that has the text turns these into lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from holdall.errors import PlanError, Problem

Level = Literal["error", "warning", "note"]
"""`error`: servers refuse it, or data is lost; `warning`: it causes trouble; `note`: a remark."""

NOT_A_CRD: Final = "HA850"
BAD_NAME: Final = "HA851"
BAD_VERSIONS: Final = "HA852"
BAD_DEPRECATION: Final = "HA853"
BAD_COLUMN: Final = "HA854"
BAD_SUBRESOURCE: Final = "HA855"
BAD_ROOT: Final = "HA856"
NOT_STRUCTURAL: Final = "HA857"
BAD_LIST_TYPE: Final = "HA858"
BAD_EXTENSION: Final = "HA859"
BAD_DEFAULT: Final = "HA860"
BAD_CONVERSION: Final = "HA861"
BAD_CA_BUNDLE: Final = "HA862"
TOO_LARGE: Final = "HA863"
PRESERVES_UNKNOWN: Final = "HA868"
# What the doctor finds beyond what an API server would refuse.
OTHER_TYPE: Final = "HA847"
PROPERTY_NOT_IN_CRD: Final = "HA848"
PROPERTY_UNKNOWN: Final = "HA849"
STORAGE_NOT_NEWEST: Final = "HA867"
LEFT_OVER: Final = "HA869"
NO_SLOT: Final = "HA870"
NO_STATUS_SUBRESOURCE: Final = "HA871"
FORGEABLE: Final = "HA872"
NO_HEADROOM: Final = "HA873"
EMBEDDED: Final = "HA874"
NO_KEYS: Final = "HA875"
NOT_IN_PROJECT: Final = "HA876"
NOT_IN_CRD: Final = "HA877"
UNKNOWN_KIND: Final = "HA878"
NO_CONVERSION: Final = "HA879"


class CrdError(PlanError):
    """CRDs that cannot be made, or that a server would refuse."""

    code = "HA890"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding in a CRD; `pointer` is a JSON Pointer into the CRD document."""

    code: str
    pointer: str
    message: str
    fix: str
    level: Level = "error"

    def locate(self, where: Callable[[str], str], base: str = "") -> Problem:
        """Return the finding as a problem; `where` turns a pointer into `file:line:column`, and the
        CRD is at `base`."""
        return Problem(self.code, where(base + self.pointer), self.message, self.fix)


class Findings(dict[Finding, None]):
    """The findings of one CRD, each once, in the order of discovery."""

    def add(self, code: str, pointer: str, message: str, fix: str, level: Level = "error") -> None:
        """Record a finding."""
        self[Finding(code, pointer, message, fix, level)] = None
