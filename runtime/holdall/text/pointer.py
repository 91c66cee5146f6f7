"""JSON Pointers (RFC 6901), which name places in documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_CONTAINERS: Final = frozenset({dict, list})
_PARTS: Final = frozenset({*_CONTAINERS, str})
MOST_SHOWN: Final = 4096
"""Maximum length of a pointer in a message, in characters."""
_DIGITS: Final = 10
_SEARCHES: Final = 16


def escape(segment: str | int) -> str:
    """Return one segment as it is escaped in a pointer."""
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
    """Return the segment that `text` stands for in a pointer."""
    return text.replace("~1", "/").replace("~0", "~") if "~" in text else text


def step(value: Any, segment: str, missing: Any = None) -> Any:
    """Return the member or the element that a segment names; `missing` if there is none."""
    if type(value) is dict:
        return value.get(segment, missing)
    if type(value) is list and segment.isdecimal() and len(segment) < _DIGITS:
        return value[int(segment)] if int(segment) < len(value) else missing
    return missing


def beginning(segments: Iterable[str | int], most: int = MOST_SHOWN) -> str:
    """Return a pointer for people, cut off after `most` characters.

    A name of a megabyte may be in the pointers of thousands of values.
    """
    pointer = ""
    for segment in segments:
        pointer = join(pointer, str(segment)[: most + 1])
        if len(pointer) > most:
            return f"{pointer[:most]}..."
    return pointer


class Pointers:
    """Where the containers and texts in a JSON value are, by identity: each at its first place.

    The value is searched at the first request, and only a few times again for parts that were not
    found, because they may have been added since.
    """

    __slots__ = ("_found", "_root", "_searches")

    def __init__(self, root: Any) -> None:
        self._root = root
        self._found: dict[int, tuple[Any, Any, str | int]] = {}
        self._searches = 0

    def pointer_to(self, part: Any) -> str | None:
        """Return the pointer to a part, cut off if it is very long; None if it is nowhere."""
        if id(part) not in self._found and self._searches < _SEARCHES:
            self._searches += 1
            self._search()
        segments: list[str | int] = []
        while part is not self._root:
            found = self._found.get(id(part))
            if found is None:
                return None
            _, part, segment = found
            segments.append(segment)
        return beginning(reversed(segments))

    def _search(self) -> None:
        self._found = {}
        work: list[tuple[Any, Any, str | int]] = [(self._root, None, "")]
        while work:
            part, _, _ = found = work.pop()
            # It is kept, so that no other object gets its identity.
            self._found.setdefault(id(part), found)
            if type(part) in _CONTAINERS:
                below = part.items() if type(part) is dict else enumerate(part)
                held = [(item, part, key) for key, item in below if type(item) in _PARTS]
                work.extend(reversed(held))
