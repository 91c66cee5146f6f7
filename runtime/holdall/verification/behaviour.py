"""Digests of what code does: comments, docstrings, layout and type hints do not count.

They are computed from syntax trees, because compiled code differs between Python versions. What a
definition names, in its module or in others whose source is read, is part of what it does. Nothing
is run, and code without source counts by its name.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator
from importlib.util import resolve_name
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

from holdall.engine.code_texts import ModuleText, text_of

Definition: TypeAlias = tuple[str, str]
"""A module and a name in it; without a name, the whole module."""
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_SILENT: Final = frozenset({"ctx", "kind", "returns", "type_comment"})


Find: TypeAlias = Callable[[str], ModuleText | None]
"""Finds the source of a module by name; None for modules that are not read."""


def imported_texts(tops: Iterable[str]) -> Find:
    """Return a finder of modules in some top-level packages, as they were loaded."""
    known = frozenset(tops)

    def find(name: str) -> ModuleText | None:
        return text_of(name) if name.partition(".")[0] in known else None

    return find


def texts_below(root: Path) -> Find:
    """Return a finder of modules below a folder, without importing them."""

    def find(name: str) -> ModuleText | None:
        place = root.joinpath(*name.split("."))
        for path, package in (
            (place / "__init__.py", name),
            (place.with_suffix(".py"), name.rpartition(".")[0]),
        ):
            try:
                return ModuleText(path.read_bytes(), package)
            except (OSError, ValueError):
                continue
        return None

    return find


class SourceCode:
    """Code by its source. The package `without` does not count: its inputs do."""

    def __init__(self, find: Find, without: str) -> None:
        self._find, self._without = find, without
        self._modules: dict[str, _Module | None] = {}

    def digest(self, definitions: Iterable[Definition]) -> str:
        """Return a digest of what definitions do; "" if there are none.

        A name in a class stands for the class. It does not depend on where a definition is, or on
        what else is there.
        """
        waiting = [(module, name.partition(".")[0]) for module, name in definitions]
        seen: set[Definition] = set()
        said: set[str] = set()
        while waiting:
            definition = module, name = waiting.pop()
            if definition in seen or f"{module}.".startswith(f"{self._without}."):
                continue
            seen.add(definition)
            inner = f"{module}.{name}"
            code = self._module(module)
            if name and (code is None or not code.has(name)) and self._module(inner) is not None:
                waiting.append((inner, ""))
            elif code is None:
                said.add(f"{module}:{name}")
            else:
                for words, named in code.of(name):
                    said.add(words)
                    waiting += named
        return hashlib.sha256(ascii(sorted(said)).encode()).hexdigest() if seen else ""

    def knows(self, module: str) -> bool:
        """Return whether a module has source, and it is valid Python."""
        return self._module(module) is not None

    def _module(self, name: str) -> _Module | None:
        if name not in self._modules:
            found = self._find(name)
            try:
                self._modules[name] = None if found is None else _Module(name, found)
            except (SyntaxError, TypeError, ValueError):
                self._modules[name] = None
        return self._modules[name]


class _Module:
    """The statements of a module, by the names that they define."""

    def __init__(self, name: str, found: ModuleText) -> None:
        self._name, self._package = name, found.package
        tree = ast.parse(found.text)
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                node.body = [*map(_without_hint, node.body)]
        self._all = [it for it in tree.body if not is_silent(it) and not _is_for_types(it)]
        self._defining: dict[str, list[ast.stmt]] = {}
        self._imports: dict[str, list[Definition]] = {}
        self._running: list[ast.stmt] = []
        for statement in self._all:
            if isinstance(statement, _IMPORTS):
                for given, definition in self._imported(statement):
                    self._imports.setdefault(given, []).append(definition)
            elif names := _defined_by(statement):
                for given in names:
                    self._defining.setdefault(given, []).append(statement)
            else:
                self._running.append(statement)

    def has(self, name: str) -> bool:
        """Return whether a statement defines or imports a name."""
        return name in self._imports or name in self._defining

    def of(self, name: str) -> Iterator[tuple[str, Iterable[Definition]]]:
        """Yield the code that concerns a name, each piece with the definitions that it names.

        Code that always runs concerns every name. If nothing defines the name, any code may.
        """
        if name in self._imports:
            yield "", self._imports[name]
        else:
            found = [*self._defining[name], *self._running] if name in self._defining else self._all
            for one in found:
                says = "" if isinstance(one, _IMPORTS) else ascii(_meaning(one))
                yield says, [*self._named_in(one)]

    def _named_in(self, statement: ast.stmt) -> Iterator[Definition]:
        yield from self._imports.get("*", ())
        for node in _nodes_of(statement):
            if isinstance(node, _IMPORTS):
                yield from (definition for _, definition in self._imported(node))
            elif isinstance(node, ast.Name) and self.has(node.id):
                yield self._name, node.id

    def _imported(self, tree: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Definition]]:
        """Yield the names that an import binds, each with its definition."""
        if isinstance(tree, ast.Import):
            for one in tree.names:
                yield one.asname or one.name.partition(".")[0], (one.name, "")
            return
        asked = "." * tree.level + (tree.module or "")
        try:
            module = resolve_name(asked, self._package)
        except ImportError:  # the module may catch it when it runs
            module = f"beyond {asked}"
        for one in tree.names:
            yield one.asname or one.name, (module, "" if one.name == "*" else one.name)


def _defined_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines, if it does nothing else."""
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    return names if len(names) == len(targets) else []


def _is_for_types(statement: ast.stmt) -> bool:
    is_guard = isinstance(statement, ast.If) and not statement.orelse
    return is_guard and ast.unparse(statement.test).endswith("TYPE_CHECKING")  # type: ignore[attr-defined]


def _meaning(value: Any) -> Any:
    """Return the meaning of a syntax tree, for ASCII: Unicode differs between Python versions."""
    if isinstance(value, list):
        return [_meaning(one) for one in value if not is_silent(one)]
    if not isinstance(value, ast.AST):
        return value
    if isinstance(value, ast.Constant):
        return [type(value.value).__name__, ascii(value.value)]
    said: list[Any] = [type(value).__name__]
    if isinstance(value, ast.JoinedStr):  # its texts may be split differently, or empty
        parts = [one.value if isinstance(one, ast.Constant) else one for one in value.values]
        filled = [part for part in parts if part != ""]
        for is_text, some in groupby(filled, lambda one: isinstance(one, str)):
            found = [*some]
            said += ["".join(map(str, found))] if is_text else map(_meaning, found)
        return said
    for name, part in _fields_of(value):
        said.append([name, _meaning(part)])
    return said


def _fields_of(tree: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a syntax tree, except type hints."""
    for name, part in ast.iter_fields(tree):
        is_hint = name in _SILENT or (name == "annotation" and isinstance(tree, ast.arg))
        if not is_hint and part is not None and part != []:
            yield name, part


def _nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a syntax tree and all nodes in it, except type hints."""
    yield tree
    for _, part in _fields_of(tree):
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, ast.AST):
                yield from _nodes_of(one)


def is_silent(node: Any) -> bool:
    """Return whether a statement does nothing: a docstring, or `pass`."""
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _without_hint(statement: ast.stmt) -> ast.stmt:
    """Return a statement of a function without its type hint, which Python does not evaluate."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.Assign([statement.target], statement.value)
    return statement
