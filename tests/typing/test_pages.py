"""Type checkers accept the programs of pages: what they show is what users copy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.pages import ROOT, blocks_of, files_of, read

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
    roots_of = [{"root": str(folder), "extraPaths": roots} for folder in projects.values()]
    report = _pyright(tmp_path, "standard", programs, executionEnvironments=roots_of)
    assert [(item["file"], item["message"]) for item in report["generalDiagnostics"]] == []
    assert report["summary"]["filesAnalyzed"] == len(programs)


def test_strict_checkers_accept_the_hooks_of_the_page(tmp_path: Path, mypy_cache: Path) -> None:
    """Completing hooks look into members that may be absent, and say so in typed words."""
    pytest.importorskip("mypy")
    pytest.importorskip("basedpyright")
    blocks = [block.text for block in blocks_of(read(ROOT / "docs/hooks.md"))]
    shown = [text.partition("\n\n\nclass Tenants(")[0] for text in blocks if "(Completing)" in text]
    assert len(shown) == 2
    module = tmp_path / "shown.py"
    module.write_text("\n\n".join(["from holdall import Completing, Members", *shown]), "utf-8")
    options = ["--strict", "--no-error-summary", "--cache-dir", str(mypy_cache / "plain")]
    command = [sys.executable, "-m", "mypy", *options, str(module)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""
    roots = [str(ROOT / "runtime")]
    report = _pyright(tmp_path, "strict", [str(module)], extraPaths=roots)
    assert [item["message"] for item in report["generalDiagnostics"]] == []


def _pyright(folder: Path, mode: str, programs: Sequence[str], **more: object) -> Any:
    """Return what pyright reports of programs; its configuration is in `folder`."""
    config = {"include": programs, "pythonVersion": "3.11", "typeCheckingMode": mode, **more}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    checker = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    command = [*checker, "--project", str(folder), "--outputjson"]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
