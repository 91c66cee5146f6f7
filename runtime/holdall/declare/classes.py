"""Decorators that make a class a declared object, resource or union."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, Literal, TypeVar, cast, overload

from typing_extensions import dataclass_transform

from holdall.declare.calls import Call
from holdall.declare.types import external
from holdall.declare.versions import Skip

DECLARED: Final = "__holdall_declared__"
"""The attribute of a declared class that holds its `ClassCall`."""

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


class scale(Call):
    """The scale subresource: paths such as `.spec.replicas`, names as in the latest version."""

    def __init__(
        self,
        *,
        spec_replicas_path: str,
        status_replicas_path: str,
        label_selector_path: str | None = None,
    ) -> None:
        pass


class print_column(Call):
    """A column that `kubectl get` prints, names in `json_path` as in the latest version."""

    def __init__(
        self,
        name: str,
        *,
        json_path: str,
        type: Literal["integer", "number", "string", "boolean", "date"] = "string",
        description: str = "",
        format: str = "",
        priority: int = 0,
    ) -> None:
        pass


@dataclass
class ClassCall:
    """The decorator of a declared class as it was written.

    `written` is the function with its signature; it never runs.
    """

    written: Callable[..., object]
    arguments: tuple[object, ...]
    keywords: Mapping[str, object]

    @property
    def word(self) -> str:
        return self.written.__name__

    def __call__(self, cls: C) -> C:
        """Mark a class. It can be instantiated, so that functions may return objects of it."""
        setattr(cls, DECLARED, self)
        if self.word != "union":
            cls.__init__ = _take_fields  # type: ignore[misc]
        return cls


def _take_fields(self: object, **values: object) -> None:
    for name, value in values.items():
        setattr(self, name, value)


def _recorded(written: F) -> F:
    """Record the calls of a decorator; a class as the only argument is what it decorates.

    So is a function, which is not a declaration: the generator reports it where it is written.
    """

    @wraps(written)
    def record(*arguments: object, **keywords: object) -> object:
        if len(arguments) == 1 and not keywords and callable(arguments[0]):
            return ClassCall(written, (), {})(cast(type, arguments[0]))
        return ClassCall(written, arguments, keywords)

    return cast(F, record)


@overload
@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def obj(cls: C, /) -> C: ...
@overload
@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def obj(
    *,
    rename_all: Literal["camelCase"] | None = None,
    since: str | None = None,
    removed: str | None = None,
    skip: Sequence[Skip] = (),
) -> Callable[[C], C]: ...
@_recorded
def obj(
    cls: type | None = None,
    /,
    *,
    rename_all: Literal["camelCase"] | None = None,
    since: str | None = None,
    removed: str | None = None,
    skip: Sequence[Skip] = (),
) -> Any:
    """Declare an object. `since` and `removed` limit its versions."""


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@_recorded
def resource(
    *,
    group: str,
    kind: str | None = None,
    singular: str | None = None,
    plural: str | None = None,
    namespaced: bool = False,
    status: type | external | str | None = None,
    scale: scale | None = None,
    shortnames: Sequence[str] = (),
    doc: str | None = None,
    categories: Sequence[str] = (),
    print_columns: Sequence[print_column] = (),
    selectable_fields: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    rename_all: Literal["camelCase"] | None = None,
    skip: Sequence[Skip] = (),
) -> Callable[[C], C]:
    """Declare the spec of a kind; the class is named after it, `FooSpec` for `Foo`."""
    raise NotImplementedError


@overload
def union(cls: C, /) -> C: ...
@overload
def union(
    *,
    rename_all: Literal["camelCase"] | None = None,
    since: str | None = None,
    removed: str | None = None,
    skip: Sequence[Skip] = (),
) -> Callable[[C], C]: ...
@_recorded
def union(
    cls: type | None = None,
    /,
    *,
    rename_all: Literal["camelCase"] | None = None,
    since: str | None = None,
    removed: str | None = None,
    skip: Sequence[Skip] = (),
) -> Any:
    """Declare a union: each annotation is a variant with its payload, `Unit` for none."""
