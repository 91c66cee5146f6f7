"""Writing files: whole or not at all, through links, with errors that name the file."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

_NAME_SHOWN: Final = 40
"""Characters of a name that its draft's name repeats: that must not get too long."""


class _Draft(NamedTuple):
    """A text on the disk, beside the file that it will replace."""

    path: Path
    file: Path
    target: Path

    def discard(self) -> None:
        with suppress(OSError):  # the first error is the one to report
            self.path.unlink(missing_ok=True)


def shown(path: Path) -> str:
    """Return the name of a file for messages; bytes that are not UTF-8 are escaped."""
    return os.fsencode(path.as_posix()).decode(errors="backslashreplace")


def path_from(path: Path | str, start: Path | str = ".") -> str:
    """Return the path of a file relative to a folder, with slashes; absolute on another drive."""
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:  # two drives of Windows
        return Path(path).absolute().as_posix()


def as_written(data: bytes) -> bytes:
    """Undo the CR LF that git on Windows makes of line breaks in a text that holdall wrote."""
    return data.replace(b"\r\n", b"\n")


def target_of(path: Path) -> Path:
    """Return the file that a path leads to through all links; one of them if they form a circle."""
    return Path(os.path.realpath(path))


def folds_names(folder: Path) -> bool:
    """Return whether names that differ only in case are one file, below a folder that may be new.

    Usual on Windows and macOS, where the spelling of accents makes no difference either.
    """
    for place in (target_of(folder), *target_of(folder).parents):
        other = place.with_name(place.name.swapcase()) if place.name else place
        with suppress(OSError):  # it cannot be read
            if place.exists() and other != place:
                return other.exists() and other.samefile(place)
    return False


def keep_for_results() -> BinaryIO:
    """Return standard output for the results of this process.

    From now on `print`, as hooks may use it, writes to standard error.
    """
    results = sys.stdout.buffer
    sys.stdout = sys.stderr
    return results


def replace_file(path: Path, data: bytes, *, ending: str = "", private: bool = False) -> None:
    """Write a file in one step: readers see the old text or the new one, never a part.

    The target of a link is replaced, and the link stays; a device or a pipe is written to in
    place. Folders are made as needed; an existing file keeps its mode. Only the owner can read a
    `private` file, which is synced to the disk first. The draft's name ends with `ending`.
    Raises OSError that names `path`.
    """
    replace_files([(path, data)], ending=ending, private=private)


def replace_files(
    files: Iterable[tuple[Path, bytes]], *, ending: str = "", private: bool = False
) -> None:
    """Write files as `replace_file` does; none takes its place before all are on the disk."""
    drafts: list[_Draft] = []
    try:
        for path, data in files:
            with naming(path):
                draft = _stage(path, data, ending, private=private)
            if draft is not None:
                drafts.append(draft)
        for draft in drafts:
            with naming(draft.file):
                os.replace(draft.path, draft.target)  # noqa: PTH105 - named so that tests interrupt it
    finally:
        for draft in drafts:
            draft.discard()


def create_file(path: Path, data: bytes) -> None:
    """Write a new file; if `path` is a link to nothing, its target.

    Raises OSError that names `path`, FileExistsError if it exists; no partial file is left then.
    """
    with naming(path):
        target = target_of(path)
        file = target.open("xb")
        try:
            with file:
                write_all(file, data)
        except BaseException:
            target.unlink(missing_ok=True)
            raise


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of a text to a file or pipe, also an unbuffered one, and flush. Raises OSError."""
    written = file.write(data)
    while written < len(data):
        written += file.write(data[written:])
    file.flush()


def is_stream(path: Path) -> bool:
    """Return whether a path is written to in place.

    So are devices, pipes, and the standard output or error of this process, which may be files.
    """
    found = _status(path)
    if found is None or stat.S_ISDIR(found.st_mode):
        return False
    return not stat.S_ISREG(found.st_mode) or _own_stream(found) is not None


def open_stream(path: Path) -> BinaryIO:
    """Open a path for which `is_stream` holds, without a buffer. Raises OSError."""
    own = _own_stream(path.stat())
    if own is not None:
        return os.fdopen(os.dup(own), "wb", buffering=0)
    return path.open("wb", buffering=0)


def _stage(path: Path, data: bytes, ending: str, *, private: bool) -> _Draft | None:
    """Write the draft of a file; None if the file was written in place."""
    found = _status(path)
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if is_stream(path):
        with open_stream(path) as stream:
            write_all(stream, data)
        return None
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{target.name[:_NAME_SHOWN]}."
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=ending, dir=target.parent)
    draft = _Draft(Path(name), path, target)
    try:
        with os.fdopen(handle, "wb") as file:
            write_all(file, data)
            if private:
                os.fsync(file.fileno())
        draft.path.chmod(0o600 if private else _mode_after(found))
    except BaseException:
        draft.discard()
        raise
    return draft


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Make errors name the file to be written: a full disk names none, a draft its own."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _own_stream(found: os.stat_result) -> int | None:
    """Return standard output or error if that is what was found, as `/dev/stdout` is."""
    for descriptor in (1, 2) if found.st_ino else ():  # on Windows only files have numbers
        with suppress(OSError):  # it may be closed
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _mode_after(found: os.stat_result | None) -> int:
    """Return the mode of a file that replaces what was found."""
    if found is not None:
        return found.st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
