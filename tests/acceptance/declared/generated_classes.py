"""What a generated class says of its container: names of the wire, types, documentation."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from holdall_codegen.declared.model import Container
from tests.acceptance.declared.cases import Node, items, node
from tests.acceptance.declared.generated import HOLDER, Generated
from tests.acceptance.declared.neutral_types import TypeText, parse_type
from tests.acceptance.declared.subject import Subject, compare

_FORMATS: Final[Mapping[str, str]] = {
    **{
        f"{sign}{bits}": f"{word}{bits}"
        for sign, word in (("i", "int"), ("u", "uint"))
        for bits in (8, 16, 32, 64)
    },
    "usize": "uint",
    "isize": "int64",
}
_ANNOTATIONS: Final[Mapping[str, str]] = {
    "bool": "bool",
    "string": "str",
    "f32": "float",
    "f64": "float",
    **dict.fromkeys(_FORMATS, "int"),
}


def lines(value: Any) -> list[str]:
    """Return the lines of a documentation, given as text or lines, without spaces around."""
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return [line.strip() for line in text.strip().split("\n")] if text.strip() else []


def wire_fields(cls: Any) -> dict[str, str]:
    """Return the attributes of a generated class by their names of the wire."""
    return {
        item.metadata["holdall"]["name"]: item.name
        for item in dataclasses.fields(cls)
        if "holdall" in item.metadata
    }


@dataclass(frozen=True, slots=True)
class ClassCheck:
    """Compares one container in one version with the class that is generated for it."""

    subject: Subject
    group: Generated
    container: Container
    version: str
    where: str

    def differences(self, rows: Sequence[Node]) -> Iterable[str]:
        """Yield how the class differs from the rows of an expectation."""
        if self.container.is_text:
            holder = f"{self.container.name}{HOLDER}"
            found = self.group.bare_names(self.version, holder, "value")
            yield from compare(f"{self.where} (generated)", self._names(rows), found)
            return
        cls = self._class(self.container.name)
        if cls is None:
            yield f"{self.where}: no class {self.container.name} is generated"
        elif self.container.form == "object":
            yield from self._object(cls, rows)
        else:
            yield from self._union(cls, rows)

    def _class(self, name: str) -> Any:
        module = self.group.api(self.version)
        return getattr(module, name, None) if name in module.__all__ else None

    def _names(self, rows: Sequence[Node]) -> list[str]:
        return [self._json_name(str(row.get("name"))) for row in rows]

    def _json_name(self, name: str) -> str:
        """Apply the naming rule of the container to an internal name."""
        entries = items(self.subject.case.declaration.get("containers"), "containers")
        rules = {item.get("name"): item.get("rename_all") for item in entries}
        name = name.removeprefix("r#")
        if rules.get(self.container.name) != "camelCase":
            return name
        if self.container.form == "object":
            name = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        return name[:1].lower() + name[1:]

    def _object(self, cls: Any, rows: Sequence[Node]) -> Iterator[str]:
        where = f"{self.where} (generated)"
        names = self._names(rows)
        members = self.group.members(self.version, cls.__name__)
        yield from compare(where, names, [member["name"] for member in members])
        yield from compare(f"{where} class", sorted(names), sorted(wire_fields(cls)))
        for row, name, member in zip(rows, names, members, strict=False):
            if name in wire_fields(cls):
                type_ = parse_type(str(row.get("type")))
                place = f"{where}.{name}"
                yield from self._type(cls, name, type_, member, place)
                yield from compare(
                    f"{place}.nullable", type_.word == "option", member.get("nullable", False)
                )
                yield from self._documentation(cls, name, row, place)

    def _union(self, cls: Any, rows: Sequence[Node]) -> Iterator[str]:
        where = f"{self.where} (generated)"
        bare = self._names([row for row in rows if row.get("data") is None])
        yield from compare(where, bare, self.group.bare_names(self.version, cls.__name__, "$unit"))
        full = [row for row in rows if row.get("data") is not None]
        members = self.group.members(self.version, cls.__name__)
        members = [member for member in members if member["name"] != "$unit"]
        names = self._names(full)
        yield from compare(where, names, [member["name"] for member in members])
        yield from compare(
            f"{where} class", sorted(names), sorted(wire_fields(cls).keys() - {"$unit"})
        )
        for row, name, member in zip(full, names, members, strict=False):
            if name in wire_fields(cls):
                yield from self._payload(cls, name, node(row["data"], where), member)
                yield from self._documentation(cls, name, row, f"{where}.{name}")

    def _payload(self, cls: Any, name: str, data: Node, member: Mapping[str, Any]) -> Iterator[str]:
        where = f"{self.where}.{name} (generated)"
        rows: list[tuple[str, str]]
        match data:
            case {"newtype": text} | {"tuple": [text]}:
                yield from self._type(cls, name, parse_type(str(text)), member, where)
                return
            case {"tuple": list(texts)}:
                rows = [(str(index), str(text)) for index, text in enumerate(texts)]
            case {"named": list(fields)}:
                rows = [(row["name"].removeprefix("r#"), str(row["type"])) for row in fields]
            case _:
                yield f"{where}: unknown data {data}"
                return
        inner = _of_option(hints(cls)[wire_fields(cls)[name]])
        if not dataclasses.is_dataclass(inner):
            yield f"{where}: expected {data}, found {inner}"
            return
        members = self.group.members(self.version, getattr(inner, "__name__", ""))
        yield from compare(where, [row[0] for row in rows], [item["name"] for item in members])
        for (field, text), item in zip(rows, members, strict=False):
            if field in wire_fields(inner):
                yield from self._type(inner, field, parse_type(text), item, f"{where}.{field}")

    def _type(
        self, cls: Any, name: str, type_: TypeText, member: Mapping[str, Any], where: str
    ) -> Iterator[str]:
        while type_.word == "option":
            type_ = type_.parts[0]
        found = _spell(_of_option(hints(cls)[wire_fields(cls)[name]]))
        yield from compare(f"{where}.type", self._spelled(type_), found)
        yield from compare(f"{where}.format", self._format(type_), member.get("format", ""))

    def _spelled(self, type_: TypeText) -> str:
        if type_.name in self._parameters():
            return "Any"
        match type_.word:
            case "scalar":
                return _ANNOTATIONS[type_.name]
            case "option":
                inner = self._spelled(type_.parts[0])
                return inner if inner.endswith(("| None", "Any")) else f"{inner} | None"
            case "list":
                return f"list[{self._spelled(type_.parts[0])}]"
            case "map":
                return f"dict[str, {self._spelled(type_.parts[1])}]"
            case "container" if self._is_text(type_.name):
                return "str"
            case "container":
                return type_.name + "".join(map(_instance, type_.parts))
            case _:
                return "Any"

    def _format(self, type_: TypeText) -> str:
        while type_.word in ("option", "list", "map"):
            type_ = type_.parts[-1]
        return _FORMATS.get(type_.name, "") if type_.word == "scalar" else ""

    def _is_text(self, name: str) -> bool:
        declaration = self.subject.declaration
        containers = declaration.containers if declaration is not None else ()
        return any(item.name == name and item.is_text for item in containers)

    def _parameters(self) -> tuple[str, ...]:
        return self.subject.rendering.parameters.get(self.container.name, ())

    def _documentation(self, cls: Any, name: str, row: Node, where: str) -> Iterator[str]:
        """The text of an attribute is that of the item, and a last line if it is deprecated."""
        docs = self.group.docs(self.version).get(cls.__name__, {})
        found = lines(docs.get(wire_fields(cls)[name], ""))
        deprecated: Any = False
        if found and found[-1].startswith("Deprecated since v"):
            deprecated = found.pop().partition(": ")[2] or True
            found = found[:-1] if found[-1:] == [""] else found
        yield from compare(f"{where}.docs", lines(row.get("docs")), found)
        yield from compare(f"{where}.deprecated", row.get("deprecated", False), deprecated)


@cache
def hints(cls: Any) -> dict[str, Any]:
    """Return the types of the attributes of a generated class."""
    return typing.get_type_hints(cls)


def _of_option(hint: Any) -> Any:
    """Return what a hint holds beside None."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [part for part in typing.get_args(hint) if part is not type(None)]
        return parts[0] if len(parts) == 1 else hint
    return hint


def _spell(hint: Any) -> str:
    if hint is Any:
        return "Any"
    inner = _of_option(hint)
    if inner is not hint:
        text = _spell(inner)
        return text if text == "Any" else f"{text} | None"
    arguments = typing.get_args(hint)
    if arguments:
        return f"{typing.get_origin(hint).__name__}[{', '.join(map(_spell, arguments))}]"
    return str(getattr(hint, "__name__", hint))


def _instance(type_: TypeText) -> str:
    """Return what an argument adds to the name of a generic container: `U8` of `Page<u8>`."""
    inner = "".join(map(_instance, type_.parts))
    match type_.word:
        case "scalar":
            return {"string": "Str", "f32": "Float", "f64": "Float"}.get(
                type_.name, type_.name.capitalize()
            )
        case "option":
            return f"Optional{inner}"
        case "list":
            return f"{inner}List"
        case "map":
            return f"{_instance(type_.parts[1])}Map"
        case "container":
            return type_.name + inner
        case _:
            return "Json"
