"""Importing the modules of a hooks package, whatever they raise."""

from __future__ import annotations

import abc
import ast
import gc
import importlib
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from holdall.engine.failures import describe
from holdall.engine.hooks import Composed, SharedHook
from holdall.engine.two_way import TwoWay
from holdall.errors import Problem
from holdall.suggest import closest
from holdall.verification.mistakes import contrast, mistake
from holdall.verification.places import Places
from holdall.verification.protocols import poses
from holdall.verification.sources import HookSource, find_sources

_RUN = "correct what runs when the module is imported"


@dataclass
class ImportedHooks:
    """The modules of a hooks package that could be imported, and the mistakes in the others.

    Each module has its places and classes. `missing` are the dotted names that hooks import from
    generated modules that lack them.
    """

    modules: list[tuple[ModuleType, Places, list[type]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def import_hooks(
    package: str,
    root: Path | None,
    generated: Sequence[ModuleType],
    missing: list[str] | None = None,
) -> ImportedHooks:
    """Import a package of hooks with all modules below it; raises nothing.

    With `root` the modules are those in the folder `root/<package path>`. Names that `generated`
    modules lack are replaced during the import, so that one wrong name hides no other mistake.
    """
    found = ImportedHooks(missing=[] if missing is None else missing)
    with stand_ins(generated, found.missing), _classes_kept():
        for source in find_sources(package, root=root):
            if source.problem is not None:
                found.problems.append(source.problem)
            elif not _import(source, found):
                break
    found.problems = list(dict.fromkeys(found.problems))
    return found


@contextmanager
def stand_ins(modules: Sequence[ModuleType], missing: list[str]) -> Iterator[None]:
    """Make modules return a class for each name that looks like one and that they lack."""
    for module in modules:
        stand_in(module, missing)
    try:
        yield
    finally:
        for module in modules:
            module.__dict__.pop("__getattr__", None)


def stand_in(module: ModuleType, missing: list[str]) -> None:
    """Make a module return a class for each name that looks like one and that it lacks."""
    made: dict[str, type] = {}

    def give(name: str) -> type:
        if not (name[:1].isupper() or poses(name)):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        if name not in made:
            missing.append(f"{module.__name__}.{name}")
            made[name] = type(name, (), {"__module__": module.__name__})
        return made[name]

    module.__dict__["__getattr__"] = give


def _import(source: HookSource, found: ImportedHooks) -> bool:
    """Import a module; return whether the package is this project's."""
    try:
        module = importlib.import_module(source.module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
        above = _other_package(source, error)
        if above is None:
            found.problems += _explain(source, error)
            return True
        own = Path(source.file)
        folder = own.parents[1] if own.stem == "__init__" else own.parent
        fix = f"add an empty {(folder / '__init__.py').as_posix()}"
        found.problems.append(_stranger(source, above, fix))
        return False
    file = getattr(module, "__file__", None) or "nowhere"
    if not file.replace("\\", "/").endswith(source.file):
        fix = "put this project's folder first on sys.path, or name its hooks package"
        found.problems.append(_stranger(source, file, fix))
        return False
    found.modules.append((module, Places(source), _classes(module)))
    return True


def _other_package(source: HookSource, error: BaseException) -> str | None:
    """Return the file of a package that was imported instead of a module's own, if there is one.

    Python prefers any package of the same name to a folder without `__init__.py`.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name != source.module:
        return None
    return getattr(sys.modules.get(source.module.rpartition(".")[0]), "__file__", None)


def _stranger(source: HookSource, file: str, fix: str) -> Problem:
    parts = {"module": source.module, "found": file}
    return mistake("HA306", f"{source.file}:1", fix=fix, **parts)


def _explain(source: HookSource, error: BaseException) -> list[Problem]:
    """Return the mistakes in a module that cannot be imported."""
    at = [
        frame.lineno or 1
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.replace("\\", "/").endswith(source.file)
    ]
    if isinstance(error, SyntaxError) and not at:
        where = f"{source.file}:{error.lineno or 1}:{error.offset or 1}"
        return [mistake("HA302", where, reason=error.msg)]
    if isinstance(error, ValueError | RecursionError | MemoryError) and not at:
        reason = str(error) or "it is nested too deeply"
        return [mistake("HA302", f"{source.file}:1:1", reason=reason)]
    if incomplete := [*_incomplete(source, error)]:
        return incomplete
    places = Places(source)
    line = at[-1] if at else 1
    claimed = next(
        (
            node
            for node in ast.walk(places.tree)
            if isinstance(node, ast.FunctionDef)
            and any(one.lineno <= line <= (one.end_lineno or 0) for one in node.decorator_list)
        ),
        None,
    )
    reason = describe(error)
    if claimed is not None and isinstance(error, TypeError) and "claims" in reason:
        owner = next(
            n for n in ast.walk(places.tree) if isinstance(n, ast.ClassDef) and claimed in n.body
        )
        detail = contrast('@claims("name")', '@claims(reads=["name"])')
        said = {"hook": owner.name, "method": claimed.name, "reason": str(error)}
        return [mistake("HA341", f"{source.file}:{line}", detail=detail, **said)]
    hook = f"the module {source.module}"
    return [mistake("HA305", f"{source.file}:{line}", fix=_RUN, hook=hook, reason=reason)]


def _incomplete(source: HookSource, error: BaseException) -> Iterator[Problem]:
    """Yield the methods that two-way hooks of a module lack: Python cannot instantiate these."""
    places = Places(source)
    spaces = [frame.f_globals for frame, _ in traceback.walk_tb(error.__traceback__)]
    for cls in subclasses(TwoWay):
        if cls.__module__ == source.module and any(_is_made_in(cls, space) for space in spaces):
            for name in sorted(getattr(cls, "__abstractmethods__", ())):
                own = [n for n in vars(cls) if not n.startswith("__")]
                if like := closest(name, own, 0.6):
                    said = {"hook": cls.__name__, "method": name, "nearest": f"; is it {like}?"}
                    where = places.of_member(cls, like)
                    yield mistake("HA331", where, fix=f"rename it to {name}", **said)


def _classes(module: ModuleType) -> list[type]:
    """Return the classes that a module defines, also those that it hides."""
    found: dict[type, None] = {}

    def add(values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, type) and value not in found and _is_of(value, module):
                found[value] = None
                add([*vars(value).values()])

    add([*vars(module).values()])
    for base in (SharedHook, Composed, *_protocols_in(module)):
        # Not those that an earlier import of the module defined.
        own = (cls for cls in subclasses(base) if cls.__module__ == module.__name__)
        found |= dict.fromkeys(cls for cls in own if _is_made_in(cls, vars(module)))
    return [*found]


def _is_of(cls: type, module: ModuleType) -> bool:
    """Return whether a class is a module's own; those made by a call have the module `abc`."""
    return cls.__module__ == module.__name__ or (
        cls.__module__ == "abc" and not hasattr(abc, cls.__name__)
    )


def _is_made_in(cls: type, namespace: dict[str, Any]) -> bool:
    functions = [value for value in vars(cls).values() if isinstance(value, FunctionType)]
    return any(function.__globals__ is namespace for function in functions)


def _protocols_in(module: ModuleType) -> Iterator[type]:
    """Yield the protocols in a module's namespace."""
    for value in [*vars(module).values()]:
        inner = [*vars(value).values()] if isinstance(value, ModuleType) else [value]
        yield from (one for one in inner if isinstance(one, type) and poses(one.__name__))


@contextmanager
def _classes_kept() -> Iterator[None]:
    """Keep classes without a name alive, because they are searched after the import."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def subclasses(base: type) -> Iterator[type]:
    """Yield all classes below a class."""
    direct: list[type] = type.__subclasses__(base)
    for cls in direct:
        yield cls
        yield from subclasses(cls)
