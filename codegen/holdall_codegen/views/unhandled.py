"""Claims of hooks that no code path handles: what is claimed leaves the bag, so it is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from holdall.engine.hooks import BAG_PREFIX, EXTRA_PREFIX, Claims
from holdall.errors import Problem
from holdall.verification import NAMES, HookClass, Way, mistake
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedType
from holdall_codegen.project import Project
from holdall_codegen.views.hook_report import HookReport

_EXTRAS = "extra_"


def unhandled_claims(project: Project, report: HookReport) -> Iterator[Problem]:
    """Yield the claims that no path of a method handles.

    A property may be claimed for reading and not read if the way back computes it.
    """
    for point in report.points:
        if point.hook is not None:
            yield from _unhandled(point.hook, project.plans[point.package], point.edge)


@dataclass(frozen=True, slots=True)
class _Method:
    way: Way
    claims: Claims
    read: frozenset[str] | None
    written: frozenset[str] | None
    """The claims that the code handles at either end; None if that is unknown."""


def _unhandled(hook: HookClass, plan: GroupPlan, edge: PlannedEdge) -> Iterator[Problem]:
    if hook.claims_to is None or hook.claims_from is None:
        return
    older, newer = plan.type(edge.older), plan.type(edge.newer)
    to = _method(hook, "to", hook.claims_to, older, newer)
    back = _method(hook, "from", hook.claims_from, newer, older)
    for one, other in ((to, back), (back, to)):
        for name in _lacking(one.claims.writes, one.written):
            yield _mistake(hook, one.way, "write", name)
        computed = set(other.claims.writes) - set(_lacking(other.claims.writes, other.written))
        for name in _lacking(one.claims.reads, one.read):
            if name not in computed:
                yield _mistake(hook, one.way, "read", name)


def _lacking(claims: tuple[str, ...], handled: frozenset[str] | None) -> list[str]:
    return [
        name
        for name in claims
        if handled is not None and name not in handled and not name.startswith(BAG_PREFIX)
    ]


def _method(
    hook: HookClass, way: Way, claims: Claims, source: PlannedType, destination: PlannedType
) -> _Method:
    node = hook.method(way)
    if node is None or isinstance(node.body[-1], ast.Raise):
        return _Method(way, claims, None, None)
    return _Method(
        way,
        claims,
        _handled(node, "source", source, claims.reads),
        _handled(node, "destination", destination, claims.writes),
    )


def _handled(
    function: ast.AST, variable: str, type_: PlannedType, claims: tuple[str, ...]
) -> frozenset[str] | None:
    """Return the claims that code names at an object; None if the object is used as a whole."""
    names: set[str] = set()
    members = 0
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and _is(node.value, variable):
            names.add(node.attr)
        elif isinstance(node, ast.Call) and len(node.args) > 1 and _is(node.args[0], variable):
            word = node.args[1]
            if not isinstance(word, ast.Constant):
                return None
            names.add(str(word.value))
        else:
            continue
        members += 1
    if members < sum(_is(node, variable) for node in ast.walk(function)):
        return None
    attributes = {member.name: member.attribute for member in type_.members}
    return frozenset(
        name
        for name in claims
        if {name, attributes.get(name)} & names
        or (name.startswith(EXTRA_PREFIX) and {_EXTRAS, name[len(EXTRA_PREFIX) :]} & names)
    )


def _is(node: ast.AST, variable: str) -> bool:
    return isinstance(node, ast.Name) and node.id == variable


def _mistake(hook: HookClass, way: Way, duty: str, name: str) -> Problem:
    if duty == "write":
        fix = f'assign it, if only by `set_absent(destination, "{name}")`'
    else:
        fix = "read it, or let the other method compute it"
    return mistake(
        "HA350",
        hook.of_claim(way, f"{duty}s", name),
        fix=f"{fix}; else claim it in neither method: what is claimed leaves the bag",
        hook=hook.name,
        method=NAMES[way],
        duty=duty,
        name=name,
    )
