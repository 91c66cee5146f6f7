"""Metadata of `Annotated` that belongs to others, as generated code spells it again."""

from __future__ import annotations

import ast
import builtins
import sys
from types import ModuleType

from holdall_codegen.declared.source import Source
from holdall_codegen.model import Import, Metadata


def spell_metadata(node: ast.expr, source: Source) -> Metadata:
    """Return an expression of the declaring module with the imports that its names need.

    A name is imported from where its object is defined, else from the declaring module itself.
    """
    names = sorted({item.id for item in ast.walk(node) if isinstance(item, ast.Name)})
    found = (_import_of(name, source) for name in names)
    return Metadata(ast.unparse(node), tuple(item for item in found if item is not None))


def _import_of(name: str, source: Source) -> Import | None:
    if name not in source.namespace:
        return None if hasattr(builtins, name) else Import(source.module, name, name)
    value = source.namespace[name]
    if isinstance(value, ModuleType):
        return Import(value.__name__, "", name)
    module, own = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
    if own and getattr(sys.modules.get(module), own, None) is value:
        return Import(module, own, name)
    return Import(source.module, name, name)
