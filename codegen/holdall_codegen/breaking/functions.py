"""The functions that properties are converted by, as declarations name them."""

from __future__ import annotations

from holdall_codegen.model import NOWHERE
from holdall_codegen.plan.declared_facts import Key
from holdall_codegen.plan.model import PlannedEdge
from holdall_codegen.views.hook_import import functions_in


def functions_of(edge: PlannedEdge) -> dict[Key, tuple[str, ...]]:
    """Return the import paths of the functions that properties of an edge are converted by."""
    found: dict[Key, tuple[str, ...]] = {}
    for pair in edge.pairs:
        found["older", pair.older] = _named(pair.conversion)
    for default in edge.defaults:
        found[default.side, default.name] = _named(default.default)
    if edge.union is not None:
        found["older", ""] = _named(edge.union)
    return {key: paths for key, paths in found.items() if paths}


def _named(value: object) -> tuple[str, ...]:
    return tuple(path for path, _ in functions_in(value, NOWHERE))
