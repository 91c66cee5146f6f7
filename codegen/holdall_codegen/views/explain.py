"""Following one property through the versions: its fate on every edge it passes, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from holdall.plan.graph import neighbours, shortest_path
from holdall.plan.plans import LinkEnd, TypeRef
from holdall.text.pointer import join, split
from holdall.types import JsonValue
from holdall_codegen.model import ListOf, MapOf, Ref, Type
from holdall_codegen.plan.model import (
    SIDES,
    Conversion,
    Decision,
    GroupPlan,
    Keyed,
    PlannedEdge,
    PlannedKind,
    conversions_in,
    decision_about,
    moved_paths,
    reference_member,
    ways,
)
from holdall_codegen.views.hook_report import BoundPoint
from holdall_codegen.views.lookup import find_kind, unknown, wrong_name

WILDCARD = "*"

_Kept: TypeAlias = tuple[LinkEnd, tuple[str, ...], tuple[str, ...]]
"""What is in a bag: the property, the path inside it, and the path of the bag's object."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a property on one edge.

    `path` and `result` are its places before and after; `result` is empty if it is not shown
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

    The way back starts from the property's final place, or from its place in the bag if it is not
    shown there. Raises UnknownNameError for what the project does not have.
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
    """Return the way back of a property that stays hidden: it comes out where it went in."""
    fate = "pulled" if step.fate == "stashed" else step.fate
    return replace(
        step,
        source=step.destination,
        destination=step.source,
        path=step.result,
        result=step.path,
        fate=fate,
    )


@dataclass(slots=True)
class _Walk:
    """A path on its way over one edge: two objects, the rest of the path, and where it is shown."""

    here: TypeRef
    there: TypeRef
    rest: tuple[str, ...]
    shown: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)

    def kept_as(self, name: str) -> _Kept:
        """Return a property in the bag of the current object, if one is kept there."""
        return LinkEnd(self.here, name), self.rest[1:], tuple(self.shown)


class _End(NamedTuple):
    """Where a walk over an edge ends: the path there, None if nothing is shown of it, and why."""

    shown: tuple[str, ...] | None
    fate: str
    reason: str
    kept: _Kept | None = None


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
                text = f"{name!r} is below a property that has no members"
                raise wrong_name(text, "leave it out")
        if not names:
            text = "the path names a kind, but no property"
            fix = f"add a property, such as {self.kind.name}/spec"
            raise wrong_name(text, fix)

    def follow(self, route: Sequence[str], names: tuple[str, ...]) -> Iterator[Step]:
        """Yield the steps of a property along neighbouring versions."""
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
            # A holder that is in a bag itself comes back under its own name, if at all.
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
        here = TypeRef(source, self.kind.types[source])
        walk = _Walk(here, TypeRef(destination, self.kind.types[destination]), names)
        end = None
        while end is None:
            end = self._pass(walk)
        shown = self._shown(end.shown) if end.shown is not None else ""
        path, hook = self._shown(names), ", ".join(walk.hooks)
        type_ = str(walk.here)
        step = Step(source, destination, path, shown, type_, end.fate, end.reason, hook)
        return step, end.shown, end.kept

    def _pass(self, walk: _Walk) -> _End | None:
        """Walk through the current pair of objects; return where the walk ends, if it does."""
        here, there = walk.here, walk.there
        point = self.points[(here, there) if (here, there) in self.points else (there, here)]
        edge = point.edge
        side, far = SIDES if edge.older == here else SIDES[::-1]
        own, other = moved_paths(edge.moves, side), moved_paths(edge.moves, far)
        declared = decision_about(walk.rest, side, edge.decisions, own)
        if declared is None:
            return self._extra(walk)
        decision = point.decided(declared)
        shown = point.shown_by_hook(decision)
        if point.hook is not None and shown is not None:
            walk.hooks.append(f"{point.hook.file}:{point.hook.line}")
        if decision.fate in ("stashed", "pulled", "claimed by a hook"):
            return _not_shown(walk, decision, shown)
        depth = len(own.get(decision.name, (decision.name,)))
        partner = other.get(decision.partner, (decision.partner or decision.name,))
        held, after = self._held(here, walk.rest[:depth]), self._held(there, partner)
        walk.shown += partner
        walk.rest = walk.rest[depth:]
        conversion = _conversion(edge, decision)
        entered = self._enter(walk, held, after, decision, _keys(conversion))
        if isinstance(entered, _End):
            return entered
        held, after = entered
        member = reference_member(conversion) if conversion is not None else ""
        if member and not isinstance(held, Ref):
            walk.shown.append(member)
        elif member and walk.rest[:1] == (member,):
            walk.rest = walk.rest[1:]
        elif member and walk.rest:
            return _cut(f"only {member} has a place in {there.version}")
        if walk.rest and isinstance(after, Ref):
            inner = TypeRef(there.version, after.type_name)
            if isinstance(held, Ref):
                walk.here, walk.there = TypeRef(here.version, held.type_name), inner
                return None
            if inner in self.plan.pruned and not self.plan.type(inner).has(walk.rest[0]):
                return _End(None, "stashed", f"{inner} does not declare {walk.rest[0]}")
        return _End((*walk.shown, *walk.rest), decision.fate, decision.reason)

    def _extra(self, walk: _Walk) -> _End:
        """Return where an undeclared member is shown, if it is, and why."""
        reason = f"{walk.here} does not declare {walk.rest[0]}"
        type_ = self.plan.type(walk.there)
        if walk.there in self.plan.pruned or type_.has(walk.rest[0]):
            return _End(None, "stashed", reason, walk.kept_as(walk.rest[0]))
        return _End((*walk.shown, *walk.rest), "copied", reason, walk.kept_as(walk.rest[0]))

    def _enter(
        self, walk: _Walk, held: Type, after: Type, decision: Decision, keys: tuple[str, ...]
    ) -> tuple[Type, Type] | _End:
        """Walk into lists and maps, and return the types of their contents on both sides.

        `keys` are the members of a list's elements that are the keys and the values of a map.
        """
        key, value = keys[:1], keys[1:]
        while walk.rest[:1] == (WILDCARD,) and isinstance(held, ListOf | MapOf):
            inside = walk.rest[1:]
            below: tuple[str, ...] = ()
            if keys and isinstance(held, ListOf) and isinstance(after, MapOf):
                if inside[:1] == key:
                    reason = f"{decision.reason}; the keys of a map"
                    return _End((*walk.shown,), decision.fate, reason)
                if value and inside and inside[:1] != value:
                    return _cut(f"only {' and '.join(keys)} have a place in {walk.there.version}")
                inside = inside[len(value) :]
                held = self._in_element(walk.here.version, held, value)
            elif keys and isinstance(held, MapOf) and isinstance(after, ListOf):
                below = value
                after = self._in_element(walk.there.version, after, value)
            held = held.item if isinstance(held, ListOf) else held.value
            if isinstance(after, ListOf | MapOf):
                after = after.item if isinstance(after, ListOf) else after.value
                walk.shown += (WILDCARD, *below)
            walk.rest = inside
        if isinstance(after, ListOf) and walk.rest and not isinstance(after.item, ListOf):
            after = after.item  # wrapped on the way
            walk.shown.append(WILDCARD)
        return held, after

    def _in_element(self, version: str, held: ListOf, value: tuple[str, ...]) -> ListOf:
        """Return the value that an element of a list has in a member, if it has one there."""
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


def _not_shown(walk: _Walk, decision: Decision, shown: tuple[str, ...] | None) -> _End:
    """Return the end of a property without a partner: the bag, or what its hook makes of it."""
    reason = f"{decision.reason} ({decision.partner})" if decision.partner else decision.reason
    if walk.rest[1:]:
        reason = f"with all of {decision.name}: {reason}"
    after = (*walk.shown, *shown) if shown and len(shown) == 1 else None
    if decision.fate == "claimed by a hook":
        return _End(after, decision.fate, reason)
    return _End(after, "stashed", reason, walk.kept_as(decision.name))


def _cut(reason: str) -> _End:
    return _End(None, "stashed", f"{reason}; the rest stays in the bag")


def _conversion(edge: PlannedEdge, decision: Decision) -> Conversion | None:
    """Return the conversion of a pair or a move, None if there is none."""
    for older, newer, conversion in ways(edge.pairs, edge.moves):
        if decision.name == "/".join(older if decision.side == "older" else newer):
            return conversion
    return None


def _keys(conversion: Conversion | None) -> tuple[str, ...]:
    """Return the members of elements that are declared to be the keys and values of a map."""
    parts = conversions_in(conversion) if conversion is not None else ()
    found = next((one for one in parts if isinstance(one, Keyed)), None)
    return () if found is None else (found.key, found.value) if found.value else (found.key,)
