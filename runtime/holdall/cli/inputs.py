"""What a command is given: files, folders or standard input, and rates."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from holdall.errors import Problem, SourceError
from holdall.text.documents import Document, Scalars
from holdall.text.streams import (
    LINES,
    Stream,
    find_inputs,
    read_inputs,
    read_pipe,
    require_documents,
    require_objects,
)
from holdall.types import JsonObject

_PIPE: Final = Path("-")


def is_pipe(paths: Sequence[Path]) -> bool:
    """Tell whether arguments name standard input: by `-`, or by none at all.

    Raises UsageError for `-` beside files.
    """
    if _PIPE in paths and len(paths) > 1:
        raise click.UsageError("`-` (standard input) stands alone; name it or files, not both")
    return not paths or _PIPE in paths


def read_streams(paths: Sequence[Path], scalars: Scalars) -> list[Stream]:
    """Read everything that the arguments name, JSON lines, too; `-` or no argument is standard
    input.

    Raises SourceError with the problems of all files, those without a document among them, and
    UsageError for `-` beside files.
    """
    if is_pipe(paths):
        streams = [read_pipe(sys.stdin.buffer.read(), scalars=scalars)]
    else:
        inputs = find_inputs(paths, lambda path: path.suffix.lower() in LINES)
        streams = read_inputs(inputs, scalars=scalars)
    require_documents(streams)
    return streams


def read_objects(
    paths: Sequence[Path], scalars: Scalars, *, at_least_one: bool = True
) -> list[tuple[Document, str, JsonObject]]:
    """Read all objects that the arguments name, items of lists one by one, each with its document
    and its JSON Pointer.

    Raises what `read_streams` does, and SourceError for what is not an object; unless one is not
    needed, also if there is none: lists without items prove nothing about objects.
    """
    streams = read_streams(paths, scalars)
    found = require_objects(document for stream in streams for document in stream.documents)
    if at_least_one and not found:
        places = ", ".join(stream.file for stream in streams)
        text = "there is no object, so nothing was looked at"
        raise SourceError([Problem("HA111", places, text, "name files that have some")])
    return found


def read_rate(text: str) -> float:
    """Return the number of writes per second in `20` or `20/s`. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/s)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a rate; write a number per second, as 20/s")
    return float(match[1])
