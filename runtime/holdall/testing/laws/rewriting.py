"""Importing modules whose code is made of something else than the text of their files."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeAlias

Rewrite: TypeAlias = Callable[[str], str | ast.Module]
"""Returns what the module of a file, by its path, is made of."""


class Rewriting(MetaPathFinder):
    """Finds modules as always; from now on it rewrites those of some files."""

    def __init__(self, files: Collection[str], rewrite: Rewrite) -> None:
        self._files = files
        self._rewrite = rewrite
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module; one that is to be rewritten gets a loader that does it."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin:
            file = str(Path(spec.origin).resolve())
            if file in self._files:
                spec.loader = _Loader(fullname, file, self._rewrite)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, rewrite: Rewrite) -> None:
        super().__init__(fullname, path)
        self._rewrite = rewrite

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self._rewrite(self.path), self.path, "exec", dont_inherit=True)
        return code
