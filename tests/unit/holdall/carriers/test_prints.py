"""Fingerprints of lists: worked out only where an annotation may have room for them."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.carriers.prints import LENGTH, prints_of
from holdall.objects.shapes import ValueShape

PLAIN = ValueShape("value")
ROOM = 30 * LENGTH
"""Bytes that hold the fingerprints of 30 elements; 60 different ones are too many."""


@pytest.mark.parametrize(
    ("items", "has_room"),
    [
        ([*range(60)], True),
        ([*range(61)], False),
        ([*range(61), *[0] * 1000], False),
        ([*[0] * 1000, *range(61)], False),
        ([0, *range(61)], False),
        ([0, *range(60)], True),
        ([7] * 5000, True),
    ],
    ids=["60", "61", "61 first", "61 last", "61 and a copy", "60 and a copy", "copies"],
)
def test_fingerprints_that_have_no_room_are_not_made(items: list[Any], has_room: bool) -> None:
    """The number of different elements tells, wherever in the list they are."""
    found = prints_of(items, PLAIN, ROOM)
    assert found == (prints_of(items, PLAIN) if has_room else None)
