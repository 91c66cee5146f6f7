"""Measures: an amount that is a text with its unit on one side, a number of one unit on the other.

The text is exact. A number of whole units is an integer; if the other side has no fractions, it
shows the whole units of the text, up to the limit of its format, and the text is kept as residue.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from typing_extensions import override

from holdall.engine.conversions import Conversion
from holdall.engine.misfit import MISFIT
from holdall.types import RANGES

NumberKind: TypeAlias = Literal["int32", "integer", "number"]
LARGEST = 2**63 - 1
"""The largest number that readers of these texts support."""


class measure(Conversion):
    """Text on the older side, a number of units of one `size` on the newer one."""

    def __init__(self, size: Fraction | int, kind: NumberKind) -> None:
        self.size = Fraction(size)
        self.is_whole = kind != "number"
        self._range = RANGES.get(kind)

    @abstractmethod
    def amount_of(self, value: Any) -> Fraction | int | None:
        """Return the amount in a text, None if it has none."""

    @abstractmethod
    def text_of(self, number: int | float, amount: Fraction) -> str | None:
        """Return the text of a number of units, given also as an amount; None if there is none."""

    @override
    def to(self, value: Any) -> Any:
        amount = self.amount_of(value)
        if amount is None:
            return MISFIT
        units = amount / self.size
        if not self.is_whole and units.denominator != 1:
            return float(units)
        whole = int(units)
        return whole if self._range is None else max(self._range[0], min(whole, self._range[1]))

    @override
    def is_more(self, value: Any, upward: bool) -> bool:
        return upward and self.amount_of(value) != 0

    @override
    def back(self, value: Any) -> Any:
        if type(value) is not int and type(value) is not float:
            return MISFIT
        # A float stands for the number in its JSON text, not for the nearest binary number.
        units = Fraction(value) if type(value) is int else Fraction(repr(value))
        number = units.numerator if units.denominator == 1 else value
        text = self.text_of(number, units * self.size)
        return MISFIT if text is None else text
