"""How much work an act is, without a clock: no outcome depends on how busy a machine is."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from holdall.version import VERSION, described


def steps_of(act: Callable[[], object]) -> int:
    """Return how many functions are called while something is done, and how many return.

    The test is skipped on a compiled wheel, whose functions call each other unseen: what is left to
    count depends on what the process did before.
    """
    if described() != VERSION:
        pytest.skip("the functions of a compiled wheel are not counted")
    count = 0

    def count_one(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(count_one)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


class Compared(str):
    """A text whose comparisons are steps."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)
