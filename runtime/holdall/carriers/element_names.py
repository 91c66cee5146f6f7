"""The texts by which elements of lists are named: `key=value` of each key.

Elements are members, as in converted documents, or views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from holdall.objects.base import Object
from holdall.objects.shapes import Shaped, shape_of
from holdall.text import json as _json

_SCALARS: Final = frozenset({str, int, bool})


def may_be_named(items: Sequence[Any], key: str, held: type[Shaped]) -> bool:
    """Tell whether some element, given as members, may have a member or a default for it."""
    member = shape_of(held).members.get(key)
    if member is not None and member.defaults:
        return True
    for item in items:  # noqa: SIM110 - any() takes twice the time
        if type(item) is dict and key in item:
            return True
    return False


def names_of(items: Sequence[Any], keys: Sequence[str], held: type[Shaped] | None) -> Iterable[str]:
    """Return the texts that name elements by their keys; empty if a key has no scalar value.

    `held` is the type of elements that are members, not twins. An absent key counts as its default.
    """
    columns = [_texts(items, key, held) for key in keys]
    if len(columns) == 1:
        return columns[0]
    return [",".join(parts) if all(parts) else "" for parts in zip(*columns, strict=True)]


def _texts(items: Sequence[Any], key: str, held: type[Shaped] | None) -> list[str]:
    """Return `key=value` of each element, empty for what is not a scalar."""
    readers = {cls: _reader(cls, key, held) for cls in set(map(type, items))}
    if len(readers) == 1:
        [read] = readers.values()
        values: list[Any] = [None] * len(items) if read is None else [*map(read, items)]
    else:
        values = [None if (read := readers[type(item)]) is None else read(item) for item in items]
    if _SCALARS.issuperset(map(type, values)):
        return [f"{key}={text.decode()}" for text in _json.canonical_each(values)]
    indexes = [index for index, value in enumerate(values) if type(value) in _SCALARS]
    found = [""] * len(items)
    written = _json.canonical_each([values[index] for index in indexes])
    for index, text in zip(indexes, written, strict=True):
        found[index] = f"{key}={text.decode()}"
    return found


def _reader(cls: type[Any], key: str, held: type[Shaped] | None) -> Callable[[Any], Any] | None:
    """Return what reads a member of the objects of a type; None for what is not an object."""
    if cls is dict and held is not None:
        member = shape_of(held).members.get(key)
        if member is None or len(member.defaults) != 1:
            return lambda item: item.get(key)
        assumed = member.defaults[0]
        return lambda item: assumed if (value := item.get(key)) is None else value
    if not issubclass(cls, Object):
        return None
    member = shape_of(cls).members.get(key)
    if member is None:
        return lambda item: item.extra_.get(key) if item.extra_ else None
    get = attrgetter(member.attribute)
    if len(member.defaults) != 1:
        return get
    default = member.defaults[0]
    return lambda item: default if (value := get(item)) is None else value
