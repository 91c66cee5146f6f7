"""The texts by which elements of lists are named: `key=value` of each key.

Elements are members, as in converted documents, or views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from holdall.objects.base import Object
from holdall.objects.shapes import MemberShape, Shaped, shape_of
from holdall.text import json as _json

GUESSED_KEYS: Final = (("name",), ("key",), ("id",))
"""What may serve as the keys of a list that declares none."""
_SCALARS: Final = frozenset({str, int, bool})


_ASSUMED: Final[dict[tuple[type[Shaped], str], Any]] = {}


def assumed_name(held: type[Shaped], key: str) -> Any:
    """Return what an API server fills in for a key of elements; none if that is not certain."""
    if (held, key) not in _ASSUMED:
        _ASSUMED[held, key] = _default(shape_of(held).members.get(key))
    return _ASSUMED[held, key]


def names_of(items: Sequence[Any], keys: Sequence[str], held: type[Shaped] | None) -> Iterable[str]:
    """Return the texts that name elements by their keys; empty if a key has no scalar value.

    `held` is the type of elements that are members, not twins. An absent key counts as its default.
    """
    if len(keys) == 1:
        return _texts(items, keys[0], held)
    columns = [_texts(items, key, held) for key in keys]
    return [",".join(parts) if all(parts) else "" for parts in zip(*columns, strict=True)]


def guessed_names(items: Sequence[Any], held: type[Shaped]) -> dict[str, int]:
    """Return the indexes of elements, given as members, by texts that name no other one."""
    found: dict[str, int] = {}
    for keys in GUESSED_KEYS:
        names = list(names_of(items, keys, held))
        counts = Counter(names)
        found.update({name: at for at, name in enumerate(names) if name and counts[name] == 1})
    return found


def _texts(items: Sequence[Any], key: str, held: type[Shaped] | None) -> list[str]:
    """Return `key=value` of each element, empty for what is not a scalar."""
    assumed = None if held is None else assumed_name(held, key)
    values: list[Any] = []
    for item in items:
        if type(item) is not dict:
            value = _of_view(item, key)
        elif held is None or (value := item.get(key)) is None:
            value = assumed
        values.append(value)
    if _SCALARS.issuperset(map(type, values)):
        return [f"{key}={text.decode()}" for text in _json.canonical_each(values)]
    indexes = [index for index, value in enumerate(values) if type(value) in _SCALARS]
    found = [""] * len(items)
    written = _json.canonical_each([values[index] for index in indexes])
    for index, text in zip(indexes, written, strict=True):
        found[index] = f"{key}={text.decode()}"
    return found


def _of_view(item: Any, key: str) -> Any:
    """Return a member of a view; none of what is not an object."""
    if not isinstance(item, Object):
        return None
    member = shape_of(type(item)).members.get(key)
    if member is None:
        return item.extra_.get(key) if item.extra_ else None
    value = getattr(item, member.attribute)
    return _default(member) if value is None else value


def _default(member: MemberShape | None) -> Any:
    """Return what an API server fills in for a member; none if that is not certain."""
    return member.defaults[0] if member is not None and len(member.defaults) == 1 else None
