"""A case as a generated group: emitted into a folder, imported, ready to convert."""

from __future__ import annotations

import atexit
import importlib
import itertools
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from holdall.scheme import Scheme
from holdall_codegen.config import GroupConfig
from holdall_codegen.declared.group import declared_group
from holdall_codegen.declared.lowering import is_enum
from holdall_codegen.declared.model import Container, ContainerEdge, Declaration, Item, ItemPair
from holdall_codegen.declared.types import Named
from holdall_codegen.emit import emit_files
from holdall_codegen.model import NOWHERE
from holdall_codegen.plan import plan_group

_COUNTER: Final = itertools.count()
HOLDER: Final = "Holder"


@dataclass(frozen=True, slots=True)
class Generated:
    """The imported package of a case; an enum is converted inside of an object that holds it."""

    package: str
    scheme: Scheme
    declaration: Declaration

    def convert(self, container: str, source: str, target: str, value: Any) -> Any:
        """Return a value of a container in another version, edge by edge.

        Raises what the converters raise.
        """
        held = is_enum(self.declaration.container(container))
        name = f"{container}{HOLDER}" if held else container
        order = [version.name for version in self.declaration.versions]
        first, last = order.index(source), order.index(target)
        step = 1 if first <= last else -1
        twin: Any = self._twin(source, name).from_dict({"value": value} if held else value)
        for position in range(first, last, step):
            destination = self._twin(order[position + step], name)()
            if step > 0:
                twin.assign_properties_to(destination)
            else:
                destination.assign_properties_from(twin)
            twin = destination
        written = twin.write_members([])
        return written.get("value") if held else written

    def _twin(self, version: str, name: str) -> Any:
        return getattr(importlib.import_module(f"{self.package}.{version}.storage"), name)

    def kind(self, name: str) -> Any:
        """Return the class of a kind."""
        return getattr(importlib.import_module(f"{self.package}.kinds"), name)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="declared-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.path.insert(0, str(folder))
    return folder


def generate(declaration: Declaration, text: str) -> Generated:
    """Generate the group of a declaration, whose module has `text`, and import it."""
    name = f"case_{next(_COUNTER)}"
    folder = _folder()
    module = folder.joinpath(*declaration.module.split("."))
    module.parent.mkdir(parents=True, exist_ok=True)
    module.with_suffix(".py").write_text(text, encoding="utf-8")
    _write_reexported(folder, declaration)
    for loaded in [item for item in sys.modules if item == declaration.module]:
        del sys.modules[loaded]
    held = replace(
        declaration, containers=(*declaration.containers, *map(_holder, _enums(declaration)))
    )
    group, config = declared_group(held, GroupConfig(name, name, NOWHERE, (), ()))
    for path, content in emit_files(plan_group(group, config), f"{name}_hooks").items():
        file = folder / config.package.replace(".", "/") / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    importlib.invalidate_caches()
    package = importlib.import_module(config.package)
    package.SCHEME.load()
    return Generated(config.package, package.SCHEME, declaration)


def _write_reexported(folder: Path, declaration: Declaration) -> None:
    """Write the hand-written modules that a case only names."""
    names: dict[str, set[str]] = {}
    for version in declaration.versions:
        for reexport in version.reexports:
            names.setdefault(reexport.module, set()).add(reexport.name)
    for module, found in names.items():
        file = folder.joinpath(*module.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        classes = (f"class {name}:\n    pass\n" for name in sorted(found - {"*"}))
        file.write_text("\n\n".join(classes), encoding="utf-8")
        sys.modules.pop(module, None)


def _enums(declaration: Declaration) -> list[Container]:
    return [item for item in declaration.containers if is_enum(item)]


def _holder(enum: Container) -> Container:
    item = Item("value", "value", "value", Named(enum.name), NOWHERE)
    pair = (ItemPair("value", "value", NOWHERE),)
    edges: Mapping[tuple[str, str], ContainerEdge] = {
        ends: ContainerEdge(*ends, pairs=pair) for ends in enum.edges
    }
    shapes = dict.fromkeys(enum.shapes, (item,))
    return Container(f"{enum.name}{HOLDER}", "object", NOWHERE, shapes, edges)
