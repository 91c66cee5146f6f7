"""Sources of the generator's choices: a seed, or a fixed sequence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar

from holdall.types import JsonValue

T = TypeVar("T")
MOST: Final = 4
"""Most containers have fewer elements."""
DOZEN: Final = 12
"""The others have no more."""
_FEW: Final = 100
_EACH_TURN: Final = 5


class Choices(ABC):
    """Makes the choices of a generator; 0 and few are the simplest ones."""

    __slots__ = ()

    @abstractmethod
    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1."""

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        """Return some of the items, each at most once."""
        rest = list(items)
        count = self.below(min(at_most, len(rest)) + 1)
        return [rest.pop(self.below(len(rest))) for _ in range(count)]

    def size(self) -> int:
        """Return the number of elements for a list or a map."""
        return self.below(DOZEN + 1) if self.rarely(10) else self.below(MOST)

    def rarely(self, one_in: int) -> bool:
        """Return whether to do something rare."""
        return self.below(one_in) == one_in - 1


class Seeded(Choices):
    """Choices that follow from a seed: the same on every machine."""

    __slots__ = ("_random",)

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def below(self, count: int) -> int:
        return int(self._random() * count)


class Crowded(Seeded):
    """Choices for an object with most of its members, and several elements in its lists."""

    __slots__ = ()

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        return [item for item in items if self.below(4)]

    def size(self) -> int:
        return 1 + self.below(MOST)

    def rarely(self, one_in: int) -> bool:
        return self.below(2 * one_in) == 0


class Everything(Choices):
    """Choices for a full object: all members, alternating values.

    With a `start` of 0, all containers have two elements, and nothing rare is done.
    """

    __slots__ = ("_is_plain", "_turn")

    def __init__(self, start: int = 0) -> None:
        self._turn = start
        self._is_plain = start == 0

    def below(self, count: int) -> int:
        self._turn += 1
        return self._turn % count

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        return list(items)

    def size(self) -> int:
        return 2 if self._is_plain else self.below(MOST)

    def rarely(self, one_in: int) -> bool:
        return not self._is_plain and super().rarely(one_in)


class Extremes(Everything):
    """Choices for a full object with only certain values, in long containers.

    `values` are these values, by JSON kind; other kinds are not restricted.
    """

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Sequence[JsonValue]]) -> None:
        super().__init__()
        self.values = values


def pick(choices: Choices, items: Sequence[T]) -> T:
    """Return one of the items."""
    return items[choices.below(len(items))]


@dataclass(frozen=True, slots=True)
class Share:
    """Which of many items to try: the first hundred in a mixed order, or with a `turn` five others.

    Consecutive turns, as many as `turns_of` says, have all others.
    """

    turn: int | None = None

    def of(self, items: Sequence[T]) -> Sequence[T]:
        """Return the share of some items, the same on every machine."""
        mixed = Random(len(items)).random
        order = sorted(items, key=lambda _: mixed())
        others = order[_FEW:]
        if self.turn is None:
            return order[:_FEW] if others else items
        start = self.turn * _EACH_TURN
        return [
            others[place % len(others)]
            for place in range(start, start + min(_EACH_TURN, len(others)))
        ]

    @staticmethod
    def turns_of(count: int) -> int:
        """Return how many turns have all of `count` items but the first hundred."""
        return -(-max(count - _FEW, 0) // _EACH_TURN)
