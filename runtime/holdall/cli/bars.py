"""A progress bar on a terminal, with the remaining time. It makes way for messages."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress

_PAUSE: Final = 0.1
"""Minimum seconds between two drawings."""


class Bar:
    """One line on standard error; `total` is None if the amount of work is unknown.

    Without `drawn` nothing is shown.
    """

    def __init__(self, label: str, total: int | None, drawn: Progress | None) -> None:
        self._shown = drawn
        self._total = total
        self._done = 0
        self._next = monotonic() + _PAUSE
        if drawn is not None:
            self._task = drawn.add_task(label, total=total, more="")
            drawn.start()

    def add(self, count: int = 1) -> None:
        """Count more work as done."""
        self.show(self._done + count)

    def show(self, done: int, more: str = "") -> None:
        """Show how much is done, with a remark; draws only a few times per second."""
        self._done = done
        if self._shown is None:
            return
        now = monotonic()
        if now >= self._next or done == self._total:
            self._next = now + _PAUSE
            self._shown.update(self._task, completed=done, more=more)
            self._shown.start()
            self._shown.refresh()

    def hide(self) -> None:
        """Clear the line for other output; the next drawing brings the bar back."""
        if self._shown is not None:
            self._shown.stop()


_active: Final[list[Bar]] = []


@contextmanager
def bar(label: str, total: int | None, *, quiet: bool) -> Iterator[Bar]:
    """Yield a bar, which is drawn only on a terminal, and if rich is installed."""
    made = Bar(label, total, _drawn() if can_draw() and not quiet else None)
    _active.append(made)
    try:
        yield made
    finally:
        made.hide()
        _active.remove(made)


def can_draw() -> bool:
    """Return whether standard error is a terminal that can redraw a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def hide_bars() -> None:
    """Make room for a message."""
    for each in _active:
        each.hide()


def _drawn() -> Progress | None:
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
    except ModuleNotFoundError:
        return None
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(text_format_no_percentage="{task.completed:,.0f}"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[more]}"),
        console=Console(stderr=True),
        # A drawing thread would be alive when worker processes are forked.
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


COLORS: Final = {
    **dict.fromkeys(("copied", "recursed", "kept", "pass", "valid", "yes"), "green"),
    **dict.fromkeys(("renamed", "moved", "converted", "wrapped", "claimed by a hook"), "cyan"),
    **dict.fromkeys(("pulled", "stashed", "in the bag", "skip"), "yellow"),
    **dict.fromkeys(("refused", "lost", "dropped", "fail", "expired", "no"), "bold red"),
}
"""The colours of fates and results: unchanged, changed, in a bag, lost."""


def drawn_table(rows: Sequence[Sequence[str]], headers: Sequence[str], indent: int) -> str:
    """Return a table that fits the terminal, long cells on several lines; empty without rich."""

    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ModuleNotFoundError:
        return ""
    width = max(shutil.get_terminal_size().columns - indent, 20)
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for header in headers:
        grid.add_column(header, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell, COLORS.get(cell, "")) for cell in row))
    page = io.StringIO()
    Console(file=page, width=width, force_terminal=True, color_system="standard").print(grid)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())
