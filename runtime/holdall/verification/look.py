"""A look at the text of hook modules, for mistakes that leave no trace when they are imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from holdall.errors import Problem
from holdall.verification.mistakes import mistake
from holdall.verification.places import Places
from holdall.verification.protocols import METHODS, poses
from holdall.verification.sources import HookSource


def look_at_sources(sources: Sequence[HookSource]) -> list[Problem]:
    """Return classes that are made in functions only, and methods that are empty or hidden."""
    return [problem for source in sources for problem in _look(Places(source))]


def _look(places: Places) -> Iterator[Problem]:
    for outer in ast.walk(places.tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(outer):
                if isinstance(node, ast.ClassDef) and any(_is_protocol(b) for b in node.bases):
                    yield mistake(
                        "HA315",
                        places.where(node),
                        fix="define it at the top level of its module",
                        hook=node.name,
                        place=f"inside the function {outer.name}",
                    )
        elif isinstance(outer, ast.ClassDef):
            yield from _look_at_methods(places, outer)


def _is_protocol(base: ast.expr) -> bool:
    return poses(base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", ""))


def _look_at_methods(places: Places, cls: ast.ClassDef) -> Iterator[Problem]:
    seen: set[str] = set()
    for node in cls.body:
        if not isinstance(node, ast.FunctionDef) or node.name not in METHODS:
            continue
        if node.name in seen:
            fix = "define it once, directly in the class"
            parts = {"hook": cls.name, "method": node.name, "how": "more than once"}
            yield mistake("HA338", places.where(node), fix=fix, **parts)
        seen.add(node.name)
        if all(_says_nothing(statement) for statement in node.body):
            fix = "write what it does; if nothing has to happen in this direction, say `return`"
            where = places.where(node)
            yield mistake("HA337", where, fix=fix, hook=cls.name, method=node.name)


def _says_nothing(node: ast.stmt) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)
