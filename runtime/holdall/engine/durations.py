"""Durations: text as Go prints and parses it, `1h30m0s` or `300ms`, and a number of one unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from typing_extensions import override

from holdall.engine.measures import LARGEST, NumberKind, measure

_MICROSECOND: Final = 10**3
_MILLISECOND: Final = 10**6
_SECOND: Final = 10**9
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
UNITS: Final = {
    "hours": _HOUR,
    "minutes": _MINUTE,
    "seconds": _SECOND,
    "milliseconds": _MILLISECOND,
    "microseconds": _MICROSECOND,
    "nanoseconds": 1,
}
_SIZES: Final = {
    "h": _HOUR,
    "m": _MINUTE,
    "s": _SECOND,
    "ms": _MILLISECOND,
    "us": _MICROSECOND,
    "\u00b5s": _MICROSECOND,
    "\u03bcs": _MICROSECOND,
    "ns": 1,
}
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(h|ms|m|s|us|\u00b5s|\u03bcs|ns)")
_MOST_DIGITS: Final = 19


class duration(measure):
    """A duration as text on the older side, a number of a unit on the newer one."""

    def __init__(self, unit: str, kind: NumberKind) -> None:
        super().__init__(UNITS[unit], kind)

    @override
    def amount_of(self, value: Any) -> int | None:
        return parse(value) if type(value) is str else None

    @override
    def text_of(self, number: int | float, amount: Fraction) -> str | None:
        if amount.denominator != 1 or not -LARGEST - 1 <= amount <= LARGEST:
            return None
        return as_text(int(amount))


def as_text(nanoseconds: int) -> str:
    """Return a duration as Go prints it."""
    sign, left = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if left == 0:
        return "0s"
    if left < _SECOND:
        unit = "ms" if left >= _MILLISECOND else "\u00b5s" if left >= _MICROSECOND else "ns"
        return f"{sign}{_decimal(left, _SIZES[unit])}{unit}"
    hours, left = divmod(left, _HOUR)
    minutes, left = divmod(left, _MINUTE)
    text = f"{_decimal(left, _SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def parse(text: str) -> int | None:
    """Return the nanoseconds of a text, exactly as Go parses it; None if it is not a duration."""
    sign, rest = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if rest == "0":
        return 0
    total = position = 0
    while position < len(rest):
        part = _PART.match(rest, position)
        if part is None:
            return None
        whole, fraction, unit = part[1].lstrip("0"), part[2] or "", part[3]
        if not (part[1] or fraction) or len(whole) > _MOST_DIGITS:
            return None
        total += int(whole or "0") * _SIZES[unit] + _fraction(fraction, _SIZES[unit])
        position = part.end()
    # The smallest duration has no positive partner.
    if not rest or total > LARGEST + (sign == "-"):
        return None
    return -total if sign == "-" else total


def _decimal(amount: int, size: int) -> str:
    """Return an amount in units of a size, with as many decimals as it has."""
    whole, rest = divmod(amount, size)
    decimals = str(rest).rjust(len(str(size)) - 1, "0").rstrip("0") if rest else ""
    return f"{whole}.{decimals}" if decimals else str(whole)


def _fraction(digits: str, size: int) -> int:
    """Return the nanoseconds of a part's decimals, rounded like Go's floats."""
    number, scale = 0, 1.0
    for digit in digits:
        longer = number * 10 + int(digit)
        if longer > LARGEST + 1:
            break
        number, scale = longer, scale * 10
    return int(float(number) * (size / scale))
