"""Functions of a specimen: none of them gives back all that another one makes of a value."""

from __future__ import annotations


def first(words: list[str]) -> str:
    """Return the first word; of none there is no first one."""
    return words[0]


def joined(words: list[str]) -> str:
    """Return words as one text."""
    return ",".join(words)


def split(text: str) -> list[str] | None:
    """Return the words of a text; of an empty one there are none."""
    return text.lower().split(",") if text else None


def letter(number: int) -> str:
    """Return a letter by its number; half of a surrogate pair is none, and no JSON."""
    found = chr(number)
    found.encode()
    return found
