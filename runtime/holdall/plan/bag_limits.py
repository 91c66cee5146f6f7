"""A project's settings for the bags of a kind: how much they may hold, and where they travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DEFAULT_BUDGET: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class BagLimits:
    """How the bags of one kind travel in its API documents.

    `budget` is the maximum bytes of all carriers of an object. `drop_first` are paths of what is
    left out first if it is exceeded, the most dispensable first: `status`, `spec/pools/*/history`;
    a path covers everything below it, and `*` is one element or key. `status_slots` are the
    versions whose status declares a slot for its bags. `strict` are the paths of lists whose
    elements are identified only by keys and unchanged members: `/spec/rules`,
    `/spec/pools/*/disks`.
    """

    budget: int = DEFAULT_BUDGET
    drop_first: tuple[str, ...] = ()
    status_slots: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
