"""Projects of the acceptance tests, generated where their schemas are beside the repository."""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.specimen import forget_packages
from holdall_codegen.project import emit_project, load_project

_ROOT = Path(__file__).parents[1]
SHARED = _ROOT.parent / "shared"


@contextmanager
def built(project: str, data: Mapping[str, Path]) -> Iterator[list[Any]]:
    """Generate a project, and yield the schemes of its groups while it is on the disk.

    `data` are folders and files that the project names, by these names.
    """
    own = _ROOT / "tests/acceptance" / project
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, place in data.items():
            (root / name).symlink_to(place)
        shutil.copy(own / "holdall.yaml", root)
        shutil.copytree(own / "hooks", root / "hooks")
        loaded = load_project(root)
        for name, text in emit_project(loaded).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        forget_packages()
        sys.path.insert(0, folder)
        try:
            packages = [f"generated.{group.package}" for group in loaded.config.groups]
            schemes = [importlib.import_module(name).SCHEME for name in packages]
            for scheme in schemes:
                scheme.load()
            yield schemes
        finally:
            sys.path.remove(folder)
            forget_packages()
