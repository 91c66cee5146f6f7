"""The types of declared items that Python does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

from holdall.declare.calls import Call


class Width:
    """The width of an integer type, by its name: `u8`, `i64`, `usize`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Width({self.name!r})"


I8: TypeAlias = Annotated[int, Width("i8")]
I16: TypeAlias = Annotated[int, Width("i16")]
I32: TypeAlias = Annotated[int, Width("i32")]
I64: TypeAlias = Annotated[int, Width("i64")]
U8: TypeAlias = Annotated[int, Width("u8")]
U16: TypeAlias = Annotated[int, Width("u16")]
U32: TypeAlias = Annotated[int, Width("u32")]
U64: TypeAlias = Annotated[int, Width("u64")]
Usize: TypeAlias = Annotated[int, Width("usize")]


class Unit:
    """The payload of a variant that carries no value."""


if TYPE_CHECKING:
    from holdall.types import JsonValue

    Json: TypeAlias = JsonValue
else:

    class Json:
        """Any JSON value."""


class external(Call):
    """A foreign type, whose values are copied: `Annotated[Json, external("m:T")]`.

    `default` returns the value of an added field.
    """

    def __init__(self, target: str, *, default: Callable[[], object] | str | None = None) -> None:
        pass
