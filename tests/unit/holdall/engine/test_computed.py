"""Functions that raise: an error, or a misfit where that is declared; other failures are errors."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.engine.computed import computed, scalar
from holdall.engine.functions import function
from holdall.engine.misfit import MISFIT
from holdall.errors import FunctionFailure

HERE = "tests.unit.holdall.engine.test_computed"


def stop(value: Any) -> Any:
    """End the process, as a script does."""
    raise SystemExit(value)


def wrong(value: Any) -> Any:
    """Return what is no integer."""
    return f"{value}"


def _computed(up: str, *, may_raise: bool) -> computed:
    return computed(
        scalar("string"),
        scalar("integer"),
        function(up),
        function("builtins:str"),
        may_raise=may_raise,
    )


def test_a_function_that_raises() -> None:
    """It has no value for its argument, if it may raise; else nothing is converted."""
    assert _computed("builtins:int", may_raise=True).to("x") is MISFIT
    assert _computed("builtins:int", may_raise=True).to("12") == 12
    with pytest.raises(FunctionFailure, match=r"builtins:int: ValueError: invalid literal"):
        _computed("builtins:int", may_raise=False).to("x")


@pytest.mark.parametrize(
    "path", [f"{HERE}:stop", f"{HERE}:wrong", f"{HERE}:missing", "no_such_module:f"]
)
def test_other_failures(path: str) -> None:
    """A function that is not there, or returns what does not fit, is a mistake in any case."""
    with pytest.raises(FunctionFailure):
        _computed(path, may_raise=True).to("x")
