"""Reading and writing the JSON of API types, by their fields; looked up once per type."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from holdall.errors import DecodeError
from holdall.objects.per_type import PerType
from holdall.objects.shapes import (
    MISSING,
    MemberShape,
    Shaped,
    ValueShape,
    foreign_heads,
    holds_objects,
    plain_object,
    shape_of,
)
from holdall.text.pointer import join
from holdall.types import json_kind

Act: TypeAlias = Callable[[Any], Any]
_ABSENT: Final = dataclasses.MISSING


class WrongKind(DecodeError):
    """A member has a value of another JSON kind than its type needs."""

    def __init__(self, expected: str, found: object) -> None:
        super().__init__(f"expected {expected}, found {json_kind(found)}")


def json_list(value: Any) -> list[Any]:
    """Return a value that has to be a JSON list."""
    if type(value) is not list:
        raise WrongKind("list", value)
    return value


def json_object(value: Any) -> dict[str, Any]:
    """Return a value that has to be a JSON object."""
    if type(value) is not dict and type(value := plain_object(value)) is not dict:
        raise WrongKind("object", value)
    found: dict[str, Any] = value
    return found


class Codec:
    """Reads and writes the objects of one API type.

    A required member is written even if it is None; an absent one with a default, such as the
    apiVersion of a document, gets that.
    """

    def __init__(self, cls: type[Shaped]) -> None:
        self._cls = cls
        self._close = None if cls.close_wire is Shaped.close_wire else cls.close_wire
        self._read: list[tuple[str, str, Any, Act | None]] = []
        self._nullable: set[str] = set()
        self._write: list[tuple[str, str, bool, Act | None]] = []
        self._may_be_left: list[MemberShape] = []
        self._has_head = False

    def look_within(self) -> None:
        """Find out how members are read and written; types may be recursive."""
        fields = {field.name: field for field in dataclasses.fields(self._cls)}  # type: ignore[arg-type]
        for name, member in shape_of(self._cls).members.items():
            attribute = member.attribute
            field = fields[attribute]
            required = field.metadata["holdall"]["required"]
            default = field.default if required else None
            if member.nullable:
                self._nullable.add(name)
            self._has_head |= bool(member.said)
            if member.alone:
                self._may_be_left.append(member)
            self._read.append((name, attribute, default, _reader(member.value)))
            self._write.append((name, attribute, required, _writer(member.value)))

    def read(self, value: Any) -> Any:
        """Return the object that JSON members describe. Raises DecodeError without a path."""
        cls = self._cls
        members = cls.open_wire(value)
        if type(members) is not dict and type(members := plain_object(members)) is not dict:
            raise WrongKind(cls.FORM, value)
        if self._has_head:
            for path, message in foreign_heads(cls, members):
                raise DecodeError(message, path)
        for left in self._may_be_left:
            if left.is_left(members.get(left.name)):
                rest = {name: item for name, item in members.items() if name != left.name}
                read = self.read(rest)
                read.extra_[left.name] = members[left.name]
                return read
        this: Any = object.__new__(cls)
        get = members.get
        known = 0
        for name, attribute, default, act in self._read:
            if (member := get(name)) is not None:
                known += 1
                setattr(this, attribute, member if act is None else act(member))
            elif default is _ABSENT and not (name in self._nullable and name in members):
                raise DecodeError(MISSING, join("", name))
            else:
                setattr(this, attribute, None if default is _ABSENT else default)
        this.extra_ = {} if known == len(members) else self._unread(members)
        return this

    def _unread(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return the members that the type does not declare, and declared ones that are null."""
        declared = shape_of(self._cls).members
        return {
            name: value for name, value in members.items() if value is None or name not in declared
        }

    def write(self, this: Any) -> Any:
        """Return the JSON of an object; values are shared with it."""
        if type(this) is not self._cls:
            return this.write_members()
        members = {**this.extra_}
        for name, attribute, required, act in self._write:
            if (value := getattr(this, attribute)) is not None:
                members[name] = value if act is None else act(value)
            elif required:
                members[name] = None
        close = self._close
        return members if close is None else close(members)


def _make_codec(cls: type[Shaped]) -> Iterator[Codec]:
    codec = Codec(cls)
    yield codec
    codec.look_within()


_CODECS: Final = PerType(_make_codec)


def codec_of(cls: type[Shaped]) -> Codec:
    """Return the codec of an API type."""
    return _CODECS.of(cls)


def _reader(shape: ValueShape) -> Act | None:
    """Return the reader of values of a shape; None if they need none."""
    if shape.type is not None:
        return codec_of(shape.type).read
    if shape.item is None:
        return None
    act = _reader(shape.item) if holds_objects(shape.item) else None
    if shape.container == "list":
        return json_list if act is None else _over_list(act, json_list)
    return json_object if act is None else _over_map(act, json_object)


def _writer(shape: ValueShape) -> Act | None:
    """Return the writer of values of a shape; None if they need none."""
    if shape.type is not None:
        return codec_of(shape.type).write  # one call per level: objects may be nested deeply
    if shape.item is None or not holds_objects(shape.item):
        return None
    act = _writer(shape.item)
    over = _over_list if shape.container == "list" else _over_map
    return None if act is None else over(act, _as_it_is)


def _as_it_is(value: Any) -> Any:
    return value


def _over_list(act: Act, checked: Act) -> Act:
    def over(value: Any) -> Any:
        return [None if item is None else act(item) for item in checked(value)]

    return over


def _over_map(act: Act, checked: Act) -> Act:
    def over(value: Any) -> Any:
        items = checked(value).items()
        return {key: None if item is None else act(item) for key, item in items}

    return over
