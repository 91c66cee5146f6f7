"""Shared memory with each worker's counts, for the worker that is asked for metrics.

Anonymous memory needs no disk, and keeps the counts of a killed worker for its successor.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from typing import Final

SIZE: Final = 1 << 20
_HEAD: Final = struct.Struct("<QII")  # number of the writing, length, checksum of both and body


class Slots:
    """One slot per worker; made before the workers are forked.

    A writer alternates between the two halves of its slot, each with a checksum, so a reader never
    gets a half-written state, even if the writer died. `size` is in bytes.
    """

    def __init__(self, count: int, size: int = SIZE) -> None:
        self.count = count
        self._half = size
        self._memory = mmap.mmap(-1, 2 * size * count)

    def write(self, slot: int, data: bytes) -> bool:
        """Write a worker's counts; False if they do not fit, and the older ones stay."""
        if len(data) > self._half - _HEAD.size:
            return False
        number = self._newest(slot)[0] + 1
        place = self._place(slot, number % 2)
        start = place + _HEAD.size
        self._memory[start : start + len(data)] = data
        self._memory[place:start] = _HEAD.pack(number, len(data), _checksum(number, data))
        return True

    def read(self, slot: int) -> bytes:
        """Return a worker's latest counts; empty if there are none."""
        return self._newest(slot)[1]

    def others(self, slot: int) -> Iterator[bytes]:
        """Yield the counts of the other workers."""
        for other in range(self.count):
            if other != slot and (data := self.read(other)):
                yield data

    def _place(self, slot: int, half: int) -> int:
        return (2 * slot + half) * self._half

    def _newest(self, slot: int) -> tuple[int, bytes]:
        return max(self._read(self._place(slot, half)) for half in (0, 1))

    def _read(self, place: int) -> tuple[int, bytes]:
        number, length, checksum = _HEAD.unpack_from(self._memory, place)
        start = place + _HEAD.size
        data = self._memory[start : place + min(_HEAD.size + length, self._half)]
        return (number, data) if number and checksum == _checksum(number, data) else (0, b"")


def _checksum(number: int, data: bytes) -> int:
    return zlib.crc32(data, number & 0xFFFFFFFF)
