"""Converting drawn objects before serving: it shows mistakes such as a hook that raises."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from itertools import permutations
from typing import Final

from holdall.errors import ConversionError, Problem
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.cases import drawn_case
from holdall.testing.laws.choices import Everything
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject

CANNOT_CONVERT: Final = "HA825"
_DRAWN: Final = 5
_REFUSALS: Final = (ValueError, ArithmeticError)
"""What code may raise for values that it refuses, without being wrong."""


def try_conversions(scheme: Scheme, *, stacks: bool = False) -> Iterator[Problem]:
    """Yield, for each kind and pair of versions, why drawn objects do not convert; with `stacks`
    also the traceback.

    Code may refuse a value, as by ValueError, as long as others convert; other failures count.
    """
    subject = Subject(scheme)
    for kind in subject.kinds():
        served = subject.served(kind)
        objects = {version: [*_objects(subject, kind, version)] for version in served}
        for start, end in permutations(served, 2):
            failures = [_failure(scheme, item, end) for item in objects[start]]
            defects = [error for error in failures if error and not _is_refusal(error)]
            found = next(iter(defects or (failures if all(failures) else ())), None)
            if found is not None:
                fix = f"correct it; `holdall laws --kind {kind}` shows an object"
                where, why = f"{scheme.package} {kind}", f"{start} to {end}: {found}"
                stack = "".join(traceback.format_exception(found)) if stacks else ""
                yield Problem(CANNOT_CONVERT, where, why, fix, stack)


def _objects(subject: Subject, kind: str, version: str) -> Iterator[JsonObject]:
    yield subject.documents.root(Everything(), kind, version)
    for seed in range(_DRAWN):
        yield drawn_case(subject, kind, version, seed).api


def _failure(scheme: Scheme, document: JsonObject, end: str) -> ConversionError | None:
    try:
        scheme.convert(document, to=end)
    except ConversionError as error:
        return error
    return None


def _is_refusal(error: BaseException) -> bool:
    while error.__cause__ is not None:
        error = error.__cause__
    return isinstance(error, (*_REFUSALS, ConversionError))
