"""Cluster API's project for tests: its data beside the repository, and the project generated."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "acceptance" / "clusterapi"


def data_folder(shared: Path) -> Path:
    """Return the folder with Cluster API's schemas and cases; skip the test without it."""
    folder = shared / "clusterapi"
    if not (folder / "schemas").is_dir():
        pytest.skip("needs the folder `shared/clusterapi` with schemas beside the repository")
    return folder


def build_clusterapi(root: Path, data: Path, **versions: str) -> Path:
    """Generate the project into a folder, beside its schemas.

    `versions` are kinds that its cluster knows beside those of the data; `*` is any other.
    """
    shutil.copytree(PROJECT, root)
    (root / "schemas").symlink_to(data / "schemas")
    known = json.loads((data / "version_map.json").read_text(encoding="utf-8"))
    (root / "version_map.json").write_text(json.dumps({**known, **versions}), encoding="utf-8")
    command = [sys.executable, "-m", "holdall.cli", "--project", str(root), "--quiet", "generate"]
    subprocess.run(command, check=True, capture_output=True)
    return root
