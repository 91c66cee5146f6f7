"""Extras that an API server would prune: they travel in the bag of their object.

What stands in open JSON of one version may be undeclared in the closed type of another one. There
it is an entry of the object's bag, under the object's own version and its own name, and an extra
again once the object is read. Source: property-bag contract, sections 5.11 and 5.14; webhook
contract, sections 3 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from holdall.carriers.addresses import holders_of
from holdall.objects.bag import (
    SHOWN_KEY,
    STAND_IN,
    USER_KEYS,
    PropertyBag,
    is_mark,
    is_stand_in,
    key_of,
)
from holdall.objects.container_kinds import clean_checker
from holdall.objects.shapes import MemberShape, Shaped, ValueShape, members_of
from holdall.objects.stored_forms import Lifted
from holdall.objects.views import StorageObject, StorageRoot
from holdall.text import json as _json
from holdall.types import JsonObject

_Find: TypeAlias = Callable[[Any], bool]
_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Members of a document that no entry of its bag may become."""


class Places:
    """Where below a root type there are objects of some types; worked out once.

    `ways` are, for every type, the members that lead to such objects.
    """

    __slots__ = ("_finds", "_is_clean", "_root", "types", "ways")

    def __init__(self, root: type[Shaped], types: frozenset[type[Shaped]]) -> None:
        self._root, self.types = root, types
        self.ways = _ways(root, types)
        self._is_clean = clean_checker(root)
        self._finds: dict[type[Shaped], _Find] = {}
        for cls in self.ways:
            self._finds[cls] = self._finder(cls)

    def objects(self, root: StorageObject) -> Iterator[Any]:
        """Yield the objects of the types in a tree."""
        work: list[Any] = [root]
        while work:
            obj = work.pop()
            if type(obj) in self.types:
                yield obj
            for member in self.ways.get(type(obj), ()):
                work.extend(_each(member.value, getattr(obj, member.attribute)))

    def hold_extras(self, members: JsonObject) -> bool:
        """Tell whether such an object has undeclared members in the JSON of a root.

        Of one that is sealed nobody knows; it counts as if it had.
        """
        return not self._is_clean(members) and self._finds[self._root](members)

    def _finder(self, cls: type[Shaped]) -> _Find:
        """Return what looks for extras in the JSON of a type."""
        declared = members_of(cls) if cls in self.types else None
        steps = [(member.name, self._find_in(member.value)) for member in self.ways[cls]]

        def find(value: Any) -> bool:
            if type(value) is not dict:
                return _json.is_sealed(value)
            if declared is not None and not value.keys() <= declared:
                return True
            for name, find_in in steps:
                inner = value.get(name)
                if inner is not None and find_in(inner):
                    return True
            return False

        return find

    def _find_in(self, shape: ValueShape) -> _Find:
        finds = self._finds
        if shape.type is not None:
            held = shape.type
            return lambda value: finds[held](value)
        if shape.item is None:
            raise TypeError("a value that holds no objects is no way to one")
        find = self._find_in(shape.item)

        def find_in(value: Any) -> bool:
            if type(value) is dict:
                value = value.values()
            elif type(value) is not list:
                return _json.is_sealed(value)
            return any(map(find, value))

        return find_in


def pruned_places(root: type[Shaped]) -> Places | None:
    """Return where below a root type an API server prunes extras; None if it does nowhere."""
    pruned = frozenset(cls for cls in _held_types(root) if _is_pruned(cls))
    return Places(root, pruned) if pruned else None


def mark_shown_extras(places: Places, version: str, root: StorageObject) -> None:
    """Note which extras stand in a document, so that they will stand there again.

    No API server was there to prune them. Call it before extras that were hidden are restored.
    """
    for obj in places.objects(root):
        bag = PropertyBag() if obj.property_bag is None else obj.property_bag
        shown = _extras(obj)
        shown.extend(name for key, name in USER_KEYS.items() if bag.has(version, key))
        if shown:
            bag.put(version, SHOWN_KEY, [*sorted(shown)])
            obj.property_bag = bag


def hide_extras(places: Places, version: str, root: StorageObject) -> Lifted:
    """Take the extras off objects, except what stood in a document before; return them in bags."""
    hidden: Lifted = []
    for obj in places.objects(root):
        own = PropertyBag() if obj.property_bag is None else obj.property_bag
        shown = own.take(version, SHOWN_KEY)
        names = frozenset(shown if isinstance(shown, list) else ())
        bag = PropertyBag()
        for name in _extras(obj):
            if name not in names:
                own.drop(version, key_of(name))
                bag.put(version, key_of(name), obj.extra_.pop(name))
        for key, name in USER_KEYS.items():
            if name not in names and own.has(version, key):
                bag.put(version, key, own.take(version, key))
        obj.property_bag = own or None
        if bag:
            hidden.append((obj, bag))
    return hidden


def hide_in_bags(places: Places, version: str, root: StorageObject) -> None:
    """Put the extras that `hide_extras` takes off objects into their own bags."""
    for obj, bag in hide_extras(places, version, root):
        own = PropertyBag.clone(obj.property_bag)
        own.put_all(bag)
        obj.property_bag = own


def _extras(obj: StorageObject) -> list[str]:
    """Return the names of undeclared members; `extra_` holds nulls of declared ones, too."""
    if not obj.extra_:
        return []
    known = members_of(type(obj))
    return [
        name
        for name, value in obj.extra_.items()
        if name not in known and not (name.startswith(STAND_IN) and is_stand_in(value))
    ]


def is_hidden_extra(cls: type[Shaped], version: str, origin: str, key: str) -> bool:
    """Tell whether an entry in the bag of such an object is an extra, hidden from an API server."""
    if origin != version or is_mark(key) or not _is_pruned(cls):
        return False
    if issubclass(cls, StorageRoot) and key in _HEAD:
        return False
    return key not in members_of(cls)


def _is_pruned(cls: type[Shaped]) -> bool:
    return issubclass(cls, StorageObject) and cls.PRUNED


def _held_types(root: type[Shaped]) -> set[type[Shaped]]:
    """Return a type and all types of objects below it."""
    found: set[type[Shaped]] = {root}
    work = [root]
    while work:
        for member in holders_of(work.pop()).values():
            held = _type_in(member.value)
            if held is not None and held not in found:
                found.add(held)
                work.append(held)
    return found


def _ways(
    root: type[Shaped], types: frozenset[type[Shaped]]
) -> Mapping[type[Shaped], Sequence[MemberShape]]:
    """Return, for every type below a root, the members that lead to objects of some types."""
    members = {cls: holders_of(cls).values() for cls in _held_types(root)}
    leading: set[type[Shaped] | None] = {*types}
    grows = True
    while grows:
        more = {
            cls
            for cls, held in members.items()
            if cls not in leading and any(_type_in(item.value) in leading for item in held)
        }
        leading |= more
        grows = bool(more)
    return {
        cls: [item for item in held if _type_in(item.value) in leading]
        for cls, held in members.items()
    }


def _type_in(shape: ValueShape) -> type[Shaped] | None:
    """Return the type of the objects that a value holds at any depth."""
    return _type_in(shape.item) if shape.item is not None else shape.type


def _each(shape: ValueShape, value: Any) -> Iterator[Any]:
    """Yield the objects in a value: twins, or their JSON."""
    if value is None:
        return
    if shape.item is None:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _each(shape.item, item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _each(shape.item, item)
