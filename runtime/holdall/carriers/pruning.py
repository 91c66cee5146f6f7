"""Extras that an API server would prune, which travel in the bag of their object.

Members in open JSON of one version may be undeclared in the closed type of another one. There they
are entries of the object's bag, under the object's own version and their own names, and extras
again once the object is read. Source: docs/bags.md, "What an API server prunes".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from holdall.objects.bag import (
    BAG_MEMBER,
    ORIGINAL_VERSION_MEMBER,
    SHOWN_KEY,
    STAND_IN,
    USER_KEYS,
    PropertyBag,
    is_mark,
    is_stand_in,
    key_of,
    wrong_mark,
)
from holdall.objects.container_kinds import extras_checker
from holdall.objects.shapes import (
    MemberShape,
    Shaped,
    ValueShape,
    holders_of,
    members_of,
    types_within,
)
from holdall.objects.views import StorageObject, StorageRoot
from holdall.types import JsonObject, Members

Hidden: TypeAlias = "list[tuple[Members, PropertyBag]]"
"""The members of objects, each with its extras that are hidden from an API server."""
_Change: TypeAlias = "Callable[[Any, Members], bool]"
"""Changes an object of a type, and returns whether it did."""
_HELD: Final = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER})
_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Members of a document that entries of its bag must not become."""


class Places:
    """Where objects of some types are below a root type, computed once.

    `ways` are, for every type, the members that lead to such objects.
    """

    def __init__(self, root: type[Shaped], types: frozenset[type[Shaped]]) -> None:
        self.types = types
        self.ways = _ways(root, types)
        names = {cls: frozenset(held.name for held in ways) for cls, ways in self.ways.items()}
        self._is_clean = extras_checker(root, names)

    def may_hold_extras(self, members: JsonObject) -> bool:
        """Return whether such an object may have undeclared members in the JSON of a root."""
        return not self._is_clean(members)


@cache
def pruned_places(root: type[Shaped]) -> Places | None:
    """Return where an API server prunes extras below a root type; None if nowhere."""
    pruned = frozenset(cls for cls in types_within(root) if _is_pruned(cls))
    return Places(root, pruned) if pruned else None


def is_hidden_extra(cls: type[Shaped], version: str, origin: str, key: str) -> bool:
    """Return whether an entry in the bag of such an object is an extra hidden from API servers."""
    is_extra = origin == version and key not in members_of(cls)
    return is_extra and may_be_extra(cls, key) and _is_pruned(cls)


def may_be_extra(cls: type[Shaped], key: str) -> bool:
    """Return whether an entry in the bag of such an object may become a member of it."""
    return not is_mark(key) and not (issubclass(cls, StorageRoot) and key in _HEAD)


def _is_pruned(cls: type[Shaped]) -> bool:
    return issubclass(cls, StorageObject) and cls.PRUNED


def _ways(
    root: type[Shaped], types: frozenset[type[Shaped]]
) -> Mapping[type[Shaped], Sequence[MemberShape]]:
    """Return, for every type below a root, the members that lead to objects of some types."""
    members = {cls: holders_of(cls).values() for cls in types_within(root)}
    leading: set[type[Shaped] | None] = {*types}
    grows = True
    while grows:
        more = {
            cls
            for cls, held in members.items()
            if cls not in leading and any(item.value.innermost in leading for item in held)
        }
        leading |= more
        grows = bool(more)
    return {
        cls: [item for item in held if item.value.innermost in leading]
        for cls, held in members.items()
    }


def mark_shown_extras(places: Places, root: Any, members: Members) -> bool:
    """Mark the extras in a document, so that they return to it; return whether there are any.

    No API server has pruned them. Call it before hidden extras are restored.
    """

    def mark(cls: Any, obj: Members) -> bool:
        own = obj.get(BAG_MEMBER) or {}
        shown = _extras(cls, obj)
        shown.extend(name for key, name in USER_KEYS.items() if key in own.get(cls.VERSION, ()))
        if shown:
            bag = PropertyBag(own)
            bag.put(cls.VERSION, SHOWN_KEY, [*sorted(shown)])
            obj[BAG_MEMBER] = bag
        return bool(shown)

    return _change(places, root, members, mark)


def hide_extras(places: Places, root: Any, members: Members) -> Hidden:
    """Take the extras off objects, except those that a document had; return them in bags."""
    hidden: Hidden = []

    def take(cls: Any, obj: Members) -> bool:
        version, extras = cls.VERSION, _extras(cls, obj)
        found = obj.get(BAG_MEMBER) or {}
        if not extras and version not in found:
            return False
        own = PropertyBag.own(found)
        names: frozenset[str] = frozenset()
        # A damaged mark is ignored, and stays for repair.
        if not wrong_mark(SHOWN_KEY, own.get(version, {}).get(SHOWN_KEY)):
            names = frozenset(own.take(version, SHOWN_KEY))
        waiting = {key_of(name): obj.pop(name) for name in extras if name not in names}
        if version in own:
            own.drop_all(version, frozenset(waiting))
        bag = PropertyBag({version: waiting} if waiting else ())
        for key, name in USER_KEYS.items():
            if name not in names and own.has(version, key):
                bag.put(version, key, own.take(version, key))
        if own:
            obj[BAG_MEMBER] = own
        else:
            obj.pop(BAG_MEMBER, None)
        if bag:
            hidden.append((obj, bag))
        return True

    _change(places, root, members, take)
    return hidden


def hide_in_bags(places: Places, root: Any, members: Members) -> None:
    """Put the extras that `hide_extras` takes off objects into their own bags."""
    for obj, bag in hide_extras(places, root, members):
        own = PropertyBag.clone(obj.get(BAG_MEMBER))
        own.put_all(bag)
        obj[BAG_MEMBER] = own


def _extras(cls: Any, obj: Members) -> list[str]:
    """Return the names of undeclared members."""
    known = members_of(cls)
    if obj.keys() <= known:
        return []
    found = [name for name in obj if name not in known and name not in _HELD]
    if STAND_IN not in "".join(found):  # there may be tens of thousands
        return found
    return [name for name in found if not (name.startswith(STAND_IN) and is_stand_in(obj[name]))]


def _change(places: Places, cls: Any, members: Members, change: _Change) -> bool:
    """Change the objects of the types in a tree, outermost first; return whether any was."""
    is_changed = cls in places.types and change(cls, members)
    for member in places.ways[cls]:
        value = members.get(member.name)
        if value is not None:
            made = _changed(places, member.value, value, change)
            if made is not None:
                members[member.name] = made
                is_changed = True
    return is_changed


def _changed(places: Places, shape: ValueShape, value: Any, change: _Change) -> Any:
    """Return a value with changed objects, with unions opened; None if nothing was changed."""
    if shape.type is not None:
        cls: Any = shape.type
        opened = cls.open_wire(value)
        return opened if _change(places, cls, opened, change) else None
    if shape.item is None:
        raise TypeError("a value that holds no objects does not lead to one")
    is_changed = False
    for key, item in [*(value.items() if type(value) is dict else enumerate(value))]:
        if item is not None:
            made = _changed(places, shape.item, item, change)
            if made is not None:
                value[key] = made
                is_changed = True
    return value if is_changed else None
