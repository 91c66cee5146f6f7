"""Where things are in the source of a module, looked up only for problems."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import TypeAlias

from holdall.verification.sources import HookSource

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Places:
    """The places in one module."""

    source: HookSource
    _classes: dict[str, ast.ClassDef | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def file(self) -> str:
        """The path of the module in messages."""
        return self.source.file

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the module, empty if it is not Python."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # Python warns at import
                return ast.parse(self.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    def where(self, node: ast.AST | None) -> str:
        """Return `file:line` of a node."""
        return f"{self.file}:{getattr(node, 'lineno', 1)}"

    def of_function(self, function: FunctionType) -> str:
        """Return `file:line` of a function, by its code."""
        return f"{self.file}:{function.__code__.co_firstlineno}"

    def class_node(self, cls: type) -> ast.ClassDef | None:
        """Return the definition of a class: the last one, which is the one in use."""
        if (found := self._classes.get(cls.__qualname__)) is not None:
            return found
        body: list[ast.AST] = [self.tree]
        for name in cls.__qualname__.split("."):
            if name == "<locals>":
                continue
            nodes = [node for one in body for node in ast.walk(one)]
            named = [n for n in nodes if getattr(n, "name", "") == name]
            body = [named[-1]] if named else []
            classes = [n for n in named if isinstance(n, ast.ClassDef)]
            found = classes[-1] if classes else None
        self._classes[cls.__qualname__] = found
        return found

    def of_class(self, cls: type) -> str:
        """Return `file:line` of a class."""
        named = (one for one in self.tree.body if cls.__name__ in names_of(one))
        return self.where(self.class_node(cls) or next(named, None))

    def member_node(self, cls: type, name: str) -> ast.stmt | None:
        """Return the statement that defines a member of a class."""
        node = self.class_node(cls)
        found = [one for one in statements(node.body if node else []) if name in names_of(one)]
        return found[-1] if found else None

    def of_member(self, cls: type, name: str) -> str:
        """Return `file:line` of a member, or of its class if the member is not defined there."""
        return self.where(self.member_node(cls, name) or self.class_node(cls))

    def function_node(self, cls: type, name: str) -> FunctionNode | None:
        """Return the definition of a method."""
        node = self.member_node(cls, name)
        return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None

    def uses(self, name: str) -> list[int]:
        """Return the first line that imports or uses a dotted name, if there is one."""
        last = name.rpartition(".")[2]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and any(n.name == last for n in node.names):
                return [node.lineno]
            if isinstance(node, ast.Attribute) and node.attr == last:
                return [node.lineno]
        return []

    def of_claim(self, cls: type, name: str, keyword: str, claim: str) -> str:
        """Return `file:line` of a name in the claims of a method, or of its `@claims`."""
        node = self.function_node(cls, name)
        for decorator in node.decorator_list if node else ():
            if not isinstance(decorator, ast.Call):
                continue
            for given in decorator.keywords:
                constants = [n for n in ast.walk(given.value) if isinstance(n, ast.Constant)]
                for constant in constants if given.arg == keyword else ():
                    if claim == constant.value:
                        return self.where(constant)
            if any(given.arg in ("reads", "writes") for given in decorator.keywords) or not claim:
                return self.where(decorator)
        return self.of_member(cls, name)


def names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return [n.id for n in stored if isinstance(n.ctx, ast.Store | ast.Del)]


def base_names(cls: ast.ClassDef) -> list[str]:
    """Return the last names of the bases of a class."""
    return [*map(last_name, cls.bases)]


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, also those nested in conditions, but not those in functions and classes."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            handlers = node.handlers if isinstance(node, ast.Try) else []
            for one in (node, *handlers):
                yield from statements(
                    [n for n in ast.iter_child_nodes(one) if isinstance(n, ast.stmt)]
                )
