"""Caching data of a generated package until the package is imported again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def per_package(read: Callable[[str], T]) -> Callable[[str], T]:
    """Cache `read` by package name, for the package that is imported now.

    After generating, the package may be imported again, or one of another project with its name.
    """
    kept: dict[str, tuple[object, T]] = {}

    @wraps(read)
    def remembered(package: str) -> T:
        found = kept.get(package)
        if found is None or found[0] is not _import_of(package):
            result = read(package)  # imports it if necessary
            found = kept[package] = _import_of(package), result
        return found[1]

    return remembered


def _import_of(package: str) -> Any:
    """Return an object that each import or reload makes again: the scheme, or else the module."""
    module = sys.modules.get(package)
    return getattr(module, "SCHEME", module)
