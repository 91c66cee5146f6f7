"""Emitting the API types of a version: what its users see."""

from __future__ import annotations

import re

from holdall_codegen.emit.annotations import definition_order
from holdall_codegen.emit.codec import CodecEmitter, quoted
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.model import Scalar
from holdall_codegen.plan.model import GroupPlan, Member, PlannedType, PlannedVersion
from holdall_codegen.plan.python_names import constant_names


def emit_api(group: GroupPlan, version: PlannedVersion) -> str:
    """Return the body of the API module of one version, without its header."""
    out = CodeLines()
    constants = [
        (type_, member)
        for type_ in definition_order(version.types)
        for member in type_.members
        if member.constants
    ]
    if version.deprecated:
        out.line("# pyright: reportDeprecated=false")
        out.line()
    out.line("from dataclasses import dataclass, field")
    out.line("from typing import Any, Final" if constants else "from typing import Any")
    out.line()
    out.line("import holdall as h")
    out.line()
    names = [*version.types, *(member.constants for _, member in constants)]
    names.sort(key=_export_order)
    out.expression("__all__ = ", Call("[", [quoted(name) for name in names], "]"))
    for type_, member in constants:
        _constants(out, type_, member)
    api_version = "/".join(filter(None, (group.api_group, version.name)))
    later = set(version.types)
    for type_ in definition_order(version.types):
        _class(out, type_, version, api_version if type_.kind else "", frozenset(later))
        later.discard(type_.ref.name)
    return out.text()


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


def _class(
    out: CodeLines,
    type_: PlannedType,
    version: PlannedVersion,
    api_version: str,
    later: frozenset[str],
) -> None:
    out.line()
    out.line()
    if version.deprecated:
        items: list[Expression] = [quoted(version.deprecated), Keyword("category", "None")]
        out.expression("@", Call("h.deprecated(", items))
    out.line("@dataclass(slots=True, kw_only=True)")
    with out.block(f"class {type_.ref.name}(h.Object):"):
        out.docstring(type_.type.doc or f"{type_.ref.name} of {version.name}.")
        out.line()
        codec = CodecEmitter(out, type_, is_twin=False)
        codec.fields(later, api_version)
        out.line()
        codec.reader(version.name, api_version)
        out.line()
        codec.writer(version.name, api_version)
