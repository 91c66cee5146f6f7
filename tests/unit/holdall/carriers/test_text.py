"""The text of an envelope, and the order in which entries of bags are left out."""

from __future__ import annotations

import base64
import gc
import zlib
from typing import Any

import pytest

from holdall.carriers.text import MOST_TIMES, PREFIX, LeavingOut, annotation_text, inflated
from holdall.errors import DecodeError


@pytest.mark.parametrize("size", [1023, 1024, 1025, 5_000, 500_000])
@pytest.mark.parametrize("letters", ["a", "ab1", "".join(map(str, range(700)))])
def test_no_text_unpacks_to_more_than_a_few_times_its_length(letters: str, size: int) -> None:
    """What packs better is filled up, by whatever number of letters."""
    for value in (letters * (size // len(letters)) + "x" * rest for rest in range(18)):
        text = annotation_text(value)
        unpacked = inflated(text)
        assert len(unpacked) == len(value) + 2
        assert len(unpacked) <= MOST_TIMES * len(text)


def test_a_text_that_unpacks_to_more_is_refused() -> None:
    """It says so, and nothing of it is decoded."""
    text = PREFIX + base64.b64encode(zlib.compress(b" " * 100_000)).decode()
    most = MOST_TIMES * len(text)
    with pytest.raises(DecodeError, match=f"expands to more than {most} bytes"):
        inflated(text)
    assert inflated(text.ljust(100_000 // MOST_TIMES, "=")) == b" " * 100_000


def test_all_entries_are_named_whatever_the_number_in_a_bag_and_of_an_origin() -> None:
    """Bags without origins, and origins without entries, have none to name."""
    bags: Any = {
        "/a": {"v1": {"x": 1}},
        "/b": {},
        "/c": {"v1": {}, "v2": {"y": 1, "z": 1}},
        "/d": {"v2": {"x": 1}, "v1": {"x": 1}},
    }
    named = [
        ("/a", "v1", "x"),
        ("/c", "v2", "y"),
        ("/c", "v2", "z"),
        ("/d", "v1", "x"),
        ("/d", "v2", "x"),
    ]
    leaving = LeavingOut(bags)
    assert len(leaving) == len(named)
    assert [*leaving.kept(5)] == named
    assert [*leaving.kept(2)] == named[3:]
    assert [*leaving.without(2)] == named[:3]
    assert ("/a", "v1", "x") in leaving.without(2)
    assert ("/d", "v1", "x") not in leaving.without(2)


def test_the_collector_takes_no_notice_of_tens_of_thousands_of_entries() -> None:
    """It would look at all that is alive: what is made for each entry must not be its concern."""
    bags: Any = {f"/spec/parts/{number}": {"v1": {"secret": number}} for number in range(10_000)}
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        leaving = LeavingOut(bags)
        kept, left_out = leaving.kept(100), leaving.without(100)
        made = len(gc.get_objects()) - before
    finally:
        gc.enable()
    assert (len(kept), len(left_out)) == (100, 9_900)
    assert made < 100
