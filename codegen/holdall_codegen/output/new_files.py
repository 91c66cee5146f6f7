"""Files that are written once and never overwritten: starts of projects and hooks, templates."""

from __future__ import annotations

from pathlib import Path

from holdall.errors import Problem, SourceError
from holdall.text.files import create_file
from holdall_codegen.output.manifest import CANNOT_WRITE


def write_new(path: Path, text: str, *, folders: bool = True) -> None:
    """Write a file that is not there yet, with the folders around it unless `folders` is False.

    Raises FileExistsError if it is there, and SourceError if it cannot be written.
    """
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        create_file(path, text.encode())
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():
            raise
        reason = f"it cannot be written: {error.strerror or error}"
        fix = "check the path, its permissions and the room on the disk"
        if not path.parent.is_dir():
            fix = f"create the folder {path.parent.as_posix()}, or name another file"
        raise SourceError([Problem(CANNOT_WRITE, path.as_posix(), reason, fix)]) from error
