"""The rules of the house, read off the syntax trees of all modules: doors, sizes, forms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.support.commands import python
from tests.support.house import (
    BASE,
    PRODUCTION,
    Module,
    Room,
    circles,
    import_graph,
    modules_of,
    names_of,
    room_of,
)

SERIALIZERS = {
    "msgspec": "holdall.text.json",
    "yaml": "holdall.text.yaml",
    "dataclasses_json": "holdall.objects.serialization",
}
# dataclasses-json resolves the annotations of these modules at run time, and of their bases.
EAGERLY_ANNOTATED = ("holdall.objects.base", "holdall.objects.serialization")


ROOMS = (
    Room(
        "runtime/holdall",
        "holdall",
        frozenset({"holdall", "typing_extensions"}),
        own_doors={
            **{module: frozenset({name}) for name, module in SERIALIZERS.items()},
            "holdall.cli": frozenset({"click"}),
            "holdall.testing": frozenset({"hypothesis", "pytest"}),
            "holdall.kubernetes.install.client": frozenset({"kubernetes", "urllib3"}),
            "holdall.databases": frozenset({"sqlalchemy"}),
            "holdall.cli.rewrite": frozenset({"sqlalchemy"}),
            "holdall.cli.settle": frozenset({"sqlalchemy"}),
            "holdall.webhook.certificates": frozenset({"cryptography"}),
            "holdall.webhook.metrics": frozenset({"prometheus_client"}),
            "holdall.webhook.protocol": frozenset({"uvicorn"}),
            "holdall.webhook.server": frozenset({"uvicorn", "uvloop"}),
        },
        at_need={
            "holdall.cli": frozenset({"holdall_codegen", "rich"}),
            "holdall.bulk": frozenset({"pyarrow"}),
            "holdall.bulk.ray": frozenset({"ray"}),
            "holdall.bulk.spark": frozenset({"pyspark"}),
            "holdall.kubernetes.conform.patterns": frozenset({"rstr"}),
            "holdall.kubernetes.conform.rules": frozenset({"cel_expr_python"}),
            "holdall.review.tracer": frozenset({"opentelemetry"}),
            "holdall.review.declared_traces": frozenset({"opentelemetry"}),
            "holdall.webhook.traces": frozenset({"opentelemetry"}),
        },
    ),
    Room(
        "codegen/holdall_codegen",
        "holdall_codegen",
        frozenset({"holdall", "holdall_codegen", "typing_extensions", "click"}),
        own_doors={"holdall_codegen.config.tables": frozenset({"msgspec"})},
        at_need={
            "holdall_codegen.refusals.validators": frozenset(
                {"cel_expr_python", "jsonschema", "referencing"}
            )
        },
    ),
    Room(
        "generated",
        "generated",
        frozenset({"holdall", "generated"}),
        for_types=frozenset({"hooks"}),
    ),
    Room("hooks", "hooks", frozenset({"holdall", "generated", "hooks"})),
)


# Which rooms a room may import, beside the flat modules `errors`, `types`, `suggest`, `version`,
# `words`.
# Each line may name rooms of lines above only: so rooms make no circle either.
DOORS: dict[str, str] = {
    "holdall.declare": "",
    "holdall.text": "",
    "holdall.objects": "text",
    "holdall.plan": "text objects",
    "holdall.engine": "text objects plan",
    "holdall.verification": "objects engine",
    "holdall.carriers": "text objects plan engine",
    "holdall.inner": "text objects carriers",
    "holdall.scheme": "text objects plan engine verification carriers inner",
    "holdall.explain": "text objects plan engine carriers scheme",
    "holdall.review": "text objects plan carriers scheme",
    "holdall.webhook": "text scheme review",
    "holdall.bulk": "text objects verification carriers scheme webhook",
    "holdall.databases": "text objects carriers scheme bulk",
    "holdall.kubernetes": "text objects plan carriers scheme explain review webhook",
    "holdall.generated": "objects plan engine inner scheme",
    "holdall": "objects engine scheme explain bulk",
    "holdall.testing": "text objects plan engine verification carriers inner scheme explain",
    "holdall.cli": "text objects scheme explain bulk databases webhook kubernetes testing",
    "holdall_codegen.model": "",
    "holdall_codegen.config": "model",
    "holdall_codegen.read": "model config",
    "holdall_codegen.declared": "model config",
    "holdall_codegen.plan": "model config",
    "holdall_codegen.emit": "model config declared plan",
    "holdall_codegen.project": "model config read declared plan emit",
    "holdall_codegen.propose": "model config plan",
    "holdall_codegen.views": "model plan project propose",
    "holdall_codegen.output": "model config read declared plan emit project propose views",
    "holdall_codegen.breaking": "model config read plan emit project views output",
    "holdall_codegen.refusals": "model config read plan project propose views breaking",
    "holdall_codegen.life": "config plan project read views output breaking",
    "holdall_codegen.explore": "model config plan project views output breaking",
    "holdall_codegen.commands": (
        "config plan project propose views output breaking refusals life explore"
    ),
}
OWN_DOORS = {
    # `python -m holdall` is the command line.
    "holdall.__main__": {"holdall.cli"},
    # People find reviews where they find conversions.
    "holdall.scheme.scheme": {"holdall.review"},
    # Objects that an older generated state stored are drawn by it.
    "holdall.cli.laws_against": {"holdall_codegen.project"},
    # Schemas are the generator's to read.
    "holdall.cli.validating": {"holdall_codegen.project", "holdall_codegen.refusals"},
    # Hooks and functions are imported as declarations are.
    "holdall_codegen.views.hook_import": {"holdall_codegen.config", "holdall_codegen.declared"},
    # What declarations import is part of what a generation was made of.
    "holdall_codegen.output.generation": {"holdall_codegen.declared"},
    # Proposals are shown under the names of their groups.
    "holdall_codegen.views.proposals": {"holdall_codegen.config"},
    # The key `breaking` of holdall.yaml is read by the gate.
    "holdall_codegen.config.model": {"holdall_codegen.breaking"},
    "holdall_codegen.config.keys": {"holdall_codegen.breaking"},
    "holdall_codegen.config.reader": {"holdall_codegen.breaking"},
}


def crossed_doors(module: Module, rooms: Collection[str]) -> list[str]:
    """List the imports of a module that its room has no door to, as `file:line: name`."""
    room = room_of(module.name, rooms)
    package = room.partition(".")[0]
    doors = {f"{package}.{name}" for name in DOORS.get(room, "").split()}
    doors |= {room, *OWN_DOORS.get(module.name, ()), *(f"holdall.{name}" for name in BASE)}
    found = []
    for imported in module.imports:
        there = room_of(imported.name, rooms)
        is_other = there in rooms and there.partition(".")[0] == package
        if is_other and there not in doors:
            found.append(f"{module.path}:{imported.line}: {imported.name}")
    return found


def closed_doors(room: Room, module: Module) -> list[str]:
    """List the imports of a module that its room does not allow, as `file:line: name`."""
    found = []
    for imported in module.imports:
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
            for name, alias in zip(names_of(module, node), node.names, strict=True):
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
    """Tell whether a module has more than 400 lines, or 600 with a sentence that justifies it.

    A sentence that justifies nothing is told, too.
    """
    lines = len(module.source.splitlines())
    justified = re.search(r"\bLength: \w", ast.get_docstring(module.tree) or "")
    limit = 600 if justified else 400
    if justified and lines <= 400:
        return [f"{module.path}: {lines} lines need no `Length:` sentence"]
    return [f"{module.path}: {lines} lines, {limit} allowed"] if lines > limit else []


def missing_docstring(module: Module) -> list[str]:
    """Tell whether a public module lacks its docstring."""
    if _is_private(module.name) or ast.get_docstring(module.tree):
        return []
    return [f"{module.path}: no docstring"]


def postponed_annotations(module: Module) -> list[str]:
    """Tell whether a module postpones its annotations with a `__future__` import."""
    name = "__future__.annotations"
    return [f"{module.path}:{i.line}: {name}" for i in module.imports if i.name == name]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.folder)
def test_doors_open_one_way(room: Room, project_root: Path) -> None:
    """Each room imports only what the table of the house allows it."""
    assert [text for m in modules_of(project_root, room) for text in closed_doors(room, m)] == []


@pytest.mark.parametrize("package", PRODUCTION, ids=lambda package: package.folder)
def test_rooms_import_rooms_above_them(package: Room, project_root: Path) -> None:
    """Doors between the rooms of a package: those of the table, and no others."""
    modules = modules_of(project_root, package)
    rooms = {*DOORS, *(f"holdall.{name}" for name in BASE)}
    lost = {room_of(module.name, rooms) for module in modules} - rooms - {"holdall_codegen"}
    assert lost == set()
    assert [text for module in modules for text in crossed_doors(module, rooms)] == []


def test_the_table_of_doors_has_no_circle() -> None:
    """A room may import rooms that stand above it in the table, never one below."""
    seen: set[str] = set()
    for room, doors in DOORS.items():
        package = room.partition(".")[0]
        assert {f"{package}.{name}" for name in doors.split()} <= seen, room
        seen.add(room)


def test_imports_make_no_circles(project_root: Path) -> None:
    """No module imports itself by way of others, be it for types or inside of a function."""
    modules = [module for package in PRODUCTION for module in modules_of(project_root, package)]
    assert circles(import_graph(modules)) == []


def test_circles_are_found() -> None:
    """Circles of one, two and three; what only leads to a circle is in none."""
    graph = {
        "a": ["b"],
        "b": ["c"],
        "c": ["b"],
        "d": ["d"],
        "e": ["f"],
        "f": ["g"],
        "g": ["e", "a"],
    }
    assert circles(graph) == [["b", "c"], ["d"], ["e", "f", "g"]]


def test_unit_tests_mirror_the_tree(project_root: Path) -> None:
    """The unit tests of a package stand in a folder of its path below `tests/unit`."""
    places = {"holdall": "runtime", "holdall_codegen": "codegen"}
    for package, root in places.items():
        for test in (project_root / "tests/unit" / package).rglob("test_*.py"):
            folder = test.parent.relative_to(project_root / "tests/unit")
            assert (project_root / root / folder / "__init__.py").is_file(), test


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
    """The modules of API types, which are dataclasses, and of their bases annotate eagerly."""
    concerned = [
        module
        for module in modules_of(project_root, room)
        if (room.package == "generated" and not module.name.endswith(".storage"))
        or module.name in EAGERLY_ANNOTATED
    ]
    assert [text for m in concerned for text in postponed_annotations(m)] == []


def test_all_modules_are_type_checked(project_root: Path) -> None:
    """What `make lint` gives to the type checkers has every module that is not their input."""
    if not (project_root / ".git").exists():
        pytest.skip("not a git checkout")
    given = re.search(
        r"^CHECKED := .*wildcard (.*)\)$", (project_root / "Makefile").read_text(), re.M
    )
    assert given is not None
    settings = tomllib.loads((project_root / "pyproject.toml").read_text())["tool"]
    for checked in (given[1].split(), [*settings["basedpyright"]["include"], "tests"]):
        rooms = tuple(name if name.endswith(".py") else f"{name}/" for name in checked)
        listed = subprocess.run(
            ["git", "ls-files", "*.py"],
            cwd=project_root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert [path for path in listed.stdout.split() if not path.startswith(rooms)] == []


def test_no_test_measures_time(project_root: Path) -> None:
    """It would fail on a busy machine: `tests/support/work.py` counts, and `bench` measures."""
    clocks = re.compile(r"\b(process_time|perf_counter|thread_time|performance\.now)(_ns)?\(")
    files = sorted(project_root.joinpath("tests").rglob("*.py"))
    assert [str(file) for file in files if clocks.search(file.read_text(encoding="utf-8"))] == []


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
        (RUNTIME, "holdall.objects.bag", "import holdall_codegen.plan", ["holdall_codegen.plan"]),
        (RUNTIME, "holdall.objects.bag", "from generated import batch", ["generated.batch"]),
        (RUNTIME, "holdall.objects.bag", "def f():\n import hooks", ["hooks"]),
        (RUNTIME, "holdall.objects.bag", "import_module('msgspec')", ["msgspec"]),
        (RUNTIME, "holdall.objects.bag", "import json, holdall.text.json", []),
        (RUNTIME, "holdall.text.json", "import msgspec", []),
        (RUNTIME, "holdall.scheme.json_lines", "import msgspec", ["msgspec"]),
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
    """From 401 lines on a module needs its sentence; before, it must not have one."""
    short, long = "pass\n" * 400, "pass\n" * 600
    reason = '"""All codes. Length: one table that is read as a whole."""\n'
    sources = (short, short + "pass\n", reason + long[5:], reason + long, reason + short[5:])
    found = [len(excess_length(Module("m.py", "m", source))) for source in sources]
    assert found == [0, 1, 0, 1, 1]


def test_forms_are_found() -> None:
    """A module without a docstring and a postponed annotation are seen."""
    module = Module("m.py", "m", "from __future__ import annotations\n")
    assert missing_docstring(module) == ["m.py: no docstring"]
    assert postponed_annotations(module) == ["m.py:1: __future__.annotations"]


def test_no_module_takes_the_place_of_an_exported_name() -> None:
    """Importing `holdall.x` binds `holdall.x`: whatever is imported, the exports stay."""
    code = """
import importlib, pkgutil, holdall
rooms = "text objects plan engine carriers carriers.tracking scheme explain review declare bulk"
holdall_rooms = rooms.split()
before = {name: getattr(holdall, name) for name in holdall.__all__}
for path in (*holdall_rooms, ""):
    package = importlib.import_module(f"holdall.{path}".rstrip("."))
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if found.name not in ("holdall.cli", "holdall.testing", "holdall.objects.serialization"):
            importlib.import_module(found.name)
print([name for name in before if getattr(holdall, name) is not before[name]])
"""
    assert python("-c", code).stdout.strip() == "[]"
