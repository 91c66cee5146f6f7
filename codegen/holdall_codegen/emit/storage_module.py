"""Emitting `storage.py` of a version: twins, their converters, their hook protocols."""

from __future__ import annotations

import re
from typing import Final

from holdall_codegen.emit.annotations import definition_order
from holdall_codegen.emit.codec import CodecEmitter, quoted
from holdall_codegen.emit.constants import Constants
from holdall_codegen.emit.conversions import table
from holdall_codegen.emit.edges import EdgeEmitter, dispatchers
from holdall_codegen.emit.lines import Call, CodeLines
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.plan.model import (
    GroupPlan,
    PlannedEdge,
    PlannedLink,
    PlannedType,
    PlannedVersion,
    TypeRef,
)

SCHEME_IMPORT: Final = "from .. import SCHEME"


def emit_storage(group: GroupPlan, version: PlannedVersion) -> str:
    """Return the body of the storage module of one version, without its header."""
    return _StorageModule(group, version).emit()


class TypeNames:
    """How the storage module of one version names types: with the module if it is another's.

    `used` are the modules of other versions that it has named.
    """

    def __init__(self, group: GroupPlan, version: str) -> None:
        self._modules = {item.name: item.module for item in group.versions}
        self._order = {item.name: index for index, item in enumerate(group.versions)}
        self._version = version
        self.used: set[str] = set()

    def __call__(self, ref: TypeRef) -> str:
        if ref.version == self._version:
            return ref.name
        module = self._modules[ref.version]
        self.used.add(module)
        return f"{module}.{ref.name}"

    def order(self, ref: TypeRef) -> int:
        return self._order[ref.version]


class _StorageModule:
    def __init__(self, group: GroupPlan, version: PlannedVersion) -> None:
        self.group = group
        self.version = version
        self.out = CodeLines()
        self.constants = Constants()
        self.class_name = TypeNames(group, version.name)
        self.edges = [edge for edge in group.edges if edge.older.version == version.name]
        self.links = [link for link in group.links if link.older.type.version == version.name]

    def emit(self) -> str:
        for edge in self.edges:  # directions of edges come first: their names stay as they are
            self._emitter(edge)
        bodies = CodeLines()
        self.out, head = bodies, self.out
        defined: set[str] = set()
        for type_ in definition_order(self.version.types):
            self._twin(type_, frozenset(self.version.types) - defined)
            defined.add(type_.ref.name)
        for edge in self.edges:
            self.out.line()
            self.out.line()
            self._emitter(edge).protocol()
        if self.edges:
            self.out.line()
            self.out.line()
        for edge in self.edges:
            self._emitter(edge).tables()
        for link in self.links:
            emit_link(self.out, link, self.class_name)
        body = bodies.text()
        self._imports(head)
        return head.text() + "\n\n" + body.lstrip("\n")

    def _emitter(self, edge: PlannedEdge) -> EdgeEmitter:
        return EdgeEmitter(self.out, self.group, edge, self.class_name, self.constants)

    def _imports(self, head: CodeLines) -> None:
        typing = ["Any"]
        types = self.version.types.values()
        if any(type_.kind or type_.ref in self.group.pruned for type_ in types):
            typing.append("ClassVar")
        if self.edges:
            head.line("from abc import abstractmethod")
            typing.append("Protocol")
        head.line("from dataclasses import dataclass, field")
        head.line(f"from typing import {', '.join(typing)}")
        head.line()
        lines = [import_runtime(self.group, "..")]
        if self.edges or self.links:
            is_own = lines[0].startswith("from ")
            lines = [SCHEME_IMPORT, *lines] if is_own else [*lines, "", SCHEME_IMPORT]
            for module in sorted(self.class_name.used, key=natural):
                lines.append(f"from ..{module} import storage as {module}")
        for line in lines:
            head.line(line)

    def _twin(self, type_: PlannedType, later: frozenset[str]) -> None:
        out = self.out
        base = "h.StorageRoot" if type_.kind else f"h.Storage{type_.type.form.capitalize()}"
        out.line()
        out.line()
        out.line("@dataclass(slots=True, kw_only=True)")
        with out.block(f"class {type_.ref.name}({base}):"):
            out.docstring(f"{type_.ref.name} as {self.version.name} stores it.")
            out.line()
            if type_.kind:
                parts = (self.group.group_of(type_.kind), self.version.name)
                api_version = "/".join(filter(None, parts))
                out.line(f"API_VERSION: ClassVar[str] = {quoted(api_version)}")
                out.line(f"KIND: ClassVar[str] = {quoted(type_.kind)}")
            if type_.ref in self.group.pruned:
                out.line("PRUNED: ClassVar[bool] = True")
            if type_.kind or type_.ref in self.group.pruned:
                out.line()
            codec = CodecEmitter(out, type_, is_twin=True)
            codec.fields(later, "")
            out.line()
            codec.reader(self.version.name, "")
            out.line()
            codec.writer(self.version.name, "")
            edges = [edge for edge in self.edges if edge.older == type_.ref]
            if len(edges) > 1:
                out.line()
                dispatchers(out, edges, self.class_name)
                for index, edge in enumerate(edges):
                    if index:
                        out.line()
                    self._emitter(edge).converters()
            elif edges:
                out.line()
                self._emitter(edges[0]).converters()


def emit_link(out: CodeLines, link: PlannedLink, class_name: TypeNames) -> None:
    """Write the table of a skip link."""
    ends = [
        Call("(", [quoted(end.type.version), class_name(end.type), quoted(end.name)])
        for end in (link.older, link.newer)
    ]
    out.expression("", Call("SCHEME.link(", [*ends, table(link.conversion, class_name)]))


def natural(module: str) -> list[tuple[int, str]]:
    """Return the key by which imports are sorted: numbers as numbers, v2 before v10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", module)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
