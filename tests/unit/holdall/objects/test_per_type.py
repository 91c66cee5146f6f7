"""What is made once for each type is never seen half made."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from holdall.objects.per_type import PerType

HELD = {"tree": ["leaf", "tree"], "leaf": []}


def test_a_type_may_hold_itself_and_is_made_once() -> None:
    asked: list[str] = []

    def make(cls: str) -> Iterator[list[object]]:
        asked.append(cls)
        found: list[object] = [cls]
        yield found
        found += [made.of(inner) for inner in HELD[cls]]

    made: PerType[list[object]] = PerType(make)
    tree = made.of("tree")
    assert tree == ["tree", ["leaf"], tree]
    assert made.of("tree") is tree
    assert asked == ["tree", "leaf"]


def test_another_thread_waits_until_all_within_is_made() -> None:
    """Else the first conversions of two threads could do without members of a type."""
    is_begun, may_go_on = threading.Event(), threading.Event()

    def make(_: str) -> Iterator[list[str]]:
        found: list[str] = []
        yield found
        is_begun.set()
        assert may_go_on.wait(30)
        found.append("complete")

    made: PerType[list[str]] = PerType(make)
    seen: list[list[str]] = []
    first = threading.Thread(target=made.of, args=("type",))
    first.start()
    assert is_begun.wait(30)
    second = threading.Thread(target=lambda: seen.append([*made.of("type")]))
    second.start()
    second.join(0.05)  # it would be done by then if it did not wait
    may_go_on.set()
    first.join()
    second.join()
    assert seen == [["complete"]]


def test_what_fails_is_not_kept() -> None:
    """A second call fails, too; it does not get what the first one left."""

    def make(_: str) -> Iterator[str]:
        yield "half"
        raise NameError("no such type")

    made: PerType[str] = PerType(make)
    for _ in range(2):
        with pytest.raises(NameError):
            made.of("type")
