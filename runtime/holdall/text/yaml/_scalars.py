"""What a plain scalar means to different readers, and where they disagree.

Three readers count: YAML 1.1 as PyYAML reads it, Kubernetes (sigs.k8s.io/yaml), and the core schema
of YAML 1.2. There are two deliberate deviations: dates are text, though YAML 1.1 makes them date
objects, and decimal integers beyond 64 bits stay exact, though Kubernetes makes them floats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from holdall.text.documents import INEXACT, MAX_DIGITS, Scalars, inexact, is_exact

Reading: TypeAlias = "bool | int | float | str | None"
N = TypeVar("N", int, float)

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_SWITCHES: Final[dict[str, bool]] = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), False),
}
# What Kubernetes reads as booleans, besides the words of all readers.
_BOOLEANS: Final = {**_SWITCHES, "y": True, "Y": True, "n": False, "N": False}
_NON_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_MAY_BE_NUMBER: Final = frozenset("0123456789+-.")
_MAY_BE_WORD: Final = frozenset("tTfFnN~yYoO")

_INT_1_1: Final = re.compile(
    r"""(?P<sign>[-+]?)(?:0b(?P<bin>[01_]+)|0(?P<oct>[0-7_]+)|(?P<dec>0|[1-9][0-9_]*)
    |0x(?P<hex>[0-9a-fA-F_]+)|(?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+))""",
    re.VERBOSE,
)
_FLOAT_1_1: Final = re.compile(
    r"""[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?
    |\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
    |(?P<sixty>[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)""",
    re.VERBOSE,
)
_INT_GO: Final = re.compile(
    r"[-+]?(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+))"
)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_FLOAT_GO_DOT: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_INT_1_2: Final = re.compile(r"[-+]?(?P<dec>[0-9]+)|0o(?P<oct>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)")

# Longer numbers are refused unless they are decimal integers: readers disagree on them, and one
# converted from hexadecimal could have more digits than the interpreter prints.
_MAX_OTHER_FORM: Final = 1000
_LONG_NUMBER: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bBoO][0-7_]+|[0-9_.:eE+-]+)")

_BASES: Final = {"bin": 2, "oct": 8, "dec": 10, "hex": 16}
_NO_JSON: Final = "HA105"
_AMBIGUOUS: Final = "HA104"


class ScalarError(Exception):
    """A plain scalar that is refused: `code`, `message` and `fix` for a Problem."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        self.code = code
        self.message = message
        self.fix = fix
        super().__init__(message)


def read_plain(text: str, scalars: Scalars) -> Reading:
    """Return the value of a plain scalar.

    Raises ScalarError if it has no JSON value, and in strict mode if its readers disagree.
    """
    first = text[:1]
    if first in _MAY_BE_NUMBER:
        if len(text) < 18 and _DECIMAL.fullmatch(text):
            return int(text)
        return _read_number(text, scalars)
    if first and first not in _MAY_BE_WORD:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text not in _BOOLEANS:
        return text
    if scalars == "kubernetes":
        return _BOOLEANS[text]
    raise _ambiguous(text, _SWITCHES.get(text, text), _BOOLEANS[text], text)


def is_text_everywhere(text: str) -> bool:
    """Return whether all three readers take the plain scalar `text` as the string `text`."""
    if text[:1] in _MAY_BE_NUMBER:
        if len(text) > _MAX_OTHER_FORM:
            return not _LONG_NUMBER.fullmatch(text)
        if _NON_FINITE.fullmatch(text):
            return False
        readings = (_read_1_1(text), _read_kubernetes(text), _read_1_2(text))
        return all(type(reading) is str for reading in readings)
    return not (text in _WORDS or text in _BOOLEANS)


# The readings of finite numbers by the three readers.


def _read_1_1(text: str) -> Reading:
    """Return what YAML 1.1 makes of it (dates and `=` are text here)."""
    match = _INT_1_1.fullmatch(text)
    if match:
        sign = -1 if match["sign"] == "-" else 1
        if match["sixty"]:
            return sign * _base_sixty(match["sixty"], int)
        kind = match.lastgroup or ""
        digits = match[kind].replace("_", "") if kind in _BASES else ""
        # `0_` is zero; `0x_` and `0b_` crash YAML 1.1 readers, so any number will do.
        return sign * int(digits or "0", _BASES[kind])
    match = _FLOAT_1_1.fullmatch(text)
    if match:
        if match["sixty"]:
            return _base_sixty(text, float)
        return float(text.replace("_", ""))
    return text


def _read_kubernetes(text: str) -> Reading:
    """Return what sigs.k8s.io/yaml makes of it (big decimal integers stay exact)."""
    if text.startswith("."):
        return _finite_or(text, text) if _FLOAT_GO_DOT.fullmatch(text) else text
    plain = text.replace("_", "")
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    match = _INT_GO.fullmatch(plain)
    if match:
        kind = match.lastgroup or ""
        value = int(match[kind], _BASES[kind]) * (-1 if plain[0] == "-" else 1)
        if -(2**63) <= value < 2**64:
            return value
    return _finite_or(plain, text) if _FLOAT.fullmatch(plain) else text


def _read_1_2(text: str) -> Reading:
    """Return what the core schema of YAML 1.2 makes of it."""
    match = _INT_1_2.fullmatch(text)
    if match:
        kind = match.lastgroup or ""
        return int(match[kind], _BASES[kind]) * (-1 if text[0] == "-" else 1)
    return float(text) if _FLOAT.fullmatch(text) else text


def _read_number(text: str, scalars: Scalars) -> Reading:
    if len(text.lstrip("+-")) <= MAX_DIGITS and _DECIMAL.fullmatch(text):
        return int(text)
    if len(text) > _MAX_OTHER_FORM:
        if not _LONG_NUMBER.fullmatch(text):
            return text
        message = f"a number of {len(text)} characters is too long"
        raise ScalarError(_NO_JSON, message, "quote it")
    if _NON_FINITE.fullmatch(text):
        message = f"{text} is {_show(_non_finite(text))}, which JSON does not have"
        raise ScalarError(_NO_JSON, message, f'write "{text}" or null')
    kubernetes = _read_kubernetes(text)
    if scalars == "kubernetes":
        return exact(text, kubernetes)
    old, new = _read_1_1(text), _read_1_2(text)
    if _agree(old, kubernetes) and _agree(old, new) and type(old) is not int:
        return exact(text, old)
    if isinstance(old, float) and isinstance(new, float) and math.isinf(old):
        message = f"{text} is out of the range of JSON numbers, and a string for Kubernetes"
        raise ScalarError(_NO_JSON, message, f'write "{text}" or a smaller number')
    raise _ambiguous(text, old, kubernetes, new)


def exact(text: str, value: Reading) -> Reading:
    """Return the reading of a text. Raises ScalarError if it is another number."""
    if isinstance(value, float) and not is_exact(text.replace("_", ""), value):
        shown = write_float(value)
        raise ScalarError(INEXACT, inexact(text, shown), f'write "{text}" or {shown}')
    return value


def _agree(one: Reading, other: Reading) -> bool:
    return type(one) is type(other) and one == other


def _ambiguous(text: str, old: Reading, kubernetes: Reading, new: Reading) -> ScalarError:
    if not _agree(old, new):
        message = f"{text} is {_show(old)} in YAML 1.1 and {_show(new)} in YAML 1.2"
    elif not _agree(old, kubernetes):
        # In the specification of YAML 1.1 `y` is a boolean; PyYAML never read it as one.
        message = f"{text} is {_show(old)} for PyYAML and {_show(kubernetes)} for Kubernetes"
    else:
        message = (
            f"{text} is {_show(old)} in YAML 1.1 and {_show(new)} in YAML 1.2,"
            " but is not written as a JSON number"
        )
    others = [reading for reading in (old, new, kubernetes) if _is_writable(reading)]
    fix = f'write "{text}"' + (f" or {_show(others[0])}" if others else "")
    return ScalarError(_AMBIGUOUS, message, fix)


def _is_writable(reading: Reading) -> bool:
    return not isinstance(reading, str) and (
        not isinstance(reading, float) or math.isfinite(reading)
    )


def _show(reading: Reading) -> str:
    if reading is None:
        return "null"
    if isinstance(reading, bool):
        return "true" if reading else "false"
    if isinstance(reading, str):
        return f'the string "{reading}"'
    if isinstance(reading, float) and not math.isfinite(reading):
        if math.isnan(reading):
            return "not a number"
        return "infinity" if reading > 0 else "-infinity"
    return write_float(reading) if isinstance(reading, float) else str(reading)


def write_float(value: float) -> str:
    """Write a finite float so that every reader reads it: with a point, even before an exponent."""
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    if not e or "." in mantissa:
        return text
    return f"{mantissa}.0e{exponent}"


def _non_finite(text: str) -> float:
    return float(text.lower().replace(".", ""))


def _finite_or(number: str, text: str) -> Reading:
    value = float(number)
    return value if math.isfinite(value) else text


def _base_sixty(text: str, read: Callable[[str], N]) -> N:
    value = read("0")
    for part in text.lstrip("+-").replace("_", "").split(":"):
        value = value * 60 + read(part)
    return -value if text[0] == "-" else value
