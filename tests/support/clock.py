"""A clock that a test moves on: no outcome depends on how busy a machine is."""

from __future__ import annotations


class Clock:
    """What `time.monotonic` says, to the code under test and to the timers of asyncio."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
