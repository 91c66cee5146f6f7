"""Emitting the fields of an API type, which say all that is needed to read and write it."""

from __future__ import annotations

from holdall.types import JsonObject, JsonValue
from holdall_codegen.emit.annotations import annotation
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.emit.literals import literal, quoted
from holdall_codegen.model import Opaque, Property, list_keys
from holdall_codegen.plan.model import Member, PlannedType


class FieldsEmitter:
    """Writes the fields of one class.

    `head` is what documents of a root say about their version and kind. With `tagged` a root always
    has its apiVersion, by which type checkers tell versions apart.
    """

    def __init__(
        self, out: CodeLines, type_: PlannedType, head: JsonObject, *, tagged: bool = False
    ) -> None:
        self.out = out
        self.type = type_
        self.head = head
        self.tagged = tagged

    def write(self, later: frozenset[str]) -> None:
        """Write the fields."""
        for name, value in self.head.items():
            if self._is_tag(name):
                items: list[Expression] = [
                    Keyword("default", literal(value)),
                    Keyword("metadata", "h.api_version_member()"),
                ]
                place = f"{self.type.head[name]}: Literal[{literal(value)}] = "
                self.out.expression(place, Call("field(", items))
            else:
                self._constant_field(self.type.head[name], name, value)
        for member in self.type.members:
            self._field(member, later)
        self.out.line("extra_: h.UnknownMembers = field(default_factory=dict, repr=False)")

    def _is_tag(self, name: str) -> bool:
        return self.tagged and name == "apiVersion"

    def _constant_field(self, attribute: str, name: str, value: JsonValue) -> None:
        metadata = Call("h.member(", [quoted(name)])
        items: list[Expression] = [
            Keyword("default", literal(value)),
            Keyword("metadata", metadata),
        ]
        self.out.expression(f"{attribute}: {type(value).__name__} | None = ", Call("field(", items))

    def _field(self, member: Member, later: frozenset[str]) -> None:
        required = _is_required(member.property)
        item = member.property
        # The schema of dataclasses-json cannot be made of a bare Any.
        nullable = not required or isinstance(item.type, Opaque)
        text = annotation(item.type, later, nullable=nullable)
        if item.metadata:
            text = f"Annotated[{', '.join([text, *(found.text for found in item.metadata)])}]"
        described: list[Expression] = [quoted(item.name)]
        if required:
            described.append(Keyword("required", "True"))
        if keys := list_keys(item.type):
            described.append(Keyword("map_keys", Call("(", [*map(quoted, keys)])))
        items: list[Expression] = [] if required else [Keyword("default", "None")]
        items.append(Keyword("metadata", Call("h.member(", described)))
        self.out.expression(f"{member.attribute}: {text} = ", Call("field(", items))
        if item.doc:
            self.out.docstring(item.doc)


def _is_required(item: Property) -> bool:
    """Tell whether a member must be there."""
    return item.required and not item.nullable
