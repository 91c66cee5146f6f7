"""The rules of the house, read off the syntax trees of all modules: doors, sizes, forms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SERIALIZERS = {
    "msgspec": "holdall.json",
    "yaml": "holdall.yaml",
    "dataclasses_json": "holdall.serialization",
}
# dataclasses-json resolves the annotations of these modules at run time, and of their bases.
EAGERLY_ANNOTATED = ("holdall.objects", "holdall.serialization")


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


ROOMS = (
    Room(
        "runtime/holdall",
        "holdall",
        frozenset({"holdall", "typing_extensions"}),
        own_doors={
            **{module: frozenset({name}) for name, module in SERIALIZERS.items()},
            "holdall.cli": frozenset({"click"}),
            "holdall.testing": frozenset({"hypothesis", "pytest"}),
            "holdall.install.client": frozenset({"kubernetes", "urllib3"}),
            "holdall.webhook.certificates": frozenset({"cryptography"}),
            "holdall.webhook.metrics": frozenset({"prometheus_client"}),
            "holdall.webhook.protocol": frozenset({"uvicorn"}),
            "holdall.webhook.server": frozenset({"uvicorn", "uvloop"}),
        },
        at_need={
            "holdall.cli": frozenset({"holdall_codegen"}),
            "holdall.traces": frozenset({"opentelemetry"}),
        },
    ),
    Room(
        "codegen/holdall_codegen",
        "holdall_codegen",
        frozenset({"holdall", "holdall_codegen", "typing_extensions", "click"}),
    ),
    Room(
        "generated",
        "generated",
        frozenset({"holdall", "generated"}),
        for_types=frozenset({"hooks"}),
    ),
    Room("hooks", "hooks", frozenset({"holdall", "generated", "hooks"})),
)


@dataclass(frozen=True)
class Module:
    """One parsed module; `path` is relative to the root of the repository."""

    path: str
    name: str
    source: str

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, filename=self.path)


@dataclass(frozen=True)
class Import:
    """One imported name in full, such as `holdall.json.decode`, and where it is imported."""

    name: str
    line: int
    in_function: bool = False
    for_types: bool = False


def modules_of(root: Path, room: Room) -> list[Module]:
    """Read all modules of a room; none if its folder does not exist yet."""
    folder = root / room.folder
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = (room.package, *path.relative_to(folder).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(
            Module(path.relative_to(root).as_posix(), name, path.read_text(encoding="utf-8"))
        )
    return found


def imports_of(module: Module) -> list[Import]:
    """List what a module imports: by statement, or by `import_module` with a literal name."""
    return list(_walk(module, module.tree, in_function=False, for_types=False))


def _walk(module: Module, node: ast.AST, *, in_function: bool, for_types: bool) -> Iterator[Import]:
    for name in _names(module, node):
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


def _names(module: Module, node: ast.AST) -> list[str]:
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


def closed_doors(room: Room, module: Module) -> list[str]:
    """List the imports of a module that its room does not allow, as `file:line: name`."""
    found = []
    for imported in imports_of(module):
        top = imported.name.partition(".")[0]
        allowed = room.doors | _opened(room.own_doors, module)
        if imported.for_types:
            allowed |= room.for_types
        if imported.in_function or imported.for_types:
            allowed |= _opened(room.at_need, module)
        if top not in allowed and top not in sys.stdlib_module_names:
            found.append(f"{module.path}:{imported.line}: {imported.name}")
    return found


def _opened(doors: dict[str, frozenset[str]], module: Module) -> frozenset[str]:
    return frozenset().union(
        *(names for owner, names in doors.items() if f"{module.name}.".startswith(f"{owner}."))
    )


def private_names(room: Room, module: Module) -> list[str]:
    """List the private names of `holdall` that a module of another room uses."""
    found = []
    aliases = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, alias in zip(_names(module, node), node.names, strict=True):
                if name.partition(".")[0] == "holdall" != room.package:
                    aliases.add((alias.asname or alias.name).partition(".")[0])
                    if _is_private(name):
                        found.append(f"{module.path}:{node.lineno}: {name}")
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if name.partition(".")[0] in aliases and _is_private(f".{node.attr}"):
                found.append(f"{module.path}:{node.lineno}: {name}")
    return found


def _is_private(name: str) -> bool:
    return any(re.match(r"_(?!_.*__$)", part) for part in name.split("."))


def excess_length(module: Module) -> list[str]:
    """Tell whether a module has more than 400 lines, or 600 with a sentence that justifies it."""
    lines = len(module.source.splitlines())
    justified = re.search(r"\bLength: \w", ast.get_docstring(module.tree) or "")
    limit = 600 if justified else 400
    return [f"{module.path}: {lines} lines, {limit} allowed"] if lines > limit else []


def missing_docstring(module: Module) -> list[str]:
    """Tell whether a public module lacks its docstring."""
    if _is_private(module.name) or ast.get_docstring(module.tree):
        return []
    return [f"{module.path}: no docstring"]


def postponed_annotations(module: Module) -> list[str]:
    """Tell whether a module postpones its annotations with a `__future__` import."""
    name = "__future__.annotations"
    return [f"{module.path}:{i.line}: {name}" for i in imports_of(module) if i.name == name]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.folder)
def test_doors_open_one_way(room: Room, project_root: Path) -> None:
    """Each room imports only what the table of the house allows it."""
    assert [text for m in modules_of(project_root, room) for text in closed_doors(room, m)] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.folder)
def test_private_names_stay_at_home(room: Room, project_root: Path) -> None:
    """Only `holdall` uses the private names of `holdall`."""
    assert [text for m in modules_of(project_root, room) for text in private_names(room, m)] == []


@pytest.mark.parametrize("room", ROOMS[:2], ids=lambda room: room.folder)
def test_modules_are_short(room: Room, project_root: Path) -> None:
    """The modules of production code keep to their limit; generated ones follow the schemas."""
    assert [text for m in modules_of(project_root, room) for text in excess_length(m)] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.folder)
def test_modules_say_what_they_are_for(room: Room, project_root: Path) -> None:
    """Every public module has a docstring."""
    assert [text for m in modules_of(project_root, room) for text in missing_docstring(m)] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.folder)
def test_resolved_annotations_are_not_postponed(room: Room, project_root: Path) -> None:
    """Generated modules and the modules of their bases annotate eagerly."""
    concerned = [
        module
        for module in modules_of(project_root, room)
        if room.package == "generated" or module.name in EAGERLY_ANNOTATED
    ]
    assert [text for m in concerned for text in postponed_annotations(m)] == []


def test_no_machine_is_named(project_root: Path) -> None:
    """No file of the repository names a path of a machine or a package index."""
    if not (project_root / ".git").exists():
        pytest.skip("not a git checkout")
    rules = ".ci/forbidden-text"
    search = ["git", "grep", "--untracked", "-nIE", "-f", rules, "--", ".", f":!{rules}"]
    done = subprocess.run(search, cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


RUNTIME, CODEGEN, GENERATED, HOOKS = ROOMS


@pytest.mark.parametrize(
    ("room", "name", "source", "expected"),
    [
        (RUNTIME, "holdall.bag", "import holdall_codegen.plan", ["holdall_codegen.plan"]),
        (RUNTIME, "holdall.bag", "from generated import batch", ["generated.batch"]),
        (RUNTIME, "holdall.bag", "def f():\n import hooks", ["hooks"]),
        (RUNTIME, "holdall.bag", "import_module('msgspec')", ["msgspec"]),
        (RUNTIME, "holdall.bag", "import json, holdall.json", []),
        (RUNTIME, "holdall.json", "import msgspec", []),
        (RUNTIME, "holdall.jsonl", "import msgspec", ["msgspec"]),
        (RUNTIME, "holdall.cli.plan", "from holdall_codegen import x", ["holdall_codegen.x"]),
        (RUNTIME, "holdall.cli.plan", "def f():\n from holdall_codegen import x", []),
        (CODEGEN, "holdall_codegen.read", "import yaml", ["yaml"]),
        (CODEGEN, "holdall_codegen.read", "from .model import Group", []),
        (GENERATED, "generated.batch.v1", "from ... import x", [".x"]),
        (GENERATED, "generated.batch.v1", "from .. import v2\nimport holdall as h", []),
        (GENERATED, "generated.batch.v1", "import hooks.batch", ["hooks.batch"]),
        (GENERATED, "generated.batch.v1", "if t.TYPE_CHECKING:\n import hooks.batch", []),
        (GENERATED, "generated.batch.v1", "import typing_extensions", ["typing_extensions"]),
        (HOOKS, "hooks.batch", "import holdall_codegen", ["holdall_codegen"]),
    ],
)
def test_closed_doors_are_found(room: Room, name: str, source: str, expected: list[str]) -> None:
    """The check of doors finds each kind of import that the table forbids, and no other."""
    module = Module("m.py", name, source)
    assert [text.partition(": ")[2] for text in closed_doors(room, module)] == expected


@pytest.mark.parametrize(
    "source", ["from holdall._x import y", "from holdall import _y", "import holdall as h; h._y()"]
)
def test_private_names_are_found(source: str) -> None:
    """A private name counts whether it is a module, a member or an attribute."""
    assert len(private_names(GENERATED, Module("m.py", "generated.m", source))) == 1


def test_length_needs_a_reason() -> None:
    """From 401 lines on a module needs its sentence, and from 601 lines nothing helps."""
    short, long = "pass\n" * 400, "pass\n" * 600
    reason = '"""All codes. Length: one table that is read as a whole."""\n'
    sources = (short, short + "pass\n", reason + long[5:], reason + long)
    assert [len(excess_length(Module("m.py", "m", source))) for source in sources] == [0, 1, 0, 1]


def test_forms_are_found() -> None:
    """A module without a docstring and a postponed annotation are seen."""
    module = Module("m.py", "m", "from __future__ import annotations\n")
    assert missing_docstring(module) == ["m.py: no docstring"]
    assert postponed_annotations(module) == ["m.py:1: __future__.annotations"]


def test_no_module_takes_the_place_of_an_exported_name() -> None:
    """Importing `holdall.x` binds `holdall.x`: whatever is imported, the exports stay."""
    code = """
import importlib, pkgutil, holdall
before = {name: getattr(holdall, name) for name in holdall.__all__}
for path in ("", "carriers", "tracking", "strict", "traces", "declare"):
    package = importlib.import_module(f"holdall.{path}".rstrip("."))
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if found.name not in ("holdall.cli", "holdall.testing", "holdall.serialization"):
            importlib.import_module(found.name)
print([name for name in before if getattr(holdall, name) is not before[name]])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
