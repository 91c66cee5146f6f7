"""Cluster API's kinds: the scorer on cases recorded from upstream, and the size of the project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "clusterapi"
MOST_LINES = 639
"""A ratchet: the aim is 450, and what becomes a declaration lowers it."""


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    """The folder with Cluster API's schemas, cases and scorer."""
    folder = shared / "clusterapi"
    if not (folder / "schemas").is_dir():
        pytest.skip("needs the folder `shared/clusterapi` with schemas beside the repository")
    return folder


def test_the_scorer_passes(data: Path, tmp_path: Path) -> None:
    """All visible cases match but those in which more is kept, and all round trips are exact."""
    holdall = tmp_path / "holdall"
    holdall.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m holdall.cli "$@"\n')
    holdall.chmod(0o755)
    told = {"CLUSTERAPI_DATA": str(data), "HOLDALL": str(holdall), "PYTHON": sys.executable}
    done = subprocess.run(
        [str(PROJECT / "run.sh")],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_where_the_data_is_absent_the_run_is_skipped(tmp_path: Path) -> None:
    """Without schemas there is nothing to score, and the run says so."""
    done = subprocess.run(
        [str(PROJECT / "run.sh")],
        env={**os.environ, "CLUSTERAPI_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 77
    assert "no schemas" in done.stderr


def test_few_cases_differ(data: Path) -> None:
    """Of the visible cases at most one in a hundred differs, each with its reason above it."""
    lines = (PROJECT / "kept.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    listed = [line for line in lines if not line.startswith("#")]
    count = sum(
        len(re.findall(r'"roundtrip_upstream"|"error"', path.read_text(encoding="utf-8")))
        for path in (data / "cases" / "visible").glob("*.json")
    )
    assert listed == sorted(set(listed), key=listed.index)
    assert len(listed) <= count / 100


def test_the_project_is_small() -> None:
    """Hooks and configuration together have few lines, without docstrings, blanks and comments."""
    hooks = sum(code_lines(path) for path in (PROJECT / "hooks").glob("*.py"))
    said = (PROJECT / "holdall.yaml").read_text(encoding="utf-8").splitlines()
    declared = sum(bool(line.strip()) and not line.strip().startswith("#") for line in said)
    assert hooks + declared <= MOST_LINES, (hooks, declared)


def code_lines(path: Path) -> int:
    """Return the number of lines with code: no docstrings, no comments, no blanks."""
    idle = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
    lines: set[int] = set()
    before = tokenize.NEWLINE
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.ENCODING, tokenize.ENDMARKER):
                continue
            is_docstring = token.type == tokenize.STRING and before in idle
            if token.type not in idle and not is_docstring:
                lines.update(range(token.start[0], token.end[0] + 1))
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                before = token.type
    return len(lines)
