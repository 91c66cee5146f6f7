"""JSON Pointers (RFC 6901): how holdall names places in documents."""

from __future__ import annotations


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
