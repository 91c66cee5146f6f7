"""Names of classes that would hide what generated modules use."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

from holdall_codegen.declared.names import IMPORTED_NAMES


@pytest.mark.parametrize("module", ["__init__", "storage"])
def test_what_modules_of_versions_use_is_not_hidden(project_root: Path, module: str) -> None:
    """What the modules of the sample import, except other versions, and builtins."""
    files = sorted((project_root / "generated" / "people").glob(f"v*/{module}.py"))
    versions = {path.parent.name for path in files}
    used: set[str] = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not is_future(node):
                used |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Name) and node.id in vars(builtins):
                used.add(node.id)
    assert used - versions <= IMPORTED_NAMES
    assert "h" in used


def is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
