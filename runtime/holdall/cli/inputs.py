"""The input of commands: files, folders or standard input; and rates."""

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
    """Return whether arguments name standard input: by `-`, or because there are none.

    Raises UsageError for `-` beside files.
    """
    if _PIPE in paths and len(paths) > 1:
        raise click.UsageError("pass `-` (standard input) or files, not both")
    return not paths or _PIPE in paths


def read_streams(paths: Sequence[Path], scalars: Scalars) -> list[Stream]:
    """Read everything that the arguments name, also JSON lines; `-` or no argument is standard
    input.

    Raises SourceError with the problems of all files, also those without a document, and
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
    """Read all objects that the arguments name, also items of lists, each with its document and its
    JSON Pointer.

    Raises what `read_streams` does, and SourceError for what is not an object. With `at_least_one`
    it also raises SourceError if there is no object: empty lists prove nothing.
    """
    streams = read_streams(paths, scalars)
    found = require_objects(document for stream in streams for document in stream.documents)
    if at_least_one and not found:
        places = ", ".join(stream.file for stream in streams)
        text = "there is no object, so nothing was done"
        raise SourceError([Problem("HA111", places, text, "name files with objects")])
    return found


def read_rate(text: str) -> float:
    """Return the number of writes per second in `20` or `20/s`. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/s)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a rate; write a number per second, such as 20/s")
    return float(match[1])
