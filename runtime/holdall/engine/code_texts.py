"""The texts of modules whose code judges what is kept, as they were when that was loaded.

Their files may be replaced while a process runs, and then say what other code does. They are only
read, which takes microseconds: they are parsed where something is kept.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary


class ModuleText(NamedTuple):
    """The text of a module, and the package that its relative imports begin at."""

    text: str | bytes
    package: str


_KEPT: Final[WeakKeyDictionary[ModuleType, ModuleText | None]] = WeakKeyDictionary()


def keep_texts(module: str, without: str = "") -> None:
    """Keep the texts of all modules that are loaded from the top-level package of one.

    Not those of a package `without` which it is.
    """
    top = module.partition(".")[0]
    for name, loaded in [*sys.modules.items()]:
        is_left_out = bool(without) and f"{name}.".startswith(f"{without}.")
        is_own = name.partition(".")[0] == top and not is_left_out
        if is_own and isinstance(loaded, ModuleType) and loaded not in _KEPT:
            _KEPT[loaded] = _read(name)


def text_of(name: str) -> ModuleText | None:
    """Return the text of a module as it was kept, or as an import finds it; None without one."""
    loaded = sys.modules.get(name)
    return _KEPT[loaded] if isinstance(loaded, ModuleType) and loaded in _KEPT else _read(name)


def _read(name: str) -> ModuleText | None:
    try:
        loaded = sys.modules.get(name)
        spec: Any = (loaded and loaded.__spec__) or find_spec(name)
        return ModuleText(spec.loader.get_source(name), spec.parent)
    except (AttributeError, ImportError, OSError, SyntaxError, TypeError, ValueError):
        return None
