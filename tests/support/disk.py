"""Full disks, and what lies on them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

import pytest

# Modules that take a function of `files` by name are imported at need: never while it is replaced.
from holdall.cli import outputs as _outputs  # noqa: F401
from holdall.scheme.json_lines import serve_lines as _serve_lines  # noqa: F401
from holdall.text import files


def tree(folder: Path) -> dict[str, str]:
    """Return all files below a folder by path, links as what they say."""
    return {
        path.relative_to(folder).as_posix(): (
            f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def fill_disk(monkeypatch: pytest.MonkeyPatch, room: int = 0) -> None:
    """Let the disk take `room` more texts, and a part of the next one."""
    write = files.write_all
    left = [room]

    def write_part(file: BinaryIO, data: bytes) -> None:
        if left[0] > 0:
            left[0] -= 1
            write(file, data)
            return
        write(file, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "write_all", write_part)
