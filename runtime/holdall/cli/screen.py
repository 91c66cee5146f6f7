"""What is drawn at a terminal: tables that fit, fates in colours. Without rich, plainly."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from typing import Final

COLORS: Final = {
    **dict.fromkeys(("copied", "recursed", "kept", "pass", "valid", "yes"), "green"),
    **dict.fromkeys(("renamed", "moved", "converted", "wrapped", "claimed by a hook"), "cyan"),
    **dict.fromkeys(("pulled", "stashed", "in the bag", "skip"), "yellow"),
    **dict.fromkeys(("refused", "lost", "dropped", "fail", "expired", "no"), "bold red"),
}
"""The colours of fates and results: as it was, as another, in a bag, gone."""


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
