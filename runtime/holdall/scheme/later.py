"""Packages of API types that are imported when a type is used.

Importing `generated.GROUP.v1.storage` imports the package `generated.GROUP.v1` first, with all its
dataclasses, which converters do not need. Like `importlib.util.LazyLoader`, but importing a
submodule does not load the package.
"""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

from typing_extensions import override

_LOCK = threading.RLock()
_LOADING: set[str] = set()
_ENOUGH = frozenset(
    {
        "__class__",
        "__file__",
        "__loader__",
        "__name__",
        "__package__",
        "__path__",
        "__spec__",
        "storage",
    }
)
"""The attributes that do not load a package; it gets `storage` when that is imported."""


class _Later(ModuleType):
    @override
    def __getattribute__(self, name: str) -> Any:
        if name not in _ENOUGH:
            _load(self)
        return ModuleType.__getattribute__(self, name)  # loading changed its class


def import_later(package: str) -> None:
    """Import a package when one of its attributes is first used, unless it is imported already."""
    spec = find_spec(package) if package not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    module.__class__ = _Later
    sys.modules[package] = module
    parent, _, name = package.rpartition(".")
    setattr(sys.modules[parent], name, module)


def _load(module: ModuleType) -> None:
    with _LOCK:
        name = module.__name__
        spec = module.__spec__
        if type(module) is ModuleType or name in _LOADING or spec is None or spec.loader is None:
            return
        _LOADING.add(name)
        try:
            spec.loader.exec_module(module)
            module.__class__ = ModuleType
        finally:
            _LOADING.discard(name)
