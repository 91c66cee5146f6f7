"""The wheel that `make package` built, installed in an environment that has nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks_of, read
from tests.support.playing import commands_of, run

PAGE = ROOT / "docs/quickstart.md"


@pytest.fixture(scope="session")
def dist() -> Path:
    """The folder with the wheel and the source distribution."""
    if not (folder := os.environ.get("HOLDALL_DIST")):
        pytest.skip("these tests install what was built: make package")
    return ROOT / folder


@pytest.fixture(scope="session")
def environment(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A fresh environment that has the wheel alone: what it needs comes when a page installs it."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    (wheel,) = dist.glob("*.whl")
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {
        **kept,
        "PATH": f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        "VIRTUAL_ENV": str(folder / "venv"),
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_QUIET": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }


@pytest.fixture(scope="session")
def installed(environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the repository, after the command that the page installs holdall with."""
    folder = tmp_path_factory.mktemp("new")
    (block,) = (block for block in blocks_of(read(PAGE)) if "install" in block.words)
    for command, _ in commands_of(block):
        code, printed = run(["sh", "-c", command], folder, environment)
        assert code == 0, printed
    return folder
