"""Errors that one process hands to another."""

from __future__ import annotations

import pickle

import pytest

from holdall.errors import ConversionError, DecodeError, HoldallError, Problem, SourceError


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
