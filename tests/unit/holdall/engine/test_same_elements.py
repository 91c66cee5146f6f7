"""Which element is found again where, by fingerprints alone; letters stand for fingerprints."""

from __future__ import annotations

import pytest

from holdall.engine.same_elements import same_elements
from tests.support.work import steps_of


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("abc", "cab", {0: 1, 1: 2, 2: 0}),
        ("abc", "aXc", {0: 0, 1: 1, 2: 2}),
        # A copy came: the one in its place is the old one, and what stands beside it is known.
        ("abc", "aXca", {0: 0, 1: 1, 2: 2}),
        # Which of three is the old one tells only their rank, so X may have come with the others.
        ("cba", "acXaaY", {0: 1, 2: 3}),
        ("aabc", "aXc", {3: 2}),
        # What its rank found is not what was edited in its place as well.
        ("aabca", "Xaac", {0: 2, 1: 1, 3: 3}),
        ("ab", "XY", {}),
        ("a", "X", {0: 0}),
    ],
)
def test_no_guess_leads_to_another(old: str, new: str, found: dict[int, int]) -> None:
    assert same_elements(old, new) == found


def test_they_are_found_in_the_same_order_in_all_processes() -> None:
    """Sets of texts have another order in each process; one of numbers is like theirs."""
    assert [*same_elements([5, 3, 5, 3, 7], [5, 3, 7])] == [4, 0, 1]
    assert [*same_elements([3, 5, 3, 5, 7], [3, 5, 7])] == [4, 0, 1]


def test_many_equal_elements_cost_each_the_same() -> None:
    """All but the first, which was edited: each is where it was."""

    def found(count: int) -> dict[int, int]:
        return same_elements(["a"] * count, ["x", *["a"] * (count - 1)])

    assert found(6000) == {index: index for index in range(6000)}
    assert steps_of(lambda: found(6000)) < 10.1 * steps_of(lambda: found(600))
