"""Storage twins that read their members from JSON as a hook asks for them.

A hook works on twins, but mostly looks at a few members of a large object: the others are neither
read nor written. Such a twin is an instance of a subclass; to the hook it is of the type itself.
"""

from __future__ import annotations

from typing import Any, Final

from holdall.engine.hook_values import require_value
from holdall.objects.bag import PropertyBag
from holdall.objects.base import Lifted, StorageObject, new
from holdall.objects.shapes import shape_of
from holdall.text import json as _json
from holdall.types import JsonObject

_CONTAINERS: Final = frozenset({dict, list})
_SCALARS: Final = frozenset({str, int, float, bool})
_put: Final = object.__setattr__

_TYPES: dict[type[StorageObject], LazyTwins] = {}


class NotLazy(Exception):
    """A hook did something that only an ordinary twin can take."""


def lazy_twins(cls: type[StorageObject]) -> LazyTwins:
    """Return what makes lazy twins of a type; it is kept."""
    found = _TYPES.get(cls)
    if found is None:
        found = _TYPES[cls] = LazyTwins(cls)
    return found


class LazyTwins:
    """Makes lazy twins of one type, and writes what a hook changed in them into their JSON."""

    __slots__ = ("_attributes", "_declared", "_type", "_values", "_view")

    def __init__(self, cls: type[StorageObject]) -> None:
        shape = shape_of(cls)
        self._type = cls
        self._declared = shape.names
        self._attributes = {attribute: name for name, attribute in shape.attributes.items()}
        self._values = {name: member.value for name, member in shape.members.items()}
        self._view = _subclass(cls, self._attributes, shape.names)

    def open(self, members: JsonObject, bag: PropertyBag | None) -> Any:
        """Return a twin of an object that stands in JSON, checked to be what the type reads."""
        twin: Any = new(self._view)
        _put(twin, "json_", members)
        _put(twin, "touched_", set())
        _put(twin, "property_bag", bag)
        return twin

    def settle(self, twin: Any) -> None:
        """Write what changed in a twin into its JSON members; the bag is left to the caller.

        Raises NotLazy, or DecodeError for what is not JSON.
        """
        members, touched = twin.json_, twin.touched_
        apart: Any = None
        for attribute in touched:
            name = self._attributes.get(attribute)
            if name is None:
                if attribute not in ("extra_", "property_bag"):
                    raise NotLazy(attribute)
                continue
            value = getattr(twin, attribute)
            if value is None:
                # A null stays: it is remembered beside the attribute.
                if members.get(name) is not None:
                    del members[name]
                continue
            require_value(self._values[name], value, name)
            if type(value) in _SCALARS:
                members[name] = value
            else:
                apart = self._type() if apart is None else apart
                setattr(apart, attribute, value)
        if apart is not None:
            lifted: Lifted = []
            members.update(apart.write_members(lifted))
            if lifted:
                raise NotLazy("property_bag")
        if "extra_" in touched:
            self._settle_extras(members, twin.extra_)

    def _settle_extras(self, members: JsonObject, extras: dict[str, Any]) -> None:
        for name, value in list(members.items()):
            if (value is None or name not in self._declared) and name not in extras:
                del members[name]
        checked: Any = _json.copy_checked(extras)
        for name, value in checked.items():
            if name not in self._declared or members.get(name) is None:
                members[name] = value


def _subclass(
    cls: type[StorageObject], attributes: dict[str, str], declared: frozenset[str]
) -> type[StorageObject]:
    """Return the subclass whose unset attributes are read from `json_`.

    `touched_` gathers the attributes that were set, or whose container somebody holds.
    """

    def __getattr__(self: Any, attribute: str) -> Any:
        name = attributes.get(attribute)
        value: Any
        if name is not None:
            value = self.json_.get(name)
            if type(value) in _CONTAINERS:
                part = cls.read_members({name: _json.copy_known(value)}, False)
                value = getattr(part, attribute)
                self.touched_.add(attribute)
        elif attribute == "extra_":
            value = {
                key: _json.copy_known(item)
                for key, item in self.json_.items()
                if item is None or key not in declared
            }
            self.touched_.add(attribute)
        else:
            text = f"{cls.__name__!r} object has no attribute {attribute!r}"
            raise AttributeError(text, name=attribute, obj=self)
        _put(self, attribute, value)
        return value

    def __setattr__(self: Any, attribute: str, value: Any) -> None:
        _put(self, attribute, value)
        self.touched_.add(attribute)

    members: dict[str, Any] = {
        "__slots__": ("json_", "touched_"),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        # Twins are equal if their classes are the same.
        "__class__": property(lambda self: cls),
        "__getattr__": __getattr__,
        "__setattr__": __setattr__,
    }
    return type(cls.__name__, (cls,), members)
