"""Whether values that functions return, or that were kept, are what their declared types say.

Groups without declared types have no answer to that: there anything fits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from holdall.errors import DecodeError, SchemeError
from holdall.types import JsonValue

if TYPE_CHECKING:
    from holdall.plan.declared import DeclaredType, DeclaredTypes
    from holdall.plan.parse import Parser

_Found: TypeAlias = "tuple[Parser, DeclaredType] | None"

Fits: TypeAlias = "Callable[[Any], bool]"

WHOLE: Final = ""
"""Instead of the name of a property: the value is that of the type itself."""


def misfit(
    cls: type, version: str, name: str, value: JsonValue, depth: int = 0
) -> DecodeError | None:
    """Say why a value does not fit a property of a twin, or of an element `depth` lists or maps
    inside it; None if it fits, or if nothing is declared about it.

    The path of the error starts at the value. That may have bags inside, as stored values have.
    """
    fits = obvious(cls, version).get(name) if depth == 0 else None
    if fits is not None and fits(value):
        return None
    found = _found(cls, version)
    return None if found is None else misfit_of(*found, name, value, depth)


def misfit_of(
    parser: Parser, declared: DeclaredType, name: str, value: JsonValue, depth: int = 0
) -> DecodeError | None:
    """Do what `misfit` does, with a declared type at hand."""
    member = declared.members.get(name)
    try:
        if name == WHOLE:
            parser.whole(declared, value)
        elif member is not None:
            parser.member(member, value, depth)
    except DecodeError as error:
        return error
    return None


def has_types(cls: type, version: str) -> bool:
    """Tell whether anything is declared about the values of a twin of a version."""
    return _found(cls, version) is not None


@cache
def _found(cls: type, version: str) -> _Found:
    from holdall.plan.parse import StoredParser
    from holdall.plan.plans import TypeRef

    package, _, module = cls.__module__.rpartition(".")[0].rpartition(".")
    # The modules of declared versions are called as they are.
    types = _types(package) if package and module == version else None
    declared = None if types is None else types.types.get(TypeRef(version, cls.__name__))
    return None if types is None or declared is None else (StoredParser(types), declared)


@cache
def obvious(cls: type, version: str) -> dict[str, Fits]:
    """Return what tells of most members without ado that a value is one."""
    from holdall.plan.parse import obvious_fits

    found = _found(cls, version)
    return {} if found is None else obvious_fits(found[1], WHOLE)


@cache
def _types(package: str) -> DeclaredTypes | None:
    from holdall.plan.declared import declared_types

    try:
        return declared_types(package)
    except SchemeError:
        return None
