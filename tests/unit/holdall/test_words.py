"""Counts, articles and words of strangers in messages."""

from __future__ import annotations

import pytest

from holdall.words import counted, printable, with_article


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("edge",), "0 edges"),
        (1, ("edge",), "1 edge"),
        (1200, ("edge",), "1,200 edges"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_counts(number: int, words: tuple[str, ...], text: str) -> None:
    """One has no s, and thousands have commas."""
    assert counted(number, *words) == text


@pytest.mark.parametrize(
    "text", ["an integer", "an object", "a list", "a null", "a string", "an OpenAPI", "a Unit"]
)
def test_articles(text: str) -> None:
    """Vowels have `an`."""
    assert with_article(text.partition(" ")[2]) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é", "plain é"),
        ("a\x1b[31m\r\nok", r"a\x1b[31m\r\nok"),
        ("\x9b1m\u202e\u200b\ud800\x00", r"\x9b1m\u202e\u200b\ud800\x00"),
    ],
)
def test_what_nobody_sees_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(f"{text}\n\t", keep="\n\t").endswith("\n\t")
