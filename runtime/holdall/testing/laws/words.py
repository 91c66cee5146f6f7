"""The texts that hooks compare with: objects that have them are the ones that hooks are about."""

from __future__ import annotations

import ast
from typing import Final

from holdall.verification import find_sources

_LONGEST: Final = 64
_MOST: Final = 100


def words_of(package: str) -> tuple[str, ...]:
    """Return the short texts in the code of a package of hooks, without docstrings, sorted."""
    found: set[str] = set()
    for source in find_sources(package):
        try:
            tree = ast.parse(source.text)
        except SyntaxError:
            continue  # the hooks are verified elsewhere
        documented = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documented
            and 0 < len(node.value) <= _LONGEST
            and not node.value.startswith(("bag:", "extra:"))
        }
    return tuple(sorted(found)[:_MOST])
