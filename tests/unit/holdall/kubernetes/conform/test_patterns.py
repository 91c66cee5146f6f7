"""Patterns are Go's, found anywhere; what is drawn from them they accept."""

from __future__ import annotations

from random import Random

import pytest

from holdall.kubernetes.conform.patterns import Untranslatable, draw, matches

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
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_drawn_matches(pattern: str) -> None:
    """Many texts, each found by the pattern, and the same ones for the same seed."""
    drawn = [draw(pattern, Random(seed)) for seed in range(30)]
    assert all(text is not None and matches(pattern, text) for text in drawn)
    assert drawn == [draw(pattern, Random(seed)) for seed in range(30)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^(0|[1-9][0-9]{0,8})$", "quota-7", False),
        ("^a$", "a\n", False),  # Python's own `$` would accept it
        (r"^\w+$", "é", False),
        (r"^\s$", "\v", False),
        (r"^[\s]$", "\t", True),
        ("^(?i)a|b$", "B", True),  # flags hold in all alternatives that follow
        ("^x(?i)a$", "Xa", False),
        ("^a{,2}$", "a{,2}", True),  # a repeat without a least number is text
        ("^[[:digit:]-]+$", "1-2", True),
        ("^[a&&b]$", "&", True),
        (r"^\Qa+\E$", "a+", True),
    ],
)
def test_patterns_mean_what_go_means(pattern: str, text: str, found: bool) -> None:
    """Where Go and Python differ, Go counts."""
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", [r"\p{L}", "(?=a)", "(?m)^a$", "(?U)a+", "a(", r"[\Qa\E]"])
def test_what_is_not_understood_is_told(pattern: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(Untranslatable):
        matches(pattern, "a")


def test_lengths_are_kept() -> None:
    """Short ones are preferred, long ones found."""
    found = [draw("^[a-z]+$", Random(seed), 20, 25) for seed in range(10)]
    assert all(text is not None and 20 <= len(text) <= 25 for text in found)
    assert draw("^[a-z]{5}$", Random(1), 0, 3) is None
