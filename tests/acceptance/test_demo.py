"""`make demo` shows what it says it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_the_demo_meets_its_own_expectations(project_root: Path) -> None:
    """The tour exits with 0, finds all planted mistakes, and leaves the project as it was."""
    generated = sorted((project_root / "generated").rglob("*.py"))
    before = [path.read_bytes() for path in generated]
    path = os.pathsep.join([str(project_root), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "tests/demo/demo.py"],
        cwd=project_root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for shown in ("All as expected.", "HA310", "HA342", "identical", "edited to silver"):
        assert shown in done.stdout
    assert "different" not in done.stdout.partition("4. Look")[0]
    assert [path.read_bytes() for path in generated] == before
