"""Declarations that keep objects valid: each was planned for trial, and removed its finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

from holdall.errors import PlanError
from holdall.plan.graph import closure
from holdall.plan.plans import TypeRef
from holdall.text.pointer import join
from holdall.types import JsonValue
from holdall_codegen.config.model import Constant, GroupConfig, PropertyFacts, VariantFacts
from holdall_codegen.model import (
    NOWHERE,
    Group,
    ListOf,
    MapOf,
    Opaque,
    Ref,
    Scalar,
    Type,
    Union,
    inside,
    referenced_type,
)
from holdall_codegen.plan.build import plan_group
from holdall_codegen.plan.facts import Facts
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, PlannedMove, PlannedPair
from holdall_codegen.propose.fixes import renamed_values
from holdall_codegen.propose.model import Proposal, declared
from holdall_codegen.propose.search import propose
from holdall_codegen.propose.shapes import folded, texts_of
from holdall_codegen.refusals.model import Refusal, Subject

Find = Callable[[GroupPlan], Sequence[Refusal]]
Key = tuple[Subject, str, str]
_HOOK: Literal["hook"] = "hook"
_ANY_OTHER: Final = frozenset(("other", "others", "unknown", "unspecified"))


@dataclass(frozen=True)
class _Offers:
    """Makes offers for the findings of one group. `find` repeats the search in a trial plan.

    `proposals` are those of the group, None if they are not known yet. `planned` says which lines
    that leave a pair to a hook the group can be planned with.
    """

    group: Group
    config: GroupConfig
    plan: GroupPlan
    find: Find
    proposals: Sequence[Proposal] | None
    planned: dict[str, bool] = field(default_factory=dict)

    def tried(self, found: Sequence[Refusal], offers: Mapping[Key, Proposal]) -> Mapping[Key, str]:
        """Return the lines of the offers that remove their findings and bring no others."""
        lines = {key: offer.line for key, offer in offers.items()}
        good = self._good(found, offers)
        if good is None:  # one of them cannot be planned, so each is tried by itself
            good = {
                key
                for key, offer in offers.items()
                if key in (self._good(found, {key: offer}) or ())
            }
        return {key: line for key, line in lines.items() if key in good}

    def _good(self, found: Sequence[Refusal], offers: Mapping[Key, Proposal]) -> set[Key] | None:
        try:
            plan = plan_group(self.group, _with(self.config, offers.values()))
        except PlanError:
            return None
        before = {_key(item) for item in found}
        after = {_key(item) for item in self.find(plan)}
        worse = {(subject.source, subject.target, subject.first) for subject, *_ in after - before}
        return {
            key
            for key in offers
            if key not in after and (key[0].source, key[0].target, key[0].first) not in worse
        }

    # --- what could help -----------------------------------------------------------------------

    def lens(self, item: Refusal) -> Proposal | None:
        """Return names for values of an enum, or for what only one side has its probable partner,
        else a default.
        """
        edge = self._edge(item.subject)
        if edge is None:
            return None
        if item.rule == "required-added" and "/" not in item.subject.name:
            return self._default(edge, item)
        pair = _way(edge, item.subject)
        if item.rule == "enum-narrowed" and pair is not None:
            return self._values(edge, pair)
        return None

    def hook(self, item: Refusal) -> str:
        """Return the line that leaves a pair to a hook, or the command that starts one on the edge.

        A hook may take any pair, unless it holds objects with declared facts: these would have no
        effect any more.
        """
        edge = self._edge(item.subject)
        if edge is None or self.plan.declared is not None:
            return ""
        pair = _way(edge, item.subject)
        if isinstance(pair, PlannedPair):
            known = self._declared(edge, (pair.older,))
            facts = PropertyFacts((pair.older,), NOWHERE, rename=known.rename, strategy=_HOOK)
            offer = Proposal("fix", facts, (edge.older,), (edge.newer,), "")
            if not self._holds_declared(edge, pair.older) or self._is_planned(offer):
                return offer.line
        versions = f"{edge.older.version}..{edge.newer.version}"
        return f"a hook: `holdall hooks scaffold {edge.older.name} {versions}`"

    def _holds_declared(self, edge: PlannedEdge, name: str) -> bool:
        """Tell whether a property holds objects, at any depth, of types with declared facts."""
        version = self.group.version(edge.older.version)
        facts = Facts(self.config, self.group)
        item = version.types[edge.older.name].property(name)
        held = referenced_type(item.type) if item is not None else ""
        return any(
            facts.of_type(version.name, edge.newer.version, below)
            for below in closure([held] if held else [], lambda below: version.types[below].held())
        )

    def _is_planned(self, offer: Proposal) -> bool:
        if offer.line not in self.planned:
            try:
                plan_group(self.group, _with(self.config, [offer]))
            except PlanError:
                self.planned[offer.line] = False
            else:
                self.planned[offer.line] = True
        return self.planned[offer.line]

    def _edge(self, subject: Subject) -> PlannedEdge | None:
        ends = {subject.source, subject.target}
        return next((e for e in self.plan.edges if {e.older, e.newer} == ends), None)

    def _declared(self, edge: PlannedEdge, path: tuple[str, ...]) -> PropertyFacts:
        facts = Facts(self.config, self.group)
        found = facts.of_properties(edge.older.version, edge.newer.version, edge.older.name)
        return next((item for item in found if item.path == path), PropertyFacts(path, NOWHERE))

    def _default(self, edge: PlannedEdge, item: Refusal) -> Proposal | None:
        name = item.subject.first
        property_ = self.group.type(item.subject.target).property(name)
        alone = edge.only_newer if item.subject.target == edge.newer else edge.only_older
        if name not in alone or property_ is None:
            return None
        if (probable := self._probable.get((item.subject.target, name))) is not None:
            return probable
        value = _plain(property_.type)
        if value is None:
            return None
        facts = PropertyFacts((name,), NOWHERE, default=Constant(value))
        return Proposal("fix", facts, (edge.older,), (edge.newer,), "")

    @cached_property
    def _probable(self) -> Mapping[tuple[TypeRef, str], Proposal]:
        """The proposed renames and moves, by the properties at both ends."""
        found: dict[tuple[TypeRef, str], Proposal] = {}
        known = self.proposals
        for item in propose(self.group, self.config) if known is None else known:
            if item.about in ("rename", "move"):
                for holders, path in (
                    (item.holders, item.facts.path),
                    (item.target_holders, item.target),
                ):
                    found[holders[-1], path[-1]] = item
        return found

    def _values(self, edge: PlannedEdge, pair: PlannedPair | PlannedMove) -> Proposal | None:
        ends = [
            self._type(ref, (path,) if isinstance(path, str) else path)
            for ref, path in ((edge.older, pair.older), (edge.newer, pair.newer))
        ]
        older, newer = (texts_of(end) if end is not None else () for end in ends)
        if ends[0] is None or ends[1] is None or not older or not newer:
            return None
        path = (pair.older,) if isinstance(pair.older, str) else pair.older
        known = self._declared(edge, path)
        if known.strategy is not None or known.retyped is not None or known.variants is not None:
            return None
        names = {**known.values, **renamed_values(ends[0], ends[1])}
        lone = _lone(older, {*newer, *names}, newer), _lone(newer, {*older, *names.values()}, older)
        if not names and not any(lone):
            return None
        if not any(lone):
            facts = replace(known, values=names, location=NOWHERE)
        else:
            facts = replace(known, values={}, variants=VariantFacts(names, *lone), location=NOWHERE)
        return Proposal("values", facts, (edge.older,), (edge.newer,), "")

    def _type(self, ref: TypeRef, path: tuple[str, ...]) -> Type | None:
        found: Type | None = Ref(ref.name)
        for name in path:
            found = found and inside(found, name, self.group.version(ref.version).types)
        return found


def with_offers(
    group: Group,
    config: GroupConfig,
    plan: GroupPlan,
    found: Sequence[Refusal],
    find: Find,
    proposals: Sequence[Proposal] | None = None,
) -> tuple[Refusal, ...]:
    """Return what was found in a plan with a fix: a declaration that was tried, else a hook."""
    offers = _Offers(group, config, plan, find, proposals)
    made = {_key(item): lens for item in found if (lens := offers.lens(item)) is not None}
    fixes = offers.tried(found, made) if made else {}
    return tuple(replace(item, fix=fixes.get(_key(item)) or offers.hook(item)) for item in found)


def _key(item: Refusal) -> Key:
    return item.subject, item.rule, item.what


def _with(config: GroupConfig, proposals: Iterable[Proposal]) -> GroupConfig:
    """Return a configuration with proposals, each replacing what its property has."""
    wanted: dict[tuple[tuple[str, str], str, tuple[str, ...]], Proposal] = {}
    for item in proposals:
        wanted.setdefault((item.edge, item.type, item.facts.path), item)
    edges = tuple(
        replace(
            edge,
            types=tuple(
                replace(
                    entry,
                    properties=tuple(
                        facts
                        for facts in entry.properties
                        if ((edge.older, edge.newer), entry.pattern, facts.path) not in wanted
                    ),
                )
                for entry in edge.types
            ),
        )
        for edge in config.facts
    )
    return declared(replace(config, facts=edges), wanted.values())


def _way(edge: PlannedEdge, subject: Subject) -> PlannedPair | PlannedMove | None:
    """Return the pair or the move whose end a finding is about."""
    is_newer = subject.target == edge.newer
    for pair in edge.pairs:
        if (pair.newer if is_newer else pair.older) == subject.first:
            return pair
    for move in edge.moves:
        path = join("", *(move.newer if is_newer else move.older))[1:]
        if subject.name == path or subject.name.startswith(f"{path}/*"):
            return move
    return None


def _lone(values: Iterable[str], known: Iterable[str], others: Sequence[str]) -> dict[str, str]:
    """Return the values that the other side lacks, each with a catch-all value of that side.

    Without a catch-all there are none: any other value would say something wrong.
    """
    ranked = sorted(others, key=lambda value: value not in values)
    stand_in = next((value for value in ranked if folded(value) in _ANY_OTHER), None)
    if stand_in is None:
        return {}
    return {value: stand_in for value in values if value not in {*known}}


def _plain(type_: Type) -> JsonValue:
    """Return a neutral value; None if a type has none."""
    match type_:
        case Scalar(enum=[first, *_]):
            return first
        case Scalar(kind="boolean"):
            return False
        case Scalar(kind="integer" | "number"):
            return 0
        case Scalar():
            return ""
        case Ref() | MapOf():
            empty: dict[str, JsonValue] = {}
            return empty
        case ListOf():
            return []
        case Union() | Opaque():
            return None
