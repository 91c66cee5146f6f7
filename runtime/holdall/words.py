"""Words that depend on others: `1 object` and `2 objects`, `a list` and `an object`."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return how many there are: `1 edge`, `1,200 edges`; `plural` where it is not noun and s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def with_article(noun: str) -> str:
    """Return a noun behind its indefinite article, by its first letter."""
    return f"an {noun}" if noun[:1] in "aeiouAEIO" else f"a {noun}"
