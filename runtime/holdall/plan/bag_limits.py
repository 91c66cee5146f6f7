"""What a project says about the bags of a kind: how much they may hold, and where they travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DEFAULT_BUDGET: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class BagLimits:
    """How the bags of one kind travel in its API documents.

    `budget` are bytes of all carriers of an object. `drop_first` are paths of what is left out
    first if they do not suffice, the most dispensable first: `status`, `spec/pools/*/history`;
    a path covers all below it, and `*` stands for one element or key. `status_slots` are the
    versions whose status declares a place for its bags. `strict` are the paths of lists whose
    elements only keys and unchanged members identify: `/spec/rules`, `/spec/pools/*/disks`.
    """

    budget: int = DEFAULT_BUDGET
    drop_first: tuple[str, ...] = ()
    status_slots: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
