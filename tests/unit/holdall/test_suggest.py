"""Names that are like others, and what it costs to look for them."""

from __future__ import annotations

from difflib import get_close_matches

import pytest

from holdall.suggest import closest
from tests.support.work import steps_of

NAMES = ["rename", "color"]


@pytest.mark.parametrize("cutoff", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("length", range(0, 40, 3))
def test_a_name_that_is_too_long_is_like_none(length: int, cutoff: float) -> None:
    """Exactly where the ratio says so, too."""
    name = "rename" + "x" * length
    assert [closest(name, NAMES, cutoff)] == (get_close_matches(name, NAMES, 1, cutoff) or [""])


def test_a_long_name_costs_no_more() -> None:
    assert steps_of(lambda: closest("x" * 100_000, NAMES)) < 100
    assert closest("x", []) == ""
