"""Where in a JSON value a part of it is."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.text.pointer import Pointers, step
from tests.support.work import steps_of


def test_a_part_is_found_by_identity() -> None:
    part = {"b": [1]}
    value = {"x": [{"b": [1]}, {"a/b": part}]}
    places = Pointers(value)
    assert places.pointer_to(part) == "/x/1/a~1b"
    assert places.pointer_to(value) == ""
    assert places.pointer_to({"b": [1]}) is None
    assert Pointers(None).pointer_to(part) is None


def test_a_part_that_came_later_is_found() -> None:
    value: dict[str, Any] = {"x": {}}
    places = Pointers(value)
    assert places.pointer_to(value["x"]) == "/x"
    value["y"] = [{}]
    assert places.pointer_to(value["y"][0]) == "/y/0"


def test_many_parts_are_found_in_one_search() -> None:
    def steps(count: int, *, there: bool) -> int:
        parts: list[Any] = [{} for _ in range(count)]
        places = Pointers([] if there else parts)
        return steps_of(lambda: [places.pointer_to(part) for part in parts])

    for there in (True, False):
        assert steps(3000, there=there) < 10.5 * steps(300, there=there)


def test_a_part_of_a_deep_value_with_long_names_is_found() -> None:
    part: dict[str, Any] = {}
    value: dict[str, Any] = {"a" * 100_000: {str(at): {} for at in range(30_000)}, "z": part}
    for _ in range(400):
        value = {"a": value}
    assert (Pointers(value).pointer_to(part) or "").endswith("/a/z")
    name = "b" * 1_000_000
    parts: list[Any] = [[] for _ in range(50_000)]
    places = Pointers({name: parts})
    shown = {places.pointer_to(part) for part in parts}  # fifty gigabytes, if each was whole
    assert shown == {f"/{name[:4095]}..."}


@pytest.mark.parametrize(
    ("segment", "member", "element"),
    [
        ("1", "named", "second"),
        ("2", "nothing", "nothing"),
        ("-1", "nothing", "nothing"),
        ("9" * 5000, "nothing", "nothing"),
    ],
)
def test_a_step(segment: str, member: str, element: str) -> None:
    """A segment is the name of a member, or the number of an element; scalars have neither."""
    assert step({"1": "named"}, segment, "nothing") == member
    assert step(["first", "second"], segment, "nothing") == element
    assert step("text", segment, "nothing") == "nothing"
    assert step(None, segment) is None
