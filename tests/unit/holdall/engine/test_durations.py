"""Durations: what Go's time.ParseDuration and Duration.String say, and numbers of a unit."""

from __future__ import annotations

from typing import Any, cast

import pytest

from holdall.engine.durations import UNITS, as_text, duration, parse
from holdall.engine.measures import NumberKind
from holdall.engine.misfit import MISFIT
from holdall.text.json import same

MINUTE = 60 * 10**9
HOUR = 60 * MINUTE
LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0s", 0),
        ("1ns", 1),
        ("1.1µs", 1100),
        ("2.2ms", 2_200_000),
        ("3.3s", 3_300_000_000),
        ("300ms", 300_000_000),
        ("1m30s", 90 * 10**9),
        ("4m5s", 4 * MINUTE + 5 * 10**9),
        ("4m5.001s", 4 * MINUTE + 5_001_000_000),
        ("5h6m7.001s", 5 * HOUR + 6 * MINUTE + 7_001_000_000),
        ("1h0m0s", HOUR),
        ("8m0.000000001s", 8 * MINUTE + 1),
        ("-1m30s", -90 * 10**9),
        ("-1.5µs", -1500),
        ("2562047h47m16.854775807s", MOST),
        ("-2562047h47m16.854775808s", LEAST),
    ],
)
def test_text_as_go_prints_it(text: str, nanoseconds: int) -> None:
    """Such a text is parsed, and printed from what it says."""
    assert parse(text) == nanoseconds
    assert as_text(nanoseconds) == text


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("-0", 0),
        ("5s", 5 * 10**9),
        ("+5s", 5 * 10**9),
        ("90s", 90 * 10**9),
        ("1478s", 1478 * 10**9),
        ("5.s", 5 * 10**9),
        (".5s", 500_000_000),
        ("-.5s", -500_000_000),
        ("1.00s", 10**9),
        ("100.00100s", 100_001_000_000),
        ("12us", 12_000),
        ("12\u00b5s", 12_000),
        ("12\u03bcs", 12_000),
        ("3h30m", 3 * HOUR + 30 * MINUTE),
        ("10.5s4m", 4 * MINUTE + 10_500_000_000),
        ("39h9m14.425s", 39 * HOUR + 9 * MINUTE + 14_425_000_000),
        ("52763797000ns", 52_763_797_000),
        ("0.3333333333333333333h", 20 * MINUTE),
        ("9007199254740993ns", 9007199254740993),
        ("9223372036854775807ns", MOST),
        ("-9223372036854775808ns", LEAST),
        ("-9223372036854775.808us", LEAST),
        ("0.100000000000000000000h", 6 * MINUTE),
        ("0.830103483285477580700h", 49 * MINUTE + 48 * 10**9 + 372539827),
        ("0.9999999999s", 999_999_999),
        ("000000000000000000000000001s", 10**9),
    ],
)
def test_other_text_that_go_parses(text: str, nanoseconds: int) -> None:
    """The cases of Go's own tests, and their neighbours."""
    assert parse(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        *("", "3", "-", "+", "s", ".", "-.", ".s", "+.s", "--1s", "1s ", " 1s", "1S", "1d", "1e3s"),
        *("3000000h", "9223372036854775808ns", "9223372036854775.808us", "-9223372036854775809ns"),
        *("٣s", "1m soon", "1,5s", "1_000s", "9" * 5000 + "s", "2562047h47m16.854775808s"),
    ],
)
def test_text_that_is_none(text: str) -> None:
    """What Go refuses is a misfit."""
    assert parse(text) is None
    assert duration("seconds", "integer").to(text) is MISFIT


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("number", [0, 1, -1, 90, 2_000_000])
def test_every_unit(unit: str, number: int) -> None:
    """Whole numbers come back as they are, whichever unit they are of."""
    conversion = duration(unit, "integer")
    text = conversion.back(number)
    assert type(text) is str
    assert parse(text) == number * UNITS[unit]
    assert same(conversion.to(text), number)


@pytest.mark.parametrize(
    ("unit", "kind", "text", "number"),
    [
        ("seconds", "integer", "1m30s", 90),
        ("seconds", "integer", "90s", 90),
        ("seconds", "integer", "1500ms", 1),
        ("seconds", "integer", "-1500ms", -1),
        ("seconds", "integer", "300ms", 0),
        ("seconds", "int32", "1500ms", 1),
        ("seconds", "int32", "596524h", 2147483647),
        ("seconds", "int32", "-596524h", -2147483648),
        ("seconds", "number", "1500ms", 1.5),
        ("seconds", "number", "1m30s", 90),
        ("minutes", "number", "90s", 1.5),
        ("milliseconds", "integer", "1m30s", 90_000),
        ("hours", "number", "20m", 1 / 3),
    ],
)
def test_numbers(unit: str, kind: str, text: str, number: Any) -> None:
    """An integer has the whole units of a text that its format can hold; a number is exact."""
    assert same(duration(unit, cast("NumberKind", kind)).to(text), number)


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("seconds", 90, "1m30s"),
        ("seconds", 0.1, "100ms"),
        ("seconds", 1.5, "1.5s"),
        ("seconds", 2.0, "2s"),
        ("minutes", 0.5, "30s"),
        ("hours", 1e-6, "3.6ms"),
        ("seconds", 5415, "1h30m15s"),
        ("seconds", 1e-10, MISFIT),
        ("seconds", 5e-324, MISFIT),
        ("seconds", 2**63, MISFIT),
        ("nanoseconds", 2**63, MISFIT),
        ("nanoseconds", -(2**63), "-2562047h47m16.854775808s"),
        ("seconds", 1e300, MISFIT),
        pytest.param("seconds", 10**5000, MISFIT, id="huge"),
        ("seconds", True, MISFIT),
        ("seconds", "90", MISFIT),
        ("seconds", [90], MISFIT),
    ],
)
def test_text_of_numbers(unit: str, number: Any, text: Any) -> None:
    """A number is the one that its JSON says; what Go could not read is a misfit."""
    assert duration(unit, "number").back(number) == text


@pytest.mark.parametrize("value", [90, None, True, ["1s"], {"s": 1}])
def test_what_is_no_text(value: Any) -> None:
    """A value of another kind is a misfit."""
    assert duration("seconds", "integer").to(value) is MISFIT
