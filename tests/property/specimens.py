"""Small projects for tests of generated modules and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from holdall import Object, Scheme
from holdall.scheme.projects import load_schemes, read_packages
from tests.support.projects import build_project


@dataclass(frozen=True)
class Specimen:
    """A generated project on the import path; `output` is a package of its own."""

    root: Path
    output: str

    def module(self, name: str) -> ModuleType:
        """Import a module below the output package."""
        return import_module(f"{self.output}.{name}" if name else self.output)

    def scheme(self, group: str) -> Scheme:
        """Return the scheme of a group."""
        found: Scheme = self.module(group).SCHEME
        return found

    def types(self) -> list[type[Object]]:
        """Return all generated types, API types and twins, in a fixed order."""
        found: list[type[Object]] = []
        for file in sorted(self.root.glob(f"{self.output}/**/*.py")):
            parts = file.relative_to(self.root / self.output).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            module = self.module(name)
            found.extend(
                item
                for item in vars(module).values()
                if isinstance(item, type)
                and issubclass(item, Object)
                and item.__module__ == module.__name__
            )
        return found


def specimen_of(root: Path, config: str, files: Mapping[str, str]) -> Specimen:
    """Generate a project in a folder, as `build_project` does."""
    build_project(root, config, files)
    load_schemes(root)
    return Specimen(root, read_packages(root).output)
