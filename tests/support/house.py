"""The facts about the house: rooms, modules, imports, circles. `make house` prints them."""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path


@dataclass(frozen=True)
class Room:
    """One room: its folder below the root, its package, and the doors that lead out of it.

    `doors` are open everywhere; `at_need` only inside functions or under TYPE_CHECKING, and
    `for_types` only under TYPE_CHECKING. `own_doors` opens more for one module or package.
    """

    folder: str
    package: str
    doors: frozenset[str]
    for_types: frozenset[str] = frozenset()
    own_doors: dict[str, frozenset[str]] = field(default_factory=dict)
    at_need: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Module:
    """One parsed module; `path` is relative to the root of the repository."""

    path: str
    name: str
    source: str

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, filename=self.path)

    @cached_property
    def imports(self) -> list[Import]:
        """What it imports: by statement, or by `import_module` with a literal name."""
        return list(_walk(self, self.tree, in_function=False, for_types=False))


@dataclass(frozen=True)
class Import:
    """One imported name in full, such as `holdall.text.json.decode`, and where it is imported."""

    name: str
    line: int
    in_function: bool = False
    for_types: bool = False


def modules_of(root: Path, room: Room) -> tuple[Module, ...]:
    """Read all modules of a room, once; none if its folder does not exist yet."""
    return _modules_in(root, room.folder, room.package)


@cache
def _modules_in(root: Path, folder: str, package: str) -> tuple[Module, ...]:
    found = []
    for path in sorted((root / folder).rglob("*.py")):
        parts = (package, *path.relative_to(root / folder).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(
            Module(path.relative_to(root).as_posix(), name, path.read_text(encoding="utf-8"))
        )
    return tuple(found)


def _walk(module: Module, node: ast.AST, *, in_function: bool, for_types: bool) -> Iterator[Import]:
    for name in names_of(module, node):
        yield Import(name, getattr(node, "lineno", 0), in_function, for_types)
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        for guarded in node.body:
            yield from _walk(module, guarded, in_function=in_function, for_types=True)
        for other in node.orelse:
            yield from _walk(module, other, in_function=in_function, for_types=for_types)
        return
    inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _walk(module, child, in_function=inside, for_types=for_types)


def names_of(module: Module, node: ast.AST) -> list[str]:
    """Return the names that a statement imports, in full."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=source, names=names, level=level):
            base = source or ""
            if level:
                package = module.name.split(".")
                package = package[: len(package) - level + module.is_package]
                base = ".".join([*package, *([source] if source else [])])
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called),
            args=[ast.Constant(value=str(name)), *_],
        ) if called in ("import_module", "__import__"):
            return [name]
    return []


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


PRODUCTION = (
    Room("runtime/holdall", "holdall", frozenset()),
    Room("codegen/holdall_codegen", "holdall_codegen", frozenset()),
)
BASE = ("errors", "types", "suggest", "version", "words")
"""The modules of the runtime that stand in no room; every room may use them."""


def room_of(name: str, rooms: Iterable[str]) -> str:
    """Return the room of a module or of what is imported from one: `holdall.text`.

    A module without a room is one by itself, and `holdall` is what people import.
    """
    first = ".".join(name.split(".")[:2])
    return first if first in rooms else first.partition(".")[0]


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other: strongly connected, by Tarjan's way."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1 or node in graph.get(node, ()):
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def import_graph(modules: Sequence[Module]) -> dict[str, set[str]]:
    """Return what modules import of each other, for types and inside of functions included."""
    names = {module.name for module in modules}
    graph: dict[str, set[str]] = {}
    for module in modules:
        targets = {_module_named(found.name, names) for found in module.imports}
        graph[module.name] = {target for target in targets if target is not None}
    return graph


def _module_named(name: str, names: set[str]) -> str | None:
    while name and name not in names:
        name = name.rpartition(".")[0]
    return name or None


def _table(root: Path) -> Iterator[str]:
    everything: list[Module] = []
    for package in PRODUCTION:
        modules = modules_of(root, package)
        everything += modules
        rooms: dict[str, list[Module]] = defaultdict(list)
        top = {".".join(module.name.split(".")[:2]) for module in modules}
        for module in modules:
            rooms[room_of(module.name, top)].append(module)
        for name, held in sorted(rooms.items()):
            lines = sum(len(module.source.splitlines()) for module in held)
            yield f"{name:32} {len(held):4} modules {lines:6} lines"
        lines = sum(len(module.source.splitlines()) for module in modules)
        yield f"{package.folder:32} {len(modules):4} modules {lines:6} lines"
    yield f"circles of imports: {len(circles(import_graph(everything)))}"
    for package_name in ("holdall", "holdall.generated"):
        yield f"names in {package_name}: {len(importlib.import_module(package_name).__all__)}"


if __name__ == "__main__":
    print("\n".join(_table(Path(__file__).parents[2])))
