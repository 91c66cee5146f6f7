"""Lanes: every property of a kind, followed through all versions.

A property at a place of one version is a spot. Spots that the plan pairs, on an edge or
by a skip link, make one lane. Every lane has a passage for each edge: what happens to it there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, Literal, NamedTuple, TypeAlias

from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.model import Ref, Type, innermost
from holdall_codegen.plan.levels import deepest
from holdall_codegen.plan.model import (
    Conversion,
    Decision,
    GroupPlan,
    PlannedEdge,
    PlannedKind,
    reference_member,
    ways,
)
from holdall_codegen.views.hook_report import BoundPoint

Path: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str, Path]
"""A version, and wire names below the kind; `*` means list elements and map values."""

WILDCARD: Final = "*"
MOST: Final = 20_000
"""How many properties of a version of a kind are drawn."""


class Spots(NamedTuple):
    """Every property of a kind by version, with its holder, before its members.

    With a `depth` there are too many to draw, and deeper ones are left out.
    """

    versions: Mapping[str, Mapping[Path, LinkEnd]]
    depth: int | None


def spots_of(plan: GroupPlan, kind: PlannedKind) -> Spots:
    """Return the spots of a kind; a type that holds itself is followed once."""
    depths = [deepest(plan.version(name), root, MOST) for name, root in kind.types.items()]
    depth = min((one for one in depths if one is not None), default=None)
    roots = {version: TypeRef(version, root) for version, root in kind.types.items()}
    return Spots({version: _walked(plan, root, depth) for version, root in roots.items()}, depth)


def _walked(plan: GroupPlan, root: TypeRef, most: int | None) -> dict[Path, LinkEnd]:
    found: dict[Path, LinkEnd] = {}

    def walk(ref: TypeRef, path: Path, above: frozenset[str]) -> None:
        for member in plan.type(ref).members:
            place = (*path, member.name)
            found[place] = LinkEnd(ref, member.name)
            inner, depth = innermost(member.property.type)
            if len(above) != most and isinstance(inner, Ref) and inner.type_name not in above:
                below = (*place, *(WILDCARD,) * depth)
                walk(TypeRef(ref.version, inner.type_name), below, above | {inner.type_name})

    walk(root, (), frozenset({root.name}))
    return found


def holder_of(path: Path) -> Path:
    """Return the property that holds another one, empty at the top."""
    path = path[:-1]
    while path and path[-1] == WILDCARD:
        path = path[:-1]
    return path


LaneFate = Literal["copied", "recursed", "renamed", "moved", "converted", "hook", "bag"]
Absence = Literal["bag", "hook", "inside"]
Ends: TypeAlias = tuple[TypeRef, TypeRef]
Points: TypeAlias = Mapping[PlannedEdge, BoundPoint]
"""Hook points with their hooks, by edge."""

LANE_FATES: Final[Mapping[str, LaneFate]] = {
    "copied": "copied",
    "recursed": "recursed",
    "renamed": "renamed",
    "moved": "moved",
    "converted": "converted",
    "claimed by a hook": "hook",
    "stashed": "bag",
    "pulled": "bag",
}

_WHOLE: Final[Mapping[LaneFate, LaneFate]] = {
    "recursed": "copied",
    "renamed": "copied",
    "moved": "copied",
}
"""The fates of members of an object that differ from its own."""

_TELLING: Final[tuple[LaneFate, ...]] = (
    "hook",
    "bag",
    "moved",
    "renamed",
    "converted",
    "copied",
    "recursed",
)


@dataclass(frozen=True, slots=True)
class Passage:
    """What happens to a spot on one edge.

    With `is_whole`, the decision is about an object, and the spot goes with all of it.
    """

    edge: PlannedEdge
    decision: Decision
    fate: LaneFate
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One property through the versions.

    `parent` is the index of the lane that holds it. `passages` are by edge: that of the older spot,
    and that of the newer one; `absent` says where the values are in versions without a spot. Its
    `fates` are in order of importance.
    """

    parent: int | None
    spots: Mapping[str, tuple[Path, ...]]
    passages: Mapping[tuple[str, str], tuple[Passage | None, Passage | None]]
    absent: Mapping[str, Absence]
    fates: tuple[LaneFate, ...]

    @property
    def path(self) -> Path:
        """Its path in the newest version that has it."""
        return next(reversed(list(self.spots.values())))[0]


def lanes_of(
    plan: GroupPlan,
    kind: PlannedKind,
    points: Points | None = None,
    spots: Spots | None = None,
) -> list[Lane]:
    """Return the lanes of a kind, parents before their members, which are sorted by name."""
    return _Tracks(plan, kind, points or {}, spots or spots_of(plan, kind)).lanes()


@dataclass(slots=True)
class _Groups:
    """Spots that belong together: disjoint sets."""

    heads: dict[Spot, Spot] = field(default_factory=dict)

    def head(self, spot: Spot) -> Spot:
        head = spot
        while (above := self.heads.get(head, head)) != head:
            head = above
        self.heads[spot] = head
        return head

    def join(self, one: Spot, other: Spot) -> None:
        self.heads[self.head(one)] = self.head(other)


class _Tracks:
    def __init__(self, plan: GroupPlan, kind: PlannedKind, points: Points, spots: Spots) -> None:
        self._plan = plan
        self._kind = kind
        self._points = points
        self._edges = {edge.ends: edge for edge in plan.edges}
        self._versions = [item.name for item in plan.versions if item.name in kind.types]
        self._spots = spots.versions
        self._groups = _Groups()
        self._passages: dict[tuple[str, str], dict[Spot, Passage]] = {}
        self._order = {
            version: ([*found], {path: rank for rank, path in enumerate(found)})
            for version, found in spots.versions.items()
        }

    def lanes(self) -> list[Lane]:
        for ends in self._kind.edges:
            self._passages[ends] = {}
            older, newer = (TypeRef(version, self._kind.types[version]) for version in ends)
            self._cross(ends, (older, newer), ((), ()), frozenset())
            for version in ends:
                self._inherit(ends, version)
        self._link()
        groups: dict[Spot, list[Spot]] = defaultdict(list)
        for version in self._versions:
            for path in self._spots[version]:
                groups[self._groups.head((version, path))].append((version, path))
        members: dict[Spot | None, list[tuple[str, Spot]]] = defaultdict(list)
        for head, spots in groups.items():
            version, path = spots[-1]
            holder = holder_of(path)
            above = self._groups.head((version, holder)) if holder else None
            members[above].append((path[-1], head))
        lanes: list[Lane] = []
        waiting: list[tuple[Spot, int | None]] = []
        waiting += [(head, None) for _, head in sorted(members[None], reverse=True)]
        while waiting:
            head, parent = waiting.pop()
            inner = sorted(members[head], reverse=True)
            waiting += [(spot, len(lanes)) for _, spot in inner]
            lanes.append(self._lane(groups[head], parent))
        return lanes

    def _cross(
        self, ends: tuple[str, str], refs: Ends, at: tuple[Path, Path], above: frozenset[Ends]
    ) -> None:
        edge = self._edges.get(refs)
        if edge is None or refs in above:
            return
        moved = {"/".join(move.older): move.older for move in edge.moves}
        moved |= {"/".join(move.newer): move.newer for move in edge.moves}
        for decision in self._decisions(edge):
            side = 0 if decision.side == "older" else 1
            spot = ends[side], (*at[side], *moved.get(decision.name, (decision.name,)))
            if spot[1] in self._spots[spot[0]]:
                fate = LANE_FATES[decision.fate]
                self._passages[ends].setdefault(spot, Passage(edge, decision, fate))
        for older, newer, conversion in ways(edge.pairs, edge.moves):
            paths = (*at[0], *older), (*at[1], *newer)
            self._pair(ends, paths, conversion, above | {refs})
        for one, other in self._hooked(edge):
            spots = (ends[0], (*at[0], one)), (ends[1], (*at[1], other))
            if all(path in self._spots[version] for version, path in spots):
                self._groups.join(*spots)

    def _decisions(self, edge: PlannedEdge) -> tuple[Decision, ...]:
        point = self._points.get(edge)
        return edge.decisions if point is None else point.decisions

    def _hooked(self, edge: PlannedEdge) -> Iterator[tuple[str, str]]:
        """Yield the pairs of properties that a hook makes from each other."""
        claimed = [item for item in self._decisions(edge) if item.fate == "claimed by a hook"]
        older, newer = (
            [item for item in claimed if item.side == side] for side in ("older", "newer")
        )
        for one, other in product(older, newer):
            if one.name == other.name or self._is_shown_as(edge, one, other):
                yield one.name, other.name
        declared = [item for item in edge.decisions if item.fate == "claimed by a hook"]
        if [item.side for item in declared] == ["older", "newer"]:
            yield declared[0].name, declared[1].name

    def _is_shown_as(self, edge: PlannedEdge, one: Decision, other: Decision) -> bool:
        """Tell whether a hook shows each of two properties only as the other."""
        point = self._points.get(edge)
        if point is None:
            return False
        shown = set(point.shown_by_hook(one) or ()), set(point.shown_by_hook(other) or ())
        return shown == ({other.name}, {one.name})

    def _pair(
        self,
        ends: tuple[str, str],
        paths: tuple[Path, Path],
        conversion: Conversion,
        above: frozenset[Ends],
    ) -> None:
        one, other = zip(ends, paths, strict=True)
        if any(path not in self._spots[version] for version, path in (one, other)):
            return
        self._groups.join(one, other)
        inner: list[tuple[Type, Path]] = []
        for version, path in (one, other):
            held = self._spots[version][path]
            property_ = self._plan.type(held.type).member(held.name).property
            type_, depth = innermost(property_.type)
            inner.append((type_, (*path, *(WILDCARD,) * depth)))
        (before, at_older), (after, at_newer) = inner
        if isinstance(before, Ref) and isinstance(after, Ref):
            refs = TypeRef(ends[0], before.type_name), TypeRef(ends[1], after.type_name)
            self._cross(ends, refs, (at_older, at_newer), above)
            return
        member = reference_member(conversion)
        for (version, path), (type_, base) in zip((one, other), inner, strict=True):
            place = (*base, member)
            if member and isinstance(type_, Ref) and place in self._spots[version]:
                # the rest of the object has no place on the other side
                passage = self._passages[ends].get((version, path))
                if passage is not None:
                    self._passages[ends][version, place] = replace(passage, is_whole=True)
                    for name in self._below(version, base):
                        if name != place:
                            rest = replace(passage, fate="bag", is_whole=True)
                            self._passages[ends].setdefault((version, name), rest)

    def _below(self, version: str, base: Path) -> Iterator[Path]:
        """Yield what is inside a property: that comes right behind it."""
        paths, ranks = self._order[version]
        at = ranks[base if base in ranks else holder_of(base)] + 1
        while at < len(paths) and paths[at][: len(base)] == base:
            yield paths[at]
            at += 1

    def _inherit(self, ends: tuple[str, str], version: str) -> None:
        """Give members that go with a whole object its passage."""
        passages = self._passages[ends]
        for path in self._spots[version]:
            if (version, path) not in passages:
                above = next(
                    (passages[spot] for spot in _above(version, path) if spot in passages), None
                )
                if above is not None:
                    fate = _WHOLE.get(above.fate, above.fate)
                    passages[version, path] = replace(above, fate=fate, is_whole=True)

    def _link(self) -> None:
        """Join the ends of skip links, and what is below them."""
        held: dict[LinkEnd, list[Path]] = defaultdict(list)
        for spots in self._spots.values():
            for path, end in spots.items():
                held[end].append(path)
        for link in self._plan.links:
            older, newer = link.older, link.newer
            if {older.type.version, newer.type.version} - set(self._versions):
                continue
            for path in held.get(older, ()):
                for other in held.get(newer, ()):
                    ends = (older.type.version, path), (newer.type.version, other)
                    if self._have_one_holder(*ends):
                        self._groups.join(*ends)
                        self._join_below(*ends)

    def _join_below(self, one: Spot, other: Spot) -> None:
        for path in self._below(*one):
            place = (*other[1], *path[len(one[1]) :])
            if place in self._spots[other[0]]:
                self._groups.join((one[0], path), (other[0], place))

    def _have_one_holder(self, one: Spot, other: Spot) -> bool:
        holders = [(version, holder_of(path)) for version, path in (one, other)]
        if not all(path for _, path in holders):
            return not any(path for _, path in holders)
        return self._groups.head(holders[0]) == self._groups.head(holders[1])

    def _lane(self, spots: list[Spot], parent: int | None) -> Lane:
        places: dict[str, tuple[Path, ...]] = {}
        for version, path in spots:
            places[version] = (*places.get(version, ()), path)
        passages = {}
        fates: set[LaneFate] = set()
        for ends, known in self._passages.items():
            pair = tuple(
                known.get((version, places[version][0])) if version in places else None
                for version in ends
            )
            passages[ends] = (pair[0], pair[1])
            fates |= {passage.fate for passage in pair if passage is not None}
        absent = self._absent(places, passages)
        order: tuple[LaneFate, ...] = tuple(fate for fate in _TELLING if fate in fates)
        return Lane(parent, places, passages, absent, order)

    def _absent(
        self,
        places: Mapping[str, object],
        passages: Mapping[tuple[str, str], tuple[Passage | None, Passage | None]],
    ) -> dict[str, Absence]:
        """Return where the values are in versions without a spot, from the nearest spot on."""
        found: dict[str, Absence] = {}
        reached = dict.fromkeys(places)
        while True:
            fresh: dict[str, Absence] = {}
            for ends, pair in passages.items():
                for here, there, passage in ((*ends, pair[0]), (*ends[::-1], pair[1])):
                    if here in reached and there not in reached:
                        known = found.get(here) or _absence(passage)
                        fresh[there] = known
            if not fresh:
                return found
            found |= fresh
            reached |= dict.fromkeys(fresh)


def _absence(passage: Passage | None) -> Absence:
    if passage is None or passage.fate == "bag":
        return "bag"
    return "hook" if passage.fate == "hook" else "inside"


def _above(version: str, path: Path) -> Iterator[Spot]:
    while path := holder_of(path):
        yield version, path
