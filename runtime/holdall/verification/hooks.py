"""The hooks of a package: found among its imported classes, and verified."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Final

from holdall.engine.hook_points import HookPoint, LinkEnd, declared_claims
from holdall.engine.hooks import Claims, SharedHook
from holdall.engine.two_way import TwoWay
from holdall.errors import Problem
from holdall.suggest import did_you_mean
from holdall.verification.classes import HookChecks
from holdall.verification.found import FoundClass, Verdict, near_method
from holdall.verification.mistakes import FIX_OF_RENAMED, UNWRITTEN, mistake
from holdall.verification.modules import ImportedHooks
from holdall.verification.places import FunctionNode, Places, base_names, names_of, statements
from holdall.verification.protocols import (
    METHODS,
    NAMES,
    Protocols,
    Way,
    definition,
    dotted,
    poses,
    spelling,
)

_MAKES: Final = ("from", "to")
"""The directions in which a hook makes members of the older version, and of the newer one."""
_INDENTED_CLASS: Final = re.compile(r"^[ \t]+class\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HookClass:
    """A hook without mistakes, although it may not be written yet.

    The claims are None for a hook composed of parts, because each part has its own.
    """

    module: str
    name: str
    point: HookPoint
    claims_to: Claims | None
    claims_from: Claims | None
    cls: type = field(compare=False, repr=False)
    instance: object = field(compare=False, repr=False)
    _places: Places = field(compare=False, repr=False)

    @property
    def file(self) -> str:
        return self._places.file

    @property
    def line(self) -> int:
        """The line of the class; looked up in the source."""
        return int(self._places.of_class(self.cls).rpartition(":")[2])

    def method(self, way: Way) -> FunctionNode | None:
        """Return the syntax tree of one direction's method, if the class itself defines it."""
        return self._places.function_node(self.cls, NAMES[way])

    def of_claim(self, way: Way, keyword: str, claim: str) -> str:
        """Return `file:line` of a claim."""
        return self._places.of_claim(self.cls, NAMES[way], keyword, claim)


def verify_hooks(
    imported: ImportedHooks,
    points: Sequence[HookPoint],
    group_packages: Sequence[str],
    is_foreign: Callable[[str], bool] = lambda _: False,
) -> tuple[list[HookClass], list[Problem]]:
    """Return the hooks without mistakes, and all mistakes, ordered by file and line.

    `points` are all hook points of the groups whose generated packages `group_packages` names
    and whose hooks were imported. `is_foreign` says which dotted names belong to groups that are
    verified separately: their hooks are skipped. Raises nothing.
    """
    protocols = Protocols(points, group_packages, is_foreign)
    checks = HookChecks(protocols)
    found = [
        checks.find(cls, module, places)
        for module, places, classes in imported.modules
        for cls in classes
    ]
    problems = [*imported.problems]
    judged = [(cls, checks.judge(cls)) for cls in found]
    for cls, verdict in judged:
        verdict.problems += _check_hidden(cls)
        problems += verdict.problems
    for module, places, classes in imported.modules:
        problems += _check_beside(module, places, classes)
    used = {name for cls in found for name in cls.pretenders}
    problems += _check_missing(imported, protocols, used)
    bound = [(cls, verdict, point) for cls, verdict in judged for point in verdict.points]
    problems += _check_single(bound)
    problems += _check_needed(points, {dotted(point) for cls in found for point in cls.points})
    hooks = [
        HookClass(
            cls.module.__name__,
            cls.name,
            point,
            verdict.claims.get("to"),
            verdict.claims.get("from"),
            cls.cls,
            verdict.instance,
            cls.places,
        )
        for cls, verdict, point in bound
        if all(problem.code == UNWRITTEN for problem in verdict.problems)
    ]
    if all(problem.code == UNWRITTEN for problem in problems):  # else hooks are missing
        problems += _check_links(points, hooks)
    order = {places.file: index for index, (_, places, _) in enumerate(imported.modules)}
    problems.sort(key=lambda problem: _position(problem, order))
    return hooks, problems


def _check_links(points: Iterable[HookPoint], hooks: Iterable[HookClass]) -> Iterator[Problem]:
    """Yield two-way hooks that make one end of a skip link, if no hook makes the other.

    What comes from the other end passes the versions between in the bag. The hook would replace it
    by what it makes of something else.
    """
    bound = {hook.point: hook for hook in hooks}
    makers: dict[str, list[tuple[HookClass | None, int, LinkEnd]]] = {}
    for point in points:
        for side, ends in enumerate(point.links):
            for end in ends:
                hook = bound.get(point)
                is_made = hook is not None and end.name in _made(hook, side)
                makers.setdefault(end.link, []).append((hook if is_made else None, side, end))
    for found in makers.values():
        # The end that a hook makes comes last.
        (other, _, opposite), *rest = sorted(found, key=lambda maker: maker[0] is not None)
        if other is not None or len(rest) != 1:
            continue
        hook, side, end = rest[0]
        if hook is not None and end.name in _made(hook, side, only=TwoWay):
            versions = hook.point.older_version, hook.point.newer_version
            yield mistake(
                "HA357",
                f"{hook.file}:{hook.line}",
                fix="" if opposite.name == end.name else FIX_OF_RENAMED.format(between=end.between),
                hook=hook.name,
                name=end.name,
                version=versions[side],
                opposite=versions[1 - side],
                far=end.far,
                between=end.between,
            )


def _made(hook: HookClass, side: int, only: type = object) -> set[str]:
    """Return the members of a side that parts of a hook make, or those of one type."""
    return {
        name
        for act, claims in declared_claims(hook.instance, _MAKES[side])
        if isinstance(getattr(act, "__self__", None), only)
        for name in claims.properties(claims.writes)
    }


def _check_hidden(found: FoundClass) -> Iterator[Problem]:
    """Yield a hook whose name in its module no longer refers to it."""
    cls = found.cls
    if "." in cls.__qualname__ or getattr(found.module, cls.__name__, None) is cls:
        return
    if not (found.points or found.pretenders):
        return
    again = [n for n in found.places.tree.body if cls.__name__ in names_of(n)]
    if len(again) > 1:
        yield found.mistake("HA318", line=again[-1].lineno)
    else:
        reason, fix = "its decorator replaces it", "remove the decorator"
        yield found.mistake("HA319", fix=fix, reason=reason)


def _check_beside(module: ModuleType, places: Places, classes: Sequence[type]) -> Iterator[Problem]:
    """Yield code outside the classes of a module that has no effect as a hook."""
    # If no class is indented, nothing is parsed, so that servers start faster.
    body = places.tree.body if _INDENTED_CLASS.search(places.source.text) else []
    made = {cls.__name__ for cls in classes}
    for node in statements(body):
        if not isinstance(node, ast.ClassDef) or node.name in made or node in body:
            continue
        if any(map(poses, base_names(node))):
            parts = {"hook": node.name, "place": "in a branch that does not run"}
            yield mistake("HA315", places.where(node), **parts)
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            if name in METHODS or near_method(name, METHODS):
                nodes = [node for node in places.tree.body if name in names_of(node)]
                where = places.where(nodes[-1]) if nodes else places.of_function(value)
                yield mistake("HA317", where, function=name)
            elif hasattr(value, "__holdall_claims__"):
                yield mistake("HA348", places.of_function(value), function=name)
    for cls in classes:
        for name, value in vars(cls).items():
            if not isinstance(value, FunctionType) or not hasattr(value, "__holdall_claims__"):
                continue
            is_method = name in METHODS or near_method(name, METHODS)
            if not is_method or (name in METHODS and issubclass(cls, SharedHook)):
                named = f"{cls.__name__}.{name}"
                yield mistake("HA348", places.of_function(value), function=named)


def _check_missing(
    imported: ImportedHooks, protocols: Protocols, used: set[str]
) -> Iterator[Problem]:
    """Yield the names that hooks import from generated modules that lack them."""
    for name in dict.fromkeys(imported.missing):
        if name in used:
            continue
        last = name.rpartition(".")[2]
        for module, places, _ in imported.modules:
            for line in places.uses(name):
                where = f"{places.file}:{line}"
                if poses(last):
                    near = protocols.nearest(name)
                    detail = definition(near, spelling(module)) if near else ""
                    nearest = did_you_mean(dotted(near) if near else "")
                    yield mistake("HA311", where, detail=detail, found=name, nearest=nearest)
                else:
                    hook, reason = f"the module {module.__name__}", f"{name} does not exist"
                    fix = "name a class that exists"
                    yield mistake("HA305", where, fix=fix, hook=hook, reason=reason)


def _check_single(bound: list[tuple[FoundClass, Verdict, HookPoint]]) -> Iterator[Problem]:
    first: dict[str, FoundClass] = {}
    for cls, verdict, point in bound:
        other = first.setdefault(dotted(point), cls)
        if other is not cls:
            said = {"point": point.title, "first": other.name, "place": other.where}
            problem = cls.mistake("HA314", **said)
            verdict.problems.append(problem)
            yield problem


def _check_needed(points: Sequence[HookPoint], attempted: set[str]) -> Iterator[Problem]:
    for point in points:
        wanted = [
            f"{name} of {version}"
            for names, version in (
                (point.must_claim_older, point.older_version),
                (point.must_claim_newer, point.newer_version),
            )
            for name in sorted(names)
        ]
        if wanted and dotted(point) not in attempted:
            properties = ", ".join(wanted)
            yield mistake("HA316", point.module, point=point.title, properties=properties)


def _position(problem: Problem, order: dict[str, int]) -> tuple[int, int, str]:
    found = re.match(r"(.*?):(\d+)(?::\d+)?$", problem.where)
    if not found:
        return len(order), 0, problem.where
    return order.get(found[1], len(order)), int(found[2]), problem.code
