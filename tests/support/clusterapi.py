"""Cluster API's project for tests: its data beside the repository, and the project generated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.projects import build_project, hooks_of

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
    root.mkdir(parents=True)
    (root / "schemas").symlink_to(data / "schemas")
    known = json.loads((data / "version_map.json").read_text(encoding="utf-8"))
    files = {"version_map.json": json.dumps({**known, **versions}), **hooks_of(PROJECT)}
    return build_project(root, (PROJECT / "holdall.yaml").read_text(encoding="utf-8"), files)
