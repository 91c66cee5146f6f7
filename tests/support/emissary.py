"""Emissary's project for tests: generated under names of its own, so that it can be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.support.projects import build_project, hooks_of

PROJECT = Path(__file__).parents[1] / "acceptance" / "emissary"

Schemas = Literal["internal", "installable"]


def data_folder(shared: Path) -> Path:
    """Return the folder with Emissary's schemas, cases and scorer; skip the test without it."""
    folder = shared / "emissary"
    if not (folder / "schemas" / "internal").is_dir():
        pytest.skip("needs the folder `shared/emissary` with schemas beside the repository")
    return folder


def converter_of(project: Path) -> list[str]:
    """Return the command that answers requests to convert."""
    return [sys.executable, "-m", "holdall", "--project", str(project), "convert", "--requests"]


def own_environment() -> dict[str, str]:
    """Return an environment in which commands find this checkout's packages."""
    paths = [str(PROJECT.parents[2] / name) for name in ("runtime", "codegen")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


scored = pytest.mark.parametrize(
    "mode",
    [
        ["--direct-v1-v2", "--ignore-annotation", "holdall.dev/*"],
        ["--roundtrip", "--require-exact"],
    ],
    ids=["conversions", "round trips"],
)
"""What the scorer judges."""


def assert_score(mode: list[str], data: Path, project: Path) -> None:
    """Let the scorer judge the visible cases."""
    cases = ["--cases", str(data / "cases" / "upstream")]
    done = subprocess.run(
        [sys.executable, str(data / "score.py"), *cases, *mode, "--", *converter_of(project)],
        env=own_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def configuration(*, overlays: bool) -> str:
    """Return the project's configuration, with overlays for schemas that are not complete."""
    text = (PROJECT / "holdall.yaml").read_text(encoding="utf-8")
    if not overlays:
        return text
    lines = (PROJECT / "overlays.yaml").read_text(encoding="utf-8").splitlines()
    return f"{text}    overlays:\n" + "".join(f"      {line}\n" for line in lines)


def build_emissary(
    root: Path, data: Path, schemas: Schemas = "internal", replace: Mapping[str, str] | None = None
) -> Path:
    """Generate the project into a folder, from the schemas of one kind and the same hooks.

    `replace` changes the text of the hooks: each key becomes its value.
    """
    root.mkdir(parents=True, exist_ok=True)
    (root / "schemas").symlink_to(data / "schemas" / schemas)
    hooks = hooks_of(PROJECT)
    for old, new in (replace or {}).items():
        hooks = {path: text.replace(old, new) for path, text in hooks.items()}
    return build_project(root, configuration(overlays=schemas == "installable"), hooks)


def cases(data: Path) -> list[dict[str, Any]]:
    """Return the visible cases."""
    files = sorted((data / "cases" / "upstream").glob("*.json"))
    return [case for file in files for case in json.loads(file.read_text(encoding="utf-8"))]
