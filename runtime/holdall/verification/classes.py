"""The classes of hook modules: which are hooks, which edges they are bound to, their mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import FunctionType, ModuleType

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims
from holdall.errors import Problem
from holdall.suggest import closest, did_you_mean
from holdall.verification.claims import DeclaredClaims, check_claims
from holdall.verification.found import FoundClass, Verdict
from holdall.verification.methods import Method, annotations_of, check_method
from holdall.verification.mistakes import UNWRITTEN, contrast
from holdall.verification.parts import check_parts, check_usable, make
from holdall.verification.places import Places
from holdall.verification.protocols import (
    METHODS,
    NAMES,
    WAYS,
    Protocols,
    Way,
    definition,
    dotted,
    name_of,
    spelling,
)


class HookChecks:
    """Checks all classes of a hooks package against the existing protocols."""

    def __init__(self, protocols: Protocols) -> None:
        self.protocols = protocols
        self.hooks: set[type] = set()
        self.bases: set[type] = set()
        self.places: dict[str, Places] = {}

    def find(self, cls: type, module: ModuleType, places: Places) -> FoundClass:
        """Return a class with its bases classified."""
        found = FoundClass(cls, module, places, self.places)
        self.places[module.__name__] = places
        for base in cls.__bases__:
            name = name_of(base)
            if point := self.protocols.find(name):
                found.points.append(point)
            elif self.protocols.is_pretender(name):
                found.pretenders.append(name)
        if found.points:
            self.hooks.add(cls)
        self.bases.update(cls.__bases__)
        return found

    def judge(self, found: FoundClass) -> Verdict:
        """Return the mistakes of a class; call it when the classes of all modules are found."""
        cls = found.cls
        if not found.points and any(self.protocols.is_foreign(name_of(b)) for b in cls.__bases__):
            return Verdict([])
        if "." in cls.__qualname__ or cls.__module__ != found.module.__name__:
            return Verdict(list(self._misplaced(found)))
        problems = [*self._check_bases(found)]
        hooked = [base for base in cls.__mro__[1:] if base in self.hooks]
        problems += [found.mistake("HA320", base=base.__name__) for base in hooked]
        if found.is_shared:
            return Verdict([*problems, *self._check_shared(found)])
        if found.points and not found.pretenders and (len(found.points) == 1 or found.is_composed):
            verdict = self._check_hook(found)
            verdict.problems[:0] = problems
            return verdict
        if not found.points and not found.pretenders and not hooked:
            problems += self._check_unbound(found)
        if problems:
            problems += _check_member_names(found)
        return Verdict(problems)

    def _check_bases(self, found: FoundClass) -> Iterator[Problem]:
        for name in found.pretenders:
            if self.protocols.is_gone(name):
                fix = "remove the hook if its version was removed, or correct the import"
                gone = ": that module is no longer generated"
                yield found.mistake("HA310", fix=fix, found=name, nearest=gone)
                continue
            near = self.protocols.nearest(name)
            fix = "derive it from the protocol that storage.py of the older version defines"
            if near:
                fix = f"`from {near.module} import {near.protocol}` and derive from it"
            detail = _define(found, near) if near else ""
            nearest = did_you_mean(dotted(near) if near else "")
            yield found.mistake("HA310", fix=fix, detail=detail, found=name, nearest=nearest)
        if len(found.points) > 1 and not found.is_composed:
            detail = "\n\n".join(_define(found, point) for point in found.points)
            names = ", ".join(map(dotted, found.points))
            count = len(found.points)
            yield found.mistake("HA313", detail=detail, count=count, protocols=names)

    def _misplaced(self, found: FoundClass) -> Iterator[Problem]:
        if found.points or found.pretenders or (not found.is_shared and self._looks(found)):
            outer = found.cls.__qualname__.split(".")[:-1]
            place = f"inside the class {outer[-1]}" if outer else "by a call of type"
            if outer[-1:] == ["<locals>"]:
                place = f"inside the function {outer[-2]}"
            yield found.mistake("HA315", place=place)

    def _looks(self, found: FoundClass) -> str:
        """Return why an unbound class looks like a hook; "" if it does not."""
        named = [name for name in vars(found.cls) if name in METHODS]
        if named or found.near_methods:
            return f"it defines {(named or [*found.near_methods])[0]}"
        if found.is_composed:
            return "it derives from Composed"
        if found.name.endswith(("Hooks", "Hook")) and found.cls not in self.bases:
            return "its name says so"
        return ""

    def _check_unbound(self, found: FoundClass) -> Iterator[Problem]:
        if not (reason := self._looks(found)):
            return
        point = self._meant(found)
        fix = "derive it from the protocol of its edge, or from SharedHook if you compose it"
        detail = ""
        if point:
            bases = [base.__name__ for base in found.cls.__bases__ if base is not object]
            first = f"class {found.name}({', '.join(bases)})" if bases else f"class {found.name}"
            right = ", ".join([*bases, spelling(found.module)(dotted(point))])
            detail = contrast(f"{first}: ...", f"class {found.name}({right}): ...")
            detail += "\n\n" + _define(found, point)
            fix = f"derive it from {dotted(point)}, or from SharedHook if you compose it"
        yield found.mistake("HA312", fix=fix, detail=detail, reason=reason)

    def _meant(self, found: FoundClass) -> HookPoint | None:
        """Return the point that an unbound class most likely means."""
        for name in METHODS:
            member = vars(found.cls).get(name)
            if isinstance(member, FunctionType):
                types = [
                    name_of(value)
                    for key, value in annotations_of(member).items()
                    if key in ("source", "destination") and isinstance(value, type)
                ]
                if len(types) == 2 and (point := self.protocols.joining(*types)):
                    return point
        for value in vars(found.module).values():
            if isinstance(value, type) and (point := self.protocols.find(name_of(value))):
                return point
        stem = found.name.removesuffix("s").removesuffix("Hook")
        return self.protocols.nearest(f"Assignable{stem}")

    def _check_shared(self, found: FoundClass) -> Iterator[Problem]:
        for point in found.points:
            fix = f"compose it: `class …(Composed, {point.protocol}): parts = ({found.name}(),)`"
            detail = _define(found, point)
            yield found.mistake("HA323", fix=fix, detail=detail, protocol=dotted(point))
        yield from _check_member_names(found)

    def _check_hook(self, found: FoundClass) -> Verdict:
        verdict = Verdict([], found.points)
        problems = verdict.problems
        problems += check_usable(found)
        problems += _check_member_names(found)
        problems += check_parts(found)
        if found.is_composed:
            own = [name for name in METHODS if name in vars(found.cls)]
            problems += [found.mistake("HA322", name, method=name) for name in own]
        else:
            for way in WAYS:
                problems += self._check_direction(found, way, verdict.claims)
            written: dict[Way, DeclaredClaims] = {}
            for way, claims in verdict.claims.items():
                place = partial(found.places.of_claim, found.cls, NAMES[way])
                written[way] = DeclaredClaims(way, claims, place)
            problems += check_claims(found.name, found.points[0], written)
        if all(problem.code == UNWRITTEN for problem in problems):
            problems += make(found, verdict)
        return verdict

    def _check_direction(
        self, found: FoundClass, way: Way, claims: dict[Way, Claims]
    ) -> Iterator[Problem]:
        name, point = NAMES[way], found.points[0]
        member = next((vars(b)[name] for b in found.cls.__mro__ if name in vars(b)), None)
        if name not in vars(found.cls):
            if any(name in vars(b) for b in found.cls.__mro__[1:] if b.__module__ != point.module):
                claims[way] = getattr(member, "__holdall_claims__", Claims())
                return  # a mixin defines it
            near = [n for n, right in found.near_methods.items() if right == name]
            others = [n for n in vars(found.cls) if n not in METHODS and not n.startswith("__")]
            guess = near[0] if near else closest(name, others)
            nearest = f"; is it {guess}?" if guess else ""
            detail = _define(found, point)
            yield found.mistake("HA331", detail=detail, method=name, nearest=nearest)
            return
        method = Method(found.cls, way, found.places, found.module, self.protocols, point)
        yield from check_method(method)
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, FunctionType) and function.__name__ != "<lambda>":
            own = getattr(function, "__holdall_claims__", None)
            if own is not None:
                claims[way] = own
            else:
                yield found.mistake("HA340", name, method=name)


def _define(found: FoundClass, point: HookPoint) -> str:
    return definition(point, spelling(found.module))


def _check_member_names(found: FoundClass) -> Iterator[Problem]:
    for name, nearest in found.near_methods.items():
        detail = contrast(f"def {name}(...): ...", f"def {nearest}(...): ...")
        if len(found.points) == 1:
            detail += "\n\n" + _define(found, found.points[0])
        yield found.mistake("HA330", name, detail=detail, method=name, nearest=nearest)
