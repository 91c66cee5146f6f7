"""Recording which lines of some files run, and for which cases.

The files are imported with a recording call before each statement. Tracing all code would take
longer than the code itself.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final, TypeAlias

Rewrite: TypeAlias = Callable[[str], str | ast.Module]
"""Returns the syntax tree of a module, given the path of its file."""


class Rewriting(MetaPathFinder):
    """Finds modules as usual, but rewrites those of some files."""

    def __init__(self, files: Collection[str], rewrite: Rewrite) -> None:
        self._files = files
        self._rewrite = rewrite
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module; one to be rewritten gets a loader that does so."""
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


ALL: Final = -1
"""The bits of all cases of a part."""
_BLOCKS: Final = ("body", "orelse", "finalbody")


class Lines:
    """The lines that ran in files imported from now on, by file name below a folder, each with the
    `bits` that were set when it ran: those of cases, or all of them."""

    def __init__(self, root: str, names: Sequence[str]) -> None:
        self._files = {f"{root}/{name}": name for name in names}
        self._marked: list[tuple[str, list[int]]] = []
        self._ran: list[int] = []
        self.bits = ALL
        Rewriting(self._files, self._with_marks)

    def _with_marks(self, path: str) -> ast.Module:
        tree = ast.parse(Path(path).read_bytes())
        for node in [*ast.walk(tree)]:
            for name in _BLOCKS:
                block = getattr(node, name, None)
                if isinstance(block, list):
                    setattr(node, name, [*self._marked_block(path, block)])
        return tree

    def _marked_block(self, path: str, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if not _must_be_first(statement):
                name = self._mark(path, _lines_of(statement))
                call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
                yield ast.fix_missing_locations(ast.copy_location(call, statement))
            yield statement

    def _mark(self, path: str, lines: list[int]) -> str:
        """Return the name of the function that records that some lines run."""
        ran, number = self._ran, len(self._ran)
        ran.append(0)
        self._marked.append((self._files[path], lines))

        def runs() -> None:
            ran[number] |= self.bits

        name = f"__lines_{number}__"
        setattr(builtins, name, runs)
        return name

    def by_file(self) -> dict[str, dict[int, int]]:
        """Return the lines that ran, with their bits."""
        found: dict[str, dict[int, int]] = {}
        for (file, lines), bits in zip(self._marked, self._ran, strict=True):
            own = found.setdefault(file, {})
            own.update((line, own.get(line, 0) | bits) for line in lines if bits)
        return found


def _must_be_first(statement: ast.stmt) -> bool:
    """Return whether no other statement may come before this one without changing its meaning."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):
            return True  # the whole body of an abstract method
        case _:
            return False


def _lines_of(statement: ast.stmt) -> list[int]:
    """Return the lines of a statement, decorators included, that no statement within it has."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min((statement.lineno, *(each.lineno for each in decorators)))
    own = {*range(first, (statement.end_lineno or first) + 1)}
    for inner in ast.walk(statement):
        if isinstance(inner, ast.stmt) and inner is not statement:
            own -= {*range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)}
    return sorted(own)
