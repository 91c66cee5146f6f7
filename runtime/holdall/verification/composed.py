"""The claims of hooks composed of parts: each mistake once, at the part that makes it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims, Composed, SharedHook
from holdall.engine.two_way import EachValue, TwoWay
from holdall.errors import Problem
from holdall.suggest import closest
from holdall.verification.claims import (
    PREFIXES,
    VERBS,
    DeclaredClaims,
    check_duty,
    check_keys,
    check_names,
    check_taken_keys,
)
from holdall.verification.found import FoundClass
from holdall.verification.places import Places
from holdall.verification.protocols import NAMES, WAYS, Way


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a composed hook: its claims, and where things of it are.

    `places` are those of the module that defines its class, if that is a module of hooks.
    """

    hook: SharedHook
    ways: Mapping[Way, Claims]
    composed: FoundClass
    places: Places | None

    @property
    def is_mirrored(self) -> bool:
        """Whether one way reads what the other one writes, so that one of them says all."""
        to, back = self.ways["to"], self.ways["from"]
        return isinstance(self.hook, TwoWay) and (to.reads, to.writes) == (back.writes, back.reads)

    def declared(self, way: Way) -> DeclaredClaims:
        def place(keyword: str, name: str) -> str:
            return self.where(_side(way, keyword) if self.is_mirrored else f"claims_{way}", name)

        claims = self.ways[way]
        reads, writes = (tuple(dict.fromkeys(names)) for names in (claims.reads, claims.writes))
        return DeclaredClaims(way, Claims(reads, writes), place)

    def where(self, member: str, name: str = "") -> str:
        """Return the place of a name in a member of the part, else in `parts`, else of these."""
        own = self.places.member_node(type(self.hook), member) if self.places is not None else None
        parts = self.composed.places.member_node(self.composed.cls, "parts")
        for places, node in ((self.places, own), (self.composed.places, parts)):
            for one in ast.walk(node) if node is not None and name else ():
                if isinstance(one, ast.Constant) and one.value == name and places is not None:
                    return places.where(one)
        if own is not None and self.places is not None:
            return self.places.where(own)
        return self.composed.places.of_member(self.composed.cls, "parts")


def parts_of(found: FoundClass, hook: Composed, places: Mapping[str, Places]) -> list[Part]:
    """Return the parts of a hook; `places` are those of modules of hooks, by their names."""
    return [
        Part(
            part,
            {"to": part.claims_to(), "from": part.claims_from()},
            found,
            places.get(type(part).__module__),
        )
        for part in hook.parts
    ]


def check_composed(found: FoundClass, point: HookPoint, parts: Sequence[Part]) -> Iterator[Problem]:
    """Yield what is wrong with the claims of all parts of a composed hook together."""
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
    yield from check_keys(found.name, merged["to"], merged["from"])
    yield from check_keys(found.name, merged["from"], merged["to"])


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
    """Return the names that the type of one side lacks, with what each may be meant to be."""
    own = point.older_members if _side(claims.way, keyword) == "older" else point.newer_members
    return {
        name: closest(name, own)
        for name in claims.given(keyword)
        if name not in own and not name.startswith(PREFIXES)
    }


def _mirrored_words(problem: Problem) -> Problem:
    """Return a problem in the words of a hook that names members by side, not by way."""
    fix = problem.fix.replace("`reads`", "`older`").replace("`writes`", "`newer`")
    return replace(problem, fix=fix)


def _how(way: Way, parts: Sequence[Part]) -> Callable[[str, str], str]:
    """Return what says how the parts can claim a property."""
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
