"""Checking that Python data is exactly JSON, and finding what is not."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from holdall.errors import DecodeError
from holdall.text.documents import MAX_DEPTH, MAX_DIGITS
from holdall.text.pointer import join
from holdall.types import JsonValue, json_kind

TOO_LONG: Final[int] = 10**MAX_DIGITS
# Integers of at most this many bits cannot have more than MAX_DIGITS digits.
_MAX_BITS: Final = int(MAX_DIGITS * math.log2(10))
_DOLLAR: Final = ord("$")
BACKSLASH: Final = ord("\\")
_QUOTE: Final = ord('"')
_AFTER_VALUES: Final = (b",", b"]", b"}")
_MOST_DOLLARS: Final = 256
"""Dollar signs that are looked at one by one."""
_LEVELS_SHOWN: Final = 12
_MISSING: Final = object()
_SHALLOW: Final = 12
"""Levels of containers that most values do not exceed."""
_Frame: TypeAlias = tuple[Any, Any, "_Frame | None", Any, int]
"""Source container, its copy, the frame it is in, its key or index there, its depth."""


def copy_checked(value: object, path: str = "", *, mappings: bool = False) -> JsonValue:
    """Copy untrusted Python data deeply, and refuse whatever is not exactly JSON.

    Refused: keys that are not `str`; NaN and infinities; tuples, sets, dates, bytes and all other
    types, subclasses of JSON types included; lone surrogates in values and keys; integers beyond
    MAX_DIGITS digits; containers nested deeper than MAX_DEPTH, cycles included. With `mappings`,
    any Mapping is read as an object.
    Raises DecodeError with the JSON Pointer of the refused value, which begins with `path`.
    """
    kind = type(value)
    if mappings:
        value, kind = _as_dict(value, kind)
    if kind is not dict and kind is not list:
        fault = _scalar_fault(value, kind)
        if fault:
            raise DecodeError(fault, path)
        return value  # type: ignore[return-value]
    try:
        copied: JsonValue = _copied_quickly(value, _SHALLOW)
    except (_OddError, RecursionError):
        copied = _copied_exactly(value, path, mappings=mappings)
    return copied


def _as_dict(item: Any, kind: type) -> tuple[Any, type]:
    """Return a Mapping as a dict, anything else as it is, and the type of what is returned."""
    if kind is not dict and isinstance(item, Mapping):
        return {**item}, dict
    return item, kind


class _OddError(Exception):
    """A value is unusual and needs the exact check."""


def _copied_quickly(value: Any, levels: int) -> Any:
    """Return a copy of a container of JSON in few levels. Raises _OddError for most others."""
    if levels == 0:
        raise _OddError
    if type(value) is list:
        items = []
        for item in value:
            kind = type(item)
            if (kind is str and item.isascii()) or kind is bool:
                items.append(item)
            elif kind is dict or kind is list:
                items.append(_copied_quickly(item, levels - 1))
            elif item is None or not _scalar_fault(item, kind):
                items.append(item)
            else:
                raise _OddError
        return items
    members = {}
    for key, item in value.items():
        if type(key) is not str or not (key.isascii() or not _has_surrogate(key)):
            raise _OddError
        kind = type(item)
        if (kind is str and item.isascii()) or kind is bool:
            members[key] = item
        elif kind is dict or kind is list:
            members[key] = _copied_quickly(item, levels - 1)
        elif item is None or not _scalar_fault(item, kind):
            members[key] = item
        else:
            raise _OddError
    return members


def _copied_exactly(value: object, path: str, *, mappings: bool) -> JsonValue:
    holder: list[Any] = [None]
    # An explicit stack: the caller's own depth and the interpreter's limit must not matter.
    work: list[_Frame] = [([value], holder, None, None, 0)]
    while work:
        frame = work.pop()
        source, target, _, _, depth = frame
        is_object = type(source) is dict
        entries: Any = source.items() if is_object else enumerate(source)
        for key, item in entries:
            if is_object and not (type(key) is str and key.isascii()):
                if type(key) is not str:
                    raise _refusal(f"the key {key!r} is not a string", path, frame)
                if _has_surrogate(key):
                    raise _refusal(f"the key {key!a} contains a lone surrogate", path, frame)
            kind = type(item)
            if mappings:
                item, kind = _as_dict(item, kind)
            if kind is dict or kind is list:
                child: Any = {} if kind is dict else [None] * len(item)
                target[key] = child
                work.append((item, child, frame, key, depth + 1))
            elif (kind is str and item.isascii()) or not (fault := _scalar_fault(item, kind)):
                target[key] = item
            else:
                raise _refusal(fault, path, frame, key)
        if depth >= MAX_DEPTH and work and work[-1][4] > MAX_DEPTH:
            raise _depth_refusal(work[-1], path)
    copied: JsonValue = holder[0]
    return copied


def may_be_deep(text: bytes, around: int = 0) -> bool:
    """Return whether a JSON text has as many brackets as containers nested deeper than MAX_DEPTH.

    `around` counts the containers that it is in.
    """
    most = MAX_DEPTH - around
    spare = len(text) - 2 * most
    if spare <= 0:
        return False
    lists = text.count(b"[")
    # Few texts have many lists, and an object with a member takes three bytes more than a list.
    return lists + spare // 3 >= most and lists + text.count(b"{") > most


def is_deep(values: Sequence[Any]) -> bool:
    """Return whether decoded JSON values may hold containers nested deeper than MAX_DEPTH.

    They do, or their depth is MAX_DEPTH.
    """
    level = [*values]
    # Both functions run at the speed of C. What the garbage collector does not track holds no
    # containers; that may be so for an object, so the last level is uncertain.
    for _ in range(MAX_DEPTH - 1):
        level = list(filter(gc.is_tracked, gc.get_referents(*level)))
        if not level:
            return False
    return True


def may_hold_dollars(data: bytes | str) -> bool:
    """Return whether names in a JSON text may begin with a dollar sign, as holdall's own do."""
    text = data if isinstance(data, bytes) else data.encode(errors="replace")
    # A byte is found fastest by its number, and several bytes much faster from the end.
    return (_DOLLAR in text and _may_name_dollars(text)) or (
        BACKSLASH in text and text.rfind(b"\\u0024") >= 0
    )


def _may_name_dollars(text: bytes) -> bool:
    """Return whether names may begin with an unescaped dollar sign.

    Values often contain some: "${HOME}", and commands that escape their quotes.
    """
    at = -1
    for _ in range(_MOST_DOLLARS):
        at = text.find(b"$", at + 1)
        if at < 0:
            return False
        if text[at - 1] == _QUOTE and text[at - 2] != BACKSLASH:  # a string begins
            end = text.find(b'"', at)
            if text[end - 1] == BACKSLASH or text[end + 1 : end + 2] not in _AFTER_VALUES:
                return True
    return True


def agree_by_parts(a: Any, b: Any, agree: Callable[[Any, Any], bool]) -> bool:
    """Return whether all scalars of two containers of one kind agree, at any depth."""
    work: list[tuple[Any, Any]] = [(a, b)]
    while work:
        left, right = work.pop()
        if len(left) != len(right):
            return False
        for one, other in _pairs(left, right):
            kind = type(one)
            if one is other:
                continue
            if kind is type(other) and (kind is dict or kind is list):
                work.append((one, other))
            elif not agree(one, other):
                return False
    return True


def _pairs(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    if type(left) is dict:
        return ((item, right.get(key, _MISSING)) for key, item in left.items())
    return zip(left, right, strict=True)


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _scalar_fault(item: Any, kind: type) -> str:
    """Return why a value that is not a container is not JSON; empty if it is JSON."""
    if kind is str:
        if item.isascii() or not _has_surrogate(item):
            return ""
        return "the string contains a lone surrogate"
    if kind is bool or item is None:
        return ""
    if kind is int:
        if item.bit_length() <= _MAX_BITS or -TOO_LONG < item < TOO_LONG:
            return ""
        return f"the integer has more than {MAX_DIGITS} digits"
    if kind is float:
        return "" if math.isfinite(item) else f"{item} is not a JSON number"
    for base in kind.__mro__[1:]:
        if base in (str, int, float, list, dict):
            return f"{kind.__name__} is a subclass of {base.__name__}, not a JSON type"
    return f"{kind.__name__} is not a JSON type"


def _refusal(message: str, path: str, frame: _Frame, *last: str | int) -> DecodeError:
    tokens: list[str | int] = list(last)
    step: _Frame | None = frame
    while step is not None:
        if step[2] is not None:
            tokens.append(step[3])
        step = step[2]
    # The outermost token is an index into the list around the copy, not a part of the value.
    return DecodeError(message, join(path, *tokens[-2::-1]))


def _depth_refusal(frame: _Frame, path: str) -> DecodeError:
    frames: list[_Frame] = []
    step: _Frame | None = frame
    while step is not None:
        frames.append(step)
        step = step[2]
    seen: set[int] = set()
    for outer in reversed(frames):
        if id(outer[0]) in seen:
            return _refusal("the data is cyclic: a container contains itself", path, outer)
        seen.add(id(outer[0]))
    kind = json_kind(frame[0])
    refusal = _refusal(f"the {kind} is nested deeper than {MAX_DEPTH} levels", path, frame)
    # The full pointer would be too long to show where the nesting begins.
    refusal.path = "/".join(refusal.path.split("/")[:_LEVELS_SHOWN])
    return refusal
