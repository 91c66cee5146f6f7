"""Emitting the API types of a version: what its users see."""

from __future__ import annotations

import re
from collections.abc import Set

from holdall_codegen.emit.annotations import definition_order
from holdall_codegen.emit.api_fields import FieldsEmitter
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.emit.literals import quoted
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.model import Import, Scalar
from holdall_codegen.plan.model import GroupPlan, Member, PlannedType, PlannedVersion
from holdall_codegen.plan.python_names import constant_names


def emit_api(group: GroupPlan, version: PlannedVersion) -> str:
    """Return the body of the API module of one version, without its header."""
    constants = [
        (type_, member)
        for type_ in definition_order(version.api_types)
        for member in type_.members
        if member.constants
    ]
    tagged = group.declared is not None
    classes = CodeLines()
    for type_, member in constants:
        _constants(classes, type_, member)
    later = set(version.api_types)
    for type_ in definition_order(version.api_types):
        fields = FieldsEmitter(classes, type_, group.head_of(type_), tagged=tagged)
        _class(fields, version, frozenset(later))
        later.discard(type_.ref.name)
    metadata = [
        found
        for type_ in version.api_types.values()
        for member in type_.members
        for found in member.property.metadata
    ]
    needs = {
        "Annotated": bool(metadata),
        "Any": classes.uses("Any"),
        "Final": bool(constants),
        "Literal": tagged and _has_root(version),
    }
    out = CodeLines()
    if version.deprecated:
        out.line("# pyright: reportDeprecated=false")
        out.line()
    if version.api_types:
        out.line("from dataclasses import dataclass, field")
    if any(needs.values()):
        out.line(f"from typing import {', '.join(name for name, used in needs.items() if used)}")
    if version.api_types:
        out.line()
        out.line(import_runtime(group, ".."))
        out.line()
    reexported = group.declared.reexports.get(version.name, ()) if group.declared else ()
    needed = {found for item in metadata for found in item.imports}
    _imports(out, needed | {*reexported})
    exported = [item.alias for item in dict.fromkeys(reexported)]
    exported += [*version.api_types, *(member.constants for _, member in constants)]
    exported.sort(key=_export_order)
    out.expression("__all__ = ", Call("[", [quoted(name) for name in exported], "]"))
    return out.text() + (classes.text() if version.api_types else "")


def _has_root(version: PlannedVersion) -> bool:
    return any(type_.kind for type_ in version.api_types.values())


def _imports(out: CodeLines, imports: Set[Import]) -> None:
    """Import hand-written names that belong to the version, and what metadata needs."""
    for item in sorted(item for item in imports if not item.name):
        plain = f"import {item.module}"
        out.line(plain if item.alias == item.module else f"{plain} as {item.alias}")
    for module in sorted({item.module for item in imports if item.name}):
        found = [item for item in imports if item.module == module and item.name]
        for item in sorted(item for item in found if item.alias != item.name):
            out.line(f"from {module} import {item.name} as {item.alias}")
        if names := sorted(item.name for item in found if item.alias == item.name):
            out.imported(module, names)
    if imports:
        out.line()


def _export_order(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Sort as ruff sorts `__all__`: constants first, then classes, numbers by value."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    natural = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
    return (0 if name.isupper() and len(name) > 1 else 1, natural)


def _constants(out: CodeLines, type_: PlannedType, member: Member) -> None:
    scalar = member.property.type
    if not isinstance(scalar, Scalar):
        return
    values = [value for value in scalar.enum if isinstance(value, str)]
    out.line()
    out.line()
    with out.block(f"class {member.constants}:"):
        out.docstring(f"Known values of {type_.ref.name}.{member.attribute}; others may occur.")
        out.line()
        for value, name in constant_names(values).items():
            out.line(f"{name}: Final = {quoted(value)}")


def _class(fields: FieldsEmitter, version: PlannedVersion, later: frozenset[str]) -> None:
    out, type_ = fields.out, fields.type
    out.line()
    out.line()
    if version.deprecated:
        items: list[Expression] = [quoted(version.deprecated), Keyword("category", "None")]
        out.expression("@", Call("h.deprecated(", items))
    out.line("@dataclass(slots=True, kw_only=True)")
    with out.block(f"class {type_.ref.name}(h.{type_.type.form.capitalize()}):"):
        out.docstring(type_.type.doc or f"{type_.ref.name} of {version.name}.")
        out.line()
        fields.write(later)
