"""What the laws take for the same, where a move made a parent."""

from __future__ import annotations

import pytest

from holdall.objects.bag import BAG_MEMBER, CREATED_KEY
from holdall.testing.laws.shown import shown_differences
from holdall.types import JsonValue


def _made(mark: str = "absent") -> JsonValue:
    return {BAG_MEMBER: {"v2": {CREATED_KEY: mark}}}


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"box": _made()}, {}),
        ({"box": _made()}, {"box": {}}),
        ({"box": _made()}, {"box": {BAG_MEMBER: {"v2": {"size": 1}}}}),
        ({"box": _made("null")}, {"box": None}),
        ({"box": _made("null")}, {"box": {}}),
        ({}, {"box": _made()}),
    ],
)
def test_clients_see_the_same_parent(expected: JsonValue, found: JsonValue) -> None:
    assert not [*shown_differences(expected, found)]


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"box": _made()}, {"box": {"size": 1}}),
        ({"box": _made()}, {"box": None}),
        ({"box": _made("null")}, {}),
        ({}, {"box": {}}),
        ({"box": {}}, {}),
        ({"box": {}}, {"box": _made()}),
        ({"box": {"size": 1}}, {"box": {}}),
    ],
)
def test_a_parent_that_is_another_is_a_difference(expected: JsonValue, found: JsonValue) -> None:
    assert [str(item) for item in shown_differences(expected, found)]
