"""Results of pure functions that are remembered for values that come again."""

from __future__ import annotations

import gc
import sys
from itertools import chain
from typing import Any

import pytest

from holdall.engine.remembered import Remembered, nothing_remembered

HUGE = 10**30
SURROGATE = "\ud800"


def asked(results: Remembered, value: Any, result: Any) -> Any:
    """Return what is remembered for a value; note the result."""
    text = results.text_of(value)
    found = results.get(text)
    results.note(text, result)
    return found


def test_a_result_is_remembered_once_its_input_has_come_twice() -> None:
    results = Remembered()
    assert [asked(results, {"a": [1]}, {"b": [2]}) for _ in range(4)] == [
        *[None] * 2,
        *[{"b": [2]}] * 2,
    ]
    assert asked(results, {"a": [True]}, 1) is None
    assert asked(results, {"a": [1.0]}, 1) is None
    assert [asked(results, HUGE, [HUGE]) for _ in range(3)] == [None, None, [HUGE]]


def test_nobody_can_change_what_is_remembered() -> None:
    results = Remembered()
    given: dict[str, list[int]] = {"b": [2]}
    for _ in range(2):
        asked(results, "a", given)
    given["b"].append(3)
    asked_for = asked(results, "a", given)
    asked_for["b"].append(4)
    assert results.get(results.text_of("a")) == {"b": [2, 3]}


def test_what_has_no_text_or_a_long_one_is_not_remembered() -> None:
    results = Remembered()
    for value in (SURROGATE, {"a": [SURROGATE]}, "x" * 40_000):
        assert [asked(results, value, 1) for _ in range(4)] == [None] * 4


@pytest.fixture
def all_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have made remembered takes no room."""
    monkeypatch.setattr(Remembered, "_all", [])
    monkeypatch.setattr(Remembered, "_whole_size", 0)


@pytest.mark.usefixtures("all_room")
def test_no_more_is_remembered_than_there_is_room_for() -> None:
    results = Remembered()
    for _ in range(3):
        for number in range(400):
            asked(results, number, number)
    assert results.get(results.text_of(7)) == 7
    for number in range(400):
        for _ in range(3):
            asked(results, -number, "x" * 10_000)
            size = sum(len(key) + len(text) for key, text in results._results.items())
            assert size <= 1 << 21
    assert len(results._results) > 50
    assert [asked(results, "long", "x" * (1 << 21)) for _ in range(3)] == [None] * 3
    assert len(results._seen) <= 512


@pytest.mark.usefixtures("all_room")
def test_many_remember_no_more_together_than_a_process_has_room_for() -> None:
    """Small texts take more than their bytes; those that nobody has any more take nothing."""

    def size_of(each: Remembered) -> int:
        texts = chain.from_iterable(each._results.items())
        return sys.getsizeof(each._results) + sum(map(sys.getsizeof, texts))

    small = Remembered()
    for number in range(40_000):
        for _ in range(2):
            small.note(small.text_of(number), number)
        if number % 1000 == 0:
            assert size_of(small) <= 1 << 21
    many = [Remembered() for _ in range(80)]
    for number in range(120):
        for at in range(80):
            for _ in range(2):
                many[at].note(many[at].text_of(number), "x" * 20_000)
        assert sum(map(size_of, many)) <= 1 << 26
    there = len(Remembered._all)
    many.clear()
    gc.collect()
    assert len(Remembered._all) == there - 80
    asked(small, "a", 1)
    assert [asked(small, "a", 1) for _ in range(2)] == [None, 1]


def test_nothing_is_remembered_while_that_is_asked_for() -> None:
    """Hooks that others run may be switched off."""
    results = Remembered()
    for _ in range(2):
        asked(results, "a", 1)
    with nothing_remembered():
        assert asked(results, "a", 2) is None
    assert asked(results, "a", 3) == 1
