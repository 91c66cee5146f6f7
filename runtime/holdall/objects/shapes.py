"""The shape of a generated type, read from its fields by reflection, once per type."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    ForwardRef,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from holdall.text.pointer import join, split
from holdall.types import JsonValue, Members, json_kind


class Shaped:
    """The base of every generated type: its fields define its shape."""

    __slots__ = ()

    FORM = "object"

    if TYPE_CHECKING:
        extra_: dict[str, Any]

    @staticmethod
    def open_wire(value: Any) -> Any:
        """Return the members of a value on the wire, where unions and tuples are not objects."""
        return value

    @staticmethod
    def close_wire(members: Any) -> Any:
        """Return members in the form on the wire."""
        return members


@dataclasses.dataclass(frozen=True, slots=True)
class ValueShape:
    """The shape of a value: plain, one object, or a list or map of further shapes.

    `keys` are those of a list of type map, whose elements are objects.
    """

    container: Literal["value", "object", "list", "map"]
    type: type[Shaped] | None = None
    item: ValueShape | None = None
    keys: tuple[str, ...] = ()

    @property
    def innermost(self) -> Any:
        """The type of the objects in a value, at any depth; None if there are none."""
        return self.type if self.item is None else self.item.innermost


@dataclasses.dataclass(frozen=True, slots=True)
class MemberShape:
    """One declared member: wire name, Python attribute, value.

    `defaults` are what an API server fills in if the member is absent, or null unless it is
    `nullable`. An object with nothing but the member `alone` is not read. `said` are the values
    that documents of the type may have there as their version or kind.
    """

    name: str
    attribute: str
    value: ValueShape
    required: bool
    defaults: tuple[JsonValue, ...]
    nullable: bool
    alone: str = ""
    said: tuple[JsonValue, ...] = ()

    def is_left(self, value: Any) -> bool:
        """Return whether a value is not read."""
        return self.alone != "" and isinstance(value, Mapping) and value.keys() == {self.alone}


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """The declared members of a type, by wire name."""

    members: dict[str, MemberShape]
    attributes: dict[str, str]
    names: frozenset[str]


MISSING: Final = "required member is missing or null"
_SHAPES: dict[type, Shape] = {}
_HOLDERS: dict[type[Shaped], dict[str, MemberShape]] = {}
_OBJECT_SHAPES: dict[type, ValueShape] = {}


def shape_of(cls: type) -> Shape:
    """Return the shape of a generated type."""
    found = _SHAPES.get(cls)
    if found is None:
        views: dict[str, Any] | None = getattr(cls, "declared_", None)
        members = _read_fields(cls) if views is None else _read_view(views.values())
        attributes = {name: item.attribute for name, item in members.items()}
        found = _SHAPES[cls] = Shape(members, attributes, frozenset(members))
    return found


def object_shape(cls: type[Shaped]) -> ValueShape:
    """Return the shape of a value that is an object of a type."""
    found = _OBJECT_SHAPES.get(cls)
    if found is None:
        found = _OBJECT_SHAPES[cls] = ValueShape("object", cls)
    return found


def _read_fields(cls: type) -> dict[str, MemberShape]:
    fields = dataclasses.fields(cls)
    hints: dict[str, Any] = {field.name: field.type for field in fields}
    if not all(map(_is_resolved, hints.values())):
        hints = get_type_hints(cls)  # slow
    members: dict[str, MemberShape] = {}
    for field in fields:
        described = field.metadata.get("holdall")
        if described is None:
            continue
        members[described["name"]] = MemberShape(
            name=described["name"],
            attribute=field.name,
            value=_value_shape(hints[field.name], described["map_keys"]),
            required=field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING,
            defaults=(),
            nullable=_takes_none(hints[field.name]),
            alone=described["alone"],
            said=described["says"]
            or (() if field.default in (dataclasses.MISSING, None) else (field.default,)),
        )
    return members


def _read_view(declared: Iterable[Any]) -> dict[str, MemberShape]:
    return {
        item.name: MemberShape(
            name=item.name,
            attribute=item.attribute,
            value=item.shape,
            required=False,
            defaults=item.defaults,
            nullable=item.nullable,
        )
        for item in declared
    }


def _is_resolved(hint: Any) -> bool:
    """Return whether a hint has no type as text, as recursive types need."""
    return not isinstance(hint, (str, ForwardRef)) and all(map(_is_resolved, get_args(hint)))


def _takes_none(hint: Any) -> bool:
    inner = get_args(hint)
    return _takes_none(inner[0]) if get_origin(hint) is Annotated else type(None) in inner


def members_of(cls: type) -> frozenset[str]:
    """Return the wire names that a generated type declares."""
    return shape_of(cls).names


def type_at(root: type[Shaped], path: str) -> type[Shaped] | None:
    """Return the type of the object at a JSON Pointer or an address; None if it is not one."""
    shape: ValueShape | None = ValueShape("object", root)
    for segment in split(path):
        if shape is None:
            return None
        if shape.type is not None:
            member = shape_of(shape.type).members.get(segment)
            shape = member.value if member is not None else None
        else:
            shape = shape.item
    return shape.type if shape is not None else None


def member_at(cls: type[Shaped] | None, path: Sequence[str]) -> MemberShape | None:
    """Return the member at a path of wire names through objects; None if none is declared."""
    member: MemberShape | None = None
    for name in path:
        member = None if cls is None else shape_of(cls).members.get(name)
        cls = None if member is None else member.value.type
    return member


def list_shape(item: ValueShape, keys: tuple[str, ...]) -> ValueShape:
    """Return the shape of a list; keys belong to the list whose elements are objects."""
    return ValueShape("list", item=item, keys=() if item.type is None else keys)


def _value_shape(hint: Any, keys: tuple[str, ...]) -> ValueShape:
    origin = get_origin(hint)
    if origin is Annotated:
        return _value_shape(get_args(hint)[0], keys)
    if origin in (Union, UnionType):
        rest = [item for item in get_args(hint) if item is not type(None)]
        return _value_shape(rest[0], keys) if len(rest) == 1 else ValueShape("value")
    if origin is list:
        return list_shape(_value_shape(get_args(hint)[0], keys), keys)
    if origin is dict:
        return ValueShape("map", item=_value_shape(get_args(hint)[1], keys))
    if isinstance(hint, type) and issubclass(hint, Shaped):
        return ValueShape("object", type=hint)
    return ValueShape("value")


def holds_objects(shape: ValueShape) -> bool:
    """Return whether values of a shape contain or are objects of generated types."""
    return shape.type is not None or (shape.item is not None and holds_objects(shape.item))


def holders_of(cls: type[Shaped]) -> dict[str, MemberShape]:
    """Return the members of a type with objects at any depth, by wire name."""
    holders = _HOLDERS.get(cls)
    if holders is None:
        members = shape_of(cls).members
        holders = {name: member for name, member in members.items() if holds_objects(member.value)}
        _HOLDERS[cls] = holders
    return holders


def types_within(root: Any) -> set[Any]:
    """Return a type and all types of objects below it."""
    found = {root}
    work = [root]
    while work:
        for member in holders_of(work.pop()).values():
            held = member.value.innermost
            if held not in found:
                found.add(held)
                work.append(held)
    return found


def plain_object(value: Any) -> Any:
    """Return a value, converting a Mapping to a dict."""
    return dict(value) if type(value) is not dict and isinstance(value, Mapping) else value


def wrong_members(cls: type[Shaped], document: Any) -> Iterator[tuple[str, str]]:
    """Yield JSON Pointer and message of everything in `document` that the type cannot read.

    It has its own stack, because objects may be nested deeper than Python's call stack allows.
    """
    work: list[tuple[str, ValueShape | None, Any]] = [("", object_shape(cls), document)]
    while work:
        path, shape, value = work.pop()
        inner: list[tuple[str, ValueShape | None, Any]] = []
        if shape is None:
            yield path, value
        elif shape.type is not None:
            value = plain_object(shape.type.open_wire(value))
            if type(value) is not dict:
                yield path, f"expected {shape.type.FORM}, found {json_kind(value)}"
            elif foreign := [*foreign_heads(shape.type, value)]:
                yield from ((path + where, message) for where, message in foreign)
            else:
                for name, member in shape_of(shape.type).members.items():
                    held = value.get(name)
                    if held is not None:
                        if not member.is_left(held):
                            inner.append((join(path, name), member.value, held))
                    elif member.required and not (member.nullable and name in value):
                        inner.append((join(path, name), None, MISSING))
        elif shape.item is not None:
            noun = "list" if shape.container == "list" else "object"
            value = plain_object(value)
            if json_kind(value) != noun:
                yield path, f"expected {noun}, found {json_kind(value)}"
            else:
                items = enumerate(value) if noun == "list" else value.items()
                inner += ((join(path, key), shape.item, it) for key, it in items if it is not None)
        work.extend(reversed(inner))


def foreign_heads(cls: type[Shaped], document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield JSON Pointer and message of members that give a document another version or kind.

    A document without version and kind may have any.
    """
    for name, member in shape_of(cls).members.items():
        if member.said and name in document:
            found = document[name]
            if any(
                found == said and isinstance(found, bool) == isinstance(said, bool)
                for said in member.said
            ):
                continue
            if isinstance(found, (str, int, float)):
                shown, fix = _quoted(found), f"SCHEME.convert(document, to={cls.__name__})"
                fix = f"; read it with the class that it names, or convert it: {fix}"
            else:
                shown, fix = json_kind(found), ""
            yield (
                join("", name),
                f"expected {' or '.join(map(_quoted, member.said))}, found {shown}{fix}",
            )


def _quoted(value: JsonValue) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def objects_within(root: Shaped, path: str = "") -> Iterator[tuple[str, Shaped]]:
    """Yield JSON Pointer and object for an object and every generated object inside it.

    It has its own stack, because objects may be nested deeper than Python's call stack allows.
    """
    work: list[tuple[str, ValueShape, Any]] = [(path, object_shape(type(root)), root)]
    while work:
        place, shape, value = work.pop()
        if shape.container == "object":
            yield place, value
            inner: Iterable[tuple[str | int, ValueShape, Any]] = (
                (name, member.value, getattr(value, member.attribute, None))
                for name, member in holders_of(type(value)).items()
            )
        elif shape.item is not None:
            item = shape.item
            items = enumerate(value) if shape.container == "list" else value.items()
            inner = ((key, item, each) for key, each in items)
        else:
            continue
        work.extend(
            (join(place, key), held, each)
            for key, held, each in reversed([*inner])
            if each is not None
        )


def members_within(value: Any, shape: ValueShape) -> Iterator[tuple[type[Any], Members]]:
    """Yield type and members of each object in a JSON value of a shape, outer ones first.

    Equal values yield them in the same order, whatever the order of keys in a map. Skips what does
    not fit the shape, and undeclared members.
    """
    work: list[tuple[Any, ValueShape]] = [(value, shape)]
    while work:
        value, shape = work.pop()
        if shape.type is not None:
            if type(value) is dict:
                yield shape.type, value
                holders = holders_of(shape.type)
                work += [(value[name], holders[name].value) for name in holders if name in value]
        elif shape.item is not None:
            items: Iterable[Any] = ()
            if shape.container == "list" and type(value) is list:
                items = value
            elif shape.container == "map" and type(value) is dict:
                items = [value[key] for key in sorted(value)]
            work += [(item, shape.item) for item in items]
