"""An older state of the project: a folder, or a git revision."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.scheme.projects import CONFIG_FILE

_FIX: Final = "name a folder or a revision that git knows; a shallow clone must fetch it first"


@contextmanager
def older_state(root: Path, against: str, *, beside: bool = False) -> Iterator[Path]:
    """Yield what `against` names: a folder or a file, or the folder `root` at a git revision.

    At a revision, other folders of the repository are beside it if that is asked for, or if its
    configuration names sources there. Raises SourceError if it is neither.
    """
    if Path(against).exists():
        yield Path(against)
        return
    with TemporaryDirectory() as name:
        # Run in the project's folder, `git archive` returns only that part of the repository.
        own, whole = Path(name, "own"), Path(name, "whole")
        _extract(root, against, own)
        if beside or _names_beside(own):
            up, below = (
                os.fsdecode(_git(root, against, "rev-parse", f"--show-{it}").removesuffix(b"\n"))
                for it in ("cdup", "prefix")
            )
            _extract(root / up, against, whole)
            own = whole / below
        yield own


def _extract(root: Path, against: str, folder: Path) -> None:
    found = _git(root, against, "archive", "--format=tar", "--end-of-options", against)
    folder.mkdir()
    with tarfile.open(fileobj=BytesIO(found)) as archive:
        archive.extractall(folder, filter=_inside)


def _names_beside(folder: Path) -> bool:
    file = folder / CONFIG_FILE
    return file.is_file() and b"../" in file.read_bytes()


def _git(root: Path, against: str, *arguments: str) -> bytes:
    """Return what git prints in a folder. Raises SourceError."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    except OSError as error:
        raise _unreadable(against, f"git cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        raise _unreadable(against, done.stderr.decode(errors="replace").strip())
    return done.stdout


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Skip members that lead out of the folder, such as links."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _unreadable(against: str, reason: str) -> SourceError:
    return SourceError([Problem("HA709", against, reason, _FIX)])
