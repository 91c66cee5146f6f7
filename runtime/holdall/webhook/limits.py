"""The server's limits: sizes, times, and requests in flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one process. Sizes are bytes, times are seconds.

    `body` is the largest request body (docs/conform.md, WC-79: at least 64 MiB).
    `bodies` and `held` limit the requests, and their bytes, that wait for the rest of their body
    or for their turn; further ones are answered 503 with `Retry-After: retry_after`. `in_loop` is
    the largest body that is converted in the event loop; a larger one is converted in a thread, so
    that others are answered meanwhile. `compress` is the smallest reply that is compressed for
    clients that accept it. `time` is the default deadline of a request. `head` is how long a
    connection may take to send the head of a request, `head_bytes` its maximum size, and
    `keep_alive` how long it may be idle (WC-72: at least 120 s). A process that is busy with one
    conversion for `stuck` seconds, for which no client still waits, is given up.
    """

    body: int = 64 * MEBIBYTE
    bodies: int = 256
    held: int = 256 * MEBIBYTE
    in_loop: int = 64 << 10
    compress: int = 128 << 10
    time: float = 30.0
    head: float = 10.0
    head_bytes: int = 64 << 10
    keep_alive: int = 180
    retry_after: int = 1
    stuck: float = 60.0


class Gate:
    """Counts requests in flight, and decides whether to accept new ones.

    Used from one event loop only, without locks. `draining` is set once, when the server must end.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.draining = False
        self.bodies = 0
        self.held = 0

    def enter(self) -> bool:
        """Count a request; False if there are too many."""
        if self.bodies >= self._limits.bodies:
            return False
        self.bodies += 1
        return True

    def hold(self, size: int) -> bool:
        """Count bytes; False if they are too many."""
        if self.held + size > self._limits.held:
            return False
        self.held += size
        return True

    def leave(self, size: int) -> None:
        """Remove a request and its bytes from the counts."""
        self.bodies -= 1
        self.held -= size
