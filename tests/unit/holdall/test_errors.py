"""Errors that one process hands to another."""

from __future__ import annotations

import pickle
from inspect import Parameter, signature

import pytest

from holdall.errors import ConversionError, DecodeError, HoldallError, Problem, SourceError
from tests.support.fixes import every_problem_has_a_fix


@pytest.mark.parametrize(
    "error",
    [
        SourceError([Problem("HA100", "a.yaml:1", "wrong", "right")], title="two files"),
        ConversionError("it is wrong", edge=("v1", "v2"), subject="Pool a/b", path="/spec"),
        DecodeError("it is wrong", "/spec"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_the_way_to_another_process(error: HoldallError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


def test_no_problem_goes_without_a_fix() -> None:
    """A problem cannot be made without one; the tests refuse one that is empty."""
    assert signature(Problem).parameters["fix"].default is Parameter.empty
    with pytest.raises(AssertionError, match=r"HA100 a\.yaml:1: wrong"), every_problem_has_a_fix():
        Problem("HA100", "a.yaml:1", "wrong", "")
