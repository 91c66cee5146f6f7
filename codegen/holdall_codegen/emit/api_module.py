"""Emitting the API types of a version: what its users see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from holdall.plan.tracking import CHANGED_VALUES
from holdall.types import JsonObject, JsonValue
from holdall_codegen.emit.lines import (
    Call,
    CodeLines,
    Expression,
    Keyword,
    annotation,
    definition_order,
    keywords,
    literal,
    prose,
    quoted,
    texts,
)
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.model import Import, Opaque, Property, Ref, Scalar, list_keys
from holdall_codegen.plan.model import GroupPlan, Member, PlannedType, PlannedVersion
from holdall_codegen.plan.python_names import constant_names, natural
from holdall_codegen.plan.types import STATUS


def emit_api(group: GroupPlan, version: PlannedVersion) -> str:
    """Return the body of the API module of one version, without its header."""
    constants = [
        (type_, member)
        for type_ in definition_order(version.api_types)
        for member in type_.members
        if member.constants and member.name not in group.head_of(type_)
    ]
    tagged = group.declared is not None
    classes = CodeLines()
    for type_, member in constants:
        _constants(classes, type_, member)
    later = set(version.api_types)
    for type_ in definition_order(version.api_types):
        heads = group.head_of(type_), group.others_of(type_), group.may_say(type_)
        alone = _alone(group, version, type_)
        _Fields(classes, type_, *heads, tagged, alone).emit_class(version, later)
        later.discard(type_.ref.name)
    metadata = [
        found
        for type_ in version.api_types.values()
        for member in type_.members
        for found in member.property.metadata
    ]
    out = CodeLines()
    if version.deprecated:
        out.line("# pyright: reportDeprecated=false")
        out.line()
    if version.api_types:
        out.line("from dataclasses import dataclass, field")
    out.typing_names(
        Annotated=bool(metadata),
        Any=classes.uses("Any"),
        Final=bool(constants),
        Literal=tagged and any(type_.kind for type_ in version.api_types.values()),
    )
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


def _alone(group: GroupPlan, version: PlannedVersion, type_: PlannedType) -> Mapping[str, str]:
    """Return the members of a type that may have undeclared members, and no others.

    Tracked values of another carrier may be in the status before its owner has written it.
    """
    if type_.kind not in {kind.name for kind in group.kinds if kind.tracking.carrier == "bag"}:
        return {}
    status = type_.member(STATUS).property.type if type_.has(STATUS) else None
    members = version.types[status.type_name].members if isinstance(status, Ref) else ()
    return {STATUS: CHANGED_VALUES} if any(_is_required(it.property) for it in members) else {}


def _imports(out: CodeLines, imports: Set[Import]) -> None:
    """Import re-exported names of the version, and what metadata needs."""
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


def _export_order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Sort as ruff sorts `__all__`: constants first, then classes, numbers by value."""
    return not (name.isupper() and len(name) > 1), natural(name)


def _constants(out: CodeLines, type_: PlannedType, member: Member) -> None:
    scalar = member.property.type
    if not isinstance(scalar, Scalar):
        return
    values = [value for value in scalar.enum if isinstance(value, str)]
    out.apart()
    with out.block(f"class {member.constants}:"):
        out.docstring(f"Known values of {type_.ref.name}.{member.attribute}; others may occur.")
        out.line()
        for value, name in constant_names(values).items():
            out.expression(f"{name}: Final = ", quoted(value))


@dataclass(frozen=True, slots=True)
class _Fields:
    """Writes one class with its fields.

    `head` is what documents of a root say about their version and kind, `others` what they may say
    instead, `may_say` what they need not say. With `tagged` a root always has its apiVersion, by
    which type checkers distinguish versions. Members in `alone` may have undeclared members, and no
    others.
    """

    out: CodeLines
    type: PlannedType
    head: JsonObject
    others: Mapping[str, Sequence[JsonValue]]
    may_say: JsonObject
    tagged: bool
    alone: Mapping[str, str]

    def emit_class(self, version: PlannedVersion, later: Set[str]) -> None:
        """Write the class; types in `later` are not defined yet."""
        out, type_ = self.out, self.type
        out.apart()
        if version.deprecated:
            items: list[Expression] = [prose(version.deprecated), Keyword("category", "None")]
            out.expression("@", Call("h.deprecated(", items))
        out.line("@dataclass(slots=True, kw_only=True)")
        base = f"h.{type_.type.form.capitalize()}"
        with out.function(Call(f"class {type_.ref.name}(", [base]), ":"):
            out.docstring(type_.type.doc or f"{type_.ref.name} of {version.name}.")
            out.line()
            self._write(later)

    def _write(self, later: Set[str]) -> None:
        for name, value in self.head.items():
            if self.tagged and name == "apiVersion":
                items = keywords(default=literal(value), metadata="h.api_version_member()")
                place = f"{self.type.head[name]}: Literal[{literal(value)}] = "
                self.out.expression(place, Call("field(", items))
            else:
                self._constant_field(self.type.head[name], name, value)
        for member in self.type.members:
            if member.name not in self.head:
                self._field(member, later)
        self.out.line("extra_: h.UnknownMembers = field(default_factory=dict, repr=False)")

    def _constant_field(self, attribute: str, name: str, value: JsonValue) -> None:
        described: list[Expression] = [quoted(name)]
        others = self.others.get(name, ())
        described += keywords(says=self._says(name, value) if others else None)
        items = keywords(default=literal(value), metadata=Call("h.member(", described))
        kinds = " | ".join(dict.fromkeys(type(one).__name__ for one in (value, *others)))
        self.out.expression(f"{attribute}: {kinds} | None = ", Call("field(", items))

    def _says(self, name: str, value: JsonValue) -> Expression:
        """Return the annotation of a member that says version or kind."""
        others = self.others.get(name)
        return Call("(", [literal(value), *map(literal, others)]) if others else literal(value)

    def _field(self, member: Member, later: Set[str]) -> None:
        required = _is_required(member.property)
        item, name = member.property, member.property.name
        # dataclasses-json cannot make a schema from a bare Any.
        nullable = not required or isinstance(item.type, Opaque)
        text = annotation(item.type, later, nullable=nullable)
        if item.metadata:
            text = f"Annotated[{', '.join([text, *(found.text for found in item.metadata)])}]"
        described: list[Expression] = [quoted(item.name)]
        keys = list_keys(item.type)
        alone = quoted(self.alone[item.name]) if item.name in self.alone else None
        described += keywords(
            required=required,
            map_keys=texts(keys) if keys else None,
            alone=alone,
            says=self._says(name, self.may_say[name]) if name in self.may_say else None,
        )
        items = keywords(
            default=None if required else "None", metadata=Call("h.member(", described)
        )
        self.out.expression(f"{member.attribute}: {text} = ", Call("field(", items))
        if item.doc:
            self.out.docstring(item.doc)


def _is_required(item: Property) -> bool:
    """Tell whether a member is required."""
    return item.required and not item.nullable
