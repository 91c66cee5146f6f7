"""Names of classes that would hide what generated modules use."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

from holdall_codegen.declared.names import IMPORTED_NAMES, KIND_NAMES

BUILTINS_IN_LOWER_CASE = {name for name in vars(builtins) if name.islower()}


@pytest.mark.parametrize(
    ("modules", "known"),
    [
        ("v*/__init__.py", IMPORTED_NAMES),
        ("v*/storage.py", IMPORTED_NAMES),
        ("kinds.py", KIND_NAMES | BUILTINS_IN_LOWER_CASE),
    ],
)
def test_what_generated_modules_use_is_not_hidden(
    project_root: Path, modules: str, known: frozenset[str]
) -> None:
    """What the modules of the sample import, except versions, and builtins; kinds are capital."""
    people = project_root / "generated" / "people"
    files = sorted(people.glob(modules))
    versions = {path.parent.name for path in people.glob("v*/storage.py")}
    used: set[str] = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not is_future(node):
                used |= {(it.asname or it.name).partition(".")[0] for it in node.names}
            elif isinstance(node, ast.Name) and node.id in vars(builtins):
                used.add(node.id)
    assert used - versions <= known
    assert used & {"h", "KindVersion"}


def is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
