"""The classes of hook modules: which are hooks, to what they are bound, what is wrong with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims
from holdall.errors import Problem
from holdall.verification.claims import WrittenClaims, check_claims, read_claims
from holdall.verification.methods import FunctionNode, Method, check_method, is_claims, near_method
from holdall.verification.mistakes import contrast, mistake
from holdall.verification.names import (
    HookModule,
    HookNames,
    closest,
    did_you_mean,
    dotted_name,
    statements,
    stored_names,
)
from holdall.verification.parts import check_parts, check_usable
from holdall.verification.protocols import METHODS, Protocols, Way, definition, dotted

_COMPOSED = ("holdall.Composed", "holdall.engine.hooks.Composed")
_SHARED = (
    *("holdall.SharedHook", "holdall.engine.hooks.SharedHook", "holdall.TwoWay"),
    *("holdall.engine.two_way.TwoWay", "holdall.EachValue", "holdall.engine.two_way.EachValue"),
)


@dataclass(slots=True)
class Member:
    """A name in the body of a class; `function` is None if it is a value."""

    node: ast.stmt
    function: FunctionNode | None
    conditional: bool


@dataclass(slots=True)
class FoundClass:
    """A class of a hook module with its bases resolved. `place` is "" at the top of the module."""

    module: HookModule
    node: ast.ClassDef
    place: str
    bases: list[tuple[str, str]]
    members: dict[str, list[Member]]
    points: list[HookPoint] = field(default_factory=list)
    pretenders: list[tuple[str, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def where(self) -> str:
        return self.module.where(self.node.lineno)

    @property
    def near_methods(self) -> list[str]:
        return [name for name in self.members if near_method(name)]


@dataclass(slots=True)
class Verdict:
    """What was found about one class. `claims` has the directions that could be read.

    `points` are the edges that it is bound to: one, or any number if it is composed.
    """

    problems: list[Problem]
    points: Sequence[HookPoint] = ()
    claims: dict[Way, Claims] = field(default_factory=dict)


class HookChecks:
    """Judges all classes of a hooks package by the protocols that exist."""

    def __init__(self, names: HookNames, protocols: Protocols) -> None:
        self.names = names
        self.protocols = protocols
        self.classes: dict[str, FoundClass] = {}

    def find_classes(self, module: HookModule) -> list[FoundClass]:
        """Return all classes of a module, those hidden in functions and conditions too."""
        found = []
        for node, place in _classes(module.tree.body, ""):
            cls = self._found(module, node, place)
            found.append(cls)
            if not place:
                self.classes[f"{module.name}.{node.name}"] = cls
        return found

    def judge(self, cls: FoundClass) -> Verdict:
        """Return what is wrong with a class; call it when the classes of all modules are found."""
        if not cls.points and any(self.protocols.is_foreign(base) for _, base in cls.bases):
            return Verdict([])
        if cls.place:
            return Verdict(list(self._misplaced(cls)))
        problems = list(self._check_bases(cls))
        hooked = [base for _, base in cls.bases if self._is_hook(base, set())]
        problems += [
            mistake(
                "HA320",
                cls.where,
                fix="derive it from its own protocol; what hooks share belongs in functions or"
                " in a SharedHook",
                hook=cls.name,
                base=base.rpartition(".")[2],
            )
            for base in hooked
        ]
        if self.is_shared(cls):
            return Verdict([*problems, *self._check_shared(cls)])
        if cls.points and self._bindable(cls) and not cls.pretenders:
            verdict = self._check_hook(cls, cls.points[0])
            verdict.problems[:0] = problems
            return verdict
        if not cls.points and not cls.pretenders and not hooked:
            problems += self._check_unbound(cls)
        if problems:
            problems += self._check_member_names(cls)
        return Verdict(problems)

    def _found(self, module: HookModule, node: ast.ClassDef, place: str) -> FoundClass:
        bases = []
        for base in node.bases:
            resolved = self.names.resolve(module, base, node.lineno)
            bases.append((ast.unparse(base), resolved))
        cls = FoundClass(module, node, place, bases, _members(node))
        for text, resolved in bases:
            point = self.protocols.find(resolved)
            if point and point not in cls.points:
                cls.points.append(point)
            elif not point and self.protocols.is_pretender(text, resolved):
                cls.pretenders.append((text, resolved))
        return cls

    def is_shared(self, cls: FoundClass) -> bool:
        """Tell whether a class derives from SharedHook, directly or not."""
        return self._derives(cls, _SHARED)

    def _bindable(self, cls: FoundClass) -> bool:
        """Tell whether a class may have its points: methods of its own fit one edge only."""
        return len(cls.points) == 1 or self._derives(cls, _COMPOSED)

    def _derives(self, cls: FoundClass, targets: tuple[str, ...]) -> bool:
        seen: set[str] = set()
        waiting = [base for _, base in cls.bases]
        while waiting:
            base = waiting.pop()
            if base in targets:
                return True
            if base in self.classes and base not in seen:
                seen.add(base)
                waiting += [further for _, further in self.classes[base].bases]
        return False

    def _is_hook(self, name: str, seen: set[str]) -> bool:
        cls = self.classes.get(name)
        if cls is None or name in seen:
            return False
        seen.add(name)
        return bool(cls.points) or any(self._is_hook(base, seen) for _, base in cls.bases)

    def _define(self, cls: FoundClass, point: HookPoint) -> str:
        return definition(point, lambda twin: self.names.spell(cls.module, twin))

    def _check_bases(self, cls: FoundClass) -> Iterator[Problem]:
        for text, resolved in cls.pretenders:
            near = self.protocols.nearest(resolved or text)
            fix = "derive it from the protocol that storage.py of the older version defines"
            if near:
                fix = f"`from {near.module} import {near.protocol}` and derive from it"
            yield mistake(
                "HA310",
                cls.where,
                fix=fix,
                detail=self._define(cls, near) if near else "",
                hook=cls.name,
                found=resolved or f"`{text}`",
                nearest=did_you_mean(dotted(near) if near else ""),
            )
        if not self._bindable(cls) and cls.points:
            yield mistake(
                "HA313",
                cls.where,
                fix="write one class for each edge, or a SharedHook and compose it for all of them",
                detail="\n\n".join(self._define(cls, point) for point in cls.points),
                hook=cls.name,
                count=len(cls.points),
                protocols=", ".join(dotted(point) for point in cls.points),
            )

    def _misplaced(self, cls: FoundClass) -> Iterator[Problem]:
        shared = self.is_shared(cls)
        if cls.points or cls.pretenders or (not shared and self._looks(cls)):
            yield mistake(
                "HA315",
                cls.where,
                fix="define it at the top level of its module",
                hook=cls.name,
                place=cls.place,
            )

    def _looks(self, cls: FoundClass) -> str:
        """Return why an unbound class looks like a hook; "" if it does not."""
        named = [name for name in cls.members if name in METHODS]
        if named or cls.near_methods:
            return f"it defines {(named or cls.near_methods)[0]}"
        if self._derives(cls, _COMPOSED):
            return "it derives from Composed"
        if cls.name.endswith(("Hooks", "Hook")) and not self._is_base(cls):
            return "its name says so"
        return ""

    def _is_base(self, cls: FoundClass) -> bool:
        own = f"{cls.module.name}.{cls.name}"
        return any(own == base for other in self.classes.values() for _, base in other.bases)

    def _check_unbound(self, cls: FoundClass) -> Iterator[Problem]:
        reason = self._looks(cls)
        if not reason:
            return
        point = self._meant(cls)
        fix = "derive it from the protocol of its edge, or from SharedHook if it is to be composed"
        detail = ""
        if point:
            spelt = self.names.spell(cls.module, dotted(point))
            others = "".join(f"{text}, " for text, _ in cls.bases if text != "object")
            wrong = ast.unparse(ast.ClassDef(cls.name, cls.node.bases, [], [ast.Pass()], []))
            first = wrong.splitlines()[0]
            detail = contrast(f"{first} ...", f"class {cls.name}({others}{spelt}): ...")
            detail += "\n\n" + self._define(cls, point)
            fix = f"derive it from {dotted(point)}, or from SharedHook if it is to be composed"
        yield mistake("HA312", cls.where, fix=fix, detail=detail, hook=cls.name, reason=reason)

    def _meant(self, cls: FoundClass) -> HookPoint | None:
        """Return the point that an unbound class most likely means."""
        for name in METHODS:
            for member in cls.members.get(name, ()):
                types = [
                    self.names.resolve(cls.module, arg.annotation, arg.lineno)
                    for arg in (member.function.args.args[1:3] if member.function else ())
                ]
                point = self.protocols.joining(*types) if len(types) == 2 else None
                if point:
                    return point
        for _, imported, _ in cls.module.imports:
            point = self.protocols.find(imported)
            if point:
                return point
        stem = cls.name.removesuffix("s").removesuffix("Hook")
        return self.protocols.nearest(f"Assignable{stem}")

    def _check_shared(self, cls: FoundClass) -> Iterator[Problem]:
        for point in cls.points:
            yield mistake(
                "HA323",
                cls.where,
                fix=f"compose it: `class …(Composed, {point.protocol}): parts = ({cls.name}(),)`",
                detail=self._define(cls, point),
                hook=cls.name,
                protocol=dotted(point),
            )
        yield from self._check_member_names(cls)

    def _check_member_names(self, cls: FoundClass) -> Iterator[Problem]:
        for name in cls.near_methods:
            nearest = near_method(name)
            detail = contrast(f"def {name}(...): ...", f"def {nearest}(...): ...")
            if len(cls.points) == 1:
                detail += "\n\n" + self._define(cls, cls.points[0])
            yield mistake(
                "HA330",
                cls.module.where(cls.members[name][0].node.lineno),
                fix=f"rename it to {nearest}; a helper needs a name of its own",
                detail=detail,
                hook=cls.name,
                method=name,
                nearest=nearest,
            )

    def _check_hook(self, cls: FoundClass, point: HookPoint) -> Verdict:
        verdict = Verdict([], cls.points)
        composed = self._derives(cls, _COMPOSED)
        verdict.problems += check_usable(cls.module, cls.node, cls.members, _COMPOSED, self.names)
        verdict.problems += self._check_member_names(cls)
        shared = {name for name, other in self.classes.items() if self.is_shared(other)}
        verdict.problems += check_parts(
            cls.module, cls.node, cls.members, composed, self.names, set(self.classes), shared
        )
        if composed:
            return verdict
        written: dict[Way, WrittenClaims] = {}
        for name, way in METHODS.items():
            for claims in self._check_direction(cls, point, name, way, verdict.problems):
                written[way] = claims
        verdict.problems += check_claims(cls.name, cls.module.file, point, written)
        verdict.claims = {way: claims.claims() for way, claims in written.items()}
        return verdict

    def _check_direction(
        self, cls: FoundClass, point: HookPoint, name: str, way: Way, problems: list[Problem]
    ) -> Iterator[WrittenClaims]:
        members = cls.members.get(name, [])
        definition_ = self._define(cls, point)
        if not members:
            near = [other for other in cls.members if near_method(other) == name]
            guess = near[0] if near else closest(name, set(cls.members) - set(METHODS))
            problems.append(
                mistake(
                    "HA331",
                    cls.where,
                    fix="define it; where nothing has to happen its body is `return`",
                    detail=definition_,
                    hook=cls.name,
                    method=name,
                    nearest=f"; is it {guess}?" if guess else "",
                )
            )
        how = "more than once" if len(members) > 1 else "under a condition"
        if len(members) > 1 or any(member.conditional for member in members):
            problems.append(
                mistake(
                    "HA338",
                    cls.module.where(members[-1].node.lineno),
                    fix="define it once, directly in the class",
                    hook=cls.name,
                    method=name,
                    how=how,
                )
            )
        for member in members:
            function = member.function
            if function is None:
                problems.append(
                    mistake(
                        "HA332",
                        cls.module.where(member.node.lineno),
                        fix="write it as a plain `def` with `@claims(...)` above it",
                        detail=definition_,
                        hook=cls.name,
                        method=name,
                        form="a value",
                    )
                )
                continue
            problems += check_method(
                Method(cls.name, way, function, cls.module, self.names, self.protocols, point)
            )
            yield from self._read_claims(cls, function, way, problems)

    def _read_claims(
        self, cls: FoundClass, function: FunctionNode, way: Way, problems: list[Problem]
    ) -> Iterator[WrittenClaims]:
        decorators = function.decorator_list
        calls = [item for item in decorators if is_claims(self.names, cls.module, item)]
        if not calls and any(_resembles_claims(decorator) for decorator in decorators):
            return
        read = read_claims(cls.name, way, cls.module.file, calls, function.lineno)
        if isinstance(read, WrittenClaims):
            yield read
        else:
            problems += read


def _resembles_claims(decorator: ast.expr) -> bool:
    name = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return bool(closest(name.rpartition(".")[2], ["claims"], 0.7))


def _classes(body: list[ast.stmt], place: str) -> Iterator[tuple[ast.ClassDef, str]]:
    for node, nested in statements(body):
        if isinstance(node, ast.ClassDef):
            yield node, place or ("under a condition" if nested else "")
            yield from _classes(node.body, f"inside the class {node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(node.body, f"inside the function {node.name}")


def _members(node: ast.ClassDef) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {}
    for statement, conditional in statements(node.body):
        names = stored_names(statement)
        function = None
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            names, function = [statement.name], statement
        elif isinstance(statement, ast.ClassDef):
            names = [statement.name]
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names = [alias.asname or alias.name for alias in statement.names]
        for name in names:
            found.setdefault(name, []).append(Member(statement, function, conditional))
    return found
