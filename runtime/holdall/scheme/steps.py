"""Conversions made step by step, so that many documents can take each step together.

A conversion runs more code than the first cache of a processor holds. When all documents take a
step before the next one, it is there from the second document on: up to a third less time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final, TypeAlias, TypeVar

from holdall.engine.member_ways import by_itself

T = TypeVar("T")

Steps: TypeAlias = Generator[Any, None, T]
"""Steps that return something after the last one; what they yield means nothing."""

MOST: Final = 32
"""Documents that go together. Of more, or of more text than MOST_TEXT bytes, not even what is
theirs stays in the second cache."""
MOST_TEXT: Final = 128 * 1024


def last(steps: Iterator[T]) -> T:
    """Take all steps, and return what they yield last. There is at least one."""
    made = next(steps)
    for made in steps:  # noqa: B007 - that is what is returned
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

    Return what each yields last, or what it raises: that is of no concern to the others.
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
