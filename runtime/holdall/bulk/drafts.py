"""Drafts of files, beside their final places, and the record of a run's progress.

An interrupted run leaves drafts (`NAME.part`) and its record (`NAME.part.json`), from which it can
be resumed.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final

from holdall.errors import HoldallError, Problem, SourceError
from holdall.text import json as _json
from holdall.text.files import (
    is_stream,
    naming,
    open_stream,
    replace_file,
    shown,
    target_of,
    write_all,
)
from holdall.types import is_json_object
from holdall.words import counted

FORMAT: Final = 1
PART: Final = ".part"
_LOCK: Final = ".lock"
_HAS_LOCKS: Final = find_spec("fcntl") is not None
_AT_ONCE: Final = 8
"""Number of drafts synced in parallel, because each sync is slow, however small the draft."""


def part_of(path: Path) -> Path:
    """Return the path of a file's draft."""
    target = target_of(path)
    return target.with_name(f"{target.name}{PART}")


@contextmanager
def held(places: Iterable[Path]) -> Iterator[None]:
    """Keep other runs from files while this run writes them.

    Each has a file beside its draft that is locked. The system drops the lock when its process
    ends, however it ends. Windows has no such locks. Streams need none.
    Raises SourceError if another run has one of them.
    """
    with ExitStack() as stack:
        for place in places if _HAS_LOCKS else ():
            if not is_stream(place):
                stack.enter_context(_locked(place))
        yield


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    part = part_of(place)
    path = part.with_name(f"{part.name}{_LOCK}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield  # the draft cannot be written either, and says why
        return
    try:
        if not _lock(descriptor) or not _is_at(descriptor, path):
            fix = "wait until it ends, or write elsewhere"
            raise SourceError([Problem("HA434", shown(place), "another run writes this now", fix)])
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Return whether a file is locked now, or its file system has no locks."""
    import fcntl  # Windows lacks it

    try:
        # Unlike `flock`, this does not outlive a killed process in its forks.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


def _is_at(descriptor: int, place: Path) -> bool:
    """Return whether an open file is still at its place: a run that ends removes its lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), place.stat())
    except FileNotFoundError:
        return False


class Draft:
    """A file that is complete before it takes its place.

    Anything but a regular file, such as a pipe, is written directly. Errors name the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target = target_of(path)
        self.part = part_of(path)
        self.is_stream = is_stream(path)
        self._file: BinaryIO | None = None

    def holds(self, count: int) -> bool:
        """Return whether the draft exists, with at least this many bytes."""
        return self.is_stream or (self.part.is_file() and self.part.stat().st_size >= count)

    def begin(self, at: int = 0) -> None:
        """Open the draft, and continue after its first `at` bytes."""
        with naming(self.path):
            if self.path.is_dir():
                raise IsADirectoryError(21, os.strerror(21))
            if self.is_stream:
                self._file = open_stream(self.path)
                return
            self.part.parent.mkdir(parents=True, exist_ok=True)
            if at:
                self._file = self.part.open("r+b", buffering=0)
            else:
                self.part.unlink(missing_ok=True)  # one that an earlier run left has its mode
                self._file = open(self.part, "xb", buffering=0, opener=self._open)  # noqa: SIM115
            self._file.truncate(at)
            self._file.seek(at)

    def _open(self, path: str, flags: int) -> int:
        """Open the draft: no one else can read it who cannot read the file that it replaces."""
        mode = self.target.stat().st_mode if self.target.exists() else 0o666
        return os.open(path, flags, mode & 0o666 | stat.S_IRUSR | stat.S_IWUSR)

    def write(self, data: bytes) -> None:
        """Append to the draft."""
        with naming(self.path):
            write_all(self.file, data)

    @property
    def file(self) -> BinaryIO:
        """The open file."""
        if self._file is None:
            self.begin()
        if self._file is None:
            raise RuntimeError("the draft was not begun")
        return self._file

    def end(self) -> None:
        """Close the complete draft, and sync it to the disk."""
        if self._file is None:
            return
        with naming(self.path):
            if not self.is_stream:
                os.fsync(self._file.fileno())
            self._file.close()
        self._file = None

    def sync(self) -> None:
        """Return when everything written is on the disk."""
        if not self.is_stream:
            with naming(self.path):
                os.fsync(self.file.fileno())

    def place(self) -> None:
        """Move the draft to its place, unless that is done."""
        self.end()
        if self.is_stream or not self.part.exists():
            return
        with naming(self.path):
            if self.target.exists():
                self.part.chmod(self.target.stat().st_mode & 0o7777)
            self.part.replace(self.target)

    def leave(self) -> None:
        """Close the draft after an error, and keep it."""
        with suppress(OSError):  # the first error is the one to report
            if self._file is not None:
                self._file.close()
        self._file = None

    def discard(self) -> None:
        """Remove the draft."""
        self.leave()
        with suppress(OSError):  # the first error is the one to report
            self.part.unlink(missing_ok=True)


class Endings:
    """Ends drafts while the next ones are written."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(_AT_ONCE)
        self._waiting: deque[Future[None]] = deque()

    def add(self, draft: Draft) -> None:
        """End a draft in the background. Raises OSError, perhaps of an earlier one."""
        self._waiting.append(self.threads.submit(draft.end))
        self._wait(_AT_ONCE)

    def wait(self) -> None:
        """Return when all are on the disk. Raises OSError, at each call."""
        self._wait(0)

    def _wait(self, left: int) -> None:
        while len(self._waiting) > left:
            self._waiting[0].result()
            self._waiting.popleft()


def require_kept(files: Iterable[Path], places: Iterable[Path], failed: int, fix: str) -> None:
    """Raise SourceError if a file would be overwritten without its documents that failed."""
    found = {target_of(place) for place in places if not is_stream(place)}
    what = counted(failed, "document")
    text = f"it stays as it is: {what} of the input cannot be converted, and would be lost"
    problems = [
        Problem("HA419", file.as_posix(), text, fix) for file in files if target_of(file) in found
    ]
    if failed and problems:
        raise SourceError(problems)


@dataclass(slots=True)
class Progress:
    """The progress of a run: the current source, the position in it, and the lengths of the drafts.

    `settings` and `sources` identify the run. `placing` says that all drafts are complete.
    """

    settings: dict[str, Any]
    sources: list[list[Any]]
    current: int = 0
    read: int = 0
    line: int = 1
    written: int = 0
    errors: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    placing: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the files that are read."""
        return [source[0] for source in self.sources]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


_MEMBERS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "settings": is_json_object,
    "sources": lambda value: (
        isinstance(value, list) and all(isinstance(item, list) and item for item in value)
    ),
    **dict.fromkeys(("current", "read", "line", "written", "errors"), _is_count),
    "counts": lambda value: is_json_object(value) and all(map(_is_count, value.values())),
    "placing": lambda value: isinstance(value, bool),
}
"""What a record has as each member."""


class Record:
    """The record of a run, stored beside its drafts."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self, fresh: Progress) -> Progress:
        """Return the recorded progress; `fresh` if there is no record.

        Raises SourceError if the record belongs to another run.
        """
        try:
            value = _json.decode(self.path.read_bytes())
        except FileNotFoundError:
            return fresh
        except HoldallError as error:
            raise self.refused(f"the record cannot be read: {error}") from error
        if not is_json_object(value) or value.get("format") != FORMAT:
            raise self.refused("this is not the record of a run")
        members: dict[str, Any] = {k: v for k, v in value.items() if k != "format"}
        for name, is_right in _MEMBERS.items():
            if name not in members or not is_right(members[name]):
                raise self.refused(f"it was edited: /{name} is missing, or not what a run writes")
        if unknown := members.keys() - _MEMBERS:
            raise self.refused(f"it was edited: a run writes no /{min(unknown)}")
        found = Progress(**members)
        if found.settings != fresh.settings:
            raise self.refused("the interrupted run has other options, or another project")
        # While drafts are placed one by one, they may replace the sources.
        if found.sources != fresh.sources and not (found.placing and found.names == fresh.names):
            raise self.refused("a source has changed since the run began")
        return found

    def save(self, progress: Progress) -> None:
        """Write the record atomically. Raises OSError."""
        replace_file(self.path, _json.encode({"format": FORMAT, **asdict(progress)}))

    def remove(self) -> None:
        """Delete the record."""
        self.path.unlink(missing_ok=True)

    def refused(self, text: str) -> SourceError:
        """Return the error of a run that cannot be resumed."""
        fix = "run it without --resume, to start again"
        return SourceError([Problem("HA416", self.path.as_posix(), text, fix)])
