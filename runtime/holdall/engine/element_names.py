"""The names of list elements: `key=value` for each key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from holdall.objects.shapes import Shaped, ValueShape, shape_of
from holdall.text import json as _json

GUESSED_KEYS: Final = (("name",), ("key",), ("id",))
"""Possible keys of a list without declared ones."""
_SCALARS: Final = frozenset({str, int, bool})


def assumed_name(held: Any, key: str) -> Any:
    """Return an API server's default for a key of elements; none if that is uncertain."""
    return _assumed(held).get(key)


@cache
def _assumed(held: type[Shaped]) -> Mapping[str, Any]:
    # Cached by type alone, because clients choose the keys in addresses of annotations.
    members = shape_of(held).members.items()
    return {name: it.defaults[0] for name, it in members if len(it.defaults) == 1}


def names_of(items: Sequence[Any], keys: Sequence[str], held: type[Shaped]) -> Iterable[str]:
    """Return the names of elements, given as members, by their keys.

    A name is empty if a key has no scalar value. An absent key counts as its default.
    """
    if len(keys) == 1:
        return _texts(items, keys[0], held)
    columns = [_texts(items, key, held) for key in keys]
    return [",".join(parts) if all(parts) else "" for parts in zip(*columns, strict=True)]


def guessed_names(items: Sequence[Any], held: type[Shaped]) -> dict[str, int]:
    """Return the indexes of elements by unique names."""
    found: dict[str, int] = {}
    for keys in GUESSED_KEYS:
        names = list(names_of(items, keys, held))
        counts = Counter(names)
        found.update({name: at for at, name in enumerate(names) if name and counts[name] == 1})
    return found


def untyped_names(item: Any) -> list[str]:
    """Return the possible names of an element of unknown type."""
    if type(item) is not dict:
        return []
    return [
        f"{key}={_json.canonical(item[key]).decode()}"
        for (key,) in GUESSED_KEYS
        if type(item.get(key)) in _SCALARS
    ]


def element_names(items: Sequence[Any], shape: ValueShape | None) -> list[list[str]]:
    """Return what may be the names of the elements of a list: its keys alone, if it has any."""
    if shape is not None and shape.keys and shape.item is not None and shape.item.type is not None:
        names = names_of(items, shape.keys, shape.item.type)
        return [[name] if name else [] for name in names]
    return [untyped_names(item) for item in items]


def unique_names(names: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return the indexes of elements by those of their names that no other one has."""
    found: dict[str, list[int]] = {}
    for at, texts in enumerate(names):
        for text in texts:
            found.setdefault(text, []).append(at)
    return {text: places[0] for text, places in found.items() if len(places) == 1}


def _texts(items: Sequence[Any], key: str, held: Any) -> list[str]:
    """Return `key=value` of each element, empty if the value is not a scalar."""
    assumed = assumed_name(held, key)
    values = [
        (assumed if (value := item.get(key)) is None else value) if type(item) is dict else None
        for item in items
    ]
    if _SCALARS.issuperset(map(type, values)):
        return [f"{key}={text.decode()}" for text in _json.canonical_each(values)]
    indexes = [index for index, value in enumerate(values) if type(value) in _SCALARS]
    found = [""] * len(items)
    written = _json.canonical_each([values[index] for index in indexes])
    for index, text in zip(indexes, written, strict=True):
        found[index] = f"{key}={text.decode()}"
    return found
