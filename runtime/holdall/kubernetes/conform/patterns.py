"""Strings drawn from the patterns of schemas.

They are Go (RE2) regular expressions, and may match anywhere in a string. Strings are drawn from a
rough translation to Python's syntax, and used if they match the original pattern. Source: OpenAPI
v3 `pattern`, RE2 syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Final

from holdall.kubernetes.conform.rules import NotJudged, matches

_TRIES: Final = 40
_STRETCHES: Final = (2, 6, 30, 100)
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
_ESCAPE: Final = r"\\(?:[pP]\{\^?\w+\}|[pP]\w|x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)"
_TOKEN: Final = re.compile(
    rf"""\\Q(?P<quoted>.*?)(?:\\E|\Z) | (?P<escape>{_ESCAPE})
    | (?P<set>\[\^?) (?P<body>\]?(?:\[:\^?\w+:\]|{_ESCAPE}|[^\]\\])*) \]?
    | \(\?(?P<flags>[a-zA-Z]*(?:-[a-zA-Z]+)?) (?P<ending>[:)]) | (?P<open>\((?:\?P?<\w+>)?)
    | (?P<repeat>[*+]|\{{\d+(?:,\d*)?\}}) | (?P<char>.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_SET: Final = re.compile(
    rf"\[:\^?(?P<named>\w+):\]|(?P<escape>{_ESCAPE})|(?P<char>.)", re.DOTALL
)


def draw(pattern: str, chance: Random, least: int = 0, most: int | None = None) -> str | None:
    """Return a text that matches a pattern and has a permitted length; None if none was found.

    Raises NotJudged.
    """
    from rstr import Rstr  # draws strings from Python's regular expressions; a small package

    found = None
    for stretch in _STRETCHES:
        for _ in range(_TRIES):
            try:
                text = Rstr(chance).xeger(_translate(pattern, stretch))
            except (re.error, ValueError, OverflowError, RecursionError) as error:
                raise NotJudged(f"the pattern {pattern!r}: {error}") from error
            if len(text) < least or (most is not None and len(text) > most):
                continue
            if matches(pattern, text):
                if text and text.isascii() and text.isprintable():
                    return text
                found = text if found is None else found
    return found


@cache
def _translate(pattern: str, stretch: int) -> str:
    """Return a pattern in Python's syntax; repeats are at most `stretch` longer than their minimum.

    Flags are dropped: what matches without them nearly always matches with them, too.
    """
    return "".join(_pieces(pattern, stretch))


def _pieces(pattern: str, stretch: int) -> Iterator[str]:
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        match token.lastgroup:
            case "quoted":
                yield re.escape(token["quoted"])
            case "escape":
                yield r"\Z" if text == r"\z" else _escaped(text, "[{}]")
            case "body":
                yield "".join([token["set"], *_in_set(token["body"]), "]"])
            case "ending":
                yield "(?:" if token["ending"] == ":" else ""
            case "open":
                yield "("
            case "repeat":
                yield _repeat(text, stretch)
            case _:
                yield r"\{" if text == "{" else text


def _escaped(text: str, several: str = "{}") -> str:
    """Return an escape in Python's syntax; `several` is the format of one for several letters."""
    code = text[2:].strip("{}")
    match text[1]:
        case "p" | "P":
            return several.format("A-Za-z" if text[1] == "p" else "0-9")
        case "x":
            return re.escape(chr(int(code, 16)))
        case digit if digit in "01234567":
            return re.escape(chr(int(text[1:], 8)))
        case _:
            return text


def _in_set(body: str) -> Iterator[str]:
    for token in _IN_SET.finditer(body):
        text = token[0]
        match token.lastgroup:
            case "named":
                yield _POSIX.get(token["named"], "")
            case "escape":
                yield _escaped(text)
            case _:
                yield f"\\{text}" if text in "[]&~|" else text


def _repeat(text: str, stretch: int) -> str:
    if text in "*+":
        least = int(text == "+")
        return f"{{{least},{least + stretch}}}"
    fewest, comma, most = text[1:-1].partition(",")
    return f"{{{fewest},{min(int(fewest) + stretch, int(most or 1000))}}}" if comma else text
