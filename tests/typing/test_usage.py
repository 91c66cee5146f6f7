"""Type checkers read generated code, declarations and the interface as their users mean them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MODULES = ("usage.py", "declared_usage.py")


def test_mypy_agrees(project_root: Path, mypy_cache: Path) -> None:
    """mypy --strict finds every `assert_type` right and every ignore needed."""
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(mypy_cache / "project")]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(f"tests/typing/{name}" for name in MODULES)],
        capture_output=True,
        text=True,
        cwd=project_root,
    )
    assert run.stdout + run.stderr == ""
    assert run.returncode == 0


def test_basedpyright_agrees(project_root: Path, tmp_path: Path) -> None:
    """basedpyright in strict mode does so too."""
    pytest.importorskip("basedpyright")
    config = {
        "include": [str(project_root / "tests/typing" / name) for name in MODULES],
        "extraPaths": [str(project_root / part) for part in ("runtime", "codegen", ".")],
        "pythonVersion": "3.11",
        "pythonPath": sys.executable,
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": "error",
        "enableTypeIgnoreComments": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--project", str(tmp_path), "--outputjson"],
        capture_output=True,
        text=True,
        cwd=project_root,
    )
    report = json.loads(run.stdout)
    found = [
        f"{Path(item['file']).name}:{item['range']['start']['line'] + 1}: {item['message']}"
        for item in report["generalDiagnostics"]
    ]
    assert "\n".join(found) == ""
    assert report["summary"]["filesAnalyzed"] >= len(MODULES)
