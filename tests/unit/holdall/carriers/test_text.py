"""Entries of bags in the order in which they are left out."""

from __future__ import annotations

import gc
from typing import Any

from holdall.carriers.text import LeavingOut


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
