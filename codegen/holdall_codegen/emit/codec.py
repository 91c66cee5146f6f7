"""Emitting an API type: a dataclass with its reader and its writer."""

from __future__ import annotations

from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue
from holdall_codegen.emit.annotations import annotation
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.model import ListOf, MapOf, Opaque, Property, Ref, Type, referenced_type
from holdall_codegen.plan.model import Member, PlannedType


def quoted(text: str) -> str:
    """Return a string literal: in double quotes, or in single ones where that escapes less."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    body = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    letters = (
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in body
    )
    return f"{quote}{''.join(letters)}{quote}"


def literal(value: JsonValue) -> Expression:
    """Return a JSON value as Python has it."""
    match value:
        case str():
            return quoted(value)
        case list():
            return Call("[", list(map(literal, value)), "]")
        case dict():
            members: list[Expression] = [
                Keyword(quoted(key), literal(item)) for key, item in value.items()
            ]
            return Call("{", members, "}")
        case _:
            return repr(value)


class CodecEmitter:
    """Writes one class.

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

    # --- fields ---

    def fields(self, later: frozenset[str]) -> None:
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
        metadata = Call("h.member(", [quoted(name), Keyword("exclude", "h.is_none")])
        items: list[Expression] = [
            Keyword("default", literal(value)),
            Keyword("metadata", metadata),
        ]
        self.out.expression(f"{attribute}: {type(value).__name__} | None = ", Call("field(", items))

    def _field(self, member: Member, later: frozenset[str]) -> None:
        required = self.is_required(member.property)
        item = member.property
        # The schema of dataclasses-json cannot be made of a bare Any.
        nullable = not required or isinstance(item.type, Opaque)
        text = annotation(item.type, later, nullable=nullable)
        if item.metadata:
            text = f"Annotated[{', '.join([text, *(found.text for found in item.metadata)])}]"
        described: list[Expression] = [quoted(item.name)]
        if not required:
            described.append(Keyword("exclude", "h.is_none"))
        if isinstance(item.type, ListOf) and item.type.map_keys:
            keys: list[Expression] = [quoted(key) for key in item.type.map_keys]
            described.append(Keyword("map_keys", Call("(", keys)))
        items: list[Expression] = [] if required else [Keyword("default", "None")]
        items.append(Keyword("metadata", Call("h.member(", described)))
        self.out.expression(f"{member.attribute}: {text} = ", Call("field(", items))
        if item.doc:
            self.out.docstring(item.doc)

    def is_required(self, item: Property) -> bool:
        """Tell whether a member must be there."""
        return item.required and not item.nullable

    # --- reader ---

    def reader(self) -> None:
        """Write `read_members`."""
        out, type_ = self.out, self.type
        form = type_.type.form
        members = "dict[str, Any]" if form == "object" else "Any"
        out.line("@classmethod")
        with out.block(f"def read_members(cls, members: {members}) -> h.Self:"):
            if form != "object":
                out.line(f"members = h.open_{form}(members)")
            else:
                with out.block("if type(members) is not dict:"):
                    out.line('raise h.WrongKind("object", members)')
            if type_.members or self.head:
                out.line("get = members.get")
            out.line("this = h.new(cls)")
            # Written types keep checkers from inferring them over hundreds of branches.
            out.line("known: int = 0")
            if type_.members or self.head:
                out.line("value: Any")
            for name, value in self.head.items():
                self._read_said(name, value)
            for member in type_.members:
                self._read(member.attribute, member.name, member.property)
            with out.block("if known == len(members):"):
                out.line("this.extra_ = {}")
            with out.block("else:"):
                out.line("this.extra_ = h.unread_members(cls, members)")
            out.line("return this")

    def _read_said(self, name: str, value: JsonValue) -> None:
        attribute = self.type.head[name]
        if not self._is_tag(name):
            self._read(attribute, name, None)
            return
        with self.out.block(f"if (value := get({quoted(name)})) is None:"):
            self.out.expression("value = ", literal(value))
        with self.out.block("else:"):
            self.out.line("known += 1")
        self.out.line(f"this.{attribute} = value")

    def _read(self, attribute: str, name: str, item: Property | None) -> None:
        out = self.out
        decoded = "value" if item is None else self._decoded(item.type, "value")
        if item is not None and self.is_required(item):
            with out.block(f"if (value := get({quoted(name)})) is None:"):
                out.line(f"raise h.MissingMember({quoted(join('', name))})")
            out.line("known += 1")
            out.expression(f"this.{attribute} = ", decoded)
        elif decoded == "value":
            with out.block(f"if (value := get({quoted(name)})) is not None:"):
                out.line("known += 1")
            out.line(f"this.{attribute} = value")
        else:
            with out.block(f"if (value := get({quoted(name)})) is None:"):
                out.line(f"this.{attribute} = None")
            with out.block("else:"):
                out.line("known += 1")
                out.expression(f"this.{attribute} = ", decoded)

    def _decoded(self, type_: Type, value: str) -> Expression:
        match type_:
            case Ref():
                return Call(f"{type_.type_name}.read_members(", [value])
            case ListOf(item=Ref(type_name=name)):
                return Call("h.over_list(", [value, f"{name}.read_members"])
            case MapOf(value=Ref(type_name=name)):
                return Call("h.over_map(", [value, f"{name}.read_members"])
            case ListOf() | MapOf():
                over = "list" if isinstance(type_, ListOf) else "map"
                inner = type_.item if isinstance(type_, ListOf) else type_.value
                if not referenced_type(inner):
                    kind = "list" if over == "list" else "object"
                    return Call(f"h.json_{kind}(", [value])
                act = self._decoded(inner, "item")
                return Call(f"h.over_{over}(", [value, _lambda(act)])
            case _:
                return value

    # --- writer ---

    def writer(self) -> None:
        """Write `write_members`."""
        out, type_ = self.out, self.type
        form = type_.type.form
        result = "dict[str, Any]" if form == "object" else "Any"
        with out.block(f"def write_members(self) -> {result}:"):
            out.line("members: dict[str, Any] = {**self.extra_}")
            for name, attribute in self.type.head.items():
                self._write(attribute, name, Opaque(), required=self._is_tag(name))
            for member in type_.members:
                self._write(
                    member.attribute,
                    member.name,
                    member.property.type,
                    required=self.is_required(member.property),
                )
            out.line("return members" if form == "object" else f"return h.close_{form}(members)")

    def _write(self, attribute: str, name: str, type_: Type, *, required: bool) -> None:
        value = self._encoded(type_, f"self.{attribute}")
        if required:
            self.out.expression(f"members[{quoted(name)}] = ", value)
            return
        with self.out.block(f"if self.{attribute} is not None:"):
            self.out.expression(f"members[{quoted(name)}] = ", value)

    def _encoded(self, type_: Type, value: str) -> Expression:
        match type_:
            case Ref():
                return Call(f"{value}.write_members(", [])
            case ListOf(item=Ref()):
                return Call("h.write_each(", [value])
            case MapOf(value=Ref()):
                return Call("h.write_values(", [value])
            case ListOf() | MapOf() if referenced_type(type_):
                return Call("h.write_nested(", [value])
            case _:
                return value


def _lambda(body: Expression) -> Expression:
    if isinstance(body, Call):
        return Call(f"lambda item: {body.head}", body.items, body.tail)
    return f"lambda item: {body}"
