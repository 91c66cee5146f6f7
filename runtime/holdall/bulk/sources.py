"""Files that are read a piece at a time: JSON lines, compressed or not, and tables."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, Literal, NamedTuple

from holdall.bulk.arrow import import_arrow
from holdall.errors import Problem, SourceError
from holdall.text.files import shown
from holdall.text.streams import LINES, STDIN

Form = Literal["lines", "table"]
Codec = Literal["", "gzip", "zstd"]

_CODECS: Final[dict[str, Codec]] = {".gz": "gzip", ".zst": "zstd"}
_TABLE: Final = ".parquet"

BLOCK: Final = 2**20
"""Bytes of whole lines that are read, converted and written together."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to be read, standard input where `path` is None; `relative` is its place below an
    output folder."""

    path: Path | None
    relative: PurePosixPath | None
    form: Form
    codec: Codec = ""

    @property
    def name(self) -> str:
        """What messages call it."""
        return STDIN if self.path is None else shown(self.path)

    def size(self) -> int | None:
        """Return its bytes, None if they cannot be known before they are read."""
        path = self.path
        return path.stat().st_size if path is not None and path.is_file() else None

    def identity(self) -> list[Any]:
        """Return what tells that it is the same file, unchanged."""
        if self.path is None:
            return [STDIN]
        found = self.path.stat()
        return [shown(self.path.resolve()), found.st_size, found.st_mtime_ns]


class Block(NamedTuple):
    """Whole lines of a file: their text, the number of the first, and how far the file is read.

    `end` is the offset behind the block in the lines, `position` that in the file.
    """

    file: str
    line: int
    text: bytes
    end: int
    position: int


def form_of(path: Path) -> tuple[Form, Codec] | None:
    """Tell by a file's name how it is read; None for what is read whole."""
    codec = _CODECS.get(path.suffix.lower(), "")
    inner = path.with_suffix("") if codec else path
    if inner.suffix.lower() in LINES:
        return "lines", codec
    return ("table", "") if path.suffix.lower() == _TABLE else None


def codec_of(path: Path) -> Codec:
    """Tell by a file's name how it is compressed."""
    return _CODECS.get(path.suffix.lower(), "")


def compress(data: bytes, codec: Codec) -> bytes:
    """Return a compressed text that may follow another one; of nothing, a whole file of nothing."""
    if not codec:
        return data
    if codec == "gzip":
        return gzip.compress(data, 6, mtime=0)
    compressed: bytes = import_arrow().Codec("zstd").compress(data, asbytes=True)
    return compressed


def read_blocks(source: Source, start: int = 0, line: int = 1) -> Iterator[Block]:
    """Yield the lines of a source in blocks, from an offset that one of them ended at.

    Raises SourceError for what is not such a file or ends early, OSError for what cannot be read.
    """
    with _open(source) as (stream, raw), _damage(source):
        _skip(stream, start)
        end, rest = start, b""
        while True:
            data = stream.read(BLOCK)
            text = rest + data
            cut = text.rfind(b"\n") + 1 if data else len(text)
            whole, rest = text[:cut], text[cut:]
            if whole:
                end += len(whole)
                yield Block(source.name, line, whole, end, raw.tell() if raw.seekable() else 0)
                line += whole.count(b"\n")
            if not data:
                if source.codec and raw.seekable() and not raw.tell():
                    raise EOFError("there is nothing in it")
                return


def _skip(stream: BinaryIO, count: int) -> None:
    while count:
        found = len(stream.read(min(count, BLOCK)))
        if not found:
            return
        count -= found


@contextmanager
def _open(source: Source) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open the lines of a source, and the file below, which says how far it is read."""
    if source.path is None:
        yield sys.stdin.buffer, sys.stdin.buffer
        return
    with source.path.open("rb") as raw:
        if source.codec == "gzip":
            with gzip.open(raw) as stream:
                yield stream, raw  # type: ignore[misc]
        elif source.codec == "zstd":
            arrow = import_arrow()
            with arrow.CompressedInputStream(arrow.PythonFile(raw, "r"), "zstd") as stream:
                yield stream, raw
        else:
            yield raw, raw


@contextmanager
def _damage(source: Source) -> Iterator[None]:
    """Say which file is damaged: errors of decompression name none."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(source, error) from error
    except OSError as error:
        if error.errno is not None or source.codec != "zstd":
            raise
        raise damaged(source, error) from error


def damaged(source: Source, error: Exception) -> SourceError:
    """Return the error of a file that ends early or is not what its name says."""
    text = f"the file ends early, or is damaged: {str(error).partition(chr(10))[0]}"
    fix = "write it again; what was read of it is not kept"
    return SourceError([Problem("HA414", source.name, text, fix)])
