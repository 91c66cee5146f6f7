"""The types that a declaration may give an item, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from holdall.types import RANGES as ranges
from holdall_codegen.model import NOWHERE, Location

Width = Literal[
    "bool", "str", "float", "int", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize"
]


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function by its import path; `module` is the declaring module for functions beside it."""

    module: str
    qualname: str
    location: Location = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"{self.module}:{self.qualname}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A JSON scalar. `int` is signed with 64 bits, `usize` unsigned with 64 bits."""

    width: Width


@dataclass(frozen=True, slots=True)
class JsonType:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class OptionalOf:
    """A value, null, or absent."""

    item: DeclType


@dataclass(frozen=True, slots=True)
class ListOf:
    item: DeclType


@dataclass(frozen=True, slots=True)
class DictOf:
    """An object with arbitrary keys."""

    value: DeclType


@dataclass(frozen=True, slots=True)
class Named:
    """A container of the same declaration, in the version at hand; `arguments` if it is generic."""

    container: str
    arguments: tuple[DeclType, ...] = ()


@dataclass(frozen=True, slots=True)
class External:
    """An external type, `pkg.mod:Name`; its values are not converted."""

    target: str
    default: FunctionRef | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A type parameter of the generic container that the item belongs to."""

    name: str


DeclType: TypeAlias = (
    Scalar | JsonType | OptionalOf | ListOf | DictOf | Named | External | Parameter
)

FORMATS: Final = {
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "int": "int64",
    "usize": "uint",
}
"""The format of each integer type."""
RANGES: Final = {width: ranges[name] for width, name in FORMATS.items()}
"""Least and greatest value of each integer type."""

_SPELLED: Final[dict[str, str]] = {
    **{name: name for name in ("bool", "str", "float", "int")},
    **{f"{sign}{bits}": f"{sign.upper()}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)},
    "usize": "Usize",
}


def describe(type_: DeclType) -> str:
    """Spell a type as it is declared, such as `list[U16 | None]`."""
    match type_:
        case Scalar(width):
            return _SPELLED[width]
        case JsonType():
            return "Json"
        case OptionalOf(item):
            return f"{describe(item)} | None"
        case ListOf(item):
            return f"list[{describe(item)}]"
        case DictOf(value):
            return f"dict[str, {describe(value)}]"
        case Named(container, arguments):
            inner = ", ".join(describe(argument) for argument in arguments)
            return f"{container}[{inner}]" if inner else container
        case External(target):
            return target.rpartition(":")[2]
        case Parameter(name):
            return name


def by_parameter(parameters: Iterable[str], arguments: Iterable[DeclType]) -> dict[str, DeclType]:
    """Return the arguments of a generic container by the names of its parameters."""
    return dict(zip(parameters, arguments, strict=False))


def substituted(type_: DeclType, arguments: Mapping[str, DeclType]) -> DeclType:
    """Return a type of a generic container with its parameters replaced by the arguments."""
    match type_:
        case Parameter(name=name):
            return arguments.get(name, type_)
        case OptionalOf(item=item):
            return OptionalOf(substituted(item, arguments))
        case ListOf(item=item):
            return ListOf(substituted(item, arguments))
        case DictOf(value=value):
            return DictOf(substituted(value, arguments))
        case Named(container=name, arguments=inner):
            return Named(name, tuple(substituted(item, arguments) for item in inner))
        case _:
            return type_


def parts(type_: DeclType) -> Iterator[DeclType]:
    """Yield a type and every type inside it, outer ones first."""
    yield type_
    match type_:
        case OptionalOf(inner) | ListOf(inner) | DictOf(inner):
            yield from parts(inner)
        case Named(_, arguments):
            for argument in arguments:
                yield from parts(argument)
        case _:
            pass
