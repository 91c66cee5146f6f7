"""What an API server takes as it is."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.kubernetes.conform import validity
from holdall.kubernetes.conform.admission import Admission
from holdall.kubernetes.conform.validity import defaulted, is_valid
from tests.support.notation import schema_of

TEXT = {"type": "string"}
NESTED: Any = schema_of("""
in: {a!: string, b: {$: string, $default: x}}
many: {$: [string], $maxItems: 1}
""")


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ({"in": {"a": "", "b": ""}, "many": [""]}, True),
        ({}, True),
        ({"in": {"a": ""}}, False),
        ({"in": {"a": "", "b": None}}, False),
        ({"in": {"b": ""}}, False),
        ({"in": {"a": 1, "b": ""}}, False),
        ({"many": ["", ""]}, False),
        ({"many": [1]}, False),
        ({"many": {}}, False),
    ],
)
def test_what_is_taken_as_it_is(value: Any, taken: bool) -> None:
    """It is valid, and nothing has to be filled in: what `defaulted` and `is_valid` say, too."""
    assert Admission().takes(value, NESTED) is taken
    assert (is_valid(value, NESTED) and defaulted(value, NESTED) == value) is taken


def test_a_part_that_was_taken_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another object, under the same schema; there alone, and what is new is looked at."""
    admission = Admission()
    part: Any = {"a": "", "b": ""}
    assert admission.takes({"in": part}, NESTED)
    looked: list[object] = []
    own_flaws = validity._own_flaws

    def looking(value: Any, *more: Any) -> Any:
        looked.append(value)
        return own_flaws(value, *more)

    monkeypatch.setattr(validity, "_own_flaws", looking)
    assert admission.takes({"in": part, "many": []}, NESTED)
    assert looked == [{"in": part, "many": []}, []]
    assert not admission.takes({"many": part}, NESTED)
