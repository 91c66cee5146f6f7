"""Conversions in steps, so that many documents can take each step together.

A conversion runs more code than fits in the first-level cache of a processor. If all documents take
a step before the next one, its code is cached from the second document on, which saves up to a
third of the time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final, TypeAlias, TypeVar

from holdall.engine.member_ways import by_itself

T = TypeVar("T")

Steps: TypeAlias = Generator[Any, None, T]
"""Steps that return something after the last one; ignore what they yield."""

MOST: Final = 32
"""Maximum number of documents converted together. With more, or with more text than MOST_TEXT
bytes, their own data would not stay in the second-level cache."""
MOST_TEXT: Final = 128 * 1024


def last(steps: Iterator[T]) -> T:
    """Take all steps, at least one, and return what the last one yields."""
    made = next(steps)
    for made in steps:  # noqa: B007 - the last one is returned
        pass
    return made


def returned(steps: Steps[T]) -> T:
    """Take all steps, and return what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: T = end.value
            return made


def together(many: Iterable[Iterator[T]]) -> list[T | BaseException]:
    """Take one step of each, then the next of each, and so on.

    Return what each yields last, or what it raises, which does not affect the others.
    """
    return by_itself(_in_turns, many)


def _in_turns(many: Iterable[Iterator[T]]) -> list[T | BaseException]:
    going = [*enumerate(many)]
    made: list[Any] = [None] * len(going)
    while going:
        ended: set[int] = set()
        for at, steps in going:
            try:
                made[at] = next(steps)
            except StopIteration:
                ended.add(at)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - returned
                made[at] = error
                ended.add(at)
        if ended:
            going = [one for one in going if one[0] not in ended]
    return made
