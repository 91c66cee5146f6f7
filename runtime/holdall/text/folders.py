"""Searching folders for files: an unreadable folder is an error, and not skipped."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from holdall.errors import Problem
from holdall.text.files import shown


def files_below(folder: Path, *, hidden: bool = True) -> Iterator[Path]:
    """Yield all files, with those that are `hidden` or in hidden folders.

    Raises OSError for an unreadable folder, which `rglob` would skip.
    """

    def fail(error: OSError) -> None:
        raise error

    for parent, folders, names in os.walk(folder, onerror=fail):
        if not hidden:
            folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names if hidden or not name.startswith("."))


def matches(pattern: str, root: Path) -> list[str]:
    """Return what a pattern matches, from the root; `**` is any number of folders.

    Raises OSError for an unreadable folder, which `glob` would skip.
    """
    for folder in _searched(pattern, root):
        if folder.is_dir():
            # The dot checks that the folder's contents can be reached, not only listed.
            with os.scandir(os.path.join(folder, ".")):  # noqa: PTH118 - a Path drops the dot
                pass
    return _glob(pattern, root)


def unreadable(error: OSError, name: str = "") -> Problem:
    """Return the problem (HA101) of an unreadable folder or file."""
    text = f"it cannot be read: {error.strerror}"
    fix = "change its permissions, or name the files"
    return Problem("HA101", name or shown(Path(error.filename)), text, fix)


def _searched(pattern: str, root: Path) -> Iterator[Path]:
    """Yield the folders in which a pattern searches for files."""
    above = os.path.dirname(pattern)  # noqa: PTH120 - a Path drops `.` and repeated slashes
    if not glob.has_magic(above):
        yield root / above
        return
    yield from _searched(above, root)
    for found in _glob(os.path.join(above, ""), root):  # noqa: PTH118 - the slash: only folders
        yield root / found


def _glob(pattern: str, root: Path) -> list[str]:
    # Path.glob refuses absolute patterns, and reads `**` differently between interpreters.
    return glob.glob(pattern, root_dir=root, recursive=True)  # noqa: PTH207
