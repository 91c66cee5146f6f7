"""How similar the types of two properties are: their members, values and formats."""

from __future__ import annotations

from collections.abc import Mapping

from holdall_codegen.model import (
    ListOf,
    MapOf,
    ObjectType,
    Opaque,
    Ref,
    Scalar,
    Type,
    Union,
    enum_values,
)
from holdall_codegen.propose.words import Names

NEUTRAL = 0.5
_DEPTH = 4


class Shapes:
    """Compares types of one older and one newer version."""

    def __init__(
        self, older: Mapping[str, ObjectType], newer: Mapping[str, ObjectType], names: Names
    ) -> None:
        self._older, self._newer, self._names = older, newer, names
        self._known: dict[tuple[str, str], float] = {}

    def likeness(self, older: Type, newer: Type, depth: int = 0) -> float:
        """Return how similar two types are: 1 equal, 0.5 undecided, 0 cannot be the same."""
        match older, newer:
            case Scalar(), Scalar():
                return _scalars(older, newer)
            case Union(), Union():
                return 0.7 if set(older.members) == set(newer.members) else 0.4
            case ((Scalar() | Union()), (Scalar() | Union())):
                return 0.4
            case Opaque(), _:
                return NEUTRAL if isinstance(newer, Opaque) else 0.3
            case _, Opaque():
                return 0.3
            case Ref(), Ref():
                return self._objects(older.type_name, newer.type_name, depth)
            case ListOf(), ListOf():
                return self.likeness(older.item, newer.item, depth)
            case MapOf(), MapOf():
                return self.likeness(older.value, newer.value, depth)
            case _:
                return 0.0

    def _objects(self, older: str, newer: str, depth: int) -> float:
        key = older, newer
        if key in self._known:
            return self._known[key]
        if depth >= _DEPTH:
            return NEUTRAL
        before = {item.name: item.type for item in self._older[older].properties}
        after = {item.name: item.type for item in self._newer[newer].properties}
        if not before or not after:
            return NEUTRAL if bool(before) == bool(after) else 0.3
        self._known[key] = NEUTRAL
        points = 0.0
        for name, type_ in before.items():
            if name in after:
                found = self.likeness(type_, after[name], depth + 1)
                points += found if isinstance(type_, Ref | ListOf | MapOf) else min(1.0, found * 2)
        union = len(before.keys() | after.keys())
        smaller = min(len(before), len(after))
        self._known[key] = (points / union + points / smaller) / 2
        return self._known[key]


def texts_of(type_: Type) -> tuple[str, ...]:
    """Return the values of an enum of strings, in lists and maps, too; empty if there is none."""
    return tuple(value for value in enum_values(type_) if isinstance(value, str) and value)


def folded(value: str) -> str:
    """Return a value of an enum without case, dashes and blanks."""
    return "".join(char for char in value.casefold() if char.isalnum())


def _scalars(older: Scalar, newer: Scalar) -> float:
    if older.kind != newer.kind:
        return 0.4 if {older.kind, newer.kind} == {"integer", "number"} else 0.0
    before = {folded(value) for value in texts_of(older)}
    after = {folded(value) for value in texts_of(newer)}
    if before and after:
        return len(before & after) / min(len(before), len(after)) if before & after else 0.0
    if before or after:
        return 0.4
    if older.format and newer.format:
        return 0.7 if older.format == newer.format else 0.3
    return NEUTRAL if older.format == newer.format else 0.4
