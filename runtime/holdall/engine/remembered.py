"""Caching results of pure functions for JSON values that occur again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final
from weakref import ref

from holdall.text import json as _json

_LONGEST: Final = 1 << 15
"""Maximum bytes of an input whose result is cached."""
_ROOM: Final = 1 << 21
"""Maximum bytes of the cache of one part of a hook in one direction."""
_WHOLE_ROOM: Final = 1 << 26
"""Maximum bytes of all caches in a process: a project may have hundreds."""
_BESIDE: Final = 200
"""Overhead in bytes of an input and its result."""
_MOST: Final = 512
"""Maximum number of inputs recorded as seen once."""

_pauses: list[None] = []


@contextmanager
def nothing_remembered() -> Iterator[None]:
    """Disable caches, because hooks that functions run may be switched off meanwhile."""
    _pauses.append(None)
    try:
        yield
    finally:
        _pauses.pop()


class Remembered:
    """Results by the text of their input: values with equal texts are equal.

    A result is cached when its input occurs a second time, because most values of large clusters do
    not. It is cached as text, which is small and immutable. Sizes need no lock: races make them
    slightly wrong until the cache is cleared.
    """

    _all: ClassVar[list[ref[Remembered]]] = []
    _whole_size: ClassVar[int] = 0

    def __init__(self) -> None:
        self._results: dict[bytes, bytes] = {}
        self._size = 0
        self._seen: set[int] = set()
        self._all.append(ref(self, self._all.remove))

    def text_of(self, value: Any) -> bytes:
        """Return the key of a value's results; empty for a value without a text, or if disabled."""
        if _pauses:
            return b""
        try:
            return _json.encode_known(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return b""

    def get(self, text: bytes) -> Any:
        """Return a copy of the cached result for an input, None if there is none."""
        known = self._results.get(text)
        return None if known is None else _json.decode_known(known)

    def note(self, text: bytes, result: Any) -> None:
        """Cache a result if its input was seen before, otherwise record the input."""
        if not 0 < len(text) <= _LONGEST:
            return
        mark = hash(text)
        if mark not in self._seen:
            if len(self._seen) >= _MOST:
                self._seen.clear()
            self._seen.add(mark)
        else:
            kept = _json.encode_known(result)
            size = len(text) + len(kept) + _BESIDE
            if size <= _ROOM:
                self._make_room(size)
                self._results[text] = kept

    def _make_room(self, size: int) -> None:
        """Count the bytes of another result; clear caches that would exceed their limit."""
        if self._size + size > _ROOM:
            self._forget()
        if Remembered._whole_size + size > _WHOLE_ROOM:
            for found in [*self._all]:
                if (one := found()) is not None:
                    one._forget()
            Remembered._whole_size = 0  # it still counts deleted caches
        self._size += size
        Remembered._whole_size += size

    def _forget(self) -> None:
        self._results.clear()
        Remembered._whole_size -= self._size
        self._size = 0
