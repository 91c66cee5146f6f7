"""The imports of the runtime in generated code: one package, or one for each of its parts.

With parts the group has a module that collects their names, and the other modules import that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from holdall import generated
from holdall_codegen.emit.lines import Call, CodeLines, Expression, quoted
from holdall_codegen.plan.model import GroupPlan

RUNTIME_MODULE: Final = "runtime"
K8S_CLIENT: Final = frozenset({"MergesCrd", "TriesConversions"})
"""The names of `kinds.py` that concern API servers."""

# What generated code imports from each part of the runtime; all other names are from `runtime`.
_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "k8s_types": frozenset({"StorageRoot"}),
    "schema": frozenset(
        {"Object", "StorageObject", "StorageTuple", "StorageUnion", "Tuple", "Union"}
    ),
    "serialization": frozenset({"api_version_member", "member"}),
    "json": frozenset({"JsonObject", "UnknownMembers"}),
}
_NAMED: Final = re.compile(r"\bh\.([A-Za-z_]\w*)")


def import_runtime(group: GroupPlan, package: str) -> str:
    """Return the import of the runtime as `h`; `package` is the relative name of the group's."""
    if _replaced(group):
        return f"from {package} import {RUNTIME_MODULE} as h"
    return f"import {group.imports('runtime')} as h"


def _replaced(group: GroupPlan) -> dict[str, str]:
    """Return the import paths of the parts that the declaration replaces."""
    given = {} if group.declared is None else group.declared.imports
    return {part: given[part] for part in _PARTS if part in given}


def emit_runtime(group: GroupPlan, modules: Iterable[str]) -> str:
    """Return the body of the module that collects what `modules` name; "" without parts."""
    replaced = _replaced(group)
    if not replaced:
        return ""
    named = {name for text in modules for name in _NAMED.findall(text)}
    names = sorted(named.intersection(generated.__all__))
    found: dict[str, list[Expression]] = {}
    for name in names:
        path = next((replaced[part] for part in replaced if name in _PARTS[part]), None)
        found.setdefault(path or group.imports("runtime"), []).append(name)
    out = CodeLines()
    for path, items in sorted(found.items()):
        out.expression(f"from {path} import ", Call("(", items))
    out.line()
    out.expression("__all__ = ", Call("[", [quoted(name) for name in names], "]"))
    return out.text()
