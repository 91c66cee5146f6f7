"""Putting a mutant instead of code that is loaded already: no file is changed."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from holdall.testing.laws.marking import Rewriting
from holdall.testing.laws.mutating import Mutant


def plant(mutant: Mutant, root: Path, packages: Sequence[str]) -> bool:
    """Exchange the function of a converter that a mutant changes. Anything else may have had its
    effect when it was imported: then forget the modules of `packages`, so that they are imported
    with the mutant. Tells whether they are to be loaded again."""
    file = (root / mutant.file).resolve()
    after = mutant.apply(file.read_bytes()).decode()
    module = _module_of(file) if mutant.is_converter else None
    if module is not None and _exchange(module, after, mutant.line):
        return False
    for name in list(sys.modules):
        if name.split(".")[0] in packages:
            del sys.modules[name]
    Rewriting({str(file)}, lambda _: after)
    importlib.invalidate_caches()
    return True


def _module_of(file: Path) -> ModuleType | None:
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if name and name.endswith(file.name) and Path(name).resolve() == file:
            return module
    return None


def _exchange(module: ModuleType, text: str, line: int) -> bool:
    """Give the function of a module that holds a line the code that it has in another text."""
    file = str(module.__file__)
    functions = {
        value.__code__.co_firstlineno: value
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__code__.co_filename == file
    }
    first = max((number for number in functions if number <= line), default=0)
    block = inspect.getblock(text.splitlines(keepends=True)[max(first - 1, 0) :])
    if not first or line >= first + len(block):
        return False
    made: dict[str, Any] = {}
    code = compile("\n" * (first - 1) + "".join(block), file, "exec", dont_inherit=True)
    exec(code, vars(module), made)
    (function,) = made.values()
    functions[first].__code__ = function.__code__
    return True
