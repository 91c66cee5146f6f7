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


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Mapping[str, Path]:
    """The projects that pages end with, by page."""
    found = {page: tmp_path_factory.mktemp("project") for page in PROGRAMS}
    for page, folder in found.items():
        for name, text in files_of(ROOT / page).items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        command = [str(prepared / "holdall"), "generate"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return found


def test_mypy_agrees(projects: Mapping[str, Path], mypy_cache: Path) -> None:
    """mypy --strict has nothing to say; what it learns about libraries it learns once."""
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(mypy_cache / "plain")]
    for page, folder in projects.items():
        run = subprocess.run(
            [sys.executable, "-m", "mypy", *options, *PROGRAMS[page]],
            capture_output=True,
            text=True,
            cwd=folder,
        )
        assert run.stdout + run.stderr == "", page
        assert run.returncode == 0, page


def test_pyright_agrees(projects: Mapping[str, Path], tmp_path: Path) -> None:
    """Neither has pyright in its standard mode, in which most people run it.

    One run for all pages: it reads libraries once, and looks for a page's modules in its folder.
    """
    pytest.importorskip("basedpyright")
    programs = [str(projects[page] / name) for page, names in PROGRAMS.items() for name in names]
    roots = [str(ROOT / part) for part in ("runtime", "codegen")]
    config = {
        "include": programs,
        "executionEnvironments": [
            {"root": str(folder), "extraPaths": roots} for folder in projects.values()
        ],
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    checker = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    run = subprocess.run(
        [*checker, "--project", str(tmp_path), "--outputjson"],
        capture_output=True,
        text=True,
    )
    report = json.loads(run.stdout)
    assert [(item["file"], item["message"]) for item in report["generalDiagnostics"]] == []
    assert report["summary"]["filesAnalyzed"] == len(programs)
