"""From the neutral form of a declaration to the text of a Python module that declares it.

Names of the original are kept: they are the internal names, and the JSON names unless a class has
`rename_all`. What the form does not have is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.acceptance.declared.cases import (
    Case,
    FormError,
    Node,
    items,
    node,
    refuse_unknown,
    text_of,
)
from tests.acceptance.declared.neutral_functions import python_name, render_function
from tests.acceptance.declared.neutral_items import ItemWriter
from tests.acceptance.declared.neutral_names import Names
from tests.acceptance.declared.neutral_types import TypeText
from tests.acceptance.declared.rust_use import import_paths

CRATES: Final = {
    "versioned": "runtime",
    "kube": "k8s",
    "kube_core": "k8s_core",
    "kube_client": "k8s_client",
    "k8s_openapi": "k8s_types",
    "schemars": "schema",
    "serde": "serialization",
    "serde_json": "json",
}
# Nothing that is generated reads or writes YAML, so there is nothing to import from elsewhere.
_NOT_IMPORTED: Final = frozenset({"serde_yaml"})
_OPTIONS: Final = {
    "allow_unsorted": "allow_unsorted=True",
    "preserve_module": "preserve_module=True",
    "experimental_conversion_tracking": "tracking=_d.Tracking()",
    "enable_tracing": "tracing=True",
}
_DECLARATION: Final = [
    "module",
    "visibility",
    "versions",
    "options",
    "skip",
    "crates",
    "submodules",
    "other_items",
    "containers",
]
_CONTAINER: Final = [
    "kind",
    "name",
    "fields",
    "variants",
    "docs",
    "derives",
    "generics",
    "rename_all",
    "skip",
    "crd",
    "visibility",
]
_CRD: Final = [
    "group",
    "kind",
    "singular",
    "plural",
    "namespaced",
    "status",
    "scale",
    "shortnames",
    "doc",
]
_SCALE: Final = ("spec_replicas_path", "status_replicas_path", "label_selector_path")


@dataclass(slots=True)
class Rendering:
    """The text of a module, and how its names go back to those of the form.

    `functions` maps Python names to neutral ones; functions of implicit conversions to `into`,
    of defaults of types to `default`. `payloads` maps helper classes to (union, variant).
    """

    text: str = ""
    module: str = "versioned"
    functions: dict[str, str] = field(default_factory=dict)
    payloads: dict[str, tuple[str, str]] = field(default_factory=dict)
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)


def render(case: Case) -> Rendering:
    """Return the module of a case. Raises FormError for what the form does not have."""
    return _Writer(case).render()


class _Writer:
    def __init__(self, case: Case) -> None:
        self.declaration = case.declaration
        self.containers = [
            node(item, "container")
            for item in items(self.declaration.get("containers"), "containers")
        ]
        taken = {str(item.get("name")) for item in self.containers}
        self.names = Names(case.functions, taken)
        self.items = ItemWriter(self.names)
        self.type_variables: dict[str, None] = {}
        self.parameters: dict[str, tuple[str, ...]] = {}

    def render(self) -> Rendering:
        refuse_unknown(self.declaration, _DECLARATION, "declaration")
        for name, operation in self.names.defined.items():
            if not name.startswith(("into:", "default:")):
                self.names.function(name)
            else:
                render_function("checked", node(operation, name), name)
        others = [str(item) for item in items(self.declaration.get("other_items"), "other_items")]
        classes = _other_items(others)
        for container in self.containers:
            classes += self._container(container)
        lines = [
            '"""A declaration in the neutral form, in Python."""',
            "",
            "from __future__ import annotations",
            "",
            "import typing",
            "",
            "import typing_extensions",
            "",
            "import holdall.declare as _d",
            "",
            *self._versions(),
            "",
            *(f'{name} = typing.TypeVar("{name}")' for name in self.type_variables),
            "",
            *self.names.text(),
            *classes,
        ]
        return Rendering(
            "\n".join(lines) + "\n",
            python_name(str(self.declaration.get("module", "versioned"))),
            self.names.meanings,
            self.items.payloads,
            self.parameters,
        )

    def _versions(self) -> list[str]:
        lines = ["VERSIONS = _d.Versions("]
        for version in items(self.declaration.get("versions"), "versions"):
            lines.append(f"    {self._version(node(version, 'version'))},")
        options = node(self.declaration.get("options") or {}, "options")
        refuse_unknown(options, _OPTIONS, "options")
        lines += [f"    {text}," for key, text in _OPTIONS.items() if options.get(key)]
        if skip := items(self.declaration.get("skip"), "skip"):
            lines.append(f"    skip={tuple(skip)!r},")
        if crates := self.declaration.get("crates"):
            imports = {
                CRATES.get(key, key): str(path).removeprefix("::").replace("::", ".")
                for key, path in node(crates, "crates").items()
                if key not in _NOT_IMPORTED
            }
            lines.append(f"    imports={imports!r},")
        if reexports := self._reexports():
            lines.append(f"    reexport={reexports!r},")
        return [*lines, ")", ""]

    def _version(self, version: Node) -> str:
        refuse_unknown(version, ("name", "deprecated", "doc", "skip"), "version")
        arguments = [repr(version["name"])] if "name" in version else []
        if version.get("deprecated"):
            arguments.append(f"deprecated={version['deprecated']!r}")
        if version.get("doc"):
            arguments.append(f"doc={text_of(version['doc'])!r}")
        if skip := items(version.get("skip"), "skip"):
            arguments.append(f"skip={tuple(skip)!r}")
        return f"_d.Version({', '.join(arguments)})"

    def _reexports(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for submodule in items(self.declaration.get("submodules"), "submodules"):
            entry = node(submodule, "submodule")
            refuse_unknown(entry, ("name", "uses", "other_items"), "submodule")
            name = str(entry.get("name"))
            texts = [
                path for use in items(entry.get("uses"), "uses") for path in import_paths(str(use))
            ]
            texts += [str(item) for item in items(entry.get("other_items"), "other_items")]
            found[name] = (*found.get(name, ()), *texts)
        return found

    def _container(self, container: Node) -> list[str]:
        name = str(container.get("name"))
        refuse_unknown(container, _CONTAINER, name)
        kind = container.get("kind")
        if kind not in ("struct", "enum"):
            raise FormError(f"{name} is of the unknown kind {kind}")
        if kind == "enum" and "crd" in container:
            raise FormError(f"{name} is an enum with crd")
        parameters = self._generics(container)
        self.parameters[name] = parameters
        lines: list[str] = []
        body = self._docs(container)
        if kind == "struct":
            for entry in items(container.get("fields"), f"{name}.fields"):
                body += self.items.field(node(entry, f"{name}.field"), parameters)
        else:
            default = _default_variant(container)
            for entry in items(container.get("variants"), f"{name}.variants"):
                variant = node(entry, f"{name}.variant")
                lines += self.items.payload_class(name, variant, parameters)
                body += self.items.variant(name, variant, parameters, default)
        bases = f"(typing.Generic[{', '.join(parameters)}])" if parameters else ""
        decorator = self._decorator(container, kind)
        return [*lines, decorator, f"class {name}{bases}:", *(body or ["    pass"]), "", ""]

    def _generics(self, container: Node) -> tuple[str, ...]:
        found = []
        for generic in items(container.get("generics"), "generics"):
            entry = node(generic, "generic")
            refuse_unknown(entry, ("name", "bounds", "default"), "generic")
            found.append(str(entry.get("name")))
        self.type_variables.update(dict.fromkeys(found))
        return tuple(found)

    def _docs(self, entry: Node) -> list[str]:
        docs = text_of(entry.get("docs"))
        return [f"    {docs!r}"] if docs else []

    def _decorator(self, container: Node, kind: str) -> str:
        arguments: list[str] = []
        word = "obj" if kind == "struct" else "union"
        if "crd" in container:
            word = "resource"
            arguments += self._crd(node(container["crd"], "crd"))
        if container.get("rename_all"):
            arguments.append(f"rename_all={container['rename_all']!r}")
        if skip := items(container.get("skip"), "skip"):
            arguments.append(f"skip={tuple(skip)!r}")
        return f"@_d.{word}({', '.join(arguments)})"

    def _crd(self, crd: Node) -> list[str]:
        refuse_unknown(crd, _CRD, "crd")
        found = []
        for key in _CRD:
            value = crd.get(key)
            if value is None:
                continue
            if key == "status":
                found.append(f"status={self._status(str(value))}")
            elif key == "scale":
                scale = node(value, "crd.scale")
                refuse_unknown(scale, _SCALE, "crd.scale")
                given = ", ".join(f"{name}={scale[name]!r}" for name in _SCALE if name in scale)
                found.append(f"scale=_d.scale({given})")
            elif key == "shortnames":
                found.append(f"shortnames={tuple(items(value, key))!r}")
            else:
                found.append(f"{key}={text_of(value) if key == 'doc' else value!r}")
                if key == "doc":
                    found[-1] = f"doc={text_of(value)!r}"
        return found

    def _status(self, text: str) -> str:
        name = text.removeprefix("@").removeprefix("ext:")
        if name in self.names.taken:
            return repr(name)
        if "default:status" in self.names.defined:
            self.names.write(
                f"default_of_{python_name(name)}", "default", self.names.defined["default:status"]
            )
        return self.names.external(TypeText("external", name))


def _other_items(others: Sequence[str]) -> list[str]:
    """Return a class with what the original does not allow beside classes, and we not in one."""
    if not others:
        return []
    body = [f"    def other_item_{index}(self): ..." for index, _ in enumerate(others)]
    return ["@_d.obj", "class OtherItems:", *body, "", ""]


def _default_variant(container: Node) -> str | None:
    """Return the variant that stands for `Default`, of which the form does not speak."""
    variants = [v for v in items(container.get("variants"), "variants") if isinstance(v, dict)]
    plain = [v for v in variants if not v.get("added")]
    units = [v for v in plain if v.get("data") is None]
    found = next(iter([*units, *plain]), None)
    return str(found.get("name")) if found else None
