"""Files that are read piece by piece: JSON lines, compressed or not, and tables."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
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
"""Bytes of lines that are converted and written together, up to the end of the last line."""
LONGEST: Final = 256 << 20
"""Maximum bytes of a line from a pipe or a compressed file."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to be read, or standard input if `path` is None; `relative` is its place in an
    output folder."""

    path: Path | None
    relative: PurePosixPath | None
    form: Form
    codec: Codec = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return STDIN if self.path is None else shown(self.path)

    def size(self) -> int | None:
        """Return its size in bytes, None if that is unknown before it is read."""
        path = self.path
        return path.stat().st_size if path is not None and path.is_file() else None

    def identity(self) -> list[Any]:
        """Return facts that show whether it is the same file, unchanged."""
        if self.path is None:
            return [STDIN]
        found = self.path.stat()
        return [shown(self.path.resolve()), found.st_size, found.st_mtime_ns]


class Part(NamedTuple):
    """Lines to be read by any process: a path that it can open, and where the lines are."""

    place: str
    start: int
    size: int


class Block(NamedTuple):
    """Whole lines of a file, and how to compress them.

    `end` is the offset after the block in the lines, `position` that in the file.
    """

    lines: bytes | Part
    codec: Codec
    end: int
    position: int

    def text(self) -> bytes:
        """Return the lines. Raises OSError, and EOFError if the file is shorter now."""
        if isinstance(self.lines, bytes):
            return self.lines
        place, start, size = self.lines
        with open(place, "rb") as file:  # noqa: PTH123 - called often, and this is fastest
            file.seek(start)
            text = file.read(size)
        if len(text) < size:
            raise EOFError("it was truncated while it was read")
        return text


def form_of(path: Path) -> tuple[Form, Codec] | None:
    """Return how a file is read, by its name; None if it is read whole."""
    codec = _CODECS.get(path.suffix.lower(), "")
    inner = path.with_suffix("") if codec else path
    if inner.suffix.lower() in LINES:
        return "lines", codec
    return ("table", "") if path.suffix.lower() == _TABLE else None


def codec_of(path: Path) -> Codec:
    """Return how a file is compressed, by its name."""
    return _CODECS.get(path.suffix.lower(), "")


def compress(data: bytes, codec: Codec) -> bytes:
    """Return a compressed text that may follow another one; for no text, an empty archive."""
    if not codec:
        return data
    if codec == "gzip":
        return gzip.compress(data, 6, mtime=0)
    compressed: bytes = import_arrow().Codec("zstd").compress(data, asbytes=True)
    return compressed


@contextmanager
def opened(source: Source, codec: Codec) -> Iterator[Callable[[int], Iterator[Block]]]:
    """Open a source, and yield an iterator of its blocks, from where a block ended.

    The blocks can be read while the source is open.
    Raises SourceError for a file that has another form or ends early, OSError if it is unreadable.
    """
    with _damage(source), _open(source) as (stream, raw):
        place = _place_of(raw) if source.path is not None and not source.codec else None
        if place is not None:
            yield partial(_parts, raw, place, codec)
        else:
            yield partial(_blocks, source, stream, raw, codec)


def _place_of(file: BinaryIO) -> str | None:
    """Return a path where other processes can open this process's open file, even if its name now
    means another one.

    None if they cannot, or if the file is not seekable.
    """
    place = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
    # Virtual files of the kernel have no size.
    return str(place) if place.is_file() and place.stat().st_size else None


def _parts(file: BinaryIO, place: str, codec: Codec, start: int) -> Iterator[Block]:
    """Yield blocks without reading their lines: only their ends are looked up."""
    line = b"\n"
    while line.endswith(b"\n"):
        file.seek(start + BLOCK)
        line = file.readline()
        end = file.tell() if line else file.seek(0, os.SEEK_END)
        if end > start:
            yield Block(Part(place, start, end - start), codec, end, end)
        start = end


def _blocks(
    source: Source, stream: BinaryIO, raw: BinaryIO, codec: Codec, start: int
) -> Iterator[Block]:
    """Yield lines as they are read."""
    _skip(stream, start)
    end = start
    rest: list[bytes] = []  # of a line whose end has not been read; it may be long
    size = 0
    while True:
        data = stream.read(BLOCK)
        cut = data.rfind(b"\n") + 1
        whole = b"".join((*rest, data[:cut])) if cut or not data else b""
        if whole:
            rest, size = [], 0
        rest.append(data[cut:])
        size += len(rest[-1])
        if size > LONGEST:
            raise _too_long(source)
        if whole:
            end += len(whole)
            yield Block(whole, codec, end, raw.tell() if raw.seekable() else 0)
        if not data:
            if source.codec and raw.seekable() and not raw.tell():
                raise EOFError("it is empty")
            return


def _too_long(source: Source) -> SourceError:
    text = f"a line has more than {LONGEST >> 20} MiB, decompressed"
    fix = "check its contents: a small file may expand to more than any memory holds"
    return SourceError([Problem("HA106", source.name, text, fix)])


def _skip(stream: BinaryIO, count: int) -> None:
    while count:
        found = len(stream.read(min(count, BLOCK)))
        if not found:
            return
        count -= found


@contextmanager
def _open(source: Source) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open the lines of a source, and the underlying file, whose position is the progress."""
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
    """Make errors of decompression name the damaged file."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(source, error) from error
    except OSError as error:
        if error.errno is not None or source.codec != "zstd":
            raise
        raise damaged(source, error) from error


def damaged(source: Source, error: Exception) -> SourceError:
    """Return the error of a file that ends early or does not have the form of its name."""
    text = f"the file ends early, or is damaged: {str(error).partition(chr(10))[0]}"
    fix = "create the file again; nothing that was read from it is kept"
    return SourceError([Problem("HA414", source.name, text, fix)])
