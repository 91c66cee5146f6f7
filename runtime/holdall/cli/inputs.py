"""What a command is given: files, folders or standard input, and rates."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from holdall.text.documents import Scalars
from holdall.text.streams import LINES, Stream, find_inputs, read_inputs, read_pipe

_PIPE: Final = Path("-")


def read_streams(paths: Sequence[Path], scalars: Scalars) -> list[Stream]:
    """Read everything that the arguments name, JSON lines, too; `-` or no argument is standard
    input.

    Raises SourceError with the problems of all files, UsageError for `-` beside files.
    """
    if not paths or tuple(paths) == (_PIPE,):
        return [read_pipe(sys.stdin.buffer.read(), scalars=scalars)]
    if _PIPE in paths:
        raise click.UsageError("`-` (standard input) stands alone; name it or files, not both")
    return read_inputs(find_inputs(paths, _is_lines), scalars=scalars)


def _is_lines(path: Path) -> bool:
    """Tell by a file's name whether it has a JSON document in each line."""
    return path.suffix.lower() in LINES


def read_rate(text: str) -> float:
    """Return the number of writes per second in `20` or `20/s`. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/s)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a rate; write a number per second, as 20/s")
    return float(match[1])
