"""Objects that a function returns are known again: as they are, moved, or as changed copies."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from holdall.engine.traced import Traced

Make = Callable[[list[Any]], Any]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda given: given, [0, 1], id="as they are"),
        pytest.param(lambda given: given[::-1], [1, 0], id="moved"),
        pytest.param(lambda given: [{**one, "size": 9} for one in given], [0, 1], id="changed"),
        pytest.param(lambda given: [{"new": 1, **given[1]}], [1], id="with something in front"),
        pytest.param(lambda given: [dict(one, size=9) for one in given], [0, 1], id="dict"),
        pytest.param(lambda given: [one | {"size": 9} for one in given], [0, 1], id="united"),
        pytest.param(lambda given: [given[0].copy()], [0], id="copied"),
        pytest.param(lambda given: copy.deepcopy(given), [0, 1], id="copied deeply"),
        pytest.param(
            lambda given: [{k: v for k, v in given[1].items() if k != "size"}], [1], id="in part"
        ),
        pytest.param(lambda given: [{**given[0]}, {**given[0]}], [None, None], id="twice"),
        pytest.param(lambda given: [{**given[0]}, given[0]], [None, 0], id="beside itself"),
        pytest.param(lambda given: [{**given[0], **given[1]}], [None], id="of two"),
        pytest.param(lambda given: [{"size": given[0]["size"]}], [None], id="from scratch"),
        pytest.param(lambda given: json.loads(json.dumps(given)), [None, None], id="as text"),
        pytest.param(lambda given: [{"in": {**given[1]}}], [None], id="somewhere else"),
    ],
)
def test_what_was_made_of_what(make: Make, expected: list[int | None]) -> None:
    originals = [{"size": 1, "name": "a"}, {"size": 1, "name": "b", "more": [2]}]
    given = copy.deepcopy(originals)
    traced = Traced()
    for one, original in zip(given, originals, strict=True):
        traced.give_object(one, original)
    assert given == originals
    made = make(given)
    traced.note_copies(made)
    found = [traced.original(one) for one in made]
    assert found == [None if at is None else originals[at] for at in expected]


def test_a_key_that_python_has_once_says_nothing() -> None:
    traced = Traced()
    given: list[Any] = [{"": 1}, {"": 1}, {"a": 1}]
    for at, one in enumerate(given):
        traced.give_object(one, at)
    traced.note_copies(made := [{**one} for one in given])
    assert [traced.original(one) for one in given] == [0, 1, 2]
    assert [traced.original(one) for one in made[:2]] == [None, None]
