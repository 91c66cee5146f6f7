"""Inspecting the source of hook modules, for mistakes that importing them does not show."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from holdall.engine.hooks import EXTRA_PREFIX
from holdall.engine.two_way import TwoWay
from holdall.errors import Problem
from holdall.suggest import closest, did_you_mean
from holdall.verification.behaviour import is_silent
from holdall.verification.methods import own_nodes
from holdall.verification.mistakes import mistake
from holdall.verification.places import Places, base_names, last_name, names_of
from holdall.verification.protocols import METHODS, poses
from holdall.verification.sources import HookSource

_FUNCTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "TwoWay": ("to_newer", "to_older"),
    "Completing": ("complete_newer", "complete_older"),
}
"""The functions of two-way hooks, by base class."""


def look_at_sources(sources: Sequence[HookSource]) -> list[Problem]:
    """Return mistakes that only the source shows.

    These are classes defined in functions, methods that are empty or hidden, and members that
    two-way hooks return but do not name.
    """
    return [problem for source in sources for problem in _look(Places(source))]


def _look(places: Places) -> Iterator[Problem]:
    for outer in ast.walk(places.tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(outer):
                if isinstance(node, ast.ClassDef) and any(map(poses, base_names(node))):
                    place = f"inside the function {outer.name}"
                    yield mistake("HA315", places.where(node), hook=node.name, place=place)
        elif isinstance(outer, ast.ClassDef):
            yield from _look_at_methods(places, outer)
            yield from _look_at_results(places, outer)


def _look_at_methods(places: Places, cls: ast.ClassDef) -> Iterator[Problem]:
    seen: set[str] = set()
    functions = {name for base in base_names(cls) for name in _FUNCTIONS.get(base, ())}
    for node in cls.body:
        if not isinstance(node, ast.FunctionDef) or node.name not in {*METHODS, *functions}:
            continue
        if node.name in functions and "abstractmethod" in map(last_name, node.decorator_list):
            continue
        if node.name in seen:
            parts = {"hook": cls.name, "method": node.name, "how": "more than once"}
            yield mistake("HA338", places.where(node), **parts)
        seen.add(node.name)
        if all(is_silent(statement) for statement in node.body):
            is_function = node.name in functions
            fix = "write what it returns; if that is nothing, write `return {}`"
            parts = {"fix": fix if is_function else "", "hook": cls.name, "method": node.name}
            yield mistake("HA337", places.where(node), **parts)


def _look_at_results(places: Places, cls: ast.ClassDef) -> Iterator[Problem]:
    """Yield members that a two-way hook returns, in a `return {...}`, but does not name."""
    if TwoWay.__name__ not in base_names(cls):
        return
    methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
    for side in ("older", "newer") if "__init__" not in methods else ():
        method, known = methods.get(f"to_{side}"), _names_of_side(cls, side)
        for node in own_nodes(method) if method is not None and known else ():
            for key in _returned(node.value) if isinstance(node, ast.Return) else ():
                if key.value not in known:
                    yield mistake(
                        "HA354",
                        places.where(key),
                        hook=cls.name,
                        method=f"to_{side}",
                        name=key.value,
                        side=side,
                        nearest=did_you_mean(closest(str(key.value), known)),
                    )


def _names_of_side(cls: ast.ClassDef, side: str) -> list[str]:
    """Return the names of `older` or `newer` if the class lists them, else none."""
    found: list[str] = []
    for node in cls.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and side in names_of(node):
            items = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else ()
            texts = [one.value for one in items if isinstance(one, ast.Constant)]
            found = [one.removeprefix(EXTRA_PREFIX) for one in texts if isinstance(one, str)]
            if len(found) < len(items):
                return []
    return found


def _returned(value: ast.expr | None) -> Iterator[ast.Constant]:
    """Yield the keys of a dictionary, or of both in a conditional expression."""
    if isinstance(value, ast.IfExp):
        yield from _returned(value.body)
        yield from _returned(value.orelse)
    elif isinstance(value, ast.Dict):
        for key in value.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key
