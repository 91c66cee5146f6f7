"""JSON Pointers (RFC 6901): how holdall names places in documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def escape(segment: str | int) -> str:
    """Return one segment as it is in a pointer."""
    text = str(segment)
    if "~" in text or "/" in text:
        return text.replace("~", "~0").replace("/", "~1")
    return text


def join(pointer: str, *segments: str | int) -> str:
    """Return the pointer to a place below `pointer`."""
    for segment in segments:
        text = segment if type(segment) is str else str(segment)
        pointer += f"/{escape(text)}" if "~" in text or "/" in text else f"/{text}"
    return pointer


def split(pointer: str) -> tuple[str, ...]:
    """Return the segments of a pointer; none for the root."""
    if not pointer:
        return ()
    segments = pointer[1:].split("/")
    return tuple(map(unescape, segments) if "~" in pointer else segments)


def unescape(text: str) -> str:
    """Return the segment that is in a pointer as `text`."""
    return text.replace("~1", "/").replace("~0", "~") if "~" in text else text


def step(value: Any, segment: str, missing: Any = None) -> Any:
    """Return the member or the element that a segment names; `missing` if there is none."""
    if type(value) is dict:
        return value.get(segment, missing)
    if type(value) is list and segment.isdecimal() and int(segment) < len(value):
        return value[int(segment)]
    return missing


def pointer_to(root: Any, part: Any) -> str | None:
    """Return the pointer to a part of a JSON value, found by identity; None if it is not there."""
    return next((path for path, value in _values_within(root) if value is part), None)


def _values_within(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, value
    if type(value) is dict or type(value) is list:
        for key, item in value.items() if type(value) is dict else enumerate(value):
            yield from _values_within(item, join(path, key))
