"""Importing hooks against the code that would be generated, regardless of files and imports."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields, is_dataclass
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

from holdall.verification import (
    ImportedHooks,
    check_function,
    find_sources,
    import_hooks,
    look_at_sources,
    stand_in,
)
from holdall_codegen.config.model import Function
from holdall_codegen.declared.source import importing_from
from holdall_codegen.model import Location
from holdall_codegen.project import Project, emit_project


def imported_hooks(project: Project) -> ImportedHooks:
    """Import the hooks of a project, and the functions that its configuration names.

    Their imports from generated packages are made from the plan. Nothing stays imported, and what
    they print goes to standard error.
    """
    sources = find_sources(project.config.hooks, root=project.root)
    named = list(functions_in(project.config.groups, Location(project.config.file, 1)))
    if not sources and not named:
        return ImportedHooks()
    missing: list[str] = []
    texts = emit_project(project) if sources else {}
    config = project.config
    generated = generated_from(project.root, texts, config.output, config.hooks, missing)
    with generated, redirect_stdout(sys.stderr):
        found = import_hooks(project.config.hooks, project.root, (), missing)
        for path, location in dict.fromkeys(named):
            found.problems += check_function(path, str(location))
    found.problems += look_at_sources([source for source in sources if source.problem is None])
    return found


def functions_in(value: object, location: Location) -> Iterator[tuple[str, Location]]:
    """Yield the functions that declared facts name at any depth, with the places of the facts."""
    if isinstance(value, Function):
        yield value.path, location
    elif isinstance(value, tuple | list):
        for item in value:
            yield from functions_in(item, location)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from functions_in(item, location)
    elif is_dataclass(value):
        location = getattr(value, "location", location)
        for one in fields(value):
            yield from functions_in(getattr(value, one.name), location)


@contextmanager
def generated_from(
    root: Path, texts: Mapping[str, str], output: str, hooks: str, missing: list[str]
) -> Iterator[None]:
    """Let the package `output` be imported from texts, and keep nothing of what is imported.

    Names that are imported from its modules and do not exist are added to `missing`.
    """
    own = {name.partition(".")[0] for name in (output, hooks)}
    hidden = {n: sys.modules.pop(n) for n in list(sys.modules) if n.partition(".")[0] in own}
    finder = _Texts(root, output, texts, missing)
    silent, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.meta_path.insert(0, finder)
    try:
        with importing_from(root):
            yield
    finally:
        sys.meta_path.remove(finder)
        sys.dont_write_bytecode = silent
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]
        sys.modules.update(hidden)
        importlib.invalidate_caches()


class _Texts(MetaPathFinder, InspectLoader):
    """Finds generated modules among texts; a module that is not generated is empty.

    Missing names are replaced, so that a hook for an edge that is gone can be imported.
    """

    def __init__(
        self, root: Path, package: str, texts: Mapping[str, str], missing: list[str]
    ) -> None:
        self._root = root
        self._package = package
        self._texts = texts
        self._missing = missing

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_outer = self._package.startswith(f"{name}.")
        if is_outer and (self._root / name.replace(".", "/")).is_dir():
            return None
        if not is_outer and not f"{name}.".startswith(f"{self._package}."):
            return None
        file = self._file(name)
        is_package = file is None or file.endswith("__init__.py")
        origin = str(self._root / (file or name.replace(".", "/")))
        return spec_from_loader(name, self, origin=origin, is_package=is_package)

    def get_source(self, fullname: str) -> str:
        return self._texts.get(self._file(fullname) or "", "")

    def is_package(self, fullname: str) -> bool:
        return (self._file(fullname) or "__init__.py").endswith("__init__.py")

    def exec_module(self, module: ModuleType) -> None:
        file = self._file(module.__name__)
        module.__file__ = str(self._root / (file or module.__name__.replace(".", "/")))
        if file is not None:
            exec(compile(self._texts[file], module.__file__, "exec"), module.__dict__)
        stand_in(module, self._missing)

    def _file(self, name: str) -> str | None:
        path = name.replace(".", "/")
        known = (f"{path}/__init__.py", f"{path}.py")
        return next((file for file in known if file in self._texts), None)
