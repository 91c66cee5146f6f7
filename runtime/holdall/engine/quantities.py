"""Quantities: text as Kubernetes reads it, `512Mi` or `1.5`, and a number of one unit."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from typing_extensions import override

from holdall.engine.measures import LARGEST, NumberKind, measure

_DECIMAL: Final = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
UNITS: Final = {
    **{unit: Fraction(1000) ** power for power, unit in enumerate(_DECIMAL, -3)},
    **{f"{unit}i": Fraction(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
_LEAST: Final = UNITS["n"]
_TEXT: Final = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]{1,3})|([numkMGTPE]|[KMGTPE]i)?)"
)
_LONGEST: Final = 64


class quantity(measure):
    """A quantity as text on the older side, a number of a unit on the newer one.

    If the older side may also be an integer, that is a quantity without a suffix.
    """

    def __init__(self, unit: str, kind: NumberKind) -> None:
        super().__init__(UNITS[unit], kind)
        self.unit = unit

    @override
    def amount_of(self, value: Any) -> Fraction | None:
        if type(value) is int:
            return Fraction(value) if abs(value) <= LARGEST else None
        return parse(value) if type(value) is str else None

    @override
    def text_of(self, number: int | float, amount: Fraction) -> str | None:
        if not _is_said(amount):
            return None
        return f"{number if type(number) is int else format(Decimal(repr(number)), 'f')}{self.unit}"


def parse(text: str) -> Fraction | None:
    """Return the amount of a quantity that Kubernetes keeps unchanged; None for other texts, and
    for amounts that are too large or less than a billionth."""
    found = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    number, exponent, suffix = found.groups()
    scale = Fraction(10) ** int(exponent) if exponent else UNITS[suffix or ""]
    amount = Fraction(number) * scale
    return amount if _is_said(amount) else None


def _is_said(amount: Fraction) -> bool:
    return abs(amount) <= LARGEST and (amount / _LEAST).denominator == 1
