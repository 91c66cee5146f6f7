"""Emitting `storage.py` of a version: typed views of members, converters, hook protocols."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from typing import Final

from holdall.plan.plans import TypeRef
from holdall_codegen.emit.conversions import TypeNames, table
from holdall_codegen.emit.converters import EdgeEmitter
from holdall_codegen.emit.edges import Constants
from holdall_codegen.emit.lines import (
    Call,
    CodeLines,
    Expression,
    Keyword,
    annotation,
    definition_order,
    keywords,
    literal,
    quoted,
    texts,
)
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.model import ListOf, MapOf, Ref, Type, list_keys
from holdall_codegen.plan.model import (
    GroupPlan,
    Member,
    PlannedLink,
    PlannedType,
    PlannedVersion,
    passed,
)
from holdall_codegen.plan.python_names import natural

SCHEME_IMPORT: Final = "from .. import SCHEME"


def emit_storage(group: GroupPlan, version: PlannedVersion) -> str:
    """Return the body of the storage module of one version, without its header."""
    return _StorageModule(group, version).emit()


class _StorageModule:
    def __init__(self, group: GroupPlan, version: PlannedVersion) -> None:
        self.group = group
        self.version = version
        self.constants = Constants()
        self.class_name = TypeNames(group, version.name)
        self.edges = [edge for edge in group.edges if edge.older.version == version.name]
        self.links = [
            link for link in group.links if home_of(link, self.class_name) == version.name
        ]
        self.out = CodeLines()

    def emit(self) -> str:
        linked = {end for link in self.group.links for end in (link.older, link.newer)}
        given = self.class_name, self.constants, linked
        emitters = [EdgeEmitter(self.out, self.group, edge, *given) for edge in self.edges]
        for emitter in emitters:
            emitter.reserve()
        of_type: dict[TypeRef, list[EdgeEmitter]] = defaultdict(list)
        for emitter in emitters:
            of_type[emitter.edge.older].append(emitter)
        later = set(self.version.types)
        for type_ in definition_order(self.version.types):
            self._twin(type_, later, of_type[type_.ref])
            later.discard(type_.ref.name)
        for emitter in emitters:
            emitter.converters()
        for emitter in emitters:
            self.out.apart()
            emitter.protocol()
        if emitters:
            self.out.apart()
        for emitter in emitters:
            emitter.tables()
        steps = {name: hops for item in emitters for name, hops in item.several_steps.items()}
        for name, hops in steps.items():
            self.out.expression(f"{name} = ", Call("h.Steps(", [*map(self.class_name, hops)]))
        for link in self.links:
            emit_link(self.out, link, self.class_name)
        head = CodeLines()
        self._imports(head)
        return head.text() + ("\n\n" + self.out.text().lstrip("\n") if self.version.types else "")

    def _imports(self, head: CodeLines) -> None:
        head.line("from __future__ import annotations")
        head.line()
        if self.edges:
            head.line("from abc import abstractmethod")
        if head.typing_names(Any=self.out.uses("Any"), Protocol=bool(self.edges)):
            head.line()
        lines = [import_runtime(self.group, "..")] if self.version.types else []
        if self.edges or self.links:
            is_own = lines[0].startswith("from ")
            lines = [SCHEME_IMPORT, *lines] if is_own else [*lines, "", SCHEME_IMPORT]
            for module in sorted(self.class_name.used, key=natural):
                lines.append(f"from ..{module} import storage as {module}")
        for line in lines:
            head.line(line)

    def _twin(self, type_: PlannedType, later: Set[str], own: list[EdgeEmitter]) -> None:
        out = self.out
        base = "h.StorageRoot" if type_.kind else f"h.Storage{type_.type.form.capitalize()}"
        items: list[Expression] = [base, Keyword("version", quoted(self.version.name))]
        items += keywords(pruned=type_.ref in self.group.pruned)
        if type_.kind:
            parts = (self.group.group_of(type_.kind), self.version.name)
            items.append(Keyword("api_version", quoted("/".join(filter(None, parts)))))
            items.append(Keyword("kind", quoted(type_.kind)))
            if self.group.head is not None:
                items.append(Keyword("head", literal(self.group.head_of(type_))))
            if may_say := self.group.may_say(type_):
                items.append(Keyword("may_say", literal(may_say)))
            if others := self.group.others_of(type_):
                items.append(Keyword("others", literal({**others})))
        out.apart()
        with out.function(Call(f"class {type_.ref.name}(", items), ":"):
            out.docstring(f"{type_.ref.name} as {self.version.name} stores it.")
            if type_.members or type_.records_version:
                out.line()
            for member in type_.members:
                self._member(member, later)
            if type_.records_version:
                out.line("original_version: h.RecordedVersion = h.RecordedVersion()")
            if own:
                own[0].methods([item.edge.newer for item in own])

    def _member(self, member: Member, later: Set[str]) -> None:
        item = member.property
        items: list[Expression] = [quoted(item.name), *_levels(item.type, later)]
        keys = list_keys(item.type)
        items += keywords(
            keys=texts(keys) if keys else None,
            defaults=Call("(", [*map(literal, item.defaults)]) if item.defaults else None,
            nullable=item.nullable and bool(item.defaults),
        )
        hint = annotation(item.type, frozenset())
        self.out.expression(f"{member.attribute}: h.Member[{hint}] = ", Call("h.Member(", items))


def _levels(type_: Type, later: Set[str]) -> list[Expression]:
    match type_:
        case ListOf(item=inner):
            return ["list", *_levels(inner, later)]
        case MapOf(value=inner):
            return ["dict", *_levels(inner, later)]
        case Ref(type_name=name):
            return [f"lambda: {name}" if name in later else name]
        case _:
            return []


def home_of(link: PlannedLink, names: TypeNames) -> str:
    """Return the version whose module has a link: the oldest on its way.

    Its module imports those of the others.
    """
    refs = [link.older.type, *passed(link.conversion)]
    return min(refs, key=names.order).version


def emit_link(out: CodeLines, link: PlannedLink, class_name: TypeNames) -> None:
    """Write the table of a skip link."""
    ends = [
        Call("(", [quoted(end.type.version), class_name(end.type), quoted(end.name)])
        for end in (link.older, link.newer)
    ]
    out.expression("", Call("SCHEME.link(", [*ends, table(link.conversion, class_name)]))
