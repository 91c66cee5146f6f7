"""What is drawn from patterns of Go they accept."""

from __future__ import annotations

from random import Random

import pytest

from holdall.kubernetes.conform.patterns import draw
from holdall.kubernetes.conform.rules import NotJudged, matches

PATTERNS = [
    r"^(0|[1-9][0-9]{0,8})$",
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
    r"^(@(annually|yearly)|@every [^\s]+.*|[^\s]+( [^\s]+){4})$",
    r"^.*@.*\.iam\.gserviceaccount\.com$",
    r"^[0-9a-f]{64}$",
    r"^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$",
    r"^[[:alpha:]][[:alnum:]_]*$",
    r"^\d+\.\d+\z",
    r"^([hH][tT][tT][pP][sS]?://)?$",
    r"\Qa.b\E+",
    r"x{2,}",
    r"^[\x{41}-\x43]+$",
    r"^[\pL_][^[:digit:]a&&[b]+\103?$",
    r"^\p{Lu}(?:\PL|-){,2}?$",
    "(?im)^ab?$|^x",
    "^a{,2}$",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_drawn_matches(pattern: str) -> None:
    """Many texts, each found by the pattern, and the same ones for the same seed."""
    drawn = [draw(pattern, Random(seed)) for seed in range(30)]
    assert all(text is not None and matches(pattern, text) for text in drawn)
    assert drawn == [draw(pattern, Random(seed)) for seed in range(30)]


def test_lengths_are_kept() -> None:
    """Short ones are preferred, long ones found."""
    found = [draw("^[a-z]+$", Random(seed), 20, 25) for seed in range(10)]
    assert all(text is not None and 20 <= len(text) <= 25 for text in found)
    assert draw("^[a-z]{5}$", Random(1), 0, 3) is None


@pytest.mark.parametrize("pattern", ["(?=a)", "a(", r"[\Qa\E]", "(a{99}){99}", r"\x{110000}"])
def test_what_is_not_understood_is_told(pattern: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(NotJudged, match="the pattern '"):
        draw(pattern, Random(1))
