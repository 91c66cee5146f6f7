"""A bar at a terminal: how far a run is, and how long it still takes. It gives way to messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

_PAUSE: Final = 0.1
"""Seconds between two pictures, at least."""
_LONG: Final = 36
_SHORT: Final = 10
_TYPED: Final = len("^C")
"""What a terminal may show behind the bar of its own accord."""


class Bar:
    """One line on standard error, never wider than the terminal is; `total` is None if nobody
    knows how much there is to do."""

    def __init__(self, label: str, total: int | None, *, is_shown: bool) -> None:
        self._label = label
        self._total = total
        self._is_shown = is_shown
        self._width = 0
        self._done = 0
        self._drawn = monotonic()
        self._begun: tuple[float, int] | None = None
        self._draw()

    def add(self, count: int = 1) -> None:
        """Say that so much more is done."""
        self.show(self._done + count)

    def show(self, done: int, more: str = "") -> None:
        """Say how much is done, and something about it; a few times in a second it is drawn."""
        now = monotonic()
        self._done = done
        # What an earlier run did, and the first piece with all that it started, tell no pace.
        self._begun = self._begun or (now, done)
        if now - self._drawn >= _PAUSE or done == self._total:
            self._drawn = now
            self._draw(self._left(now), more)

    def hide(self) -> None:
        """Leave the line to something else; the next picture brings the bar back."""
        if self._width:
            _write(f"\r{' ' * min(self._width + _TYPED, _columns() - 1)}\r")
            self._width = 0

    def _left(self, now: float) -> str:
        begun, first = self._begun or (now, self._done)
        if not self._total or self._done <= first:
            return ""
        seconds = (now - begun) * max(self._total - self._done, 0) / (self._done - first)
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

    def _draw(self, *words: str) -> None:
        if self._is_shown:
            room = max(_columns() - 1, 0)
            line = self._line(words, room)
            _write(f"\r{line.ljust(min(self._width, room))}")
            self._width = len(line)

    def _line(self, words: Iterable[str], room: int) -> str:
        share = min(self._done / self._total, 1.0) if self._total else 0.0
        said = f"{share:4.0%}" if self._total else f"{self._done:,}"
        line = f"{self._label} {said}"
        if len(line) > room:
            return said.strip()[:room]
        for word in words:
            # Half a number would be another one.
            if word and len(line) + 2 + len(word) <= room:
                line += f"  {word}"
        length = min(room - len(line) - len(" []"), _LONG)
        if not self._total or length < _SHORT:
            return line
        full = int(length * share)
        return line.replace(" ", f" [{'#' * full}{'-' * (length - full)}] ", 1)


_active: Final[list[Bar]] = []


@contextmanager
def bar(label: str, total: int | None, *, quiet: bool) -> Iterator[Bar]:
    """Yield a bar, which is drawn if there is a terminal for it."""
    made = Bar(label, total, is_shown=can_draw() and not quiet)
    _active.append(made)
    try:
        yield made
    finally:
        made.hide()
        _active.remove(made)


def can_draw() -> bool:
    """Tell whether standard error is a terminal that can go back on its line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def hide_bars() -> None:
    """Make room for a message."""
    for each in _active:
        each.hide()


def _columns() -> int:
    """Return how wide the terminal is now."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
