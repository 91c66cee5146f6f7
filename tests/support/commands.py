"""Commands, run in the process of the test, and interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from holdall.cli.root import root


def run(project: Path, *words: str, stdin: str | bytes | None = None) -> Result:
    """Run a command in a project, which may be none."""
    return CliRunner().invoke(root, ["--project", str(project), *words], input=stdin)


def python(
    *words: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run an interpreter, which finds the modules that this one finds."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
