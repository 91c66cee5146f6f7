"""The table a benchmark prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: seconds (or another figure as text), what it is against its limit."""

    title: str
    seconds: float | None
    figure: str
    limit: str


def markdown(rows: Iterable[Row]) -> str:
    """Return rows as a Markdown table."""
    lines = ["| what | time | result | limit |", "|---|---:|---:|---:|"]
    lines.extend(
        f"| {row.title} | {_duration(row.seconds)} | {row.figure} | {row.limit} |" for row in rows
    )
    return "\n".join(lines)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
