"""Which element is found again where, by fingerprints alone; letters stand for fingerprints."""

from __future__ import annotations

import time

import pytest

from holdall.engine.same_elements import same_elements


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
        ("ab", "XY", {}),
        ("a", "X", {0: 0}),
    ],
)
def test_no_guess_leads_to_another(old: str, new: str, found: dict[int, int]) -> None:
    assert same_elements(old, new) == found


def test_many_equal_elements_are_found_in_linear_time() -> None:
    """All but the first, which was edited: each is where it was."""
    count = 60_000
    start = time.process_time()
    found = same_elements(["a"] * count, ["x", *["a"] * (count - 1)])
    assert time.process_time() - start < 3
    assert found == {index: index for index in range(count)}
