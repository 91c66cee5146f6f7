"""Fast checks that a value fits its declared type, made once for each type.

A value that fails such a check may still fit: a parser decides, and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from holdall.objects.per_type import PerType
from holdall.objects.wire_forms import UNIT
from holdall.plan.declared import DeclaredType, DeclaredTypes, Member
from holdall.plan.plans import ListOf, MapOf, Ref, Scalar, Type, TypeRef
from holdall.types import RANGES


class Fit(NamedTuple):
    """A value surely fits if its type is one of `kinds`, or if it passes the check."""

    kinds: frozenset[type]
    passes: Callable[[Any], bool]


_NULL: Final = frozenset({type(None)})
_NONE: Final[frozenset[type]] = frozenset()
_ANYTHING: Final = _NULL | {bool, int, float, str, list, dict}
_PYTHON: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


class Fits:
    """Makes the fits of one group's types. Values with bags in them never pass."""

    def __init__(self, types: DeclaredTypes) -> None:
        self._types = types.types
        self._made = PerType(self._make)

    def of_members(self, declared: DeclaredType) -> dict[str, Fit]:
        """Return the fit of each member; names of variants are not members."""
        members = declared.members.items()
        return {name: self._member(member) for name, member in members if name != UNIT}

    def of_type(self, ref: TypeRef) -> Fit:
        """Return the fit of a declared type."""
        return self._made.of(ref)

    def _make(self, ref: TypeRef) -> Iterator[Fit]:
        declared = self._types[ref]
        parts: dict[str, Fit] = {}
        make = {"union": _union, "tuple": _tuple}.get(declared.form, _object)
        yield Fit(_NONE, make(declared, parts))
        parts.update(self.of_members(declared))

    def _member(self, member: Member) -> Fit:
        return self._value(member.type, member, 0, nullable=member.nullable)

    def _value(self, type_: Type, member: Member, depth: int, *, nullable: bool) -> Fit:
        if isinstance(type_, Ref):
            kinds, passes = self.of_type(type_.type)
        elif isinstance(type_, Scalar):
            kinds, passes = _scalar(type_, member.format)
        elif isinstance(type_, (ListOf, MapOf)):
            container, inner = (
                (list, type_.item) if isinstance(type_, ListOf) else (dict, type_.value)
            )
            is_nullable = depth + 1 in member.null_depths
            item = self._value(inner, member, depth + 1, nullable=is_nullable)
            kinds, passes = _NONE, _all_in(container, item)
        else:
            kinds, passes = _ANYTHING, _never
        return Fit(kinds | _NULL if nullable else kinds, passes)


def _never(_: Any) -> bool:
    return False


def _scalar(type_: Scalar, format_: str) -> Fit:
    kinds = frozenset(cls for kind in type_.kinds for cls in _PYTHON[kind])
    if type_.enum:
        known = {text for text in type_.enum if isinstance(text, str) and str in kinds}
        return Fit(_NONE, lambda value: type(value) is str and value in known)
    if format_ in RANGES and int in kinds:
        least, greatest = RANGES[format_]
        return Fit(kinds - {int}, lambda value: type(value) is int and least <= value <= greatest)
    return Fit(kinds, _never)


def _all_in(container: type, item: Fit) -> Callable[[Any], bool]:
    kinds, passes = item

    def fits(value: Any) -> bool:
        if type(value) is not container:
            return False
        parts: Any = value
        for one in parts if container is list else parts.values():  # all() takes twice as long
            if type(one) not in kinds and not passes(one):
                return False
        return True

    return fits


def _object(declared: DeclaredType, parts: dict[str, Fit]) -> Callable[[Any], bool]:
    required = {name for name, member in declared.members.items() if member.required}

    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name in parts:
            if name in value:
                one = value[name]
                if type(one) not in parts[name].kinds and not parts[name].passes(one):
                    return False
            elif name in required:
                return False
        return True

    return fits


def _tuple(declared: DeclaredType, parts: dict[str, Fit]) -> Callable[[Any], bool]:
    count = len(declared.members)

    def fits(value: Any) -> bool:
        if type(value) is not list or len(value) != count:
            return False
        for one, (kinds, passes) in zip(value, parts.values(), strict=True):
            if type(one) not in kinds and not passes(one):
                return False
        return True

    return fits


def _union(declared: DeclaredType, parts: dict[str, Fit]) -> Callable[[Any], bool]:
    unit = declared.members[UNIT].type
    units = frozenset(unit.enum) if isinstance(unit, Scalar) else frozenset()

    def fits(value: Any) -> bool:
        if type(value) is str:
            return value in units
        if type(value) is not dict or len(value) != 1:
            return False
        (name,) = value
        if name not in parts:
            return False
        return type(value[name]) in parts[name].kinds or parts[name].passes(value[name])

    return fits
