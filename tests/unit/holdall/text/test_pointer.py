"""Where in a JSON value a part of it is."""

from __future__ import annotations

from holdall.text.pointer import pointer_to


def test_a_part_is_found_by_identity() -> None:
    part = {"b": [1]}
    value = {"x": [{"b": [1]}, {"a/b": part}]}
    assert pointer_to(value, part) == "/x/1/a~1b"
    assert pointer_to(value, value) == ""
    assert pointer_to(value, {"b": [1]}) is None
