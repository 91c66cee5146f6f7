"""Texts with units and numbers of a unit, interpreted with decimals (no code of the runtime)."""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
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
    if lens == "quantity":
        return _units_of(_amount(text), unit, kind)
    if type(text) is not str:
        raise MisfitError(f"expected string, found {text!r}")
    ticks = _nanoseconds(text)
    units = _EXACT.divide(Decimal(ticks).scaleb(-9, _EXACT), Decimal(_TIMES[unit]))
    whole = int(units)
    is_whole = ticks == int(_EXACT.multiply(Decimal(whole), Decimal(_TIMES[unit])).scaleb(9))
    return whole if is_whole or kind == "integer" else float(units)


def spell(lens: str, unit: str, number: Any) -> str:
    """Return the text for a number of units."""
    if type(number) not in (int, float):
        raise MisfitError(f"expected number, found {clone(number)!r}")
    if lens == "quantity":
        return _quantity(number, unit)
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


_BILLIONTH = Fraction(1, 10**9)
_DECIMALS = ["n", "u", "m", "_", "k", "M", "G", "T", "P", "E"]
_AMOUNT = re.compile(r"([-+]?)([0-9]*)(?:(\.)([0-9]*))?([a-zA-Z].*)?")


def _scale(suffix: str) -> Fraction:
    if suffix.endswith("i") and suffix[:-1] in {*"KMGTPE"}:
        return Fraction(2) ** (10 * ("KMGTPE".index(suffix[:-1]) + 1))
    if (suffix or "_") in _DECIMALS:
        return Fraction(10) ** (3 * _DECIMALS.index(suffix or "_") - 9)
    exponent = re.fullmatch(r"[eE]([-+]?[0-9]{1,3})", suffix)
    if exponent is None:
        raise MisfitError(f"{suffix!r} is no suffix")
    return Fraction(10) ** int(exponent[1])


def _amount(value: Any) -> Fraction:
    if type(value) is int:
        return _sound(Fraction(value))
    found = _AMOUNT.fullmatch(value) if type(value) is str and len(value) < 65 else None
    if found is None or not (found[2] or found[4]):
        raise MisfitError(f"{value!r} is no quantity")
    digits = found[4] or ""
    amount = Fraction(int(found[2] + digits), 10 ** len(digits)) * _scale(found[5] or "")
    return _sound(-amount if found[1] == "-" else amount)


def _sound(amount: Fraction) -> Fraction:
    if abs(amount) >= 2**63 or amount % _BILLIONTH:
        raise MisfitError("too large, or too fine")
    return amount


def _units_of(amount: Fraction, unit: str, kind: str) -> Any:
    units = amount / _scale(unit)
    return int(units) if kind == "integer" or units == int(units) else float(units)


def _quantity(number: Any, unit: str) -> str:
    exact = Decimal(number if type(number) is int else repr(number))
    _sound(Fraction(exact) * _scale(unit))
    return f"{int(exact) if exact == int(exact) else format(exact, 'f')}{unit}"
