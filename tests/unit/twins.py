"""Storage twins made in a line, for tests of what generated code calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from holdall.engine.edges import Crossing, TypeEdge
from holdall.engine.open_bag import OpenBag
from holdall.objects.bag import PropertyBag
from holdall.objects.base import StorageObject, WrongKind, new
from holdall.objects.codec import over_list, over_map, read_rest, write_bag, write_nested
from holdall.objects.serialization import UnknownMembers, bag_member, is_none, member
from holdall.objects.shapes import ValueShape, shape_of


def _read(shape: ValueShape, value: Any, stored: bool) -> Any:
    if shape.type is not None and issubclass(shape.type, StorageObject):
        return shape.type.read_members(value, stored)
    if shape.container == "list" and shape.item is not None:
        item = shape.item
        return over_list(value, lambda each: _read(item, each, stored))
    if shape.container == "map" and shape.item is not None:
        item = shape.item
        return over_map(value, lambda each: _read(item, each, stored))
    return value


def twin(version: str, name: str, members: Mapping[str, Any]) -> Any:
    """Return a twin whose members, by wire name, have these annotations; attributes are equal."""

    def read_members(cls: Any, found: Any, stored: bool = True) -> Any:
        if type(found) is not dict:
            raise WrongKind("object", found)
        this = new(cls)
        for wire, described in shape_of(cls).members.items():
            value = found.get(wire)
            read = None if value is None else _read(described.value, value, stored)
            setattr(this, described.attribute, read)
        this.property_bag = None
        read_rest(this, found, version, stored)
        return this

    def write_members(self: Any, lifted: Any = None) -> dict[str, Any]:
        written = {**self.extra_}
        for wire, described in shape_of(type(self)).members.items():
            value = getattr(self, described.attribute)
            if value is not None:
                plain = described.value.container == "value" or _holds_values(described.value)
                written[wire] = value if plain else write_nested(value, lifted)
        write_bag(self, written, version, lifted)
        return written

    fields: list[Any] = [
        (
            wire.replace("-", "_"),
            hint | None,
            dataclasses.field(default=None, metadata=member(wire, exclude=is_none)),
        )
        for wire, hint in members.items()
    ]
    fields.append(("extra_", UnknownMembers, dataclasses.field(default_factory=dict, repr=False)))
    hidden = dataclasses.field(default=None, repr=False, metadata=bag_member())
    fields.append(("property_bag", PropertyBag | None, hidden))
    return dataclasses.make_dataclass(
        name,
        fields,
        bases=(StorageObject,),
        namespace={
            "read_members": classmethod(read_members),
            "write_members": write_members,
            "__module__": __name__,
        },
        slots=True,
        kw_only=True,
    )


def _holds_values(shape: ValueShape) -> bool:
    return shape.item is not None and (shape.item.container == "value" or _holds_values(shape.item))


def edge(older: Any, newer: Any, **facts: Any) -> tuple[Crossing, Crossing]:
    """Return both directions of the edge of two twins, v1 and v2."""
    names = ("renamed", "only_older", "only_newer", "left_older", "left_newer")
    given: dict[str, Any] = {"renamed": {}, **dict.fromkeys(names[1:], ()), **facts}
    made = TypeEdge(("v1", older), ("v2", newer), **given)
    return made.to, made.back


def open_bag(source: Any, destination: Any, entries: Any = None) -> OpenBag:
    """Return a bag as it is while a source is converted."""
    bag = OpenBag({origin: dict(values) for origin, values in (entries or {}).items()})
    bag.source, bag.destination = source, destination
    bag.crossing, _ = edge(type(source), type(destination))
    return bag
