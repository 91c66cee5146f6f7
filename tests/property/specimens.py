"""Small projects for tests: a configuration and schemas, generated and importable."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from holdall import Object, Scheme
from holdall_codegen.project import emit_project, load_project

_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Specimen:
    """A generated project on the import path; `output` and `hooks` are packages of its own."""

    root: Path
    output: str
    hooks: str

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


@contextmanager
def generated(
    root: Path, groups: Mapping[str, Any], schemas: Mapping[str, Any], hooks: str = ""
) -> Iterator[Specimen]:
    """Generate a project in `root` and put it on the import path while the block runs.

    `groups` is that part of holdall.yaml, `schemas` are JSON documents by path, and `hooks` is
    the text of the one module of the hooks package.
    """
    number = next(_NUMBERS)
    specimen = Specimen(root, f"specimen_types_{number}", f"specimen_hooks_{number}")
    config = {"output": specimen.output, "hooks": specimen.hooks, "groups": groups}
    files = {"holdall.yaml": json.dumps(config)}
    files |= {path: json.dumps(schema) for path, schema in schemas.items()}
    files[f"{specimen.hooks}/__init__.py"] = hooks.replace("GENERATED", specimen.output)
    _write(root, files)
    _write(root, emit_project(load_project(root)))
    sys.path.insert(0, str(root))
    try:
        yield specimen
    finally:
        sys.path.remove(str(root))
        for name in list(sys.modules):
            if name.partition(".")[0] in (specimen.output, specimen.hooks):
                del sys.modules[name]


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
