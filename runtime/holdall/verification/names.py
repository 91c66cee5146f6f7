"""What the names in hook modules mean, followed through imports and aliases without running any."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from holdall.errors import Problem


@dataclass(frozen=True, slots=True)
class HookSource:
    """The text of one module of the hooks package.

    `module` is its dotted name, `file` its path as messages show it. `problem` tells why the
    text is not to be had; then `text` is empty.
    """

    module: str
    file: str
    text: str
    problem: Problem | None = None


class Binding(NamedTuple):
    """A name bound at the top of a module; `target` is its dotted meaning, "" if unknown."""

    line: int
    target: str


class Star(NamedTuple):
    """A statement `from module import *`."""

    line: int
    module: str


class HookModule:
    """One parsed module with the names that it binds at its top level, in order of lines."""

    def __init__(self, source: HookSource, tree: ast.Module) -> None:
        self.name = source.module
        self.file = source.file
        self.tree = tree
        self.stars: list[Star] = []
        self.imports: list[tuple[int, str, str]] = []
        self.bindings: dict[str, list[Binding]] = {}
        is_package = source.file.replace("\\", "/").endswith("__init__.py")
        parts = source.module.split(".")
        self._package = parts if is_package else parts[:-1]
        for statement, _ in statements(tree.body):
            self._read(statement)

    def where(self, line: int) -> str:
        """Return `file:line`."""
        return f"{self.file}:{line}"

    def bound(self, name: str, line: int) -> str | None:
        """Return the dotted meaning of a name in a line; None if it is not bound there."""
        found = None
        for binding in self.bindings.get(name, ()):
            if binding.line > line and found is not None:
                break
            found = binding.target
        return found

    def rebound(self, name: str, line: int) -> int | None:
        """Return the line after `line` in which a name is bound again or deleted."""
        later = [b.line for b in self.bindings.get(name, ()) if b.line > line]
        return later[0] if later else None

    def _bind(self, name: str, line: int, target: str) -> None:
        self.bindings.setdefault(name, []).append(Binding(line, target))

    def _read(self, node: ast.stmt) -> None:
        line = node.lineno
        match node:
            case ast.Import(names=names):
                for alias in names:
                    self.imports.append((line, alias.name, alias.asname or alias.name))
                    if alias.asname:
                        self._bind(alias.asname, line, alias.name)
                    else:
                        top = alias.name.partition(".")[0]
                        self._bind(top, line, top)
            case ast.ImportFrom(names=names):
                base = self._origin(node)
                for alias in names:
                    if alias.name == "*":
                        self.stars.append(Star(line, base))
                        continue
                    bound = alias.asname or alias.name
                    self.imports.append((line, f"{base}.{alias.name}", bound))
                    self._bind(bound, line, f"{base}.{alias.name}")
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                self._bind(name, line, f"{self.name}.{name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._bind(name, line, self._alias(value, line))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._bind(name, line, self._alias(value, line))
            case _ if type(node).__name__ == "TypeAlias":  # exists from Python 3.12 on
                alias_name, aliased = getattr(node, "name", None), getattr(node, "value", None)
                self._bind(dotted_name(alias_name), line, self._alias(aliased, line))
            case _:
                for name in stored_names(node):
                    self._bind(name, line, "")

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self._package[: len(self._package) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])

    def _alias(self, value: ast.expr | None, line: int) -> str:
        head, _, rest = dotted_name(value).partition(".")
        target = self.bound(head, line) if head else None
        if not target:
            return ""
        return f"{target}.{rest}" if rest else target


class HookNames:
    """The names of all modules of a hooks package together."""

    def __init__(self, modules: Sequence[HookModule]) -> None:
        self.modules = {module.name: module for module in modules}

    def resolve(self, module: HookModule, expression: ast.expr | None, line: int) -> str:
        """Return the dotted meaning of a name, an attribute, or either in quotes; "" if unknown."""
        if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
            try:
                expression = ast.parse(expression.value.strip(), mode="eval").body
            except SyntaxError:
                return ""
        head, _, rest = dotted_name(expression).partition(".")
        target = module.bound(head, line) if head else None
        if not target:
            return ""
        return self._follow(f"{target}.{rest}" if rest else target, set())

    def _follow(self, dotted: str, seen: set[str]) -> str:
        if dotted in seen:
            return dotted
        seen.add(dotted)
        parts = dotted.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:end]))
            if module is None:
                continue
            bindings = module.bindings.get(parts[end])
            if not bindings or not bindings[-1].target:
                return dotted
            target = ".".join([bindings[-1].target, *parts[end + 1 :]])
            return dotted if target == dotted else self._follow(target, seen)
        return dotted

    def spell(self, module: HookModule, dotted: str) -> str:
        """Return a dotted name as the module can write it, through what it imports."""
        best, spelt = "", ""
        for name, bindings in sorted(module.bindings.items()):
            target = self._follow(bindings[-1].target, set())
            if len(target) > len(best) and f"{dotted}.".startswith(f"{target}."):
                best, spelt = target, name + dotted[len(target) :]
        return spelt or short(dotted)


def short(dotted: str) -> str:
    """Return `version.Type` for the dotted name of a twin in the module `…version.storage`."""
    module, _, name = dotted.rpartition(".")
    return f"{module.removesuffix('.storage').rpartition('.')[2]}.{name}" if module else name


def dotted_name(expression: ast.expr | None) -> str:
    """Return `a.b.c` for names and attributes, also subscripted; "" for all else."""
    parts: list[str] = []
    while True:
        match expression:
            case ast.Subscript(value=value):
                expression = value
            case ast.Attribute(value=value, attr=attr):
                parts.append(attr)
                expression = value
            case ast.Name(id=name):
                return ".".join([name, *reversed(parts)])
            case _:
                return ""


def statements(body: Iterable[ast.stmt], nested: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements of a body and those below `if`, `try` and the like (True), in order.

    The bodies of functions and classes are left out.
    """
    for node in body:
        yield node, nested
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for field in ("body", "handlers", "cases", "orelse", "finalbody"):
            for child in getattr(node, field, ()):
                below = [child] if isinstance(child, ast.stmt) else child.body
                yield from statements(below, True)


def stored_names(node: ast.stmt) -> list[str]:
    """List the names that one statement itself binds or deletes, without those below it."""
    roots: list[ast.AST]
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            roots = list(targets)
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
            roots = [target]
        case ast.For(target=target) | ast.AsyncFor(target=target):
            roots = [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            roots = [item.optional_vars for item in items if item.optional_vars]
        case _:
            return []
    return [
        inner.id
        for root in roots
        for inner in ast.walk(root)
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
    ]


def fold(name: str) -> str:
    """Return a name without letter case and underscores."""
    return name.casefold().replace("_", "")


def closest(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the candidate most like a name, "" if none is; case and underscores do not count."""
    folded: dict[str, str] = {}
    for candidate in sorted(candidates):
        folded.setdefault(fold(candidate), candidate)
    found = get_close_matches(fold(name), list(folded), n=1, cutoff=cutoff)
    return folded[found[0]] if found else ""


def did_you_mean(candidate: str) -> str:
    """Return `; did you mean "x"?`, or nothing without a candidate."""
    return f'; did you mean "{candidate}"?' if candidate else ""
