"""Commands, run in the process of the test."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from holdall.cli.root import root


def run(project: Path, *words: str, stdin: str | bytes | None = None) -> Result:
    """Run a command in a project, which may be none."""
    return CliRunner().invoke(root, ["--project", str(project), *words], input=stdin)
