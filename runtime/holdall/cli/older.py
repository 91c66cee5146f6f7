"""An older state of the project: a folder, or a git revision."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from holdall.errors import Problem, SourceError

_FIX: Final = "name a folder or a revision that git knows; a shallow clone must fetch it first"


@contextmanager
def older_state(root: Path, against: str) -> Iterator[Path]:
    """Yield what `against` names: a folder or a file, or the folder `root` at a git revision.

    Raises SourceError if it is neither.
    """
    if Path(against).exists():
        yield Path(against)
        return
    with TemporaryDirectory() as folder:
        try:
            # Run in the project's folder, `git archive` returns only that part of the repository.
            done = subprocess.run(
                ["git", "archive", "--format=tar", "--end-of-options", against],
                cwd=root,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise _unreadable(against, f"git cannot be run: {error.strerror}") from error
        if done.returncode != 0:
            raise _unreadable(against, done.stderr.decode(errors="replace").strip())
        with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter=_inside)
        yield Path(folder)


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Skip members that lead out of the folder, such as links."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _unreadable(against: str, reason: str) -> SourceError:
    return SourceError([Problem("HA709", against, reason, _FIX)])
