"""What one object gives to another one that is live and does not have it yet."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, NamedTuple

from holdall.objects.bag import PropertyBag
from holdall.objects.base import Object
from holdall.objects.implied import is_default
from holdall.objects.shapes import shape_of
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.types import JsonValue


class Additions(NamedTuple):
    """What gives an object values, None if it says something else already; and entries of bags."""

    values: list[Callable[[], None]] | None
    entries: list[Callable[[], None]]


def additions_to(live: Any, given: Any, blank: Any, *, over_defaults: bool = False) -> Additions:
    """Return what gives a live object all that another one has beyond a blank one.

    A null of the live object says something, too; `over_defaults`, what servers fill in does not.
    """
    values: list[Callable[[], None]] | None = []
    entries: list[Callable[[], None]] = []
    for name, member in shape_of(type(live)).members.items():
        there, is_null = getattr(given, member.attribute), name in given.extra_
        base = None if blank is None else getattr(blank, member.attribute)
        was_null = blank is not None and name in blank.extra_
        if (there is None and not is_null) or (
            _written(there) == _written(base) and is_null == was_null
        ):
            continue
        here = getattr(live, member.attribute)
        added: list[Callable[[], None]] | None = []
        is_silent = here is None and name not in live.extra_
        if is_silent or (over_defaults and is_default(_written(here), member)):
            added = [partial(_set, live, name, member.attribute, there)]
        elif isinstance(here, Object) and isinstance(there, Object):
            added, inner = additions_to(here, there, base, over_defaults=over_defaults)
            entries += inner
        elif _written(here) != _written(there):
            added = None
        values = None if values is None or added is None else [*values, *added]
    for origin, key, value in bag_of(given).entries():
        if blank is None or not bag_of(blank).has(origin, key):
            entries.append(partial(put_missing, live, origin, key, value))
    return Additions(values, entries)


def _set(live: Any, name: str, attribute: str, value: Any) -> None:
    setattr(live, attribute, value)
    if value is None:
        live.extra_[name] = None


def put_missing(live: Any, origin: str, key: str, value: Any) -> None:
    """Keep an entry in the bag of an object that has none of its name."""
    bag = bag_of(live)
    if not bag.has(origin, key):
        bag.put(origin, key, value)
    live.property_bag = bag


def bag_of(twin: Any) -> PropertyBag:
    """Return the bag of a twin, an empty one if it has none."""
    return PropertyBag() if twin.property_bag is None else twin.property_bag


def _written(value: Any) -> Any:
    """Return a value with objects in it as JSON."""
    if isinstance(value, Object):
        return value.write_members()
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return value


def differ(
    value: JsonValue, given: StorageObject, live: StorageObject, shown: AbstractSet[str]
) -> bool:
    """Tell whether nothing of what is shown of a value is live, or something else is.

    Of lists and maps that differ the rest may be merged with what is live.
    """
    one, other = given.write_members([]), live.write_members([])
    both = shown & other.keys()
    if not both or isinstance(value, list):
        return not both
    plain = [name for name in both if not isinstance(one[name], list | dict)]
    return any(not _json.same(one[name], other[name]) for name in plain)
