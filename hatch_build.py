"""Compiles the modules that a conversion runs into a wheel, if HOLDALL_COMPILED=1 asks for that.

The wheel is then one of this platform and of this minor version of Python. It has the sources, too,
for tracebacks and type checkers.
"""

from __future__ import annotations

import os
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ROOMS = ("carriers", "carriers/tracking", "engine", "objects")
_MODULES = (
    "scheme/entry_route.py",
    "scheme/routes.py",
    "scheme/scheme.py",
    "scheme/steps.py",
    "scheme/tracked_route.py",
    "text/_json_checks.py",
    "text/json.py",
    "text/pointer.py",
)
_POSTPONED = "from __future__ import annotations"
_DIRECTIVES = {
    "annotation_typing": False,  # annotations are for type checkers: values may be of subclasses
    "binding": True,  # so that functions are methods, and have signatures
    "language_level": "3",
}


class Compiling(BuildHookInterface[Any]):
    """The build hook of the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what building needs besides hatchling."""
        return ["cython>=3.1", "setuptools>=65"] if self._is_wanted("standard") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the result to the wheel. An editable install has sources only."""
        if not self._is_wanted(version):
            return
        root = Path(self.root, "runtime")
        built = Path(self.root, "build", f"compiled-{sys.implementation.cache_tag}")
        for path in _compiled(root, built):
            build_data["force_include"][str(path)] = path.relative_to(built).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    @staticmethod
    def _is_wanted(version: str) -> bool:
        return version == "standard" and os.environ.get("HOLDALL_COMPILED") == "1"


def sources(root: Path) -> list[Path]:
    """Return the modules that are compiled.

    Cython postpones all annotations, so modules that do not are left out: whoever resolves hints of
    their classes does so with the names of another module.
    """
    package = root / "holdall"
    found = [path for room in _ROOMS for path in sorted(package.joinpath(room).glob("[!_]*.py"))]
    found += [package / name for name in _MODULES]
    return [path for path in found if _POSTPONED in path.read_text(encoding="utf-8")]


def name_of(path: Path, root: Path) -> str:
    """Return the name by which a module below the root is imported."""
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _compiled(root: Path, built: Path) -> list[Path]:
    """Return the compiled modules, below a folder as their sources are below the root."""
    from Cython.Build import cythonize  # pyright: ignore[reportMissingImports]
    from setuptools import Distribution, Extension  # pyright: ignore[reportMissingModuleSource]

    optimised = os.environ.get("CFLAGS", "-O2").split()
    extensions = [
        Extension(
            name_of(path, root),
            [str(path.relative_to(root))],
            extra_compile_args=[] if sys.platform == "win32" else [*optimised, "-g0", "-w"],
        )
        for path in sources(root)
    ]
    with chdir(root):  # tracebacks name the sources as they are called from here
        modules = cythonize(
            extensions,
            build_dir=str(built / "c"),
            compiler_directives=_DIRECTIVES,
            nthreads=os.cpu_count() or 1,
            quiet=True,
        )
        command: Any = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(built), str(built / "o")
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
    return [built / command.get_ext_filename(one.name) for one in extensions]
