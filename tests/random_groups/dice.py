"""The source of all random choices of one case: recorded, so that a case can be made smaller."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices by a seed, or by a script of earlier choices; 0 is always the simplest choice."""

    def __init__(self, seed: str, script: Sequence[int] | None = None) -> None:
        self._random = random.Random(seed)
        self._script = script
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1; after the end of a script it is 0."""
        if self._script is None:
            found = self._random.randrange(bound)
        else:
            at = len(self.taken)
            found = min(self._script[at], bound - 1) if at < len(self._script) else 0
        self.taken.append(found)
        return found

    def upto(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return true in so many of a hundred cases."""
        return self.below(100) >= 100 - percent

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in another order."""
        rest, found = list(items), []
        while rest:
            found.append(rest.pop(self.below(len(rest))))
        return found
