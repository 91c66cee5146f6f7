"""Type checkers and ruff, run on generated code and on what uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = (ROOT / "runtime", ROOT / "codegen")


def mypy_says(folder: Path, *names: str, silent: bool = False) -> str:
    """Return what `mypy --strict` finds in files and packages of a folder.

    With `silent`, it finds nothing in modules that these import. What mypy learns it keeps, for
    other tests and later runs: the text of a file decides whether its entry holds.
    """
    pytest.importorskip("mypy")
    options = ["--strict", "--warn-unreachable", "--no-error-summary"]
    options += ["--explicit-package-bases", "--config-file="]
    options += ["--follow-imports=silent"] if silent else []
    cache = ROOT / ".mypy_cache" / "tests" / ("silent" if silent else "plain")
    path = os.pathsep.join(map(str, (*SOURCES, folder)))
    return _said(folder, "mypy", *options, "--cache-dir", str(cache), *names, MYPYPATH=path)


def pyright_says(folder: Path, names: Sequence[str], mode: str = "strict", **config: Any) -> str:
    """Return what basedpyright finds in files and packages; its configuration is in the folder."""
    pytest.importorskip("basedpyright")
    usual = {"extraPaths": [str(path) for path in SOURCES], "pythonVersion": "3.11"}
    whole = {"include": list(names), "typeCheckingMode": mode, **usual, **config}
    (folder / "pyrightconfig.json").write_text(json.dumps(whole), encoding="utf-8")
    options = ["--pythonpath", sys.executable, "--project", str(folder), "--outputjson"]
    report = json.loads(_said(folder, "basedpyright", *options, always=True))
    assert report["summary"]["filesAnalyzed"] >= len(names)
    return "\n".join(
        f"{item['file']}:{item['range']['start']['line'] + 1}: {item['message']}"
        for item in report["generalDiagnostics"]
    )


def ruff_says(folder: Path, *names: str, by_rules: bool = True) -> str:
    """Return what ruff finds that is not in the format of this project, or against its rules."""
    pytest.importorskip("ruff")
    options = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml"), *names]
    against = _said(folder, "ruff", "check", *options) if by_rules else ""
    return against + _said(folder, "ruff", "format", "--diff", *options)


def _said(folder: Path, tool: str, *arguments: str, always: bool = False, **environ: str) -> str:
    command = [sys.executable, "-m", tool, *arguments]
    env = {**os.environ, **environ}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 and not always else done.stdout + done.stderr
