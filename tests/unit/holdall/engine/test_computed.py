"""Functions that raise: an error, or a misfit where that is declared; other failures are errors."""

from __future__ import annotations

from typing import Any

import pytest

from holdall import declare
from holdall.engine.computed import computed, scalar
from holdall.engine.functions import function
from holdall.engine.misfit import MISFIT
from holdall.errors import DecodeError, FunctionFailure
from holdall_codegen.declared.types import FORMATS

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


@pytest.mark.parametrize("name", ["I8", "I16", "I32", "U8", "U16", "U32", "U64", "Usize"])
def test_a_range_has_the_name_that_the_module_has(name: str) -> None:
    """Not that of the format, which the module does not mention."""
    (width,) = getattr(declare, name).__metadata__
    with pytest.raises(DecodeError, match=f"^{1 << 70} is out of the range of {name}$"):
        scalar("integer", FORMATS[width.name]).read(1 << 70, False)


@pytest.mark.parametrize("width", ["int", "i64"])
def test_two_names_of_one_format(width: str) -> None:
    """The format does not tell which of them the module has."""
    with pytest.raises(DecodeError, match=r"is out of the range of 64-bit integers$"):
        scalar("integer", FORMATS[width]).read(1 << 63, False)
