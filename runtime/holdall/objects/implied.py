"""Members that equal absent ones, because they have their schema's default.

An API server fills them in, so they do not distinguish objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from holdall.objects.shapes import (
    MemberShape,
    Shaped,
    ValueShape,
    holds_objects,
    members_of,
    shape_of,
    types_within,
)
from holdall.text import json as _json


@cache
def members_to_look_at(cls: type[Shaped]) -> Mapping[str, MemberShape]:
    """Return the members of a type that may equal absent ones, or contain such members."""
    return {
        name: member
        for name, member in shape_of(cls).members.items()
        if member.defaults or holds_objects(member.value)
    }


def without_defaults(value: Any, shape: ValueShape, left_out: list[str] | None) -> Any:
    """Return a value without members that equal absent ones.

    Undeclared members are kept if `left_out` is None, otherwise left out and added to it.
    """
    cls: Any = shape.type
    if cls is not None and type(value) is dict:
        inner, names = members_to_look_at(cls), members_of(cls)
        if not inner and (left_out is None or value.keys() <= names):
            return value
        bare: dict[str, Any] = {}
        for name, held in value.items():
            if name in inner:
                member = inner[name]
                shown = without_defaults(held, member.value, left_out)
                if not (member.defaults and _is_default(shown, member)):
                    bare[name] = shown
            elif left_out is None or name in names:
                bare[name] = held
            else:
                left_out.append(name)
        return bare
    if shape.item is not None:
        if type(value) is list:
            return [without_defaults(item, shape.item, left_out) for item in value]
        if type(value) is dict:
            return {
                key: without_defaults(item, shape.item, left_out) for key, item in value.items()
            }
    return value


def is_filled_in(shown: Any, live: Any, shape: ValueShape) -> bool:
    """Return whether a value is another one with an API server's defaults filled in."""
    if shape.type is not None and type(shown) is dict and type(live) is dict:
        return are_filled_in(shown, live, shape_of(shape.type).members)
    item = shape.item
    if item is not None and type(shown) is list and type(live) is list:
        pairs = zip(shown, live, strict=False)
        return len(shown) == len(live) and all(is_filled_in(*pair, item) for pair in pairs)
    if item is not None and type(shown) is dict and type(live) is dict:
        return shown.keys() == live.keys() and all(
            is_filled_in(one, live[key], item) for key, one in shown.items()
        )
    return _json.equal(shown, live)


def is_default(live: Any, member: MemberShape) -> bool:
    """Return whether a value may be a default that an API server filled in."""
    return any(is_filled_in(default, live, member.value) for default in member.defaults)


def are_filled_in(
    shown: Mapping[str, Any], live: Mapping[str, Any], declared: Mapping[str, MemberShape]
) -> bool:
    """Return whether members are others with an API server's defaults filled in."""
    for name, value in live.items():
        if name in shown and _json.equal(shown[name], value):
            continue
        member = declared.get(name)
        if member is None:
            return False
        before = shown.get(name)
        if member.defaults and (name not in shown or (before is None and not member.nullable)):
            before = member.defaults[0]
        elif name not in shown:
            return False
        if not is_filled_in(before, value, member.value):
            return False
    return shown.keys() <= live.keys()


@cache
def has_defaults(cls: type[Shaped]) -> bool:
    """Return whether an API server fills in defaults in objects of a type, at any depth."""
    return any(
        member.defaults for held in types_within(cls) for member in shape_of(held).members.values()
    )


def before_defaults(
    live: dict[str, Any], declared: Mapping[str, MemberShape]
) -> Iterator[dict[str, Any]]:
    """Yield the possible members before an API server filled in defaults, if it did.

    It fills in absent members, and null ones that must not be null.
    """
    filled = [
        name
        for name, value in live.items()
        if name in declared
        and (member := declared[name]).defaults
        and is_filled_in(member.defaults[0], value, member.value)
    ]
    # Each alone, then all: a client may have written one of several defaults.
    alone = [[name] for name in filled]
    for left_out in (*alone, filled) if len(filled) > 1 else alone:
        yield {name: value for name, value in live.items() if name not in left_out}
    if nulls := {name: None for name in filled if not declared[name].nullable}:
        yield {**live, **nulls}
    bare = {
        name: without_defaults(value, declared[name].value, None) if name in declared else value
        for name, value in live.items()
    }
    if not _json.same(bare, live):
        yield bare


def _is_default(bare: Any, member: MemberShape) -> bool:
    if bare is None and not member.nullable:
        return True  # an API server replaces it
    return any(
        _json.equal(bare, without_defaults(item, member.value, [])) for item in member.defaults
    )
