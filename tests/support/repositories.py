"""Git repositories of tests: nobody's configuration, and an author of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def git(folder: Path, *words: str) -> None:
    """Run git in a folder; a test is skipped where there is none."""
    program = shutil.which("git")
    if program is None:
        pytest.skip("needs git")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(
        [program, *identity, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )


def commit(folder: Path) -> None:
    """Make a repository of all that is in a folder, with one commit."""
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
