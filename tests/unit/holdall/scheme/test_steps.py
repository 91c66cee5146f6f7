"""Steps that many take together: nobody gets what belongs to another one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdall.scheme.steps import together


def _count(first: int, most: int) -> Iterator[int]:
    yield from range(first, first + most)


def _fails(after: int, error: BaseException) -> Iterator[int]:
    yield from range(after)
    raise error


def test_each_ends_with_what_it_yields_last() -> None:
    """Some take more steps than others, and one takes none."""
    many = [_count(10, 3), _count(20, 1), iter(()), _count(30, 5)]
    assert together(many) == [12, 20, None, 34]
    assert together([]) == []


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3)])
@pytest.mark.parametrize("after", [0, 1, 4])
def test_what_one_raises_is_its_own_end(error: BaseException, after: int) -> None:
    """The others go on."""
    assert together([_count(0, 3), _fails(after, error), _count(5, 4)]) == [2, error, 8]


def test_what_nobody_may_swallow_is_raised() -> None:
    """As an interrupt."""
    with pytest.raises(KeyboardInterrupt):
        together([_fails(1, KeyboardInterrupt())])


def test_each_step_is_taken_by_all_before_the_next_one() -> None:
    """In the order of those that take them."""
    taken: list[tuple[str, int]] = []

    def walk(name: str, steps: int) -> Iterator[None]:
        for step in range(steps):
            taken.append((name, step))
            yield

    together([walk("a", 2), walk("b", 3), walk("c", 1)])
    assert taken == [("a", 0), ("b", 0), ("c", 0), ("a", 1), ("b", 1), ("b", 2)]
