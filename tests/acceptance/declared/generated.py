"""A case as a generated group: emitted into a folder, imported, ready to convert."""

from __future__ import annotations

import ast
import atexit
import importlib
import inspect
import itertools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar, cast

from holdall.scheme.scheme import Scheme
from holdall.types import JsonObject
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.declared.group import declared_group
from holdall_codegen.declared.model import Container, ContainerEdge, Declaration, Item, ItemPair
from holdall_codegen.declared.types import Named
from holdall_codegen.emit import emit_files
from holdall_codegen.emit.crd import build_manifest
from holdall_codegen.model import NOWHERE
from holdall_codegen.plan import plan_group
from holdall_codegen.plan.model import GroupPlan
from tests.acceptance.declared.cases import FormError
from tests.acceptance.declared.subject import Subject

T = TypeVar("T")

_COUNTER: Final = itertools.count()
_KEPT: Final[dict[int, tuple[Subject, Generated]]] = {}
HOLDER: Final = "Holder"


@dataclass(frozen=True, slots=True)
class Generated:
    """The imported package of a case; an enum is converted inside of an object that holds it."""

    package: str
    scheme: Scheme
    declaration: Declaration
    plan: GroupPlan
    _facts: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def versions(self) -> list[str]:
        """The versions of the generated scheme, oldest first."""
        return [version.name for version in self.scheme.versions]

    def api(self, version: str) -> ModuleType:
        """Return the module of API types of a version."""
        return importlib.import_module(f"{self.package}.{version}")

    def kinds(self) -> ModuleType | None:
        """Return the module of kinds, None if there is none."""
        try:
            return importlib.import_module(f"{self.package}.kinds")
        except ModuleNotFoundError:
            return None

    def members(self, version: str, type_name: str) -> list[dict[str, Any]]:
        """Return what `plan.json` declares of the members of a type, in order."""
        type_ = self._plan_document()["declared"].get(version, {}).get(type_name, {})
        return cast("list[dict[str, Any]]", type_.get("members", []))

    def bare_names(self, version: str, type_name: str, member: str) -> list[str]:
        """Return the bare names that `plan.json` knows of a property, in order."""
        enums = self._plan_document()["enums"].get(version, {}).get(type_name, {})
        return cast("list[str]", enums.get(member, []))

    def _plan_document(self) -> dict[str, Any]:
        def read() -> Any:
            folder = importlib.import_module(self.package).__path__[0]
            return json.loads(Path(folder, "plan.json").read_text(encoding="utf-8"))

        return self.once("plan.json", read)

    def manifest(self, kind: str) -> JsonObject:
        """Return the CRD of a kind for which none is generated, as it would be."""
        planned = next(item for item in self.plan.kinds if item.name == kind)
        return build_manifest(self.plan, planned, (), []).value

    def docs(self, version: str) -> Mapping[str, Mapping[str, str]]:
        """Return the documentation of each attribute of each class of a version's module."""
        return self.once(("docs", version), lambda: _attribute_docs(self.api(version)))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return what `make` gives, which is called once for a key."""
        if key not in self._facts:
            self._facts[key] = make()
        return cast(T, self._facts[key])

    def convert(self, container: str, source: str, target: str, value: Any) -> Any:
        """Return a value of a container in another version, edge by edge.

        Raises what the converters raise.
        """
        held = self.declaration.container(container).is_text
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
        """Return the class of a kind, None if there is none."""
        return getattr(self.kinds(), name, None)


def generated(subject: Subject) -> Generated:
    """Return the generated group of a case, made once."""
    kept = _KEPT.get(id(subject))
    if kept is None or kept[0] is not subject:
        if subject.declaration is None:
            raise FormError("only a declaration without errors is generated")
        made = generate(subject.declaration, subject.rendering.text)
        kept = _KEPT[id(subject)] = (subject, made)
    return kept[1]


def _attribute_docs(module: ModuleType) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for item in ast.parse(inspect.getsource(module)).body:
        if not isinstance(item, ast.ClassDef):
            continue
        docs = found.setdefault(item.name, {})
        for one, other in zip(item.body, item.body[1:], strict=False):
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                match other:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        docs[one.target.id] = inspect.cleandoc(text)
    return found


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
    # Other cases have modules of the same names, so each has them in a folder of its own.
    own = folder / f"{name}_modules"
    module = own.joinpath(*declaration.module.split("."))
    module.parent.mkdir(parents=True, exist_ok=True)
    module.with_suffix(".py").write_text(text, encoding="utf-8")
    _write_reexported(own, declaration)
    _write_replaced(own, declaration)
    sys.path.insert(0, str(own))
    for loaded in [item for item in sys.modules if item == declaration.module]:
        del sys.modules[loaded]
    held = replace(
        declaration, containers=(*declaration.containers, *map(_holder, _enums(declaration)))
    )
    group, config = declared_group(held, GroupConfig(name, name, NOWHERE, (), ()))
    plan = plan_group(group, config)
    for path, content in emit_files(plan, f"{name}_hooks").items():
        file = folder / config.package.replace(".", "/") / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    importlib.invalidate_caches()
    package = importlib.import_module(config.package)
    package.SCHEME.load()
    return Generated(config.package, package.SCHEME, declaration, plan)


def _write_reexported(folder: Path, declaration: Declaration) -> None:
    """Write the hand-written modules that a case only names, each with a name of its own."""
    names: dict[str, set[str]] = {}
    for version in declaration.versions:
        for reexport in version.reexports:
            module, name = reexport.module, reexport.name
            names.setdefault(module, set()).update({name} - {"*", ""})
            while "." in module:
                module = module.rpartition(".")[0]
                names.setdefault(module, set())
    for module, found in names.items():
        file = folder.joinpath(*module.split("."), "__init__.py")
        file.parent.mkdir(parents=True, exist_ok=True)
        own = {f"In_{module.replace('.', '_')}", *found}
        # A name may be that of a module inside, which is imported then.
        classes = (
            f"class {name}:\n    pass\n" for name in sorted(own) if f"{module}.{name}" not in names
        )
        file.write_text("\n\n".join(classes), encoding="utf-8")
    for loaded in sys.modules.keys() & names:
        del sys.modules[loaded]


def _write_replaced(folder: Path, declaration: Declaration) -> None:
    """Write the packages from which a case says that generated code imports the runtime.

    Those of earlier cases with the same names are forgotten.
    """
    for key, path in declaration.options.imports.items():
        source = (
            "holdall.kubernetes.kinds"
            if key in ("k8s", "k8s_core", "k8s_client")
            else "holdall.generated"
        )
        source = "holdall" if key == "runtime" else source
        package = folder.joinpath(*path.split("."))
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(f"from {source} import *\n", encoding="utf-8")
        if key == "runtime":
            text = "from holdall.generated import *\n"
            (package / "generated.py").write_text(text, encoding="utf-8")
        first = path.partition(".")[0]
        for name, module in list(sys.modules.items()):
            places = [str(place) for place in getattr(module, "__path__", ())]
            if name.partition(".")[0] == first and str(_folder()) in "".join(places):
                del sys.modules[name]


def _enums(declaration: Declaration) -> list[Container]:
    return [item for item in declaration.containers if item.is_text]


def _holder(enum: Container) -> Container:
    item = Item("value", "value", "value", Named(enum.name), NOWHERE)
    pair = (ItemPair("value", "value", NOWHERE),)
    edges: Mapping[tuple[str, str], ContainerEdge] = {
        ends: ContainerEdge(*ends, pairs=pair) for ends in enum.edges
    }
    shapes = dict.fromkeys(enum.shapes, (item,))
    return Container(f"{enum.name}{HOLDER}", "object", NOWHERE, shapes, edges)
