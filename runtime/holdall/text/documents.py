"""Documents read from files: a JSON value, and the position of each of its nodes in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from holdall.errors import Problem, SourceError
from holdall.text.pointer import split
from holdall.types import JsonValue

MAX_DEPTH: Final = 500
"""How deep containers may be nested; a scalar has depth 0, `[[]]` has depth 2.

Interpreters limit recursion to about 1,000 levels; half of that leaves room for the caller.
"""

MAX_DIGITS: Final = 4300
"""Digits of an integer; the interpreter does not convert longer ones from or to text."""

INEXACT: Final = "HA107"
"""The code of a number that reading would change, because no float has its value."""

_TAKEN: Final = frozenset({"HA103", INEXACT})
"""Codes of what other readers accept: duplicate keys, and such numbers."""

Scalars = Literal["strict", "kubernetes"]
"""Plain YAML scalars whose meaning depends on the reader: refused, or read as kubectl does."""

Place: TypeAlias = "int | tuple[int, list[Place] | dict[str, Place]]"
"""The offset of a node in its text, with the places of its members if it is a container."""

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


class Lines:
    """Lines of a text, to turn an offset (in characters) into line and column (both from 1).

    `begin` is where the text begins in a larger one.
    """

    __slots__ = ("_begin", "_starts", "_text")

    def __init__(self, text: str, begin: tuple[int, int] = (1, 1)) -> None:
        self._text = text
        self._begin = begin
        self._starts: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at `offset`, as editors count them."""
        starts = self._starts
        if starts is None:
            starts = self._starts = [0, *(end.end() for end in _LINE_END.finditer(self._text))]
        line = bisect_right(starts, offset)
        column = offset - starts[line - 1] + (self._begin[1] if line == 1 else 1)
        return line + self._begin[0] - 1, column


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file: its value, the file's name, and the line (from 1) of its root."""

    value: JsonValue
    file: str
    line: int
    _root: Place | None = field(default=None, repr=False, compare=False)
    _lines: Lines | None = field(default=None, repr=False, compare=False)

    def position(self, pointer: str) -> tuple[int, int]:
        """Return line and column (both from 1) of the node at a JSON Pointer.

        If the pointer leads nowhere, it is that of the nearest existing ancestor. A member's
        node is its value, not its key. Without a text, it is the line of the document.
        """
        if self._root is None or self._lines is None:
            return self.line, 1
        place = self._root
        for token in split(pointer):
            if isinstance(place, int):
                break
            members = place[1]
            found = members.get(token) if isinstance(members, dict) else _item(members, token)
            if found is None:
                break
            place = found
        return self._lines.position(place if isinstance(place, int) else place[0])

    def where(self, pointer: str = "") -> str:
        """Return `file:line:column` of the node at a JSON Pointer, for a Problem's `where`."""
        line, column = self.position(pointer)
        return f"{self.file}:{line}:{column}"


class Findings:
    """The problems of one text, each with its offset; raised together, in the order of the text."""

    def __init__(self, file: str, lines: Lines) -> None:
        self._file = file
        self._lines = lines
        self._found: list[tuple[int, Problem]] = []

    def add(self, code: str, offset: int, message: str, fix: str) -> None:
        """Record a problem at an offset, in characters."""
        line, column = self._lines.position(offset)
        problem = Problem(code, f"{self._file}:{line}:{column}", message, fix)
        self._found.append((offset, problem))

    def line(self, offset: int) -> int:
        """Return the line (from 1) of an offset."""
        return self._lines.position(offset)[0]

    def first(self, code: str = "") -> tuple[int, Problem] | None:
        """Return the first problem of a code with its offset, None if there is none.

        Without a code it is the first that no reader accepts.
        """
        found = (
            item
            for item in self._found
            if (item[1].code == code if code else item[1].code not in _TAKEN)
        )
        return min(found, key=lambda item: item[0], default=None)

    def raise_any(self) -> None:
        """Raise SourceError with all problems, if there are any."""
        if self._found:
            raise SourceError(problem for _, problem in sorted(self._found, key=lambda f: f[0]))


def decode_text(data: bytes | str, file: str) -> str:
    """Decode UTF-8, and refuse text that UTF-8 cannot encode.

    Raises SourceError (HA101) at the first byte that is not UTF-8 or the first lone surrogate.
    """
    if isinstance(data, str):
        try:
            data.encode()
        except UnicodeEncodeError as error:
            found = Findings(file, Lines(data))
            found.add("HA101", error.start, "the text contains a lone surrogate", "remove it")
            found.raise_any()
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        found = Findings(file, Lines(before))
        byte = data[error.start]
        found.add("HA101", len(before), f"byte 0x{byte:02x} is not UTF-8", "save the file as UTF-8")
        found.raise_any()
        raise


def inexact(text: str, written: str) -> str:
    """Return the message about a number that would become another one."""
    return f"{text} does not fit a 64-bit number, and would become {written}"


def is_exact(text: str, value: float) -> bool:
    """Return whether a float is exactly the number that a text spells."""
    if value == 0.0:
        mantissa = text.lower().partition("e")[0]
        return not any(digit in mantissa for digit in "123456789")
    written = repr(value)
    return text == written or Decimal(text) == Decimal(written)


def exact_float(text: str) -> float:
    """Return the float that a text spells. Raises ValueError if no float has that value."""
    value = float(text)
    if not is_exact(text, value):
        raise ValueError(text)
    return value


def _item(items: list[Place], token: str) -> Place | None:
    if token.isascii() and token.isdigit() and len(token) < 10 and int(token) < len(items):
        return items[int(token)]
    return None
