"""The strict reader of JSON files: keeps positions, and refuses what a fast decoder accepts."""

from __future__ import annotations

import json as _stdlib
import math
import re
from typing import Final, TypeAlias

from holdall.text.documents import (
    INEXACT,
    MAX_DEPTH,
    MAX_DIGITS,
    Document,
    Findings,
    Lines,
    Place,
    decode_text,
    inexact,
    is_exact,
)
from holdall.types import JsonValue

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"(-?(?:0|[1-9][0-9]*))((?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
_STRING: Final = re.compile(
    r'"([^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*)("?)'
)
_WORD: Final = re.compile(r"-?[A-Za-z]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_NON_FINITE: Final = frozenset({"nan", "inf", "infinity", "-nan", "-inf", "-infinity"})


def read_document(data: bytes | str, file: str, begin: tuple[int, int] = (1, 1)) -> Document:
    """Read one document; raise SourceError with all its problems.

    `begin` is the line and column of the file where the document begins.
    """
    text = decode_text(data, file)
    lines = Lines(text, begin)
    reader = _Reader(text, Findings(file, lines))
    value, place = reader.read()
    reader.findings.raise_any()
    offset = place if isinstance(place, int) else place[0]
    return Document(value, file, lines.position(offset)[0], place, lines)


def find_fault(text: str, code: str = "") -> tuple[int, str] | None:
    """Return the offset and reason of the first problem in `text`, None if it is JSON.

    With a code, that of the first problem with this code; then numbers are checked at any depth.
    """
    surrogate = _SURROGATE.search(text)
    if surrogate:
        return surrogate.start(), "the text contains a lone surrogate"
    most = math.inf if code == INEXACT else MAX_DEPTH
    reader = _Reader(text, Findings("", Lines(text)), most)
    reader.read()
    found = reader.findings.first(code)
    return None if found is None else (found[0], found[1].message)


class _MalformedError(Exception):
    """The text is not JSON from `offset` on; reading stops there."""

    def __init__(self, offset: int, message: str, fix: str, code: str = "HA102") -> None:
        self.offset = offset
        self.message = message
        self.code = code
        self.fix = fix
        super().__init__(message)


_Object: TypeAlias = tuple[dict[str, JsonValue], dict[str, Place], dict[str, int]]
"""The members read so far, the places of their values, the offsets of their keys."""
_List: TypeAlias = tuple[list[JsonValue], list[Place]]


class _Reader:
    """Reads one text, front to back. Open containers are on a list, not on the call stack."""

    def __init__(self, text: str, findings: Findings, most: float = MAX_DEPTH) -> None:
        self.text = text
        self.findings = findings
        self.most = most

    def read(self) -> tuple[JsonValue, Place]:
        """Return the value and the places of its nodes; do not use them after malformed text."""
        if self.text.startswith("\ufeff"):
            fix = "save the file without it"
            self.findings.add("HA101", 0, "the text starts with a byte order mark", fix)
            return None, 0
        try:
            return self._value()
        except _MalformedError as error:
            self.findings.add(error.code, error.offset, error.message, error.fix)
            return None, 0

    def _value(self) -> tuple[JsonValue, Place]:
        text = self.text
        stack: list[_Object | _List] = []
        at = self._skip(0)
        key = ""
        value: JsonValue
        place: Place
        root: tuple[JsonValue, Place] = None, 0
        while True:
            char = text[at : at + 1]
            if char == "{" or char == "[":
                if len(stack) >= self.most:
                    limit = f"containers are nested deeper than {MAX_DEPTH} levels"
                    raise _MalformedError(at, limit, "flatten the document", "HA106")
                container: _Object | _List
                if char == "{":
                    members: dict[str, JsonValue] = {}
                    member_places: dict[str, Place] = {}
                    container, value = (members, member_places, {}), members
                    place = (at, member_places)
                else:
                    items: list[JsonValue] = []
                    item_places: list[Place] = []
                    container, value = (items, item_places), items
                    place = (at, item_places)
                self._put(stack, key, value, place)
                at = self._skip(at + 1)
                if text[at : at + 1] != ("}" if char == "{" else "]"):
                    stack.append(container)
                    if len(stack) == 1:
                        root = value, place
                    if len(container) == 3:
                        key, at = self._key(container, at)
                    continue
                at += 1
            else:
                place = at
                value, at = self._scalar(at)
                self._put(stack, key, value, place)
            if not stack:
                root = value, place
            # After a value: which containers close here, and does another value follow?
            while stack:
                container = stack[-1]
                at = self._skip(at)
                char = text[at : at + 1]
                if char == ",":
                    at = self._skip(at + 1)
                    if len(container) == 3:
                        key, at = self._key(container, at)
                    elif text[at : at + 1] == "]":
                        fix = "remove the comma, or write the value"
                        raise _MalformedError(at, "a value is missing after the comma", fix)
                    break
                closer = "}" if len(container) == 3 else "]"
                if char != closer:
                    message = f"expected a comma or {closer}, found {self._show(at)}"
                    fix = f"check whether {closer}, a comma or a quote is missing before this place"
                    raise _MalformedError(at, message, fix)
                stack.pop()
                at += 1
            else:
                at = self._skip(at)
                if at < len(text):
                    message = f"expected the end of the text, found {self._show(at)}"
                    fix = "keep one value in the text; name files of JSON lines `.jsonl`"
                    raise _MalformedError(at, message, fix)
                return root

    def _put(self, stack: list[_Object | _List], key: str, value: JsonValue, place: Place) -> None:
        if not stack:
            return
        container = stack[-1]
        if len(container) == 3:
            container[0][key] = value
            container[1][key] = place
        else:
            container[0].append(value)
            container[1].append(place)

    def _key(self, container: _Object, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            message = f"expected a key in double quotes, found {self._show(at)}"
            fix = "write the key in double quotes, without a comma before }"
            raise _MalformedError(at, message, fix)
        key, end = self._string(at)
        first = container[2].setdefault(key, at)
        if first != at:
            line = self.findings.line(first)
            message = f"the key {_stdlib.dumps(key)} appears twice; first on line {line}"
            self.findings.add("HA103", at, message, "remove one of them")
        end = self._skip(end)
        if self.text[end : end + 1] != ":":
            message = f"expected a colon after the key, found {self._show(end)}"
            raise _MalformedError(end, message, "write a colon and the value of the key")
        return key, self._skip(end + 1)

    def _scalar(self, at: int) -> tuple[JsonValue, int]:
        if self.text[at : at + 1] == '"':
            return self._string(at)
        number = _NUMBER.match(self.text, at)
        if number:
            return self._number(number), number.end()
        word = _WORD.match(self.text, at)
        if word and word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        if word and word[0].lower() in _NON_FINITE:
            fix = "write null or a string"
            self.findings.add("HA105", at, f"{word[0]} is not a JSON number", fix)
            return None, word.end()
        fix = "write a JSON value: {…}, […], text in double quotes, a number, true, false or null"
        raise _MalformedError(at, f"expected a value, found {self._show(at)}", fix)

    def _number(self, number: re.Match[str]) -> int | float:
        start, end = number.span()
        if self.text[end : end + 1].isdigit():
            fix = "remove the zero, or write a string"
            raise _MalformedError(start, "a number starts with a superfluous zero", fix)
        if number[2]:
            value = float(number[0])
            if math.isfinite(value):
                if not is_exact(number[0], value):
                    message = inexact(_cut(number[0]), str(value))
                    self.findings.add(INEXACT, start, message, f"write {value} or a string")
                return value
            message = f"{_cut(number[0])} is out of the range of JSON numbers"
        elif len(number[1].lstrip("-")) <= MAX_DIGITS:
            return int(number[1])
        else:
            message = f"an integer has more than {MAX_DIGITS} digits"
        self.findings.add("HA105", start, message, "write a smaller number or a string")
        return 0

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None or not match[2]:
            end = at if match is None else match.end()
            char = self.text[end : end + 1]
            if not char:
                raise _MalformedError(at, "a string has no closing quote", "close it")
            if char == "\\":
                fix = 'write a backslash as \\\\; JSON has \\" \\/ \\b \\f \\n \\r \\t \\uXXXX'
                raise _MalformedError(end, "JSON does not have this escape", fix)
            message = f"the control character U+{ord(char):04X} must be escaped"
            raise _MalformedError(end, message, f"write it as \\u{ord(char):04x}")
        if "\\" not in match[1]:
            return match[1], match.end()
        value: str = _stdlib.loads(match[0])
        if _SURROGATE.search(value):
            message = "a string contains a lone surrogate"
            self.findings.add("HA105", at, message, "write the whole pair")
        return value, match.end()

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return at if match is None else match.end()

    def _show(self, at: int) -> str:
        if at >= len(self.text):
            return "the end of the text"
        return _stdlib.dumps(self.text[at])


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
