"""Checking a document against the declared types of its version.

Messages are those of the serializers that users of such reviews know, about the first problem in
document order. Source: docs/declared.md, "Reviews".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER
from holdall.objects.wire_forms import UNIT, close_tuple, close_union
from holdall.plan.declared import DeclaredType, DeclaredTypes, Member
from holdall.plan.plans import ListOf, MapOf, Opaque, Ref, Scalar, Type, TypeRef
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text.pointer import join
from holdall.types import RANGES, JsonValue, json_kind

Unknown: TypeAlias = Literal["drop", "keep", "error"]

_OF_BAGS: Final = frozenset({BAG_MEMBER, ORIGINAL_VERSION_MEMBER})
_CLOSE: Final[Mapping[str, Callable[[dict[str, Any]], Any]]] = {
    "union": close_union,
    "tuple": close_tuple,
}
_HEAD: Final = ("apiVersion", "kind")
_EXPECTED: Final = {"string": "a string", "boolean": "a boolean", "number": "f64"}
_WIDTHS: Final = {
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "uint": "usize",
}


Part: TypeAlias = tuple[str | int, Callable[..., Any], tuple[Any, ...]]
"""A part of a container: the step to it, its check, and the check's arguments."""


@dataclass(slots=True)
class _Opened:
    """A container whose parts are not checked yet: its result so far, and the parts in order."""

    made: Any
    parts: Iterator[Part]

    def put(self, step: str | int, value: JsonValue) -> None:
        if type(self.made) is list:
            self.made.append(value)
        else:
            self.made[step] = value


class Parser:
    """Checks values of one group, and locates the first wrong one.

    With `partial`, required members may be absent, and anything may be null. Checks of containers
    return them opened; `_checked` then walks with its own stack, because documents may be nested
    deeper than Python's call stack allows.
    """

    def __init__(self, types: DeclaredTypes, *, partial: bool = False) -> None:
        self._types = types
        self._partial = partial
        self._unknown: Unknown = "drop"

    def document(
        self, ref: TypeRef, document: Mapping[str, Any], unknown: Unknown
    ) -> dict[str, JsonValue]:
        """Return an object as its type declares it; `unknown` says whether undeclared members are
        left out, kept, or an error. Raises DecodeError for the first problem.

        Tracked values stay in the status, whatever that declares, and may be there alone.
        """
        self._unknown = unknown
        rest = {key: value for key, value in document.items() if key not in _HEAD}
        status = _members(rest.get("status"))
        if status.keys() == {CHANGED_VALUES}:
            del rest["status"]
        if not (self._partial and rest.get("metadata") is None):
            _require_metadata(rest)
        parsed: Any = _checked(self._object(self._types.types[ref], rest))
        if CHANGED_VALUES in status:
            kept = _members(parsed.get("status"))
            parsed["status"] = {**kept, CHANGED_VALUES: status[CHANGED_VALUES]}
        return {**{key: document[key] for key in _HEAD}, **parsed}

    def member(self, member: Member, value: JsonValue, depth: int = 0) -> None:
        """Check the value of a member, or of an element `depth` containers inside it."""
        if depth == 0:
            _checked(self._member(member, value))
            return
        type_ = member.type
        for _ in range(depth):
            if not isinstance(type_, (ListOf, MapOf)):
                return
            type_ = type_.item if isinstance(type_, ListOf) else type_.value
        _checked(self._item(type_, member, depth, value))

    def whole(self, type_: DeclaredType, value: JsonValue) -> None:
        """Check a whole value of a type."""
        _checked(self._named(type_, value))

    def _object(self, type_: DeclaredType, value: Any) -> _Opened:
        if type(value) is not dict:
            raise DecodeError(f"invalid type: {_shown(value)}, expected struct {type_.ref.name}")
        parsed: dict[str, JsonValue] = {}
        return _Opened(parsed, self._parts(type_, value, parsed))

    def _parts(
        self, type_: DeclaredType, value: dict[str, Any], parsed: dict[str, JsonValue]
    ) -> Iterator[Part]:
        for name, item in value.items():
            member = type_.members.get(name)
            if member is not None:
                yield name, self._member, (member, item)
            elif self._unknown == "keep":
                parsed[name] = item
            elif self._unknown == "error":
                known = ", ".join(f"`{known}`" for known in type_.members)
                text = f"unknown field `{name}`, expected one of {known}"
                raise DecodeError(text, join("", name))
        for member in type_.members.values():
            if member.required and member.name not in value and not self._partial:
                raise DecodeError(f"missing field `{member.name}`", join("", member.name))

    def _member(self, member: Member, value: Any) -> JsonValue | _Opened:
        if value is None and (member.nullable or self._partial):
            return None
        return self._value(member.type, member, 0, value)

    def _value(self, type_: Type, member: Member, depth: int, value: Any) -> JsonValue | _Opened:
        match type_:
            case Opaque():
                plain: JsonValue = value
                return plain
            case ListOf(item=inner):
                if type(value) is not list:
                    raise DecodeError(f"invalid type: {_shown(value)}, expected a sequence")
                return _Opened([], self._items(inner, member, depth + 1, enumerate(value)))
            case MapOf(value=inner):
                if type(value) is not dict:
                    raise DecodeError(f"invalid type: {_shown(value)}, expected a map")
                return _Opened({}, self._items(inner, member, depth + 1, value.items()))
            case Ref(type=ref):
                return self._named(self._types.types[ref], value)
            case Scalar():
                return _scalar(type_, member.format, value)

    def _items(
        self, type_: Type, member: Member, depth: int, items: Iterable[tuple[Any, Any]]
    ) -> Iterator[Part]:
        return ((step, self._item, (type_, member, depth, item)) for step, item in items)

    def _item(self, type_: Type, member: Member, depth: int, value: Any) -> JsonValue | _Opened:
        if value is None and (self._partial or depth in member.null_depths):
            return None
        return self._value(type_, member, depth, value)

    def _named(self, type_: DeclaredType, value: Any) -> JsonValue | _Opened:
        if type_.form == "union":
            return self._union(type_, value)
        if type_.form == "tuple":
            if type(value) is not list or len(value) != len(type_.members):
                count = len(type_.members)
                raise DecodeError(
                    f"invalid type: {_shown(value)}, expected a tuple of size {count}"
                )
            elements = zip(type_.members.values(), value, strict=True)
            parts = ((member.name, self._member, (member, item)) for member, item in elements)
            return _Opened([], parts)
        return self._object(type_, value)

    def _union(self, type_: DeclaredType, value: Any) -> JsonValue | _Opened:
        unit = type_.members[UNIT].type
        units = tuple(str(item) for item in unit.enum) if isinstance(unit, Scalar) else ()
        known = (*units, *(name for name in type_.members if name != UNIT))
        if type(value) is str:
            if value not in units:
                raise _unknown_variant(value, known)
            return value
        if type(value) is not dict or len(value) != 1:
            raise DecodeError(f"invalid type: {_shown(value)}, expected string or map")
        (name, payload), *_ = value.items()
        member = type_.members.get(name)
        if member is None or name == UNIT:
            raise _unknown_variant(name, known)
        return _Opened({}, iter([(name, self._member, (member, payload))]))


class StoredParser(Parser):
    """Checks values as they are in bags, with bags of their own inside."""

    def _named(self, type_: DeclaredType, value: Any) -> JsonValue | _Opened:
        if type(value) is dict and not _OF_BAGS.isdisjoint(value):
            members = {name: item for name, item in value.items() if name not in _OF_BAGS}
            value = _CLOSE.get(type_.form, dict)(members)
        return super()._named(type_, value)


def _checked(whole: JsonValue | _Opened) -> JsonValue:
    """Check all parts, and return the result; an error says where the wrong part is."""
    if not isinstance(whole, _Opened):
        return whole
    stack, steps = [whole], list[str | int]()
    try:
        while True:
            top = stack[-1]
            for step, check, arguments in top.parts:
                steps.append(step)
                found = check(*arguments)
                if type(found) is _Opened:
                    stack.append(found)
                    break
                top.put(steps.pop(), found)
            else:
                stack.pop()
                if not stack:
                    made: JsonValue = top.made
                    return made
                stack[-1].put(steps.pop(), top.made)
    except DecodeError as error:
        raise DecodeError(error.message, join("", *steps) + error.path) from None


def _require_metadata(members: Mapping[str, Any]) -> None:
    if "metadata" not in members:
        raise DecodeError("missing field `metadata`", "/metadata")
    if type(members["metadata"]) is not dict:
        shown = _shown(members["metadata"])
        raise DecodeError(f"invalid type: {shown}, expected struct ObjectMeta", "/metadata")


def _members(value: Any) -> dict[str, JsonValue]:
    return value if type(value) is dict else {}


def _scalar(type_: Scalar, format_: str, value: Any) -> JsonValue:
    kind = json_kind(value)
    fits = kind in type_.kinds or (kind == "integer" and "number" in type_.kinds)
    if not fits:
        raise DecodeError(f"invalid type: {_shown(value)}, expected {_expected(type_, format_)}")
    if kind == "integer" and format_ in RANGES:
        least, greatest = RANGES[format_]
        if not least <= value <= greatest:
            expected = _expected(type_, format_)
            raise DecodeError(f"invalid value: {_shown(value)}, expected {expected}")
    if type_.enum and value not in type_.enum:
        raise _unknown_variant(str(value), tuple(str(item) for item in type_.enum))
    scalar: JsonValue = value
    return scalar


def _expected(type_: Scalar, format_: str) -> str:
    if type_.enum:
        return "string or map"
    kind = type_.kinds[0]
    return _WIDTHS.get(format_, "i64") if kind == "integer" else _EXPECTED[kind]


def _unknown_variant(name: str, known: tuple[str, ...]) -> DecodeError:
    quoted = [f"`{item}`" for item in known]
    if len(quoted) > 2:
        expected = f"one of {', '.join(quoted)}"
    else:
        expected = " or ".join(quoted) or "no variants"
    return DecodeError(f"unknown variant `{name}`, expected {expected}")


def _shown(value: Any) -> str:
    match json_kind(value):
        case "null":
            return "null"
        case "boolean":
            return f"boolean `{'true' if value else 'false'}`"
        case "integer":
            return f"integer `{value}`"
        case "number":
            return f"floating point `{value}`"
        case "string":
            return f'string "{value}"'
        case "list":
            return "sequence"
        case _:
            return "map"
