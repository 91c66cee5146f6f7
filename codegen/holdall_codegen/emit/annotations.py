"""Type annotations of generated fields, and the order in which classes can be written."""

from __future__ import annotations

from collections.abc import Mapping

from holdall_codegen.model import ListOf, MapOf, Opaque, Ref, Scalar, Type, Union
from holdall_codegen.plan.model import PlannedType

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def annotation(type_: Type, later: frozenset[str], *, nullable: bool = False) -> str:
    """Return the annotation of a value; types in `later` are not defined yet and quoted."""
    match type_:
        case Scalar():
            text = _SCALARS[type_.kind]
        case Union():
            text = " | ".join(_SCALARS[kind] for kind in type_.members)
        case Opaque():
            text = "Any"
        case Ref():
            text = type_.type_name
            if text in later:
                return f'"{text} | None"' if nullable else f'"{text}"'
        case ListOf():
            text = f"list[{annotation(type_.item, later, nullable=type_.item_nullable)}]"
        case MapOf():
            text = f"dict[str, {annotation(type_.value, later, nullable=type_.value_nullable)}]"
    return f"{text} | None" if nullable else text


def definition_order(types: Mapping[str, PlannedType]) -> list[PlannedType]:
    """Return the types, each after those it holds where there is no cycle, else by name."""
    done: dict[str, PlannedType] = {}
    active: set[str] = set()

    def visit(name: str) -> None:
        if name in done or name in active:
            return
        active.add(name)
        for held in sorted(types[name].type.held()):
            visit(held)
        active.discard(name)
        done[name] = types[name]

    for name in sorted(types):
        visit(name)
    return list(done.values())
