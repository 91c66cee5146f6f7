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
"""Characters of a name that its draft repeats: with what is added the name must not be too long."""


class _Draft(NamedTuple):
    """A text that lies on the disk beside the file whose place it is going to take."""

    path: Path
    file: Path
    target: Path

    def discard(self) -> None:
        with suppress(OSError):  # the first error is the one to report
            self.path.unlink(missing_ok=True)


def shown(path: Path) -> str:
    """Return the name of a file for messages; bytes that are not UTF-8 are spelled out."""
    return os.fsencode(path.as_posix()).decode(errors="backslashreplace")


def path_from(path: Path | str, start: Path | str = ".") -> str:
    """Return the way from a folder to a file, with slashes; the file's path on another drive."""
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:  # between two drives of Windows there is none
        return Path(path).absolute().as_posix()


def as_written(data: bytes) -> bytes:
    """Return a text that holdall wrote as it was then: on Windows git ends lines with CR and LF."""
    return data.replace(b"\r\n", b"\n")


def target_of(path: Path) -> Path:
    """Return the file that a path leads to by all links; of links in a circle one of them."""
    return Path(os.path.realpath(path))


def folds_names(folder: Path) -> bool:
    """Return whether names that differ in case only are one file, below a folder that may be new.

    As mostly on Windows and macOS, where it also makes no difference how accents are spelled.
    """
    for place in (target_of(folder), *target_of(folder).parents):
        other = place.with_name(place.name.swapcase()) if place.name else place
        with suppress(OSError):  # nobody may look there
            if place.exists() and other != place:
                return other.exists() and other.samefile(place)
    return False


def keep_for_results() -> BinaryIO:
    """Return standard output for the results of this process; what is printed goes to standard
    error from now on, as hooks may print."""
    results = sys.stdout.buffer
    sys.stdout = sys.stderr
    return results


def replace_file(path: Path, data: bytes, *, ending: str = "", private: bool = False) -> None:
    """Write a file in one step: readers see the old text or the new one, never a part.

    The target of a link is replaced, and the link stays; a device or a pipe is written to as it
    is. Folders are made as needed; an existing file keeps its mode. A `private` file is its
    owner's alone, and is on the disk before it is in place. `ending` is that of the draft's name.
    Raises OSError that names `path`.
    """
    replace_files([(path, data)], ending=ending, private=private)


def replace_files(
    files: Iterable[tuple[Path, bytes]], *, ending: str = "", private: bool = False
) -> None:
    """Write files as `replace_file` does; the first takes its place when all lie on the disk."""
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
    """Write a file that is not there yet; a link to nothing gets its target.

    Raises OSError that names `path`, FileExistsError if it is there; nothing is left then that
    holds a part.
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
    """Write to a file or pipe and flush; an unbuffered one may take a part only. Raises OSError."""
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
    """Open what `is_stream` tells to be one, without a buffer. Raises OSError."""
    own = _own_stream(path.stat())
    if own is not None:
        return os.fdopen(os.dup(own), "wb", buffering=0)
    return path.open("wb", buffering=0)


def _stage(path: Path, data: bytes, ending: str, *, private: bool) -> _Draft | None:
    """Write the draft of a file; None for what had to be written as it is."""
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
    """Let errors name the file that was to be written: a full disk names none, a draft another."""
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
    for descriptor in (1, 2) if found.st_ino else ():  # Windows numbers files only
        with suppress(OSError):  # it may be closed
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _mode_after(found: os.stat_result | None) -> int:
    """Return the mode of a file that takes the place of what was found."""
    if found is not None:
        return found.st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
