"""Conversions of values by declared functions, constants and fallbacks.

Source: docs/declared.md, "Functions".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from holdall.engine.conversions import Conversion, Made
from holdall.engine.functions import FunctionRefusal, function, wrong_result
from holdall.engine.misfit import MISFIT
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag_forms import Form, PlainForm
from holdall.text import json as _json
from holdall.types import RANGES, JsonValue, json_kind

_SCALARS: Final = frozenset({bool, int, float, str})
_KINDS: Final = {"integer": ("integer",), "number": ("integer", "number")}
_WRITTEN: Final = {
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32)},
    "int64": "64-bit integers",
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
    "uint": "Usize",
}
"""The types of modules that declare versions, by format; `int` and `I64` have the same one."""


class scalar(PlainForm):
    """The form of a scalar of one JSON kind.

    Results of functions and tracked values must have this kind, within the range of the format;
    values of twins are not checked.
    """

    def __init__(self, kind: str, format: str = "") -> None:
        self.kinds = _KINDS.get(kind, (kind,))
        self.format = format
        self._range = RANGES.get(format)
        self._types = frozenset({cls for cls in _SCALARS if json_kind(cls()) in self.kinds})

    def write(self, value: Any, stored: bool = True) -> JsonValue:
        written: JsonValue = value if type(value) in _SCALARS else _json.copy(value)
        return written

    def read(self, value: Any, stored: bool = True) -> Any:
        if stored:
            return value if type(value) in _SCALARS else _json.copy(value)
        if type(value) not in self._types:
            raise DecodeError(f"expected {self.kinds[-1]}, found {json_kind(value)}")
        if self._range is not None and not self._range[0] <= value <= self._range[1]:
            raise DecodeError(f"{value} is out of the range of {_WRITTEN[self.format]}")
        return value


class constant:
    """The value of a side that cannot hold one: the default of its type, None for absent."""

    def __init__(self, value: JsonValue = None) -> None:
        self.value = value

    def __call__(self, value: JsonValue) -> JsonValue:
        return _json.copy(self.value)


class failing:
    """A variant without a fallback, whose objects do not convert."""

    def __call__(self, value: JsonValue) -> JsonValue:
        raise FunctionFailure("the other version has no such variant, and no fallback is declared")


FAIL: Final = failing()
Step: TypeAlias = Conversion | function | constant
Fallback: TypeAlias = str | function | constant | failing


class computed(Conversion):
    """A property whose type changed: each direction by a function, implicitly, or to a constant.

    `null_older` and `null_newer` say that the value of that side may be null, which functions and
    constants then convert, too; `json_…` that it is any JSON, so that their None is null, not
    absence. `may_raise` says that functions raise for values that the other side cannot hold.
    """

    is_declared = True

    def __init__(
        self,
        older: Form,
        newer: Form,
        upgrade: Step,
        downgrade: Step,
        *,
        null_older: bool = False,
        null_newer: bool = False,
        json_older: bool = False,
        json_newer: bool = False,
        may_raise: bool = False,
    ) -> None:
        self.older, self.newer = older, newer
        self.may_raise = may_raise
        self.upgrade, self.downgrade = upgrade, downgrade
        self.null_to = null_older and not isinstance(upgrade, Conversion)
        self.null_back = null_newer and not isinstance(downgrade, Conversion)
        self.calls_to = isinstance(upgrade, function)
        self.calls_back = isinstance(downgrade, function)
        self.makes_null_to, self.makes_null_back = json_newer, json_older

    def to(self, value: Any) -> Any:
        if isinstance(self.upgrade, Conversion):
            return self.upgrade.to(value)
        return self._made(self.upgrade, self.older, self.newer, value)

    def back(self, value: Any) -> Any:
        if isinstance(self.downgrade, Conversion):
            return self.downgrade.back(value)
        return self._made(self.downgrade, self.newer, self.older, value)

    def _made(self, step: function | constant, here: Form, there: Form, value: Any) -> Any:
        if isinstance(step, constant):
            return None if step.value is None else there.read(_json.copy(step.value), False)
        try:
            result = step(None if value is None else here.write(value, False))
        except FunctionRefusal:
            if self.may_raise:
                return MISFIT
            raise
        return None if result is None else read_result(step, there, result)

    def made(self, value: Any, upward: bool) -> Iterator[Made]:
        step = self.upgrade if upward else self.downgrade
        if isinstance(step, function):
            yield (), step.path


def read_result(step: function, form: Form, result: JsonValue) -> Any:
    """Return a function's result as a value of a form. Raises FunctionFailure."""
    try:
        return form.read(result, False)
    except DecodeError as error:
        raise wrong_result(step.path, error) from error


class variants(Conversion):
    """An enum whose values have other names, or occur on one side only.

    `names` are renamed values, older to newer; `only_older` and `only_newer` say what values of
    only one side become on the other. Unlisted values pass. Kept values must be strings.
    """

    older = newer = scalar("string")
    of_variants = True

    def __init__(
        self,
        names: Mapping[str, str],
        *,
        only_older: Mapping[str, Fallback] | None = None,
        only_newer: Mapping[str, Fallback] | None = None,
    ) -> None:
        self.names = dict(names)
        self.inverse = {newer: older for older, newer in names.items()}
        self.only_older = dict(only_older or {})
        self.only_newer = dict(only_newer or {})
        self.calls_to = any(isinstance(item, function) for item in self.only_older.values())
        self.calls_back = any(isinstance(item, function) for item in self.only_newer.values())

    def to(self, value: Any) -> Any:
        return _variant(value, self.names, self.only_older)

    def back(self, value: Any) -> Any:
        return _variant(value, self.inverse, self.only_newer)

    def made(self, value: Any, upward: bool) -> Iterator[Made]:
        fallback = _fallback(value, self.only_older if upward else self.only_newer)
        if isinstance(fallback, function):
            yield (), fallback.path


def _variant(value: Any, names: Mapping[str, str], alone: Mapping[str, Fallback]) -> Any:
    if type(value) is not str:
        return _json.copy(value)
    fallback = _fallback(value, alone)
    if fallback is None:
        return names.get(value, value)
    if isinstance(fallback, function):
        return read_result(fallback, scalar("string"), fallback(value))
    return fallback if isinstance(fallback, str) else fallback(value)


def _fallback(value: Any, alone: Mapping[str, Fallback]) -> Fallback | None:
    return alone.get(value) if type(value) is str else None
