"""Containers that two objects share, found by identity."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.objects.bag import PropertyBag
from holdall.objects.views import StorageObject
from holdall.text.pointer import join


def containers(value: object) -> set[int]:
    """Return the identities of everything in a value that could be changed in place.

    For a storage twin these are its members and everything in them, including bags and extras.
    """
    found: set[int] = set()
    queue = [_members(value)]
    while queue:
        item = queue.pop()
        if id(item) in found or not isinstance(item, dict | list):
            continue
        found.add(id(item))
        inner = item.values() if isinstance(item, dict) else item
        queue += [one for one in inner if type(one) not in _SCALARS]
    return found


def _members(value: object) -> object:
    return value.settled_() if isinstance(value, StorageObject) else value


def shared_places(value: object, shared: set[int], pointer: str = "") -> list[str]:
    """Return the JSON Pointers of the outermost `shared` containers in a value."""
    value = _members(value)
    if not isinstance(value, dict | list):
        return []
    if id(value) in shared:
        return [pointer or "/"]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        found for key, item in items for found in shared_places(item, shared, join(pointer, key))
    ]


def bags_within(root: StorageObject) -> Iterator[tuple[StorageObject, PropertyBag]]:
    """Yield the storage twins in one, itself included, that have a property bag, with the bag."""
    queue: list[object] = [root]
    while queue:
        item = queue.pop()
        if isinstance(item, StorageObject):
            bag = item.property_bag
            if bag is not None:
                yield item, bag
            named = type(item).named_
            nested = [named[name] for name in item.members_ if name in named]
            queue += [getattr(item, member.attribute) for member in nested if member.nests]
        elif isinstance(item, dict):
            queue += [value for value in item.values() if type(value) not in _SCALARS]
        elif isinstance(item, list):
            queue += [value for value in item if type(value) not in _SCALARS]


_SCALARS = frozenset({str, int, float, bool, type(None)})
