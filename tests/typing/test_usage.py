"""Type checkers read generated code, declarations and the interface as their users mean them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkers import mypy_says, pyright_says

pytestmark = pytest.mark.slow

MODULES = ("tests/typing/usage.py", "tests/typing/declared_usage.py")


def test_mypy_agrees(project_root: Path) -> None:
    """mypy --strict finds every `assert_type` right and every ignore needed."""
    assert mypy_says(project_root, *MODULES) == ""


def test_basedpyright_agrees(project_root: Path, tmp_path: Path) -> None:
    """basedpyright in strict mode does so too."""
    said = pyright_says(
        tmp_path,
        [str(project_root / name) for name in MODULES],
        extraPaths=[str(project_root / part) for part in ("runtime", "codegen", ".")],
        reportUnnecessaryTypeIgnoreComment="error",
        enableTypeIgnoreComments=False,
    )
    assert said == ""
