"""What the code of a hook or a function says, as a digest that comments and types do not change.

Nothing is run. What is seen is the text of the project: a class or function, and all that it names
at the top of the project's modules, followed through their imports. What is not seen: installed
packages, files that code reads, and what modules do to each other when they are imported.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_WHOLE = "*"

Name = tuple[str, str]
"""A module and a name at its top; `*` stands for all of the module."""


@dataclass(slots=True)
class _Module:
    """The definitions at the top of a module by name, and where its imported names come from."""

    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Name] = field(default_factory=dict)
    starred: list[str] = field(default_factory=list)
    body: list[ast.stmt] = field(default_factory=list)


class SourceCode:
    """The code below a project's root; modules of the packages `foreign` are not looked into."""

    def __init__(self, root: Path, foreign: Sequence[str] = ()) -> None:
        self._root = root
        self._foreign = tuple(foreign)
        self._modules: dict[str, _Module | None] = {}

    def digest(self, module: str, name: str) -> str:
        """Return the digest of a definition; empty if the project does not have its module."""
        if self._module(module) is None:
            return ""
        seen: set[Name] = set()
        texts: list[str] = []
        work = [(module, name.split(".")[0])]
        while work:
            found = work.pop()
            if found in seen:
                continue
            seen.add(found)
            if self._module(found[0]) is None and not self._is_foreign(found[0]):
                texts.append(":".join(found))  # what is installed counts by its name
            for statement in self._statements(*found):
                texts.append(f"{found[0]} {ast.dump(statement)}")
                work += self._named(found[0], statement)
        return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()

    def _statements(self, module: str, name: str) -> Sequence[ast.stmt]:
        known = self._module(module)
        if known is None:
            return ()
        return known.body if name == _WHOLE else known.definitions.get(name, ())

    def _named(self, module: str, statement: ast.stmt) -> Iterator[Name]:
        """Yield what a statement names that the project defines somewhere."""
        known = self._module(module)
        if known is None:
            return
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name):
                continue
            if node.id in known.definitions:
                yield module, node.id
            elif node.id in known.imports:
                yield self._resolve(*known.imports[node.id])
            else:
                for other in known.starred:
                    yield other, node.id

    def _resolve(self, module: str, name: str) -> Name:
        """Return where an imported name is: it may be a module itself, or imported there too."""
        seen: set[Name] = set()
        while (module, name) not in seen:
            seen.add((module, name))
            if name != _WHOLE and self._module(f"{module}.{name}") is not None:
                return f"{module}.{name}", _WHOLE
            known = self._module(module)
            if known is not None and name not in known.definitions and name in known.imports:
                module, name = known.imports[name]
        return module, name

    def _is_foreign(self, name: str) -> bool:
        return any(f"{name}.".startswith(f"{other}.") for other in self._foreign)

    def _module(self, name: str) -> _Module | None:
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> _Module | None:
        if self._is_foreign(name):
            return None
        place = self._root.joinpath(*name.split("."))
        for path, package in (
            (place / "__init__.py", name),
            (place.with_suffix(".py"), name.rpartition(".")[0]),
        ):
            try:
                return _parse(path.read_bytes(), package)
            except (OSError, SyntaxError, ValueError):
                continue
        return None


def _parse(text: bytes, package: str) -> _Module:
    tree = _Plain().visit(ast.parse(text))
    module = _Module(body=tree.body)
    for statement in _top(tree.body):
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                module.definitions.setdefault(statement.name, []).append(statement)
            case ast.Import():
                for alias in statement.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    module.imports[alias.asname or whole] = alias.name, _WHOLE
            case ast.ImportFrom():
                source = _absolute(statement, package)
                for alias in statement.names:
                    if alias.name == _WHOLE:
                        module.starred.append(source)
                    else:
                        module.imports[alias.asname or alias.name] = source, alias.name
            case _:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        module.definitions.setdefault(node.id, []).append(statement)
    return module


def _top(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those below `if` and `try` too."""
    for statement in body:
        match statement:
            case ast.If():
                yield from _top([*statement.body, *statement.orelse])
            case ast.Try():
                handled = [inner for handler in statement.handlers for inner in handler.body]
                yield from _top([*statement.body, *handled, *statement.orelse])
            case _:
                yield statement


def _absolute(statement: ast.ImportFrom, package: str) -> str:
    if not statement.level:
        return statement.module or ""
    parts = package.split(".")
    parts = parts[: len(parts) - statement.level + 1]
    return ".".join([*parts, *filter(None, [statement.module])])


class _Plain(ast.NodeTransformer):
    """Takes out what no conversion reads: docstrings, and annotations of functions."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Drop an expression that is a text."""
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Drop the type of a parameter."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        """Drop what is returned, and the types of variables."""
        node.returns = None
        node.body = [
            ast.Assign([item.target], item.value)
            if isinstance(item, ast.AnnAssign) and item.value is not None
            else item
            for item in node.body
        ]
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef
