"""What pure functions made of JSON values, for values that come again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final
from weakref import ref

from holdall.text import json as _json

_LONGEST: Final = 1 << 15
"""Bytes of an input whose result is remembered."""
_ROOM: Final = 1 << 21
"""Bytes of all that one part of a hook remembers in one direction."""
_WHOLE_ROOM: Final = 1 << 26
"""Bytes of what all of them remember in a process: a project may have hundreds."""
_BESIDE: Final = 200
"""Bytes that an input and its result take beside their texts."""
_MOST: Final = 512
"""Inputs of which it is known that they came once."""

_pauses: list[None] = []


@contextmanager
def nothing_remembered() -> Iterator[None]:
    """Let functions run again and again: hooks that they run may be switched off meanwhile."""
    _pauses.append(None)
    try:
        yield
    finally:
        _pauses.pop()


class Remembered:
    """Results by the text of what they were made of: values with equal texts are equal.

    A result is kept once its input has come a second time: most values of large clusters never do.
    It is kept as text: small, and safe from changes. Sizes need no lock: where threads meet they
    are a little off, until all is forgotten.
    """

    _all: ClassVar[list[ref[Remembered]]] = []
    _whole_size: ClassVar[int] = 0

    def __init__(self) -> None:
        self._results: dict[bytes, bytes] = {}
        self._size = 0
        self._seen: set[int] = set()
        self._all.append(ref(self, self._all.remove))

    def text_of(self, value: Any) -> bytes:
        """Return the key of results of a value; nothing for one without a text, or if paused."""
        if _pauses:
            return b""
        try:
            return _json.encode_known(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return b""

    def get(self, text: bytes) -> Any:
        """Return a copy of the result for an input, None if none is known."""
        known = self._results.get(text)
        return None if known is None else _json.decode_known(known)

    def note(self, text: bytes, result: Any) -> None:
        """Remember a result if its input was seen before, otherwise that it was seen now."""
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
        """Count the bytes of another result; forget what would be too much with it."""
        if self._size + size > _ROOM:
            self._forget()
        if Remembered._whole_size + size > _WHOLE_ROOM:
            for found in [*self._all]:
                if (one := found()) is not None:
                    one._forget()
            Remembered._whole_size = 0  # those that are gone are still in it
        self._size += size
        Remembered._whole_size += size

    def _forget(self) -> None:
        self._results.clear()
        Remembered._whole_size -= self._size
        self._size = 0
