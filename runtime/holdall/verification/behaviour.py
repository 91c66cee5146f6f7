"""What code does, as a digest: comments, docstrings, layout and hints of types are not part of it.

It follows from syntax trees, not from compiled code, of which each Python makes another one. What a
definition names, in its module or in others of its top-level package, is a part of what it does.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from itertools import groupby
from typing import Any, Final, TypeAlias

Definition: TypeAlias = tuple[str, str]
"""A module and a name in it; without a name, all that is in it."""
_DEFINES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_SILENT: Final = frozenset({"ctx", "kind", "returns", "type_comment"})


def digest_of_behaviour(definitions: Iterable[Definition], without: str) -> str:
    """Return a digest of what definitions do; "" if there are none.

    What is in the package `without` follows from something else. Where a definition is makes no
    difference, nor what else is there.
    """
    waiting = [*definitions]
    tops = {module.partition(".")[0] for module, _ in waiting}
    modules: dict[str, _Module | None] = {}
    seen: set[Definition] = set()
    said: set[str] = set()
    while waiting:
        definition = module, name = waiting.pop()
        if definition in seen or f"{module}.".startswith(f"{without}."):
            continue
        seen.add(definition)
        if module not in modules:
            modules[module] = _module(module) if module.partition(".")[0] in tops else None
        code = modules[module]
        if code is None:
            said.add(f"{module}:{name}")
        else:
            for words, named in code.of(name):
                said.add(words)
                waiting += named
    return hashlib.sha256(ascii(sorted(said)).encode()).hexdigest() if seen else ""


def _module(name: str) -> _Module | None:
    """Return what the text of a module says; None if there is none."""
    try:
        loaded = sys.modules.get(name)
        spec = (loaded and loaded.__spec__) or find_spec(name)
        text = spec.loader.get_source(name)  # type: ignore[union-attr]
        return _Module(name, spec, text)  # type: ignore[arg-type]
    except (AttributeError, ImportError, OSError, SyntaxError, TypeError, ValueError):
        return None


class _Module:
    """The statements of a module, by the names that they define."""

    def __init__(self, name: str, spec: ModuleSpec, text: str) -> None:
        self._name, self._spec = name, spec
        body = ast.parse(text).body
        self._all = [it for it in body if not _is_silent(it) and not _is_for_types(it)]
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

    def of(self, name: str) -> Iterator[tuple[str, Iterable[Definition]]]:
        """Yield what is said about a name, each with the definitions that this names.

        What runs in any case belongs to each name. If nothing defines it, anything may.
        """
        inner = f"{self._name}.{name}"
        if name in self._imports:
            yield "", self._imports[name]
        elif name and name not in self._defining and _is_module(inner):
            yield "", [(inner, "")]
        else:
            found = [*self._defining[name], *self._running] if name in self._defining else self._all
            for one in found:
                says = "" if isinstance(one, _IMPORTS) else ascii(_meaning(one))
                yield says, [*self._named_in(one)]

    def _named_in(self, statement: ast.stmt) -> Iterator[Definition]:
        yield from self._imports.get("*", ())
        for node in ast.walk(statement):
            if isinstance(node, _IMPORTS):
                yield from (definition for _, definition in self._imported(node))
            elif isinstance(node, ast.Name) and (
                node.id in self._imports or node.id in self._defining
            ):
                yield self._name, node.id

    def _imported(self, tree: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Definition]]:
        """Yield the names that an import gives, each with what it is."""
        if isinstance(tree, ast.Import):
            for one in tree.names:
                yield one.asname or one.name.partition(".")[0], (one.name, "")
            return
        module = resolve_name("." * tree.level + (tree.module or ""), self._spec.parent or "")
        for one in tree.names:
            yield one.asname or one.name, (module, "" if one.name == "*" else one.name)


def _is_module(name: str) -> bool:
    try:
        return name in sys.modules or find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _defined_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement does nothing but define."""
    if isinstance(statement, _DEFINES):
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
    """Return what a syntax tree says, which is written as ASCII: Pythons know other letters."""
    if isinstance(value, list):
        return [_meaning(one) for one in value if not _is_silent(one)]
    if not isinstance(value, ast.AST):
        return value
    if isinstance(value, ast.Constant):
        return [type(value.value).__name__, ascii(value.value)]
    said: list[Any] = [type(value).__name__]
    if isinstance(value, ast.JoinedStr):  # the texts in it may be divided in other ways, or empty
        parts = [one.value if isinstance(one, ast.Constant) else one for one in value.values]
        filled = [part for part in parts if part != ""]
        for is_text, some in groupby(filled, lambda one: isinstance(one, str)):
            found = [*some]
            said += ["".join(map(str, found))] if is_text else map(_meaning, found)
        return said
    for name, part in ast.iter_fields(value):
        is_hint = name in _SILENT or (name == "annotation" and isinstance(value, ast.arg))
        if not is_hint and part is not None and part != []:
            said.append([name, _meaning(part)])
    return said


def _is_silent(node: Any) -> bool:
    """Tell whether a statement does nothing: a docstring, or `pass`."""
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
