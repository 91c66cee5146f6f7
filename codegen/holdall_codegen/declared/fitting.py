"""Whether a default that a declaring class gives is a value of its type."""

from __future__ import annotations

from collections.abc import Iterable

from holdall.types import JsonValue, json_kind
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.raw import ItemType
from holdall_codegen.declared.shapes import Shapes
from holdall_codegen.declared.types import (
    RANGES,
    DeclType,
    DictOf,
    ListOf,
    Named,
    OptionalOf,
    Scalar,
    describe,
)


def misfit(value: JsonValue, type_: ItemType, shapes: Shapes, version: VersionName) -> str:
    """Say why a JSON value does not fit a type in a version; empty if it does, or if unknown.

    Types of someone else and type parameters take any value.
    """
    match type_:
        case OptionalOf(item):
            return "" if value is None else misfit(value, item, shapes, version)
        case Scalar():
            return _scalar(value, type_)
        case ListOf(item):
            if not isinstance(value, list):
                return _wrong(value, type_)
            return _first(misfit(inner, item, shapes, version) for inner in value)
        case DictOf(item):
            if not isinstance(value, dict):
                return _wrong(value, type_)
            return _first(misfit(inner, item, shapes, version) for inner in value.values())
        case tuple():
            if not isinstance(value, list) or len(value) != len(type_):
                return f"{json_kind(value)} is not a list of {len(type_)}"
            pairs = zip(value, type_, strict=True)
            return _first(misfit(inner, part, shapes, version) for inner, part in pairs)
        case Named(name):
            return _container(value, type_, name, shapes, version)
        case _:
            return ""


def _container(
    value: JsonValue, type_: Named, name: str, shapes: Shapes, version: VersionName
) -> str:
    shape = shapes.by_name.get(name)
    if shape is None or version not in shape.versions:
        return ""
    members = {state.json_name: (item, state) for item, state in shape.present(version)}
    if shape.container.form == "union":
        if isinstance(value, str):
            known = [one for one, (_, state) in members.items() if state.type is None]
            return "" if value in known else f'"{value}" is not a bare variant of {name}'
        if not isinstance(value, dict) or len(value) != 1:
            return _wrong(value, type_)
        (variant, payload), *_ = value.items()
        if variant not in members or members[variant][1].type is None:
            return f'"{variant}" is not a variant of {name} with a payload'
        return misfit(payload, members[variant][1].type, shapes, version)
    if not isinstance(value, dict):
        return _wrong(value, type_)
    for one in value:
        if one not in members:
            return f'{name} has no field "{one}"'
    for one, (item, state) in members.items():
        if one not in value and not item.has_default and not isinstance(state.type, OptionalOf):
            return f'"{one}" of {name} is missing'
    return _first(
        misfit(inner, members[one][1].type, shapes, version) for one, inner in value.items()
    )


def _scalar(value: JsonValue, type_: Scalar) -> str:
    kinds: dict[str, tuple[type, ...]] = {"bool": (bool,), "str": (str,), "float": (float, int)}
    if type(value) not in kinds.get(type_.width, (int,)):
        return _wrong(value, type_)
    low, high = RANGES.get(type_.width, (0, 0))
    if type_.width in RANGES and isinstance(value, int) and not low <= value <= high:
        return f"{value} is not within {low} and {high}"
    return ""


def _wrong(value: JsonValue, type_: DeclType) -> str:
    return f"{json_kind(value)} is not {describe(type_)}"


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
