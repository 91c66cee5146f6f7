"""Whether values that functions return, or that were kept, fit their declared types.

In groups without declared types, anything fits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from holdall.errors import DecodeError, SchemeError
from holdall.objects.bag import WHOLE_KEY
from holdall.plan.per_package import per_package
from holdall.types import JsonValue

if TYPE_CHECKING:
    from holdall.plan.declared import DeclaredType, DeclaredTypes
    from holdall.plan.fits import Fit, Fits
    from holdall.plan.parse import Parser

WHOLE: Final = WHOLE_KEY
"""Used as a property's name if the value is an object of the type itself."""


class _Checks(NamedTuple):
    types: DeclaredTypes
    parser: Parser
    fits: Fits


def misfit(
    cls: type, version: str, name: str, value: JsonValue, depth: int = 0
) -> DecodeError | None:
    """Return why a value does not fit a property of a twin, or an element `depth` lists or maps
    inside it; None if it fits, or if nothing is declared about it.

    The path of the error starts at the value, which may contain bags, as stored values do.
    """
    fit = fits_of(cls, version).get(name) if depth == 0 else None
    if fit is not None and (type(value) in fit.kinds or fit.passes(value)):
        return None
    found = _found(cls, version)
    return None if found is None else misfit_of(found[0].parser, found[1], name, value, depth)


def misfit_of(
    parser: Parser, declared: DeclaredType, name: str, value: JsonValue, depth: int = 0
) -> DecodeError | None:
    """Do what `misfit` does, given the declared type."""
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
    """Return whether anything is declared about the values of a twin of a version."""
    return _found(cls, version) is not None


@cache
def fits_of(cls: type, version: str) -> dict[str, Fit]:
    """Return the fast checks of members' values."""
    found = _found(cls, version)
    if found is None:
        return {}
    fits, declared = found[0].fits, found[1]
    return {**fits.of_members(declared), WHOLE: fits.of_type(declared.ref)}


@cache
def _found(cls: type, version: str) -> tuple[_Checks, DeclaredType] | None:
    from holdall.plan.plans import TypeRef

    package, _, module = cls.__module__.rpartition(".")[0].rpartition(".")
    # The modules of declared versions have the names of the versions.
    checks = _checks(package) if package and module == version else None
    declared = None if checks is None else checks.types.types.get(TypeRef(version, cls.__name__))
    return None if checks is None or declared is None else (checks, declared)


@per_package
def _checks(package: str) -> _Checks | None:
    from holdall.plan.declared import declared_types
    from holdall.plan.fits import Fits
    from holdall.plan.parse import StoredParser

    try:
        types = declared_types(package)
    except SchemeError:
        return None
    return _Checks(types, StoredParser(types), Fits(types))
