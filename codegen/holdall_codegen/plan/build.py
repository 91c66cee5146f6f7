"""Building the plan of a group: types are paired over every edge, and links skip versions.

All problems of a group are collected and raised together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdall.errors import PlanError
from holdall.plan.bag_limits import BagLimits
from holdall.plan.plans import Side, TypeRef
from holdall.text import json as _json
from holdall.words import counted
from holdall_codegen.config.model import CarrierName, GroupConfig
from holdall_codegen.model import Group, Ref, Scalar
from holdall_codegen.plan.checks import (
    check_drop_first,
    check_inner,
    check_kind_names,
    check_move_ends,
    check_move_keys,
    check_strict_lists,
    lone_kinds,
)
from holdall_codegen.plan.graph import choose_hub, kind_edges, kind_families, version_edges
from holdall_codegen.plan.left_open import left_open
from holdall_codegen.plan.links import LinkFinder
from holdall_codegen.plan.matching import STASHED, Matched
from holdall_codegen.plan.model import (
    Decision,
    Each,
    GroupPlan,
    PlannedEdge,
    PlannedKind,
    PlannedLink,
    PlannedVersion,
    Recurse,
    Same,
)
from holdall_codegen.plan.pairing import Pairing
from holdall_codegen.plan.pruned import find_pruned
from holdall_codegen.plan.python_names import free_name, snake_case
from holdall_codegen.plan.types import plan_versions


def plan_group(group: Group, config: GroupConfig) -> GroupPlan:
    """Return the plan of one group. Raises PlanError with every problem found."""
    return Planner(group, config).plan()


class Planner(Pairing):
    def __init__(self, group: Group, config: GroupConfig) -> None:
        super().__init__(group, config)
        self.config = config
        self.hub = choose_hub(config)
        self.version_edges = version_edges(config, self.hub)
        self.versions = plan_versions(group)
        self._finder = LinkFinder(self)

    def decide(self) -> tuple[tuple[PlannedKind, ...], tuple[PlannedLink, ...]]:
        """Decide about every property; add problems, and return kinds and links."""
        kinds = self._plan_kinds()
        self.problems.extend(check_kind_names(self.config, kinds))
        self._pair_roots()
        self.match_queue()
        links = self._finder.find()
        self.problems.extend(self.facts.unused(self.matched, self.version_edges))
        self.problems.extend(check_move_ends(self.matched, self.facts))
        self.problems.extend(check_move_keys(self.matched, self.facts))
        self.problems.extend(check_inner(self.group, self.config.inner, kinds, self.matched))
        return kinds, links

    def plan(self) -> GroupPlan:
        kinds, links = self.decide()
        if self.problems:
            problems = self._finder.told_once(self.problems)
            title = f"{counted(len(problems), 'problem')} in group {self.group.name}"
            raise PlanError(problems, title=title)
        edges = self._edges()
        # Types whose extras an API server removes matter only if a bag can save these.
        bags = any(kind.carrier in ("annotation", "field") for kind in kinds)
        served = bags and self.group.api_group
        return GroupPlan(
            name=self.group.name,
            package=self.config.package,
            api_group=self.group.api_group,
            hub=self.hub,
            versions=self.versions,
            version_edges=self.version_edges,
            kinds=kinds,
            edges=name_protocols(edges, self.versions, self.rank),
            links=links,
            pruned=find_pruned(self.group, edges, links) if served else frozenset(),
            warnings=(*self._warnings(), *lone_kinds(kinds, len(self.versions))),
            crds=self.group.crds,
            crd=self.config.crd,
            declared=self.config.declared,
            inner=tuple(item.declared for item in self.config.inner),
            head=self.group.head,
            location=self.config.location,
        )

    # --- kinds and the queue of type pairs ---

    def _plan_kinds(self) -> tuple[PlannedKind, ...]:
        names = [version.name for version in self.group.versions]
        planned = []
        for family in kind_families(self.group, self.config, self.problems):
            types = {version: kind.type_name for version, kind in family.kinds.items()}
            edges = kind_edges(names, self.version_edges, types)
            for older, newer in edges:
                self.pair(TypeRef(older, types[older]), TypeRef(newer, types[newer]))
            planned.append(
                PlannedKind(
                    name=family.name,
                    types=types,
                    edges=edges,
                    carrier=self._carrier(family.name, types),
                    tracking=self.config.tracking,
                    limits=self._limits(family.name, types),
                    plural=list(family.kinds.values())[-1].plural,
                    names={
                        version: kind.name
                        for version, kind in family.kinds.items()
                        if kind.name != family.name
                    },
                    tracked_status=list(family.kinds.values())[-1].tracked_status,
                )
            )
        return tuple(planned)

    def _pair_roots(self) -> None:
        for older, newer in self.version_edges:
            shared = self.group.version(older).types.keys() & self.group.version(newer).types
            for name in self.group.roots:
                if name in shared:
                    self.pair(TypeRef(older, name), TypeRef(newer, name))

    def _carrier(self, kind: str, types: dict[str, str]) -> CarrierName:
        configured: CarrierName | None = self.config.carriers.get(kind) or self.config.carrier
        if configured is not None:
            return configured
        kubernetes = all(
            self.group.version(version).types[name].property("metadata") is not None
            for version, name in types.items()
        )
        return "annotation" if kubernetes and self.group.api_group else "field"

    def _limits(self, kind: str, types: dict[str, str]) -> BagLimits:
        """Return the declared limits of a kind, with the versions whose status has a slot."""
        declared = self.config.limits.get(kind) or BagLimits()
        place, group = self.config.carrier_places.get(kind, self.config.location), self.group
        self.problems += check_strict_lists(group, kind, types, declared.strict, place)
        self.problems += check_drop_first(group, kind, types, declared.drop_first, place)
        wanted = self.config.crd.kind(kind).status_slot
        slots = []
        for version, name in types.items():
            known = self.group.version(version).types
            status = known[name].property("status")
            holder = status.type if status is not None else None
            if isinstance(holder, Ref) and (wanted or known[holder.type_name].has_slot):
                slots.append(version)
        return replace(declared, status_slots=tuple(slots))

    # --- results ---

    def _edges(self) -> list[PlannedEdge]:
        neighbours = set(self.version_edges)
        edges = []
        for (older, newer), matched in self.matched.items():
            doubts = self._doubts(matched)
            edges.append(
                PlannedEdge(
                    older=older,
                    newer=newer,
                    protocol="",
                    suffix="",
                    is_link=(older.version, newer.version) not in neighbours,
                    pairs=tuple(sorted(matched.pairs, key=lambda pair: pair.newer)),
                    moves=tuple(matched.moves),
                    only_older=tuple(sorted(matched.only_older)),
                    only_newer=tuple(sorted(matched.only_newer)),
                    left_older=tuple(sorted(matched.left_older)),
                    left_newer=tuple(sorted(matched.left_newer)),
                    must_claim_older=_must_claim(matched.left_older),
                    must_claim_newer=_must_claim(matched.left_newer),
                    defaults=tuple(sorted(matched.defaults, key=lambda item: item.name)),
                    union=matched.union,
                    skipped=matched.skip,
                    decisions=tuple(
                        self._finder.explain(older, newer, _doubted(decision, doubts))
                        for decision in sorted(
                            matched.decisions, key=lambda item: (item.side != "older", item.name)
                        )
                    ),
                )
            )
        return edges

    def _doubts(self, matched: Matched) -> dict[tuple[Side, str], str]:
        """Return the doubts about properties of a side: elements that lost and gained members."""
        found: dict[tuple[Side, str], str] = {}
        for pair in matched.pairs:
            match pair.conversion:
                case Each(inner=Recurse(steps=(one, other))) if pair.reason == "same wire name":
                    elements = self.matched[one, other]
                    lost, gained = sorted(elements.only_older), sorted(elements.only_newer)
                    if lost and gained:
                        text = (
                            f"its elements lose {', '.join(lost)} and gain {', '.join(gained)}:"
                            " is it the same?"
                        )
                        found |= {("older", pair.older): text, ("newer", pair.newer): text}
        return found

    def _warnings(self) -> tuple[str, ...]:
        stashed = (
            f"{older} {name}: stashed on the way to {newer.version}, never shown there ({reason})"
            for (older, newer), matched in self.matched.items()
            for name, reason in matched.only_older.items()
            if reason == STASHED
        )
        declared = self.config.declared.warnings if self.config.declared else ()
        copied = (*self._constants(), *left_open(self.group, self.matched))
        return (*self.group.warnings, *stashed, *copied, *declared)

    def _constants(self) -> Iterator[str]:
        """Yield properties that are copied although each version allows only another value."""
        roots = self.roots()
        for (older, newer), matched in self.matched.items():
            for pair in matched.pairs:
                ends = (self._constant(older, pair.older), self._constant(newer, pair.newer))
                if isinstance(pair.conversion, Same) and all(ends) and ends[0] != ends[1]:
                    text = f"{older} {pair.older} is copied, but {newer.version} allows only "
                    text += f"{ends[1]}, and {older.version} only {ends[0]}"
                    if older in roots:
                        text += f"; if it says the version, declare version_at: {pair.older}"
                    yield text

    def _constant(self, ref: TypeRef, name: str) -> str:
        """Return the only value that a property may have, as JSON; "" if there are others."""
        found = self.group.type(ref).property(name)
        values = found.type.enum if found and isinstance(found.type, Scalar) else ()
        return _json.encode(values[0]).decode() if len(values) == 1 else ""


def _doubted(decision: Decision, doubts: Mapping[tuple[Side, str], str]) -> Decision:
    """Return a decision with its doubt, if there is one."""
    doubt = doubts.get((decision.side, decision.name))
    if doubt is None:
        return decision
    return replace(decision, reason=f"{decision.reason}, but {doubt}", doubtful=True)


def _must_claim(left: dict[str, str]) -> tuple[str, ...]:
    return tuple(
        sorted(name for name, reason in left.items() if reason.startswith("strategy: hook"))
    )


# --- protocols ------------------------------------------------------------------------------------


def name_protocols(
    edges: Sequence[PlannedEdge], versions: Sequence[PlannedVersion], rank: Mapping[str, int]
) -> tuple[PlannedEdge, ...]:
    """Return the edges, sorted, with protocol names and method suffixes.

    A type with one newer peer has `Assignable<Type>`; with several, each edge has
    `Assignable<Type>To<Peer>`, with the version before the peer if peers share a name. A name of a
    type of the module or another protocol gets an underscore.
    """
    modules = {version.name: version.module for version in versions}
    taken = {version.name: set(version.types) for version in versions}
    suffixes: dict[TypeRef, set[str]] = {}

    def place(edge: PlannedEdge) -> tuple[int, str, int, str]:
        older, newer = edge.older, edge.newer
        return rank[older.version], older.name, rank[newer.version], newer.name

    peers = Counter(edge.older for edge in edges)
    names = Counter((edge.older, edge.newer.name) for edge in edges)
    named = []
    for edge in sorted(edges, key=place):
        protocol, suffix = f"Assignable{edge.older.name}", ""
        if peers[edge.older] > 1:
            peer = edge.newer.name
            if names[edge.older, peer] > 1:
                peer = modules[edge.newer.version].capitalize() + peer
            protocol += f"To{peer}"
            used = suffixes.setdefault(edge.older, set())
            suffix = free_name(f"_{snake_case(peer)}", used)
            used.add(suffix)
        protocol = free_name(protocol, taken[edge.older.version])
        taken[edge.older.version].add(protocol)
        named.append(replace(edge, protocol=protocol, suffix=suffix))
    return tuple(named)
