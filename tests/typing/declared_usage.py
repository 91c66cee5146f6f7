"""A declaration as its users write it; checked by type checkers, and read by test_declare.py.

Lines with an ignore are mistakes that both checkers have to find: an ignore without need fails.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Generic, TypeVar

from holdall.declare import (
    FAIL,
    U16,
    Doc,
    Json,
    Skip,
    Tracking,
    Unit,
    Usize,
    Version,
    Versions,
    added,
    changed,
    default_variant,
    deprecated,
    external,
    json_name,
    list_key,
    name,
    obj,
    print_column,
    removed,
    resource,
    scale,
    union,
)

VERSIONS = Versions(
    Version("v1alpha1", deprecated="use v1"),
    Version("v1beta1", doc="Second draft.", skip=(Skip.OBJECT_FROM,)),
    Version("v1"),
    tracking=Tracking(carrier="annotation"),
)

T = TypeVar("T")
Quantity = Annotated[str, external("decimal:Decimal")]


def default_bar() -> int:
    return 42


def to_u16(n: int) -> int:
    return min(n, 65535)


def derive(parent: Json) -> Json:
    return {"from": parent}


def hidden(mode: Mode) -> Mode:
    return mode


@obj
class Baz:
    quax: str
    quox: Annotated[bool, added("v1beta1")] = True


@obj(rename_all="camelCase", since="v1beta1")
class Box(Generic[T]):
    held_value: T
    many: list[T] = field(default_factory=list)


@union(rename_all="camelCase")
class Mode:
    Plain: Annotated[Unit, default_variant]
    Tls: Baz
    Pair: tuple[Baz, int]
    Vault: Annotated[Baz, added("v1", fallback="Plain")]
    Sealed: Annotated[Unit, added("v1", fallback=FAIL)]
    Hidden: Annotated[Unit, added("v1", downgrade_with=hidden)]
    bare: Annotated[Baz, name("Bare")]


@obj
class FooStatus:
    replicas: int = 0
    selector: str = ""


@resource(
    group="example.com",
    namespaced=True,
    shortnames=("f",),
    status=FooStatus,
    scale=scale(spec_replicas_path=".spec.bar", status_replicas_path=".status.replicas"),
    print_columns=(print_column("Bar", json_path=".spec.bar", type="integer"),),
)
class FooSpec:
    """A foo."""

    bar: Annotated[
        Usize,
        added("v1beta1", default=default_bar),
        changed("v1", from_name="prev_bar", from_type=U16, downgrade_with=to_u16),
    ]
    parts: Annotated[list[Baz], list_key("quax")]
    "The parts."
    deprecated_name: Annotated[str, deprecated("v1beta1", note="use parts")]
    mode: Mode
    gone: Annotated[int, removed("v1", default="builtins:int"), Doc("It was once here.")]
    memory: Annotated[Quantity | None, json_name("mem")] = None
    anything: Annotated[Json, added("v1", default_from=derive)] = None


def misuse() -> None:
    """Every line is refused."""
    Baz("a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Baz(quax=1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Version("v1", deprecate=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    added()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    added("v1", default=to_u16)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    changed("v1", from_nam="x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    resource(kind="Foo")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Tracking(carrier="spec")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


BAZ = Baz(quax="a")
