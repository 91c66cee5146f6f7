"""Finding and loading the functions that generated code calls by import path."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from types import CellType, FunctionType, ModuleType

from holdall.engine.failures import describe
from holdall.engine.functions import function
from holdall.errors import Problem
from holdall.verification.mistakes import mistake
from holdall.words import with_article


def check_functions(module: ModuleType) -> Iterator[Problem]:
    """Yield the functions of a generated module that cannot be loaded."""
    for path in functions_in(module):
        yield from check_function(path, module.__name__)


def functions_in(module: ModuleType) -> Iterable[str]:
    """Return the paths of all functions that a generated module names."""
    return dict.fromkeys(found.path for found in _functions_of(module))


def check_function(path: str, where: str) -> Iterator[Problem]:
    """Yield why a function cannot be loaded by its path, `package.module:name`."""
    try:
        found = function(path).load()
        if not callable(found):
            raise TypeError(f"it is {with_article(type(found).__name__)}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
        yield mistake("HA353", where, function=path, reason=describe(error))


def _functions_of(module: ModuleType) -> Iterator[function]:
    """Yield the references to functions anywhere in the values of a module.

    Generated code consists of values of holdall's classes, in containers and closures.
    """
    waiting: list[object] = [vars(module)]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, function):
            yield value
        elif isinstance(value, FunctionType):
            waiting += [value.__closure__, value.__defaults__]
        else:
            is_ours = type(value).__module__.startswith("holdall.")
            if isinstance(value, dict | list | tuple | CellType) or is_ours:
                waiting += gc.get_referents(value)
