"""Words that depend on others, such as `1 object` and `2 objects`, and words of strangers."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return how many there are: `1 edge`, `1,200 edges`; `plural` where it is not noun and s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def with_article(noun: str) -> str:
    """Return a noun behind its indefinite article, by its first letter."""
    return f"an {noun}" if noun[:1] in "aeiouAEIO" else f"a {noun}"


def printable(text: str, *, keep: str = "") -> str:
    """Return a text whose control characters, and others that nobody sees, are spelled out.

    At a terminal they could hide or fake what is printed. Those in `keep` stay.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keep
        else letter.encode("unicode_escape").decode()
        for letter in text
    )
