"""Where in a JSON value a part of it is."""

from __future__ import annotations

import pytest

from holdall.text.pointer import pointer_to, step


def test_a_part_is_found_by_identity() -> None:
    part = {"b": [1]}
    value = {"x": [{"b": [1]}, {"a/b": part}]}
    assert pointer_to(value, part) == "/x/1/a~1b"
    assert pointer_to(value, value) == ""
    assert pointer_to(value, {"b": [1]}) is None


@pytest.mark.parametrize(
    ("segment", "member", "element"),
    [("1", "named", "second"), ("2", "nothing", "nothing"), ("-1", "nothing", "nothing")],
)
def test_a_step(segment: str, member: str, element: str) -> None:
    """A segment is the name of a member, or the number of an element; scalars have neither."""
    assert step({"1": "named"}, segment, "nothing") == member
    assert step(["first", "second"], segment, "nothing") == element
    assert step("text", segment, "nothing") == "nothing"
    assert step(None, segment) is None
