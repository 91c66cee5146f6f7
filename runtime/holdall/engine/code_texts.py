"""The source of modules whose code decides what is kept, as it was when that was loaded.

Files may be replaced while a process runs, and then contain other code. They are only read here,
which takes microseconds; they are parsed when something is kept.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary


class ModuleText(NamedTuple):
    """The source of a module, and the package at which its relative imports begin."""

    text: str | bytes
    package: str


_KEPT: Final[WeakKeyDictionary[ModuleType, ModuleText | None]] = WeakKeyDictionary()


def keep_texts(module: str, without: str = "") -> None:
    """Keep the source of all loaded modules in the top-level package of one.

    Except those of the package `without`.
    """
    top = module.partition(".")[0]
    for name, loaded in [*sys.modules.items()]:
        is_left_out = bool(without) and f"{name}.".startswith(f"{without}.")
        is_own = name.partition(".")[0] == top and not is_left_out
        if is_own and isinstance(loaded, ModuleType) and loaded not in _KEPT:
            _KEPT[loaded] = _read(name)


def text_of(name: str) -> ModuleText | None:
    """Return the kept source of a module, or that found by an import; None without source."""
    loaded = sys.modules.get(name)
    return _KEPT[loaded] if isinstance(loaded, ModuleType) and loaded in _KEPT else _read(name)


def _read(name: str) -> ModuleText | None:
    try:
        loaded = sys.modules.get(name)
        spec: Any = (loaded and loaded.__spec__) or find_spec(name)
        return ModuleText(spec.loader.get_source(name), spec.parent)
    except (AttributeError, ImportError, OSError, SyntaxError, TypeError, ValueError):
        return None
