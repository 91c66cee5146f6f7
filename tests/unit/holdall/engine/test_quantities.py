"""Quantities: what Kubernetes reads, and numbers of a unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

import pytest

from holdall.engine.measures import NumberKind
from holdall.engine.misfit import MISFIT
from holdall.engine.quantities import UNITS, parse, quantity
from holdall.text.json import same

MI = 2**20


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("512Mi", 512 * MI),
        ("1Gi", 2**30),
        ("1.5Gi", 3 * 2**29),
        ("100m", Fraction(1, 10)),
        ("1k", 1000),
        ("1Ki", 1024),
        ("2E", 2 * 10**18),
        ("2E3", 2000),
        ("2e3", 2000),
        ("1e-3", Fraction(1, 1000)),
        ("+5", 5),
        ("-5Mi", -5 * MI),
        ("5.", 5),
        (".5", Fraction(1, 2)),
        ("1n", Fraction(1, 10**9)),
        ("1u", Fraction(1, 10**6)),
        ("7Ei", 7 * 2**60),
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_text(text: str, amount: Any) -> None:
    """Each suffix, exponents, fractions and signs."""
    assert parse(text) == amount


@pytest.mark.parametrize(
    "text",
    [
        *("", "Mi", "1 Mi", "1mi", "1KiB", "1K", "1MB", "--1", "1.2.3", "1e", "1e3Mi", "e3", "."),
        *(
            "0.1n",
            "8Ei",
            "9223372036854775808",
            "1e1000",
            "1e999999999",
            "1" * 65,
            "\u0661",
            "1_000",
        ),
        *("0x10", "inf", "nan", "1/2", " 1", "1\n"),
    ],
)
def test_text_that_is_none(text: str) -> None:
    """What Kubernetes refuses, or rounds, is a misfit."""
    assert parse(text) is None
    assert quantity("Mi", "integer").to(text) is MISFIT


@pytest.mark.parametrize(
    ("unit", "kind", "value", "number"),
    [
        ("Mi", "integer", "512Mi", 512),
        ("Mi", "integer", "1Gi", 1024),
        ("Mi", "integer", "1.5Mi", 1),
        ("Mi", "integer", "1Ki", 0),
        ("Mi", "number", "1.5Mi", 1.5),
        ("Mi", "number", "1G", 953.67431640625),
        ("m", "integer", "1.5", 1500),
        ("", "number", "100m", 0.1),
        ("", "integer", 3, 3),
        ("m", "integer", 3, 3000),
        ("", "integer", 2**63, MISFIT),
        ("", "integer", True, MISFIT),
        ("", "integer", 1.5, MISFIT),
        ("", "integer", ["1"], MISFIT),
    ],
)
def test_numbers(unit: str, kind: str, value: Any, number: Any) -> None:
    """An integer has the whole units of a quantity, a number is exact."""
    found = quantity(unit, cast("NumberKind", kind)).to(value)
    assert found is MISFIT if number is MISFIT else same(found, number)


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("Mi", 512, "512Mi"),
        ("Mi", 1024, "1024Mi"),
        ("Mi", -1, "-1Mi"),
        ("Mi", 0, "0Mi"),
        ("Mi", 1.5, "1.5Mi"),
        ("Mi", 2.0, "2Mi"),
        ("", 0.1, "0.1"),
        ("M", 1e-7, "0.0000001M"),
        ("", 1e-10, MISFIT),
        ("Ei", 8, MISFIT),
        ("", 2**63, MISFIT),
        ("", 1e300, MISFIT),
        ("", "1", MISFIT),
        ("", True, MISFIT),
    ],
)
def test_text_of_numbers(unit: str, number: Any, text: Any) -> None:
    """The unit is always the declared one."""
    assert quantity(unit, "number").back(number) == text


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit(unit: str) -> None:
    """A whole number comes back as it is."""
    lens = quantity(unit, "integer")
    assert [lens.to(lens.back(number)) for number in (0, 1, 7, -2)] == [0, 1, 7, -2]
