"""Texts with units and numbers of a unit, interpreted with decimals (no code of the runtime)."""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from tests.laws.json_form import clone

_EXACT = Context(prec=6000, traps=[InvalidOperation])
_TIMES = {
    "hours": "3600",
    "minutes": "60",
    "seconds": "1",
    "milliseconds": "0.001",
    "microseconds": "0.000001",
    "nanoseconds": "0.000000001",
}
_SUFFIXES = {"h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"} | dict.fromkeys(
    ("us", "\u00b5s", "\u03bcs"), "microseconds"
)
_SUFFIXES["ns"] = "nanoseconds"
_DURATION = re.compile(r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:h|ms|m|s|us|µs|μs|ns))+")
_PART = re.compile(r"([0-9.]+)(h|ms|m|s|us|µs|μs|ns)")


class MisfitError(Exception):
    """A value that the other side cannot hold, where the configuration says that it is an error."""


def count(lens: str, unit: str, kind: str, text: Any) -> Any:
    """Return what a text says in units."""
    del lens
    if type(text) is not str:
        raise MisfitError(f"expected string, found {text!r}")
    ticks = _nanoseconds(text)
    units = _EXACT.divide(Decimal(ticks).scaleb(-9, _EXACT), Decimal(_TIMES[unit]))
    whole = int(units)
    is_whole = ticks == int(_EXACT.multiply(Decimal(whole), Decimal(_TIMES[unit])).scaleb(9))
    return whole if is_whole or kind == "integer" else float(units)


def spell(lens: str, unit: str, number: Any) -> str:
    """Return the text for a number of units."""
    del lens
    if type(number) not in (int, float):
        raise MisfitError(f"expected number, found {clone(number)!r}")
    seconds = _EXACT.multiply(
        Decimal(number if type(number) is int else repr(number)), Decimal(_TIMES[unit])
    )
    ticks = seconds.scaleb(9, _EXACT)
    if ticks != ticks.to_integral_value() or not -(2**63) <= ticks < 2**63:
        raise MisfitError(f"{number} {unit} is no duration")
    return _printed(int(ticks))


def _nanoseconds(text: str) -> int:
    """Return what a duration says; below nanoseconds its decimals are cut off, part by part."""
    if text in ("0", "+0", "-0"):
        return 0
    if not _DURATION.fullmatch(text):
        raise MisfitError(f"{text!r} is no duration")
    total = 0
    for number, suffix in _PART.findall(text):
        ticks = _EXACT.multiply(Decimal(number), Decimal(_TIMES[_SUFFIXES[suffix]]))
        total += int(ticks.scaleb(9, _EXACT))
    total = -total if text[0] == "-" else total
    if not -(2**63) <= total < 2**63:
        raise MisfitError(f"{text!r} is too long")
    return total


def _printed(ticks: int) -> str:
    seconds = Decimal(abs(ticks)).scaleb(-9, _EXACT)
    sign = "-" if ticks < 0 else ""
    if 0 < abs(ticks) < 10**9:
        for suffix, exponent in (("ms", 3), ("\u00b5s", 6), ("ns", 9)):
            shown = seconds.scaleb(exponent)
            if shown >= 1:
                return f"{sign}{shown.normalize():f}{suffix}"
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if hours or minutes else ""]
    return f"{sign}{''.join(parts)}{rest.normalize() + 0:f}s"
