"""Emitting `typed.py` of a group: the scheme as type checkers see it.

It has an overload for each kind and version, and one for classes of the kind, so that a converted
object has the type of its version. No program imports the module at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdall_codegen.emit.lines import INDENT, WIDTH, Call, CodeLines, Keyword, quoted, width_of
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.plan.model import GroupPlan, PlannedVersion
from holdall_codegen.plan.python_names import free_name, natural
from holdall_codegen.plan.types import pascal_case

TYPED_MODULE: Final = "typed"
OPTIONS: Final = "**options: Unpack[h.ConvertOptions]"
"""The parameters `report` and `tolerant` in a signature."""
_OTHERS: Final = (
    ("h.StorageRoot", "type[_Stored]", "_Stored", False),
    ("h.StorageRoot", "str", "h.StorageRoot", False),
    ("h.Object", "str", "h.Object", True),
    ("Mapping[str, Any]", "str", "h.JsonObject", True),
)
"""Parameters and results of overloads in the runtime, and whether they have options."""


def version_enum(group: GroupPlan) -> str:
    """Return the name of the enum of a group's versions."""
    return f"{pascal_case(group.package.rpartition('.')[2])}Version"


def emit_typed(group: GroupPlan) -> str:
    """Return the body of the module, without its header; "" if it adds nothing."""
    versions = [version for version in group.versions if not version.internal]
    if len(versions) < 2 or not group.kinds:
        return ""
    out = CodeLines()
    if any(version.deprecated for version in versions):
        out.line("# pyright: reportDeprecated=false")
        out.line()
    out.line("from collections.abc import Mapping")
    out.line("from typing import Any, Literal, TypeAlias, TypeVar, Unpack, overload")
    out.line()
    enum, runtime = version_enum(group), import_runtime(group, ".")
    modules = sorted({version.module for version in versions}, key=natural)
    is_own = runtime.startswith("from . ")
    if not is_own:
        out.line(runtime)
        out.line()
    out.imported(".", [enum, *modules])
    if is_own:
        out.line(runtime)
    out.line()
    out.line('__all__ = ["Scheme"]')
    out.line()
    for version in versions:
        known = Call("Literal[", [quoted(version.name), f"{enum}.{version.enum_member}"], "]")
        out.expression(f"_{version.enum_member}: TypeAlias = ", known)
    out.line()
    kinds: dict[str, list[tuple[PlannedVersion, str]]] = {}
    for kind in group.kinds:
        word = "".join(char if f"_{char}".isidentifier() else "_" for char in kind.name)
        types = [(one, kind.types[one.name]) for one in versions if one.name in kind.types]
        kinds[free_name(word, kinds)] = types
    for name, types in kinds.items():
        type_alias(out, f"_Any{name}", [f"{version.module}.{cls}" for version, cls in types])
    out.line()
    for name in kinds:
        bound = Keyword("bound", f"_Any{name}")
        out.expression(f"_To{name} = ", Call("TypeVar(", [quoted(f"_To{name}"), bound]))
    out.line('_Stored = TypeVar("_Stored", bound=h.StorageRoot)')
    out.apart()
    with out.block("class Scheme(h.Scheme):"):
        out.docstring(f"The scheme of {group.name}: a converted object has its version's type.")
        out.line()
        # type checkers refuse an override with narrower results for some arguments
        note = "  # type: ignore[override]"
        for name, types in kinds.items():
            for version, cls in types:
                out.line(f"@overload{note}")
                target, made = f"_{version.enum_member}", f"{version.module}.{cls}"
                _signature(out, f"_Any{name}", target, made, has_options=True)
                note = ""
            out.line("@overload")
            given, cls = f"_Any{name} | Mapping[str, Any]", f"_To{name}"
            _signature(out, given, f"type[{cls}]", cls, has_options=True)
        for given, to, made, has_options in _OTHERS:
            out.line("@overload")
            _signature(out, given, to, made, has_options=has_options)
        with out.block(
            f"def convert(self, obj: Any, *, to: Any, {OPTIONS}) -> Any:"
            "  # pyright: ignore[reportIncompatibleMethodOverride]"
        ):
            out.docstring("Only type checkers read this; programs use `h.Scheme`.")
            out.line("raise NotImplementedError")
    return out.text()


def type_alias(out: CodeLines, name: str, types: Sequence[str]) -> None:
    """Write an alias of a union of types, broken if it is too long."""
    before, whole = f"{name}: TypeAlias = ", " | ".join(types)
    if width_of(before + whole) <= WIDTH:
        out.line(before + whole)
        return
    first, *others = types
    fits = len(INDENT) + width_of(whole) <= WIDTH
    with out.block(f"{before}("):
        for text in [whole] if fits else [first, *(f"| {one}" for one in others)]:
            out.line(text)
    out.line(")")


def _signature(out: CodeLines, given: str, to: str, made: str, *, has_options: bool) -> None:
    items = ["self", f"obj: {given}", "*", f"to: {to}", *([OPTIONS] * has_options)]
    out.expression("", Call("def convert(", items), f" -> {made}: ...")
