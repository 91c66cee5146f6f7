"""Whether a class can be used as a hook: its construction and its parts."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType

from holdall.engine.failures import describe
from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims, Composed, SharedHook
from holdall.engine.two_way import EachValue, TwoWay
from holdall.errors import Problem
from holdall.suggest import closest, did_you_mean
from holdall.verification.claims import (
    PREFIXES,
    VERBS,
    DeclaredClaims,
    check_duty,
    check_keys,
    check_names,
    check_taken_keys,
)
from holdall.verification.found import OF_SHARED, OF_TWO_WAY, FoundClass, Verdict, is_left
from holdall.verification.methods import is_scaffold, signature_of
from holdall.verification.mistakes import UNWRITTEN, contrast, mistake
from holdall.verification.places import Places
from holdall.verification.protocols import METHODS, NAMES, WAYS, Way
from holdall.words import with_article


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a composed hook: its claims, and its places in the source."""

    hook: SharedHook
    ways: Mapping[Way, Claims]
    composed: FoundClass

    @property
    def places(self) -> Places | None:
        """The places of the module that defines its class, if that is a module of hooks."""
        return self.composed.around.get(type(self.hook).__module__)

    @property
    def is_mirrored(self) -> bool:
        """Whether each direction reads what the other one writes, so that one of them is enough."""
        to, back = self.ways["to"], self.ways["from"]
        return isinstance(self.hook, TwoWay) and (to.reads, to.writes) == (back.writes, back.reads)

    def declared(self, way: Way) -> DeclaredClaims:
        def place(keyword: str, name: str) -> str:
            return self.where(_side(way, keyword) if self.is_mirrored else f"claims_{way}", name)

        claims = self.ways[way]
        reads, writes = (tuple(dict.fromkeys(names)) for names in (claims.reads, claims.writes))
        return DeclaredClaims(way, Claims(reads, writes), place)

    def where(self, member: str, name: str = "") -> str:
        """Return the place of a name in a member of the part or in `parts`, or else of `parts`."""
        own = self.places.member_node(type(self.hook), member) if self.places is not None else None
        parts = self.composed.places.member_node(self.composed.cls, "parts")
        for places, node in ((self.places, own), (self.composed.places, parts)):
            for one in ast.walk(node) if node is not None and name else ():
                if isinstance(one, ast.Constant) and one.value == name and places is not None:
                    return places.where(one)
        if own is not None and self.places is not None:
            return self.places.where(own)
        return self.composed.places.of_member(self.composed.cls, "parts")


def parts_of(found: FoundClass, hook: Composed) -> list[Part]:
    """Return the parts of a hook."""
    return [
        Part(part, {"to": part.claims_to(), "from": part.claims_from()}, found)
        for part in hook.parts
    ]


def check_composed(found: FoundClass, point: HookPoint, parts: Sequence[Part]) -> Iterator[Problem]:
    """Yield the mistakes in the combined claims of a composed hook's parts."""
    merged = {way: _merged(way, parts) for way in WAYS}
    for way in WAYS:
        writes = [name for part in parts for name in part.ways[way].writes]
        for name in dict.fromkeys(name for name in writes if writes.count(name) > 1):
            yield found.mistake("HA349", method=NAMES[way], name=name)
    meant: dict[Way, set[tuple[str, str]]] = {way: set() for way in WAYS}
    for part in parts:
        for way in WAYS:
            claims = part.declared(way)
            wrong = {keyword: _misspelt(point, claims, keyword) for keyword in VERBS}
            meant[way] |= {
                (keyword, near) for keyword, names in wrong.items() for near in names.values()
            }
            if part.is_mirrored and way == "from":
                continue
            if part.is_mirrored:  # a name that both sides lack is one mistake
                names = [name for name in claims.claims.writes if name not in wrong["reads"]]
                only = Claims(claims.claims.reads, tuple(names))
                claims = DeclaredClaims(way, only, claims.place)
            for keyword in VERBS:
                for problem in check_names(found.name, point, claims, keyword):
                    yield _mirrored_words(problem) if part.is_mirrored else problem
    for way in WAYS:
        claims = merged[way]
        if way == "to" or not all(part.is_mirrored for part in parts):
            yield from check_duty(found.name, point, claims, meant[way], _how(way, parts))
        yield from check_taken_keys(found.name, point, claims)
    for part in parts:
        yield from _check_partners(point, part)
    yield from check_keys(found.name, merged["to"], merged["from"])
    yield from check_keys(found.name, merged["from"], merged["to"])


def _check_partners(point: HookPoint, part: Part) -> Iterator[Problem]:
    """Yield partners of which a two-way hook makes only one: it would lose the other value."""
    if not isinstance(part.hook, TwoWay):
        return
    ends = part.hook.older, part.hook.newer
    versions, sides = (point.older_version, point.newer_version), ("older", "newer")
    for pair in sorted(point.partners):
        made = [name in end for name, end in zip(pair, ends, strict=True)]
        if made[0] != made[1]:
            at = made.index(True)
            yield mistake(
                "HA356",
                part.where(sides[at], pair[at]),
                hook=type(part.hook).__name__,
                name=pair[at],
                version=versions[at],
                other=pair[1 - at],
                opposite=versions[1 - at],
                side=sides[1 - at],
            )


def _merged(way: Way, parts: Sequence[Part]) -> DeclaredClaims:
    reads = dict.fromkeys(name for part in parts for name in part.ways[way].reads)
    writes = dict.fromkeys(name for part in parts for name in part.ways[way].writes)

    def place(keyword: str, name: str) -> str:
        for part in parts if name else ():
            claims = part.declared(way)
            if name in claims.given(keyword):
                return claims.place(keyword, name)
        alone = len(parts) == 1 and parts[0].is_mirrored
        return parts[0].where(_side(way, keyword) if alone else "")

    return DeclaredClaims(way, Claims(tuple(reads), tuple(writes)), place)


def _side(way: Way, keyword: str) -> str:
    return "older" if (way == "to") == (keyword == "reads") else "newer"


def _misspelt(point: HookPoint, claims: DeclaredClaims, keyword: str) -> dict[str, str]:
    """Return the names that the type of one side lacks, each with the name probably meant."""
    own = point.older_members if _side(claims.way, keyword) == "older" else point.newer_members
    return {
        name: closest(name, own)
        for name in claims.given(keyword)
        if name not in own and not name.startswith(PREFIXES)
    }


def _mirrored_words(problem: Problem) -> Problem:
    """Return a problem worded for a hook that names members by side, not by direction."""
    fix = problem.fix.replace("`reads`", "`older`").replace("`writes`", "`newer`")
    return replace(problem, fix=fix)


def _how(way: Way, parts: Sequence[Part]) -> Callable[[str, str], str]:
    """Return a function for the fix: how the parts can claim a property."""
    two_way = [
        type(part.hook).__name__
        for part in parts
        if part.is_mirrored and not isinstance(part.hook, EachValue)
    ]

    def how(keyword: str, name: str) -> str:
        if not all(part.is_mirrored for part in parts):
            return f'add "{name}" to what a part `{keyword}`, or give it a part that claims it'
        if not two_way:
            return f'add a part that names "{name}", as `EachValue("{name}", ...)`'
        return f'add "{name}" to `{_side(way, keyword)}` of {" or ".join(two_way)}, and handle it'

    return how


def check_usable(found: FoundClass) -> Iterator[Problem]:
    """Yield why a hook cannot be instantiated, or would behave differently than it seems."""
    cls = found.cls
    for name in ("__init__", "__new__"):
        if isinstance(made := vars(cls).get(name), FunctionType) and _needs(made):
            text = f"{name} takes arguments, but a hook is made without any"
            fix = "give them defaults, or make it a SharedHook and compose it"
            yield found.mistake("HA319", name, fix=fix, reason=text)
    if (name := "__getattribute__") in vars(cls):
        reason = f"{name} can replace its methods"
        yield found.mistake("HA319", name, fix="remove it", reason=reason)
    if found.is_composed and not issubclass(cls.__bases__[0], Composed):
        fix = "write Composed as the first base"
        yield found.mistake("HA319", fix=fix, reason="Composed comes after another base")


def _needs(function: FunctionType) -> bool:
    _, *others = signature_of(function).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(one.default is one.empty and one.kind not in variadic for one in others)


def check_parts(found: FoundClass) -> Iterator[Problem]:
    own = vars(found.cls)
    if not found.is_composed:
        if "parts" in own:
            text = "it has `parts` but does not derive from Composed"
            name = found.name
            detail = contrast(f"class {name}(...): ...", f"class {name}(Composed, ...): ...")
            yield found.mistake("HA321", "parts", detail=detail, reason=text)
        return
    parts: object = getattr(found.cls, "parts", ())
    reasons = []
    if is_left(found.cls, "parts"):
        near = closest("parts", [name for name in own if not name.startswith("__")])
        reasons.append(f"it has no `parts`{did_you_mean(near)}")
    elif not isinstance(parts, tuple):
        reasons.append("its `parts` are not a tuple")
    elif not parts:
        reasons.append("its `parts` are empty")
    for part in parts if isinstance(parts, tuple) else ():
        if isinstance(part, type):
            name = part.__name__
            reasons.append(f"`{name}` is a class, not a hook made from it; write `{name}()`")
        elif not isinstance(part, SharedHook):
            reasons.append(f"{with_article(type(part).__name__)} is not a shared hook")
    detail = contrast("parts = First()", "parts = (First(),)")
    for reason in reasons:
        yield found.mistake("HA321", "parts", detail=detail, reason=reason)


def make(found: FoundClass, verdict: Verdict) -> Iterator[Problem]:
    """Instantiate the hook, and yield mistakes that this shows: in claims and methods of parts."""
    try:
        verdict.instance = instance = found.cls()
        if isinstance(instance, Composed) and (lacking := [*_check_parts_of(found, instance)]):
            yield from lacking
            return
        parts = parts_of(found, instance) if isinstance(instance, Composed) else []
    except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
        fix = "correct the constructor, or what its parts claim"
        yield found.mistake("HA305", fix=fix, reason=describe(error))
        return
    for point in verdict.points if parts else ():
        yield from check_composed(found, point, parts)


def _check_parts_of(found: FoundClass, hook: Composed) -> Iterator[Problem]:
    """Yield methods that parts lack, and those that only raise NotImplementedError."""
    for part in hook.parts:
        if isinstance(part, TwoWay):
            yield from _check_names(found, part)
        for name in (*OF_SHARED, *METHODS, *OF_TWO_WAY[:2]):
            function = getattr(type(part), name, None)
            parts = {"hook": type(part).__name__, "method": name}
            if function is getattr(SharedHook, name, part):
                fix = "define it; a part needs its claims and both directions"
                yield mistake("HA331", found.where, fix=fix, nearest="", **parts)
            elif isinstance(function, FunctionType) and is_scaffold(function):
                yield _unwritten(found, part, name, function)
        for function in _functions_of(part):
            if is_scaffold(function):
                yield _unwritten(found, part, function.__name__, function)


def _check_names(found: FoundClass, part: TwoWay) -> Iterator[Problem]:
    """Yield strings instead of lists of names: each of their letters would be a name."""
    cls, own = type(part), found.around.get(type(part).__module__)
    for name in ("older", "newer", "given"):
        said: object = getattr(part, name)
        if isinstance(said, str):
            yield mistake(
                "HA319",
                own.of_member(cls, name) if own is not None else found.where,
                fix="write a tuple of names, with a comma also after a single one",
                detail=contrast(f'{name} = ("{said}")', f'{name} = ("{said}",)'),
                hook=cls.__name__,
                reason=f"`{name}` is a string, not a tuple of names",
            )


def _functions_of(part: SharedHook) -> Iterator[FunctionType]:
    """Yield the functions that were passed to a part's constructor."""
    for value in vars(part).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, FunctionType):
                yield one


def _unwritten(found: FoundClass, part: SharedHook, name: str, function: FunctionType) -> Problem:
    own = found.around.get(function.__module__)
    where = own.of_function(function) if own is not None else found.where
    said = {"hook": type(part).__name__, "method": name}
    return mistake(UNWRITTEN, where, fix="write what it does", **said)
