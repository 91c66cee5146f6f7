"""Folders that nobody may read, also where the tests run as root."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest


def close_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the system refuse to list a folder."""
    scandir = os.scandir

    def refuse(path: Any = ".") -> Any:
        if not isinstance(path, int) and Path(path) == folder:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
