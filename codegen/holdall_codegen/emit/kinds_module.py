"""Emitting `kinds.py` of a declared group: each kind with its versions and its functions."""

from __future__ import annotations

from collections.abc import Sequence

from holdall_codegen.config.model import DeclaredKindFacts
from holdall_codegen.declared.names import version_enum_member
from holdall_codegen.emit.lines import Call, CodeLines, Keyword, quoted
from holdall_codegen.emit.runtime_module import K8S_CLIENT, import_runtime
from holdall_codegen.emit.typed_module import OPTIONS, type_alias
from holdall_codegen.plan.model import GroupPlan, PlannedKind
from holdall_codegen.plan.python_names import free_name, natural


def emit_kinds(group: GroupPlan, facts: tuple[DeclaredKindFacts, ...]) -> str:
    """Return the body of the module, without its header."""
    out = CodeLines()
    if any(version.deprecated for version in group.versions):
        out.line("# pyright: reportDeprecated=false")
        out.line()
    kinds = {kind.name: kind for kind in group.kinds}
    modules = {version.name: version.module for version in group.versions}
    is_converted = any(item.object_conversions for item in facts)
    if is_converted:
        out.line("import collections.abc")
        typing = "TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Unpack, overload"
        out.line(f"from typing import {typing}")
    else:
        out.line("from typing import TypeAlias")
    out.line()
    runtime = import_runtime(group, ".") if is_converted else ""
    is_own = runtime.startswith("from . ")
    if runtime and not is_own:
        out.line(runtime)
    for path, needed in sorted(_imports(group, facts).items()):
        out.imported(path, sorted(needed))
    out.line()
    out.imported(".", ["SCHEME", *sorted(modules.values(), key=natural)])
    if is_own:
        out.line(runtime)
    out.line()
    names = _names([item.kind for item in facts])
    exported = sorted(name for kind, ends in names.items() for name in (kind, *ends))
    out.expression("__all__ = ", Call("[", [*map(quoted, exported)], "]"))
    for item in facts:
        _kind(out, group, kinds[item.kind], item, modules, *names[item.kind])
    return out.text()


def _names(kinds: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the names of the version enum of each kind, and of the union of its versions.

    Next to a kind `App` there may be a kind `AppVersion`.
    """
    taken = {*kinds}
    found: dict[str, tuple[str, str]] = {}
    for kind in kinds:
        found[kind] = free_name(f"{kind}Version", taken), free_name(f"Any{kind}", taken)
        taken.update(found[kind])
    return found


def _imports(group: GroupPlan, facts: tuple[DeclaredKindFacts, ...]) -> dict[str, set[str]]:
    """Return the names that kinds use, by module."""
    found: dict[str, set[str]] = {}
    for name in {"KindVersion", *(base for item in facts for base in _bases(item))}:
        path = group.imports("k8s_client" if name in K8S_CLIENT else "k8s_core")
        found.setdefault(path, set()).add(name)
    return found


def _bases(item: DeclaredKindFacts) -> list[str]:
    given = {
        "Converts": item.object_conversions,
        "MergesCrd": item.merged_crd,
        "TriesConversions": item.try_convert,
    }
    return [name for name, wanted in given.items() if wanted] or ["DeclaredKind"]


def _kind(
    out: CodeLines,
    group: GroupPlan,
    kind: PlannedKind,
    item: DeclaredKindFacts,
    modules: dict[str, str],
    enum: str,
    any_of: str,
) -> None:
    out.apart()
    with out.block(f"class {enum}(KindVersion):"):
        out.docstring(f"The versions of {kind.name}, oldest first.")
        out.line()
        for version in kind.types:
            out.line(f"{version_enum_member(version)} = {quoted(version)}")
        out.line()
        out.line("@classmethod")
        with out.block("def group(cls) -> str:"):
            out.line(f"return {quoted(group.group_of(kind.name))}")
    out.apart()
    types = {version: f"{modules[version]}.{name}" for version, name in kind.types.items()}
    type_alias(out, any_of, [*types.values()])
    to = f"_To{kind.name}"
    if item.object_conversions:
        out.line()
        with out.block("if TYPE_CHECKING:"):
            out.expression(f"{to} = ", Call("TypeVar(", [quoted(to), Keyword("bound", any_of)]))
    out.apart()
    with out.block(f"class {kind.name}({', '.join(_bases(item))}):"):
        out.docstring(item.doc or f"{kind.name} in all its versions.")
        out.line()
        out.line("SCHEME = SCHEME")
        out.line(f"NAME = {quoted(kind.name)}")
        out.line(f"Version = {enum}")
        if item.try_convert and group.declared is not None and group.declared.tracing:
            out.line(f"TRACING = {quoted(group.imports('otel'))}")
        if item.object_conversions:
            made = [(f"Literal[{enum}.{version_enum_member(it)}]", types[it]) for it in types]
            if len(made) > 1:
                made.append((enum, any_of))
            _conversions(out, any_of, made, to)


def _conversions(out: CodeLines, given: str, made: list[tuple[str, str]], to: str) -> None:
    """Declare the results of conversions for type checkers; `to` is any class."""
    out.line()
    with out.block("if TYPE_CHECKING:"):
        note = "  # type: ignore[override]"
        overloads = [(given, version, cls) for version, cls in made]
        document = "collections.abc.Mapping[str, Any]"
        overloads.append((f"{given} | {document}", f"type[{to}]", to))
        overloads.append((document, "KindVersion", "dict[str, Any]"))
        for obj, version, result in overloads:
            out.line()
            out.line(f"@overload{note}")
            out.line("@classmethod")
            items = ["cls", f"obj: {obj}", f"version: {version}", OPTIONS]
            out.expression("", Call("def convert(", items), f" -> {result}: ...")
            note = ""
        out.line()
        out.line("@classmethod")
        with out.block(
            f"def convert(cls, obj: Any, version: Any, {OPTIONS}) -> Any:"
            "  # pyright: ignore[reportIncompatibleMethodOverride]"
        ):
            out.line("raise NotImplementedError")
