"""Packages of API types that are imported when someone asks for a type.

Importing `generated.GROUP.v1.storage` imports the package `generated.GROUP.v1` first, with all its
dataclasses. Converters need none of them. Like `importlib.util.LazyLoader`, but what the import of
a submodule looks at does not load the package.
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
"""What a package shows before it is loaded; it gets `storage` when that is imported."""


class _Later(ModuleType):
    @override
    def __getattribute__(self, name: str) -> Any:
        if name not in _ENOUGH:
            _load(self)
        return ModuleType.__getattribute__(self, name)  # it may be another class now


def import_later(package: str) -> None:
    """Let a package be imported when one of its attributes is used, unless it is imported."""
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
