"""Type checkers accept the programs of pages: what they show is what users copy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.pages import ROOT, files_of

pytestmark = pytest.mark.slow

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "docs/kopf-operator.md": ("gardens.py", "hooks/farm/garden_spec.py"),
    "docs/pinned-versions.md": ("gardens_v1.py",),
}


@pytest.fixture(params=PROGRAMS)
def programs(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The programs of a page, in the project that the page ends with."""
    page: str = request.param
    for name, text in files_of(ROOT / page).items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "holdall.cli", "generate"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    return [*PROGRAMS[page]]


def test_mypy_agrees(programs: list[str], tmp_path: Path) -> None:
    """mypy --strict has nothing to say."""
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / ".mypy")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *programs],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.stdout + run.stderr == ""
    assert run.returncode == 0


def test_pyright_agrees(programs: list[str], tmp_path: Path) -> None:
    """Neither has pyright in its standard mode, in which most people run it."""
    pytest.importorskip("basedpyright")
    config = {
        "include": programs,
        "extraPaths": [".", *(str(ROOT / part) for part in ("runtime", "codegen"))],
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    checker = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    run = subprocess.run(
        [*checker, "--project", str(tmp_path), "--outputjson"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    report = json.loads(run.stdout)
    assert [item["message"] for item in report["generalDiagnostics"]] == []
    assert report["summary"]["filesAnalyzed"] == len(programs)
