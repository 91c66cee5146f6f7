"""What is read of a generated package, kept until the package is imported again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def per_package(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return `read` with a memory: for each name of a package, the result for what has it now.

    After a generation the package may be imported again, or another project of the same name.
    """
    kept: dict[str, tuple[object, T]] = {}

    @wraps(read)
    def remembered(package: str) -> T:
        found = kept.get(package)
        if found is None or found[0] is not _import_of(package):
            result = read(package)  # which imports it, if nothing has
            found = kept[package] = _import_of(package), result
        return found[1]

    return remembered


def _import_of(package: str) -> Any:
    """Return what an import makes: a scheme, which a reload makes as well, or else the module."""
    module = sys.modules.get(package)
    return getattr(module, "SCHEME", module)
