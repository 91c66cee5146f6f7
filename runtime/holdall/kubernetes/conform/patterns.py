"""Patterns of schemas: matched as an API server matches them, and strings drawn from them.

They are regular expressions of Go (RE2), found anywhere in a string. Go's syntax is translated to
Python's; what has no translation is told, not guessed. Source: OpenAPI v3 `pattern`, RE2 syntax.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Final

_TRIES: Final = 40
_STRETCHES: Final = (2, 6, 30, 100)
_SPACES: Final = r"\t\n\f\r "
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_REPEAT: Final = re.compile(r"\{(\d+)(,(\d*))?\}")
_FLAGS: Final = re.compile(r"\(\?([a-zA-Z]*(?:-[a-zA-Z]+)?)([:)])")
_ESCAPE: Final = re.compile(r"\\(x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|Q|[0-7]{1,3}|.)", re.DOTALL)
_WORDS: Final = frozenset("AbBdDfnrtvwW")


class Untranslatable(Exception):
    """A pattern has no translation; the text says why."""


def matches(pattern: str, text: str) -> bool:
    """Tell whether a pattern is found in a text, as Go finds it. Raises Untranslatable."""
    return _compiled(pattern).search(text) is not None


def draw(pattern: str, chance: Random, least: int = 0, most: int | None = None) -> str | None:
    """Return a text that a pattern is found in, of a permitted length; None if none was met.

    Raises Untranslatable.
    """
    from rstr import Rstr  # draws strings from Python's regular expressions; a small package

    found = None
    for stretch in _STRETCHES:
        short = _translate(pattern, stretch)
        for _ in range(_TRIES):
            text = Rstr(chance).xeger(short)
            if len(text) < least or (most is not None and len(text) > most):
                continue
            if matches(pattern, text):
                if text and text.isascii() and text.isprintable():
                    return text
                found = text if found is None else found
    return found


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sets in sets, which Go does not have
        try:
            return re.compile(_translate(pattern), re.ASCII)
        except (re.error, OverflowError) as error:
            raise Untranslatable(f"{pattern!r}: {error}") from error


@cache
def _translate(pattern: str, stretch: int = 0) -> str:
    """Return a pattern in Python's syntax; with `stretch`, repeats have that many more at most."""
    return "".join(_pieces(pattern, stretch))


def _pieces(pattern: str, stretch: int) -> Iterator[str]:
    at = 0
    # Flags in the middle of a group hold to its end, in all alternatives: for each open group
    # those that have to be repeated.
    groups: list[list[str]] = [[]]
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            piece, at = _escape(pattern, at)
            yield piece
        elif char == "[":
            piece, at = _set(pattern, at)
            yield piece
        elif flags := _FLAGS.match(pattern, at):
            if set(flags[1]) & set("mU"):
                raise Untranslatable(f"{pattern!r}: the flags {flags[1]} are not understood")
            opened = f"(?{flags[1]}:"
            yield opened
            if flags[2] == ")":
                groups[-1].append(opened)
            else:
                groups.append([])
            at = flags.end()
        elif char == "(":
            named = re.compile(r"\(\?P?<(\w+)>").match(pattern, at)
            if pattern.startswith("(?", at) and not named:
                raise Untranslatable(f"{pattern!r}: Go has no {pattern[at : at + 3]!r}")
            yield "("
            groups.append([])
            at = named.end() if named else at + 1
        elif char == ")" and len(groups) > 1:
            yield ")" * len(groups.pop()) + ")"
            at += 1
        elif char == "|":
            yield ")" * len(groups[-1]) + "|" + "".join(groups[-1])
            at += 1
        elif char == "$":
            yield r"\Z"
            at += 1
        elif char in "*+" or (char == "{" and _REPEAT.match(pattern, at)):
            piece, at = _repeat(pattern, at, stretch)
            yield piece
        else:
            yield r"\{" if char == "{" else char
            at += 1
    yield ")" * len(groups[-1])


def _escape(pattern: str, at: int) -> tuple[str, int]:
    found = _ESCAPE.match(pattern, at)
    if found is None:
        raise Untranslatable(f"{pattern!r}: it ends in the middle")
    if found[1] == "Q":
        text, _, _ = pattern[found.end() :].partition(r"\E")
        return re.escape(text), min(found.end() + len(text) + 2, len(pattern))
    special = {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]", "z": r"\Z", "a": r"\x07"}
    return special.get(found[1]) or _literal(pattern, found), found.end()


def _literal(pattern: str, found: re.Match[str]) -> str:
    """Return an escape that means the same in and outside sets."""
    text = found[1]
    if text.startswith("x"):
        return re.escape(chr(int(text[1:].strip("{}"), 16)))
    if text[0] in "01234567":
        return re.escape(chr(int(text, 8)))
    if text in _WORDS or not text.isalnum():
        return f"\\{text}"
    raise Untranslatable(f"{pattern!r}: \\{text} is not understood")


def _set(pattern: str, at: int) -> tuple[str, int]:
    start = at + 2 if pattern.startswith("[^", at) else at + 1
    parts = [pattern[at:start]]
    at = start
    while at < len(pattern) and (pattern[at] != "]" or at == start):
        if named := re.compile(r"\[:(\w+):\]").match(pattern, at):
            if named[1] not in _POSIX:
                raise Untranslatable(f"{pattern!r}: {named[0]} is not understood")
            parts.append(_POSIX[named[1]])
            at = named.end()
        elif pattern[at] == "\\":
            found = _ESCAPE.match(pattern, at)
            if found is None or found[1] in "QSDWB":
                raise Untranslatable(f"{pattern!r}: {pattern[at : at + 2]} in a set")
            inner = {"s": _SPACES, "a": r"\x07"}.get(found[1])
            parts.append(inner or _literal(pattern, found))
            at = found.end()
        else:
            parts.append(f"\\{pattern[at]}" if pattern[at] in "[]&~|" else pattern[at])
            at += 1
    return "".join([*parts, "]"]), at + 1


def _repeat(pattern: str, at: int, stretch: int) -> tuple[str, int]:
    if pattern[at] in "*+":
        least = 1 if pattern[at] == "+" else 0
        return (f"{{{least},{least + stretch}}}" if stretch else pattern[at]), at + 1
    least, rest, most = _REPEAT.findall(pattern[at:])[0]
    end = pattern.index("}", at) + 1
    if not stretch or not rest:
        return pattern[at:end], end
    longest = min(int(least) + stretch, int(most or 1000))
    return f"{{{least},{longest}}}", end
