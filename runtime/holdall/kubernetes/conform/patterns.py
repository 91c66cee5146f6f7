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

from holdall.kubernetes.conform.linear import Linear, TooLarge, is_risky

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
_ESCAPE: Final = r"\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)"
_TOKEN: Final = re.compile(
    rf"""\\Q(?P<quoted>.*?)(?:\\E|\Z) | (?P<escape>{_ESCAPE})
    | (?P<set>\[\^?) (?P<body>\]?(?:\[:\w+:\]|{_ESCAPE}|[^\]\\])*) \]?
    | \(\?(?P<flags>[a-zA-Z]*(?:-[a-zA-Z]+)?) (?P<ending>[:)])
    | (?P<open>\((?:\?P?<\w+>)?) | (?P<close>\)) | (?P<either>\|) | (?P<end>\$)
    | (?P<repeat>[*+]|\{{\d+(?:,\d*)?\}}) | (?P<char>.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_SET: Final = re.compile(rf"\[:(?P<named>\w+):\]|(?P<escape>{_ESCAPE})|(?P<char>.)", re.DOTALL)
_SPECIAL: Final = {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]", "z": r"\Z", "a": r"\x07"}
_SPECIAL_IN_SET: Final = {"s": _SPACES, "a": r"\x07"}
_WORDS: Final = frozenset("AbBdDfnrtvwW")


class Untranslatable(Exception):
    """A pattern has no translation; the text says why."""


def matches(pattern: str, text: str) -> bool:
    """Tell whether a pattern is found in a text, as Go finds it. Raises Untranslatable."""
    return bool(_compiled(pattern).search(text))


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
def _compiled(pattern: str) -> re.Pattern[str] | Linear:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sets in sets, which Go does not have
        try:
            translated = _translate(pattern)
            compiled = re.compile(translated, re.ASCII)
            return Linear(translated) if is_risky(translated) else compiled
        except TooLarge as error:
            raise Untranslatable(f"{pattern!r}: its repetitions are too many") from error
        except (re.error, OverflowError, RecursionError) as error:
            raise Untranslatable(f"{pattern!r}: {error}") from error


@cache
def _translate(pattern: str, stretch: int = 0) -> str:
    """Return a pattern in Python's syntax; with `stretch`, repeats have that many more at most."""
    return "".join(_pieces(pattern, stretch))


def _pieces(pattern: str, stretch: int) -> Iterator[str]:
    # Flags in the middle of a group hold to its end, in all alternatives: for each open group
    # those that have to be repeated.
    groups: list[list[str]] = [[]]
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        match token.lastgroup:
            case "quoted":
                yield re.escape(token["quoted"])
            case "escape":
                yield _SPECIAL.get(text[1:]) or _literal(pattern, text[1:])
            case "body":
                yield "".join([token["set"], *_in_set(pattern, token["body"]), "]"])
            case "ending":
                flags = token["flags"]
                if set(flags) & set("mU"):
                    raise Untranslatable(f"{pattern!r}: the flags {flags} are not understood")
                opened = f"(?{flags}:"
                yield opened
                if token["ending"] == ")":
                    groups[-1].append(opened)
                else:
                    groups.append([])
            case "open":
                if text == "(" and pattern.startswith("(?", at := token.start()):
                    raise Untranslatable(f"{pattern!r}: Go has no {pattern[at : at + 3]!r}")
                yield "("
                groups.append([])
            case "close" if len(groups) > 1:
                yield ")" * len(groups.pop()) + ")"
            case "either":
                yield ")" * len(groups[-1]) + "|" + "".join(groups[-1])
            case "end":
                yield r"\Z"
            case "repeat":
                yield _repeat(text, stretch)
            case _:
                if text == "\\":
                    raise Untranslatable(f"{pattern!r}: it ends in the middle")
                yield r"\{" if text == "{" else text
    yield ")" * len(groups[-1])


def _literal(pattern: str, text: str) -> str:
    """Return what is escaped so that it means the same in and outside sets."""
    if text.startswith("x"):
        return re.escape(chr(int(text[1:].strip("{}"), 16)))
    if text[0] in "01234567":
        return re.escape(chr(int(text, 8)))
    if text in _WORDS or not text.isalnum():
        return f"\\{text}"
    raise Untranslatable(f"{pattern!r}: \\{text} is not understood")


def _in_set(pattern: str, body: str) -> Iterator[str]:
    for token in _IN_SET.finditer(body):
        text = token[0]
        match token.lastgroup:
            case "named":
                if token["named"] not in _POSIX:
                    raise Untranslatable(f"{pattern!r}: {text} is not understood")
                yield _POSIX[token["named"]]
            case "escape":
                if text[1:] in "QSDWB":
                    raise Untranslatable(f"{pattern!r}: {text[:2]} in a set")
                yield _SPECIAL_IN_SET.get(text[1:]) or _literal(pattern, text[1:])
            case _:
                yield f"\\{text}" if text in "[]&~|" else text


def _repeat(text: str, stretch: int) -> str:
    """Return a repetition; with `stretch`, one that has that many more than its least at most."""
    if text in "*+":
        least = int(text == "+")
        return f"{{{least},{least + stretch}}}" if stretch else text
    fewest, comma, most = text[1:-1].partition(",")
    if not stretch or not comma:
        return text
    return f"{{{fewest},{min(int(fewest) + stretch, int(most or 1000))}}}"
