"""The tracking options of a declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

TrackedWhat: TypeAlias = Literal["added", "changed", "removed", "variants"]


CHANGED_VALUES: Final = "changedValues"


@dataclass(frozen=True, slots=True)
class Tracking:
    """How values are tracked.

    `track` is the scope; with `tolerant`, an entry that does not fit its property is dropped with a
    warning, instead of failing the conversion. `carrier` is where entries are written; they are
    read from all places.
    """

    carrier: Literal["status", "annotation", "bag"] = "status"
    track: tuple[TrackedWhat, ...] = ("added", "changed", "removed", "variants")
    tolerant: bool = False
