"""The types of the neutral form: `option<list<@Baz>>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    External,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
    Width,
)
from tests.acceptance.declared.cases import FormError

# The module that external types are said to be in.
EXTERNALS: Final = "tests.acceptance.declared.neutral_externals"

_SCALARS: Final[dict[str, Width]] = {
    "bool": "bool",
    "string": "str",
    "f32": "float",
    "f64": "float",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "isize": "i64",
    "u8": "u8",
    "u16": "u16",
    "u32": "u32",
    "u64": "u64",
    "usize": "usize",
}
_WORDS: Final = ("option", "list", "map")


@dataclass(frozen=True, slots=True)
class TypeText:
    """A parsed type: a word with its parts. `@` and `ext:` names are `container` and `external`."""

    word: str
    name: str = ""
    parts: tuple[TypeText, ...] = ()

    def walk(self) -> list[TypeText]:
        """Return the type and all types inside."""
        return [self, *(inner for part in self.parts for inner in part.walk())]


def parse_type(text: str) -> TypeText:
    """Read a type. Raises FormError."""
    found, rest = _parse(text.replace(" ", ""))
    if rest:
        raise FormError(f"{text} is no type of the form")
    return found


def _parse(text: str) -> tuple[TypeText, str]:
    # A path of the original may be absolute, and its names raw: `::acme::r#type::Kind`.
    head = re.match(r"(@|ext:)?((?:::)?(?:r#)?[A-Za-z_](?:(?<=::)r#|[A-Za-z0-9_:])*)", text)
    if head is None:
        raise FormError(f"{text!r} is no type of the form")
    mark, name, rest = head[1] or "", head[2], text[head.end() :]
    parts: list[TypeText] = []
    if rest.startswith("<"):
        while rest and rest[0] in "<,":
            part, rest = _parse(rest[1:])
            parts.append(part)
        if not rest.startswith(">"):
            raise FormError(f"{text!r} is no type of the form")
        rest = rest[1:]
    if mark:
        return TypeText("container" if mark == "@" else "external", name, tuple(parts)), rest
    if name in _WORDS and len(parts) == (2 if name == "map" else 1):
        return TypeText(name, "", tuple(parts)), rest
    if parts:
        raise FormError(f"{text!r} is no type of the form")
    return TypeText("scalar" if name in _SCALARS else "bare", name), rest


def declared_type(type_: TypeText, parameters: Collection[str] = ()) -> DeclType:
    """Return the declared type that a neutral type means. Raises FormError."""

    def inner(index: int) -> DeclType:
        return declared_type(type_.parts[index], parameters)

    if type_.name in parameters:
        return Parameter(type_.name)
    match type_.word:
        case "scalar":
            return Scalar(_SCALARS[type_.name])
        case "option":
            found = inner(0)
            return found if isinstance(found, OptionalOf) else OptionalOf(found)
        case "list":
            return ListOf(inner(0))
        case "map":
            return DictOf(inner(1))
        case "container":
            return Named(type_.name, tuple(declared_type(part, parameters) for part in type_.parts))
        case "external":
            return External(f"{EXTERNALS}:{external_name(type_)}")
        case _:
            raise FormError(f"{type_.name} is no type of the form")


def external_name(type_: TypeText) -> str:
    """Return a Python name for an opaque type."""
    text = "_".join([type_.name.strip(":"), *(part.name or part.word for part in type_.parts)])
    return re.sub(r"\W+", "_", text)


def python_type(
    type_: TypeText, parameters: Collection[str], external: Callable[[TypeText], str]
) -> str:
    """Spell a neutral type in Python; `external` gives the alias of an opaque type."""

    def inner(index: int) -> str:
        return python_type(type_.parts[index], parameters, external)

    if type_.name in parameters:
        return type_.name
    match type_.word:
        case "scalar":
            width = _SCALARS[type_.name]
            return width if width in ("bool", "str", "float") else f"_d.{width.capitalize()}"
        case "option":
            return f"typing.Optional[{inner(0)}]"
        case "list":
            return f"list[{inner(0)}]"
        case "map":
            return f"dict[str, {inner(1)}]"
        case "container":
            arguments = ", ".join(inner(index) for index in range(len(type_.parts)))
            return f"{type_.name}[{arguments}]" if arguments else type_.name
        case "external":
            return external(type_)
        case _:
            raise FormError(f"{type_.name} is no type of the form")
