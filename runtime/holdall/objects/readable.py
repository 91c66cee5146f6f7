"""Telling at speed whether JSON values are what storage twins read and write again unchanged.

Checks are compiled once per type. A value that fails one is not always wrong: it may hold a
reserved name, which only reading it as an object handles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from holdall.objects.bag import RESERVED
from holdall.objects.base import Object
from holdall.objects.per_type import PerType
from holdall.objects.shapes import Shaped, ValueShape, holds_objects, shape_of

Check: TypeAlias = Callable[[Any], bool]
"""Tells whether a JSON value passes; null always does."""

without_reserved: Final[Check] = RESERVED.isdisjoint
"""Tells whether a JSON object holds none of the reserved names."""


def check_of(shape: ValueShape) -> Check | None:
    """Return the check for values of a shape as a twin reads them; None if it takes any.

    Below the outermost container of plain values a twin does not look.
    """
    if shape.type is not None:
        return object_check(shape.type)
    if shape.item is None:
        return None
    return _each(shape, check_of(shape.item) if holds_objects(shape.item) else None)


def fit_of(shape: ValueShape) -> Check | None:
    """Return the check whether lists and maps are where a shape without objects has them."""
    return None if shape.item is None else _each(shape, fit_of(shape.item))


def object_check(cls: type[Shaped]) -> Check:
    """Return the check for JSON objects of a type."""
    return _CHECKS.of(cls)


def refuse(value: Any) -> bool:
    """The check of a member that must not be there: it always fails."""
    return False


def _make(cls: type[Shaped]) -> Iterator[Check]:
    if cls.open_wire is not Object.open_wire:
        yield refuse  # on the wire it is not an object
        return
    checks: list[tuple[str, Check]] = []

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return value is None
        for name, passes in checks:
            member = value.get(name)
            if member is not None and not passes(member):
                return False
        return without_reserved(value)

    yield check
    for name, member in shape_of(cls).members.items():
        passes = check_of(member.value)
        if passes is not None:
            checks.append((name, passes))


_CHECKS: Final = PerType(_make)


def _each(shape: ValueShape, item: Check | None) -> Check:
    kind = list if shape.container == "list" else dict

    def check_kind(value: Any) -> bool:
        return value is None or type(value) is kind

    if item is None:
        return check_kind

    def check_items(value: Any) -> bool:
        if type(value) is not kind:
            return value is None
        elements: Iterable[Any] = value.values() if type(value) is dict else value
        for element in elements:  # noqa: SIM110 - all() takes twice the time
            if not item(element):
                return False
        return True

    return check_items
