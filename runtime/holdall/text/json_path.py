"""The JSONPath of an entry: names, indexes and keys of list elements, a subset of RFC 9535."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from holdall.errors import DecodeError
from holdall.text import json as _json
from holdall.text.pointer import split
from holdall.types import JsonValue

Scalar: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an object, the key of a map, a variant, or an element of a tuple by its index."""

    text: str


@dataclass(frozen=True, slots=True)
class Index:
    """An element of a list by its index."""

    at: int


@dataclass(frozen=True, slots=True)
class Match:
    """The element of a list whose members have these values."""

    members: tuple[tuple[str, Scalar], ...]


Segment: TypeAlias = Name | Index | Match

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMES: Final = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*)+")
_QUOTED: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_SEGMENT: Final = re.compile(
    rf"\.(?P<plain>[^\s.\[\]'\"]+)|\[\s*(?:(?P<quoted>{_QUOTED})|(?P<index>-?[0-9]{{1,20}}))\s*\]"
    r"|\[\s*\?\s*\(?(?=\s*@)"
)
_COMPARISON: Final = re.compile(
    rf"\s*@(?:\.(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|\[(?P<name>{_QUOTED})\])\s*==\s*"
    rf"(?P<value>{_QUOTED}|-?[0-9]{{1,20}}|true|false)\s*"
)
_END: Final = re.compile(r"\)?\s*\]")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLACE: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def parse_path(text: str) -> tuple[Segment, ...]:
    """Return the segments of a path; raises DecodeError if it is not a path to one value."""
    if _NAMES.fullmatch(text):  # the usual form
        return tuple(map(Name, text[2:].split(".")))
    if not text.startswith("$"):
        raise DecodeError(f"the path {text!r} does not start with $")
    segments: list[Segment] = []
    at = 1
    while at < len(text):
        match = _SEGMENT.match(text, at)
        if match is None:
            raise DecodeError(f"the path {text!r} cannot be read from position {at}")
        at = match.end()
        if match["plain"] is not None:
            segments.append(Name(match["plain"]))
        elif match["quoted"] is not None:
            segments.append(Name(_unquoted(match["quoted"])))
        elif match["index"] is not None:
            segments.append(Index(int(match["index"])))
        else:
            members, at = _comparisons(text, at)
            segments.append(Match(members))
    return tuple(segments)


def _comparisons(text: str, at: int) -> tuple[tuple[tuple[str, Scalar], ...], int]:
    members: list[tuple[str, Scalar]] = []
    while True:
        match = _COMPARISON.match(text, at)
        if match is None:
            raise DecodeError(f"the path {text!r} cannot be read from position {at}")
        name = match["plain"] if match["plain"] is not None else _unquoted(match["name"])
        members.append((name, _scalar(match["value"])))
        at = match.end()
        if text.startswith("&&", at):
            at += 2
            continue
        end = _END.match(text, at)
        if end is None:
            raise DecodeError(f"the path {text!r} cannot be read from position {at}")
        return tuple(members), end.end()


def format_path(segments: Sequence[Segment]) -> str:
    """Return the normal spelling of a path."""
    return "$" + "".join(map(format_segment, segments))


def json_path(pointer: str) -> str:
    """Return a JSON Pointer as a path. A key that looks like an index becomes one."""
    return format_path(segments_of(pointer))


def segments_of(pointer: str) -> tuple[Segment, ...]:
    """Return the segments of a JSON Pointer."""
    return tuple(
        Index(int(name)) if _PLACE.fullmatch(name) else Name(name) for name in split(pointer)
    )


def format_segment(segment: Segment) -> str:
    """Return the normal spelling of one segment."""
    if isinstance(segment, Name):
        return format_member(segment.text)
    if isinstance(segment, Index):
        return f"[{segment.at}]"
    parts = [f"@{format_member(name)}=={format_scalar(value)}" for name, value in segment.members]
    return f"[?{' && '.join(parts)}]"


def format_member(name: str) -> str:
    """Return the normal spelling of the segment that names a member."""
    return f".{name}" if _IDENTIFIER.fullmatch(name) else f"[{_quote(name)}]"


def format_scalar(value: Scalar) -> str:
    """Return a value as it is written in a comparison."""
    return _quote(value) if isinstance(value, str) else _json.encode(value).decode()


def _quote(text: str) -> str:
    if text.isprintable() and "'" not in text and "\\" not in text:
        return f"'{text}'"
    body = text.replace("\\", "\\\\").replace("'", "\\'")
    return (
        "'" + "".join(letter if letter >= " " else f"\\u{ord(letter):04x}" for letter in body) + "'"
    )


def _unquoted(quoted: str) -> str:
    def plain(match: re.Match[str]) -> str:
        text = match[1]
        return chr(int(text[1:], 16)) if len(text) > 1 else _ESCAPES.get(text, text)

    return _ESCAPE.sub(plain, quoted[1:-1])


def _scalar(text: str) -> Scalar:
    if text[0] in "'\"":
        return _unquoted(text)
    return text == "true" if text in ("true", "false") else int(text)


def is_scalar(value: JsonValue) -> bool:
    """Return whether a value can identify an element of a list."""
    return type(value) in (str, int, bool)
