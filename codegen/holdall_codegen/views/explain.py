"""Following one property through the versions: its fate on every edge it passes, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import TypeAlias

from holdall.plan.graph import neighbours, shortest_path
from holdall.plan.plans import LinkEnd, TypeRef
from holdall.text.pointer import join, split
from holdall.types import JsonValue
from holdall_codegen.model import ListOf, MapOf, Ref, Type
from holdall_codegen.plan.model import (
    Conversion,
    Decision,
    GroupPlan,
    Keyed,
    PlannedEdge,
    PlannedKind,
    conversions_in,
    reference_member,
    ways,
)
from holdall_codegen.views.hook_report import BoundPoint
from holdall_codegen.views.lookup import find_kind, unknown, wrong_name

WILDCARD = "*"

_Kept: TypeAlias = tuple[LinkEnd, tuple[str, ...], tuple[str, ...]]
"""What is in a bag: the property, what of it is followed, and the path of the bag's object."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a property on one edge.

    `path` and `result` are where it stands before and after, `result` empty if it is not shown
    there. `type_` is the type that holds it, `hook` is `file:line` of the edge's hook, if any.
    """

    source: str
    destination: str
    path: str
    result: str
    type_: str
    fate: str
    reason: str
    hook: str = ""

    def value(self) -> dict[str, JsonValue]:
        """Return the step as JSON."""
        found: dict[str, JsonValue] = {
            "from": self.source,
            "to": self.destination,
            "path": self.path,
            "result": self.result or None,
            "type": self.type_,
            "fate": self.fate,
            "reason": self.reason,
        }
        if self.hook:
            found["hook"] = self.hook
        return found


_Crossed: TypeAlias = tuple[Step, tuple[str, ...] | None, _Kept | None]
"""A step over one edge, the path after it, and what is in the bag."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The way of a property from one version to another, and back."""

    there: tuple[Step, ...]
    back: tuple[Step, ...]


def explain(
    groups: Sequence[tuple[str, GroupPlan]],
    points: Sequence[BoundPoint],
    path: str,
    source: str,
    destination: str,
) -> Explanation:
    """Explain what happens to the property at a path such as `BatchAccount/spec/pools/*/quota`.

    The way back is that of the property's own place where it is shown in the end, and of its
    place in the bag where it is not. Raises UnknownNameError for what the project does not have.
    """
    kind_name, *names = split(f"/{path}")
    plan, kind = find_kind(groups, kind_name, path)
    for version in (source, destination):
        if version not in kind.types:
            raise unknown("version", version, kind.types, owner=kind.name)
    follower = _Follower(plan, kind, points)
    follower.check(source, names)
    route = shortest_path(neighbours(kind.edges), source, destination)
    if not route:
        raise unknown(f"way from {source} to version", destination, kind.types)
    there = tuple(follower.follow(route, tuple(names)))
    final = there[-1].result if there else path
    if final:
        back = tuple(follower.follow(route[::-1], split(f"/{final}")[1:]))
    else:
        back = tuple(_returned(step) for step in reversed(there))
    return Explanation(there, back)


def _returned(step: Step) -> Step:
    """Return the way back of a property that stays out of sight: it comes out where it went in."""
    fate = "pulled" if step.fate == "stashed" else step.fate
    return replace(
        step,
        source=step.destination,
        destination=step.source,
        path=step.result,
        result=step.path,
        fate=fate,
    )


class _Follower:
    def __init__(self, plan: GroupPlan, kind: PlannedKind, points: Sequence[BoundPoint]) -> None:
        self.plan = plan
        self.kind = kind
        self.points = {point.edge.ends: point for point in points if point.package == plan.package}
        self.order = {version.name: index for index, version in enumerate(plan.versions)}

    def check(self, version: str, names: Sequence[str]) -> None:
        """Refuse a path that leads to no property."""
        ref = TypeRef(version, self.kind.types[version])
        held: Type | None = Ref(ref.name)
        for name in names:
            if isinstance(held, ListOf | MapOf):
                if name != WILDCARD:
                    fix = "write `*` for the elements of a list and the values of a map"
                    raise unknown("member", name, (), fix)
                held = held.item if isinstance(held, ListOf) else held.value
            elif isinstance(held, Ref):
                type_ = self.plan.type(TypeRef(version, held.type_name))
                if not type_.has(name):
                    known = [member.name for member in type_.members]
                    raise unknown("property", name, known, owner=str(type_.ref))
                held = type_.member(name).property.type
            else:
                text = f"{name!r} lies below a property without members of its own"
                raise wrong_name(text, "leave it out")
        if not names:
            text = "the path names a kind and no property"
            fix = f"add a property, as {self.kind.name}/spec"
            raise wrong_name(text, fix)

    def follow(self, route: Sequence[str], names: tuple[str, ...]) -> Iterator[Step]:
        """Yield the steps of a property along versions that neighbour each other."""
        here: tuple[str, ...] | None = names
        kept: _Kept | None = None
        for source, destination in pairwise(route):
            if here is not None:
                step, here, kept = self._cross(source, destination, here)
            elif kept is not None:
                step, here, kept = self._carry(source, destination, kept)
            else:
                return
            yield step

    def _carry(
        self, source: str, destination: str, kept: _Kept
    ) -> tuple[Step, tuple[str, ...] | None, _Kept]:
        end, rest, holder = kept
        if holder:
            # A holder that is in a bag itself comes back under its own name, if it does.
            holder = self._cross(source, destination, holder)[1] or holder
        kept = end, rest, holder
        for link in self.plan.links:
            for one, other in ((link.older, link.newer), (link.newer, link.older)):
                if one == end and other.type.version == destination:
                    result = (*holder, other.name, *rest)
                    reason = f"{link.reason}; a skip link from {one.type.version}"
                    shown, type_ = self._shown(result), str(other.type)
                    pulled = Step(source, destination, "", shown, type_, "pulled", reason)
                    return pulled, result, kept
        reason = f"it stays in the bag, under {end.type.version}"
        return Step(source, destination, "", "", str(end.type), "carried", reason), None, kept

    def _shown(self, names: Iterable[str]) -> str:
        return join("", self.kind.name, *names)[1:]

    def _cross(self, source: str, destination: str, names: tuple[str, ...]) -> _Crossed:
        """Walk a path over one edge."""
        path = self._shown(names)
        here = TypeRef(source, self.kind.types[source])
        there = TypeRef(destination, self.kind.types[destination])
        result: list[str] = []
        rest = names
        hooks: list[str] = []

        def crossed(
            after: tuple[str, ...] | None, fate: str, reason: str, kept: _Kept | None = None
        ) -> _Crossed:
            shown, hook = self._shown(after) if after is not None else "", ", ".join(hooks)
            step = Step(source, destination, path, shown, str(here), fate, reason, hook)
            return step, after, kept

        while True:
            ends = (here, there) if (here, there) in self.points else (there, here)
            point, edge = self.points[ends], self.points[ends].edge
            side = "older" if edge.older == here else "newer"
            own, other = _moved(edge, side), _moved(edge, "newer" if side == "older" else "older")
            declared = _decision(edge, side, rest, own)
            if declared is None:
                shown_as, reason = self._as_extra(here, there, result, rest)
                fate = "stashed" if shown_as is None else "copied"
                kept = LinkEnd(here, rest[0]), rest[1:], tuple(result)
                return crossed(shown_as, fate, reason, kept)
            decision = point.decided(declared)
            shown = point.shown_by_hook(decision)
            if point.hook is not None and shown is not None:
                hooks.append(f"{point.hook.file}:{point.hook.line}")
            depth = len(own.get(decision.name, (decision.name,)))
            if decision.fate in ("stashed", "pulled", "claimed by a hook"):
                is_hooks = decision.fate == "claimed by a hook"
                fate = decision.fate if is_hooks else "stashed"
                reason = decision.reason
                if decision.partner:
                    reason += f" ({decision.partner})"
                if rest[1:]:
                    reason = f"with all of {decision.name}: {reason}"
                after_hook = (*result, *shown) if shown and len(shown) == 1 else None
                kept = LinkEnd(here, decision.name), rest[1:], tuple(result)
                return crossed(after_hook, fate, reason, None if is_hooks else kept)
            partner = other.get(decision.partner, (decision.partner or decision.name,))
            result += partner
            held, after = self._held(here, rest[:depth]), self._held(there, partner)
            rest = rest[depth:]
            conversion = _conversion(edge, decision)
            while rest and rest[0] == WILDCARD and isinstance(held, ListOf | MapOf):
                keys = _keys(conversion) if isinstance(after, ListOf | MapOf) else ()
                if keys and isinstance(held, ListOf) and isinstance(after, MapOf):
                    if rest[1:2] == keys[:1]:
                        reason = f"{decision.reason}; the keys of a map"
                        return crossed((*result,), decision.fate, reason)
                    if rest[1:2] != keys[1:] and keys[1:] and rest[1:]:
                        reason = f"only {' and '.join(keys)} have a place in {destination}"
                        return crossed(None, "stashed", f"{reason}; the rest stays in the bag")
                    rest = (rest[0], *rest[1 + len(keys[1:]) :])
                    held = self._in_element(source, held, keys[1:])
                elif keys and isinstance(held, MapOf) and isinstance(after, ListOf):
                    result += [WILDCARD, *keys[1:]]
                    held, after = held.value, self._in_element(destination, after, keys[1:]).item
                    rest = rest[1:]
                    continue
                held = held.item if isinstance(held, ListOf) else held.value
                if isinstance(after, ListOf | MapOf):
                    after = after.item if isinstance(after, ListOf) else after.value
                    result.append(WILDCARD)
                rest = rest[1:]
            if isinstance(after, ListOf) and rest and not isinstance(after.item, ListOf):
                after = after.item  # wrapped on the way
                result.append(WILDCARD)
            member = reference_member(conversion) if conversion is not None else ""
            if member and not isinstance(held, Ref):
                result.append(member)
            elif member and rest[:1] == (member,):
                rest = rest[1:]
            elif member and rest:
                reason = f"only {member} has a place in {destination}; the rest stays in the bag"
                return crossed(None, "stashed", reason)
            if not rest or not isinstance(held, Ref) or not isinstance(after, Ref):
                if rest and isinstance(after, Ref) and not isinstance(held, Ref):
                    inner = TypeRef(destination, after.type_name)
                    if inner in self.plan.pruned and not self.plan.type(inner).has(rest[0]):
                        reason = f"{inner} does not declare {rest[0]}"
                        return crossed(None, "stashed", reason)
                return crossed((*result, *rest), decision.fate, decision.reason)
            here, there = TypeRef(source, held.type_name), TypeRef(destination, after.type_name)

    def _as_extra(
        self, here: TypeRef, there: TypeRef, result: list[str], rest: tuple[str, ...]
    ) -> tuple[tuple[str, ...] | None, str]:
        """Return where a member that the type does not declare is shown, if it is, and why."""
        reason = f"{here} does not declare {rest[0]}"
        is_hidden = there in self.plan.pruned or self.plan.type(there).has(rest[0])
        return None if is_hidden else (*result, *rest), reason

    def _in_element(self, version: str, held: ListOf, value: tuple[str, ...]) -> ListOf:
        """Return a list as one of the values of its objects, if a member has these."""
        if not value or not isinstance(held.item, Ref):
            return held
        ref = TypeRef(version, held.item.type_name)
        return replace(held, item=self._held(ref, value))

    def _held(self, ref: TypeRef, path: tuple[str, ...]) -> Type:
        type_ = self.plan.type(ref)
        for name in path[:-1]:
            inner = type_.member(name).property.type
            if isinstance(inner, Ref):
                type_ = self.plan.type(TypeRef(ref.version, inner.type_name))
        return type_.member(path[-1]).property.type


def _conversion(edge: PlannedEdge, decision: Decision) -> Conversion | None:
    """Return the conversion of a pair or a move, None if there is none."""
    for older, newer, conversion in ways(edge.pairs, edge.moves):
        if decision.name == "/".join(older if decision.side == "older" else newer):
            return conversion
    return None


def _keys(conversion: Conversion | None) -> tuple[str, ...]:
    """Return the members of a list that are the keys and the values of a map, if so declared."""
    parts = conversions_in(conversion) if conversion is not None else ()
    found = next((one for one in parts if isinstance(one, Keyed)), None)
    return () if found is None else (found.key, found.value) if found.value else (found.key,)


def _moved(edge: PlannedEdge, side: str) -> dict[str, tuple[str, ...]]:
    """Return the ways of what moves on one side, by the names of decisions."""
    ways = (move.older if side == "older" else move.newer for move in edge.moves)
    return {"/".join(way): way for way in ways}


def _decision(
    edge: PlannedEdge, side: str, rest: tuple[str, ...], moved: Mapping[str, tuple[str, ...]]
) -> Decision | None:
    """Return the fate of the longest declared path that the rest begins with, if there is one."""
    ways = [
        (moved.get(decision.name, (decision.name,)), decision)
        for decision in edge.decisions
        if decision.side == side
    ]
    found = [(len(way), decision) for way, decision in ways if rest[: len(way)] == way]
    return max(found, key=itemgetter(0), default=(0, None))[1]
