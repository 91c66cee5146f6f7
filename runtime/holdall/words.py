"""Nouns with their number or article, and untrusted text made printable."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun: `1 edge`, `1,200 edges`. `plural` is for irregular nouns."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article, by its first letter."""
    return f"an {noun}" if noun[:1] in "aeiouAEIO" else f"a {noun}"


def printable(text: str, *, keep: str = "") -> str:
    """Return a text whose control characters and other invisible ones are escaped.

    On a terminal they could hide or fake output. Those in `keep` stay.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keep
        else letter.encode("unicode_escape").decode()
        for letter in text
    )
