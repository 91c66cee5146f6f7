"""Putting a mutant instead of code that is loaded already: no file is changed."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from holdall.testing.laws.mutating import Mutant


def plant(mutant: Mutant, root: Path, packages: Sequence[str]) -> bool:
    """Exchange the function of a converter that a mutant changes. Anything else may have had its
    effect when it was imported: then forget the modules of `packages`, so that they are imported
    with the mutant. Tells whether they are to be loaded again."""
    file = (root / mutant.file).resolve()
    before = file.read_bytes()
    after = mutant.apply(before).decode()
    module = _module_of(file) if mutant.is_converter else None
    if module is not None and _exchange(module, before.decode(), after, mutant.line):
        return False
    for name in list(sys.modules):
        if name.split(".")[0] in packages:
            del sys.modules[name]
    sys.meta_path.insert(0, _Finder(str(file), after))
    importlib.invalidate_caches()
    return True


def _module_of(file: Path) -> ModuleType | None:
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if name and name.endswith(file.name) and Path(name).resolve() == file:
            return module
    return None


def _exchange(module: ModuleType, before: str, after: str, line: int) -> bool:
    """Give a function of a module the code that it has in another text."""
    names = _function_at(ast.parse(before), line)
    live: Any = module
    for name in names:
        live = vars(live).get(name)
        if live is None:
            return False
    made = _made(ast.parse(after), names, module) if names else None
    if not isinstance(live, FunctionType) or made is None:
        return False
    if live.__code__.co_freevars != made.co_freevars:
        return False
    live.__code__ = made
    return True


def _function_at(tree: ast.Module, line: int) -> list[str]:
    """Return the names of the function that holds a line, with its class; none if none does."""
    for node in tree.body:
        if not node.lineno <= line <= (node.end_lineno or 0):
            continue
        if isinstance(node, ast.FunctionDef):
            return [node.name]
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and (
                    item.lineno <= line <= (item.end_lineno or 0)
                ):
                    return [node.name, item.name]
    return []


def _made(tree: ast.Module, names: Sequence[str], module: ModuleType) -> CodeType | None:
    body = tree.body
    for name in names[:-1]:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == name)
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == names[-1]:
            node.decorator_list = []
            made: dict[str, Any] = {}
            code = compile(ast.Module([node], []), str(module.__file__), "exec", dont_inherit=True)
            exec(code, vars(module), made)
            function = made[node.name]
            return function.__code__ if isinstance(function, FunctionType) else None
    return None


class _Finder(MetaPathFinder):
    """Finds modules as always, but for one, which has another text than its file."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin and str(Path(spec.origin).resolve()) == self._file:
            spec.loader = _Loader(fullname, self._file, self._text)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType | None:
        code: CodeType = compile(self._text, self.path, "exec", dont_inherit=True)
        return code
