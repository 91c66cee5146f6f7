"""Patterns that are matched in one pass: the same answers as those of Python, in less time."""

from __future__ import annotations

import re
import warnings
from random import Random

import pytest

from holdall.kubernetes.conform.linear import Linear, is_risky
from holdall.kubernetes.conform.patterns import Untranslatable, matches

LETTERS = (r"a", r"b", r"[ab]", r"[^a]", r".", r"\d", r"\w", r"\.", r"\b", r"^", r"$", r"[]a]")
REPEATS = ("*", "+", "?", "{2}", "{1,}", "{0,3}", "{1,2}", "*?", "+?", "??", "{2}{2}")


def drawn(chance: Random, depth: int = 0) -> str:
    kind = chance.randrange(8)
    if depth > 2 or kind < 3:
        return chance.choice(LETTERS)
    inner = drawn(chance, depth + 1)
    if kind == 3:
        return inner + drawn(chance, depth + 1)
    if kind == 4:
        return f"({inner}|{drawn(chance, depth + 1)})"
    if kind == 5:
        return f"(?i:{inner})"
    return f"({inner}){chance.choice(REPEATS)}"


def test_the_answers_are_those_of_python() -> None:
    chance = Random(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(1500):
            pattern = drawn(chance)
            try:
                compiled = re.compile(pattern, re.ASCII)
            except re.error:  # such as a repetition of a repetition
                continue
            linear = Linear(pattern)
            for _ in range(5):
                text = "".join(chance.choices("aabAB1. \n-]", k=chance.randrange(8)))
                assert linear.search(text) is (compiled.search(text) is not None), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "risky"),
    [
        ("^[a-z]+$", False),
        ("^(a+)?(b+)$", False),
        ("^([a-z0-9]+-?)+$", True),
        ("(a|a)*", True),
        ("((a*)b)*", True),
        (r"(\(a+)+", True),
        (r"([(a+]b)+", False),
        ("(abc)+", False),
    ],
)
def test_what_repeats_a_repetition_is_risky(pattern: str, risky: bool) -> None:
    assert is_risky(pattern) is risky


@pytest.mark.parametrize(
    "pattern", ["^([a-z0-9]+-?)+$", "^(a|a)*$", "^(a*)*$", "^((a?){3})+$", "(?i)^(A+)+$"]
)
def test_no_text_takes_years(pattern: str) -> None:
    """Python doubles its time with each letter."""
    assert not matches(pattern, "a" * 5000 + "!")
    assert matches(pattern, "a" * 5000)


def test_too_many_repetitions_are_told() -> None:
    with pytest.raises(Untranslatable, match="its repetitions are too many"):
        matches("((a{100}){100}){100}", "a")
