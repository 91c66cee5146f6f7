"""Checking a document against the declared types of its version.

The texts are those of the serializers that users of such reviews know: the first problem, in the
order of the document. Source: declared versions, section 6, check 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from holdall.computed import RANGES
from holdall.errors import DecodeError
from holdall.plans import ListOf, MapOf, Opaque, Ref, Scalar, Type, TypeRef
from holdall.strict.declared import DeclaredType, DeclaredTypes, Member
from holdall.tracking.entries import CHANGED_VALUES
from holdall.types import JsonValue, json_kind
from holdall.wire_forms import UNIT

Unknown: TypeAlias = Literal["drop", "keep", "error"]

_HEAD: Final = ("apiVersion", "kind")
_EXPECTED: Final = {"string": "a string", "boolean": "a boolean", "number": "f64"}
_WIDTHS: Final = {
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "uint": "usize",
}


class Parser:
    """Checks values of one group. With `partial` required members may be absent."""

    def __init__(self, types: DeclaredTypes, *, partial: bool = False) -> None:
        self._types = types
        self._partial = partial
        self._unknown: Unknown = "drop"

    def document(
        self, ref: TypeRef, document: Mapping[str, Any], unknown: Unknown
    ) -> dict[str, JsonValue]:
        """Return an object as its type declares it, members that are not declared as `unknown`
        says: left out, kept, or an error. Raises DecodeError that says what is wrong.

        What tracks values stays in the status, whatever that declares.
        """
        self._unknown = unknown
        rest = {key: value for key, value in document.items() if key not in _HEAD}
        if not (self._partial and rest.get("metadata") is None):
            _require_metadata(rest)
        parsed = self._object(self._types.types[ref], rest)
        if CHANGED_VALUES in (status := _members(rest.get("status"))):
            kept = _members(parsed.get("status"))
            parsed["status"] = {**kept, CHANGED_VALUES: status[CHANGED_VALUES]}
        return {**{key: document[key] for key in _HEAD}, **parsed}

    def _object(self, type_: DeclaredType, value: Any) -> dict[str, JsonValue]:
        if type(value) is not dict:
            raise DecodeError(f"invalid type: {_shown(value)}, expected struct {type_.ref.name}")
        parsed: dict[str, JsonValue] = {}
        for name, item in value.items():
            member = type_.members.get(name)
            if member is not None:
                parsed[name] = self._member(member, item)
            elif self._unknown == "keep":
                parsed[name] = item
            elif self._unknown == "error":
                known = ", ".join(f"`{known}`" for known in type_.members)
                raise DecodeError(f"unknown field `{name}`, expected one of {known}")
        for member in type_.members.values():
            if member.required and member.name not in value and not self._partial:
                raise DecodeError(f"missing field `{member.name}`")
        return parsed

    def _member(self, member: Member, value: Any) -> JsonValue:
        if value is None and (member.nullable or self._partial):
            return None
        return self._value(member.type, member.format, value)

    def _value(self, type_: Type, format_: str, value: Any) -> JsonValue:
        match type_:
            case Opaque():
                plain: JsonValue = value
                return plain
            case ListOf(item=inner):
                if type(value) is not list:
                    raise DecodeError(f"invalid type: {_shown(value)}, expected a sequence")
                return [self._item(inner, format_, item) for item in value]
            case MapOf(value=inner):
                if type(value) is not dict:
                    raise DecodeError(f"invalid type: {_shown(value)}, expected a map")
                return {key: self._item(inner, format_, item) for key, item in value.items()}
            case Ref(type=ref):
                return self._named(self._types.types[ref], value)
            case Scalar():
                return _scalar(type_, format_, value)

    def _item(self, type_: Type, format_: str, value: Any) -> JsonValue:
        return None if value is None else self._value(type_, format_, value)

    def _named(self, type_: DeclaredType, value: Any) -> JsonValue:
        if type_.form == "union":
            return self._union(type_, value)
        if type_.form == "tuple":
            if type(value) is not list or len(value) != len(type_.members):
                count = len(type_.members)
                raise DecodeError(
                    f"invalid type: {_shown(value)}, expected a tuple of size {count}"
                )
            members = type_.members.values()
            return [self._member(member, item) for member, item in zip(members, value, strict=True)]
        return self._object(type_, value)

    def _union(self, type_: DeclaredType, value: Any) -> JsonValue:
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
        return {name: self._member(member, payload)}


def _require_metadata(members: Mapping[str, Any]) -> None:
    if "metadata" not in members:
        raise DecodeError("missing field `metadata`")
    if type(members["metadata"]) is not dict:
        shown = _shown(members["metadata"])
        raise DecodeError(f"invalid type: {shown}, expected struct ObjectMeta")


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
