"""Fates: what happens to one property on one edge, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from holdall_codegen.model import NOWHERE, Location

Fate = Literal[
    "copied",
    "converted",
    "renamed",
    "moved",
    "recursed",
    "stashed",
    "pulled",
    "claimed by a hook",
]

LEFT: Final[tuple[Fate, ...]] = ("stashed", "pulled", "claimed by a hook")
"""Fates of properties that have no partner, or that a hook looks after."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The fate of one property of one side of an edge.

    `side` is the side whose property it is; `partner` is the other side's wire name or path.
    `doubtful` says that a pair has one name and may have two meanings.
    """

    side: Literal["older", "newer"]
    name: str
    fate: Fate
    reason: str
    partner: str = ""
    location: Location = NOWHERE
    doubtful: bool = False
