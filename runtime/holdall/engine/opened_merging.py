"""Merging objects that were shown as open JSON, which was edited since.

Open JSON has no bags. An object that is certainly the same keeps its bag: under the same members
and keys, and in a list as `same_elements` finds it. Source: docs/conversions.md, "Residue and
agreement".
"""

from __future__ import annotations

from typing import Any, Final

from holdall.engine.element_names import guessed_names, names_of
from holdall.engine.same_elements import same_elements
from holdall.engine.uncertain import count_lost
from holdall.objects.bag import BAG_MEMBER, USER_KEYS, PropertyBag
from holdall.objects.shapes import ValueShape, holders_of
from holdall.objects.stored_forms import bare_value
from holdall.text import json as _json

_USER_KEYS: Final = frozenset(USER_KEYS)


def with_bags(shape: ValueShape, kept: Any, made: Any) -> Any:
    """Return a value made from open JSON, with the bags of the kept one.

    Kept elements with bags that are not found are counted if there are new elements.
    """
    if kept is None or type(kept) is not type(made):
        return made
    if shape.type is not None:
        is_object = type(made) is dict and shape.type.FORM == "object"
        return _object(shape.type, kept, made) if is_object else made
    if shape.item is None:
        return made
    if type(made) is dict:
        return {key: with_bags(shape.item, kept.get(key), item) for key, item in made.items()}
    return _list(shape.item, kept, made, shape.keys) if type(made) is list else made


def _object(cls: Any, kept: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    made = {**made}
    if BAG_MEMBER in kept:
        bag = PropertyBag.clone(made.get(BAG_MEMBER))
        for origin, entries in kept[BAG_MEMBER].items():
            for key, value in entries.items():
                if origin != cls.VERSION or key not in _USER_KEYS:  # those were shown
                    bag.put(origin, key, value)
        if bag:
            made[BAG_MEMBER] = bag
    for name, member in holders_of(cls).items():
        if name in made:
            made[name] = with_bags(member.value, kept.get(name), made[name])
    return made


def _list(item: ValueShape, kept: list[Any], made: list[Any], keys: tuple[str, ...]) -> list[Any]:
    bared = [bare_value(item, one) for one in kept]
    before, now = (list(_json.canonical_each(side)) for side in (bared, made))
    found = _found(item, (bared, made), (before, now), keys)
    result = [*made]
    for old, at in found.items():
        result[at] = with_bags(item, kept[old], made[at])
    left = [old for old in range(len(kept)) if old not in found]
    if len(found) < len(made):
        count_lost(sum(not _json.same(bared[old], kept[old]) for old in left))
    return result


def _found(
    item: ValueShape,
    sides: tuple[list[Any], list[Any]],
    texts: tuple[list[bytes], list[bytes]],
    keys: tuple[str, ...],
) -> dict[int, int]:
    if item.type is None:
        return same_elements(*texts)
    if keys:
        old, new = (list(names_of(side, keys, item.type)) for side in sides)
        if all(all(names) and len({*names}) == len(names) for names in (old, new)):
            places = {name: at for at, name in enumerate(new)}
            return {at: places[name] for at, name in enumerate(old) if name in places}
    was, now = (guessed_names(side, item.type) for side in sides)
    return same_elements(
        *texts, old_names={at: name for name, at in reversed(was.items())}, new_names=now
    )
