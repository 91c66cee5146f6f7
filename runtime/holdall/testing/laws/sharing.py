"""Containers that two objects share, found by identity."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.objects.base import Object
from holdall.objects.shapes import shape_of
from holdall.text.pointer import join

_ATTRIBUTES: dict[type, tuple[str, ...]] = {}


def containers(value: object) -> set[int]:
    """Return the identities of everything in a value that could be changed in place."""
    found: set[int] = set()
    queue = [value]
    while queue:
        item = queue.pop()
        kind = type(item)
        if kind in _SCALARS or id(item) in found:
            continue
        if isinstance(item, dict):
            found.add(id(item))
            queue += item.values()
        elif isinstance(item, list):
            found.add(id(item))
            queue += item
        elif isinstance(item, Object):
            found.add(id(item))
            queue += [getattr(item, name) for name in _attributes(kind)]
    return found


def shared_places(value: object, shared: set[int], pointer: str = "") -> list[str]:
    """Return the JSON Pointers of what a value holds of `shared`, the outermost only."""
    if type(value) in _SCALARS:
        return []
    if id(value) in shared:
        return [pointer or "/"]
    if isinstance(value, Object):
        names = shape_of(type(value)).attributes.items()
        items: list[tuple[str | int, object]] = [(key, getattr(value, name)) for key, name in names]
        items += [("$propertyBag", getattr(value, "property_bag", None))]
        items += value.extra_.items()
    elif isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    return [
        found for key, item in items for found in shared_places(item, shared, join(pointer, key))
    ] or ([pointer] if isinstance(value, Object) and id(value.extra_) in shared else [])


def _attributes(cls: type) -> tuple[str, ...]:
    names = _ATTRIBUTES.get(cls)
    if names is None:
        declared = shape_of(cls).attributes.values()
        names = _ATTRIBUTES[cls] = (*declared, "extra_", "property_bag")
    return names


def bag_holders(root: Object) -> Iterator[Object]:
    """Yield every storage twin inside one, itself included, that has a property bag."""
    queue: list[object] = [root]
    while queue:
        item = queue.pop()
        if isinstance(item, Object):
            if getattr(item, "property_bag", None) is not None:
                yield item
            queue += [getattr(item, name) for name in _attributes(type(item))[:-2]]
        elif isinstance(item, dict):
            queue += [value for value in item.values() if type(value) not in _SCALARS]
        elif isinstance(item, list):
            queue += [value for value in item if type(value) not in _SCALARS]


_SCALARS = frozenset({str, int, float, bool, type(None)})
