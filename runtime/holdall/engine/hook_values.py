"""What hooks make: plain JSON, or objects of the types that members have; all else is refused.

Else it would depend on the way out what becomes of it: a dict would hold a tuple, an encoder would
make a list of it, and NaN a null.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, Final

from holdall.engine.hooks import EXTRA_PREFIX, BagView, Claims
from holdall.errors import DecodeError
from holdall.objects.base import StorageObject
from holdall.objects.shapes import ValueShape, holds_objects, shape_of
from holdall.text import json as _json
from holdall.text.pointer import join

Act = Callable[[Any, Any, BagView], None]
_CONTAINERS: Final = {"list": list, "map": dict}
_NOTHING: Final = object()


def checked(act: Act, allowed: Claims, cls: type[StorageObject]) -> Act:
    """Return a hook method that fails if what it makes of a twin of `cls` is not JSON.

    It looks at what is claimed, and at what was assigned without a claim. What was assigned in a
    lazy twin is looked at when that is settled.
    """
    if hasattr(cls, "view"):
        return _settled(act)
    members = tuple(shape_of(cls).members.values())
    values_of = attrgetter(*(member.attribute for member in members), "extra_", "property_bag")
    places = tuple((member.value, join("", member.name)) for member in members)
    claimed = {name.removeprefix(EXTRA_PREFIX) for name in allowed.writes}
    claimed_at = {index for index, member in enumerate(members) if member.name in claimed}

    def check(source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        if type(destination) is not cls:
            act(source, destination, bag)
            return
        before, extras = values_of(destination), {**destination.extra_}
        act(source, destination, bag)
        after = values_of(destination)
        assigned = compress(range(len(places)), map(is_not, before, after))
        for index in sorted(claimed_at.union(assigned)):
            require_value(places[index][0], after[index], places[index][1])
        for name, value in destination.extra_.items():
            if name in claimed or value is not extras.get(name, _NOTHING):
                _json.copy_checked({name: value})

    return check


def _settled(act: Act) -> Act:
    """Return a hook method for views: they look at what was made when they are settled."""

    def settle(source: Any, destination: Any, bag: BagView) -> None:
        act(source, destination, bag)
        destination.settle()

    return settle


def require_value(shape: ValueShape, value: Any, path: str) -> None:
    """Raise DecodeError if the value of a member is not of its shape, or not JSON.

    Of plain values only the outermost container has to be that of the shape: twins read no deeper.
    """
    if value is None or (shape.container == "value" and type(value) is str and value.isascii()):
        return
    try:
        _require(shape, value, path)
    except RecursionError:
        raise DecodeError("it is nested too deeply, or holds itself", path) from None


def _require(shape: ValueShape, value: Any, path: str) -> None:
    if value is None:
        return
    if shape.type is not None:
        _require_object(shape.type, value, path)
        return
    container = _CONTAINERS.get(shape.container)
    if container is not None and type(value) is not container:
        raise DecodeError(f"expected {container.__name__}, found {type(value).__name__}", path)
    if shape.item is None or not holds_objects(shape.item):
        _json.copy_checked(value, path)
    elif type(value) is dict:
        _json.copy_checked(dict.fromkeys(value), path)
        for key, item in value.items():
            _require(shape.item, item, join(path, key))
    else:
        for index, item in enumerate(value):
            _require(shape.item, item, join(path, index))


def _require_object(cls: type[Any], value: Any, path: str) -> None:
    if not isinstance(value, cls):
        expected, found = (f"{each.__module__}.{each.__name__}" for each in (cls, type(value)))
        raise DecodeError(f"expected {expected}, found {found}", path)
    for name, member in shape_of(cls).members.items():
        held = getattr(value, member.attribute)
        if held is not None:
            _require(member.value, held, join(path, name))
    if value.extra_:
        _json.copy_checked(value.extra_, path)
