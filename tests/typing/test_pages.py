"""Type checkers accept the programs of pages: what they show is what users copy."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.checkers import SOURCES, mypy_says, pyright_says
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


def test_mypy_agrees(projects: Mapping[str, Path]) -> None:
    """mypy --strict has nothing to say."""
    for page, folder in projects.items():
        assert mypy_says(folder, *PROGRAMS[page]) == "", page


def test_pyright_agrees(projects: Mapping[str, Path], tmp_path: Path) -> None:
    """Neither has pyright in its standard mode, in which most people run it.

    One run for all pages: it reads libraries once, and looks for a page's modules in its folder.
    """
    programs = [str(projects[page] / name) for page, names in PROGRAMS.items() for name in names]
    roots = [str(path) for path in SOURCES]
    roots_of = [{"root": str(folder), "extraPaths": roots} for folder in projects.values()]
    assert pyright_says(tmp_path, programs, "standard", executionEnvironments=roots_of) == ""


def test_strict_checkers_accept_the_hooks_of_the_page(tmp_path: Path) -> None:
    """Completing hooks look into members that may be absent, and say so in typed words."""
    blocks = [block.text for block in blocks_of(read(ROOT / "docs/hooks.md"))]
    shown = [text.partition("\n\n\nclass Tenants(")[0] for text in blocks if "(Completing)" in text]
    assert len(shown) == 2
    text = "\n\n".join(["from holdall import Completing, Members", *shown])
    (tmp_path / "shown.py").write_text(text, encoding="utf-8")
    assert mypy_says(tmp_path, "shown.py") == ""
    assert pyright_says(tmp_path, ["shown.py"]) == ""
