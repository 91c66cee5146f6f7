"""Proposals for a group, found in rounds: each pairs types, whose members the next one compares.

Nothing is proposed that a trial plan refuses, or that hides something that was shown before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from holdall.plan.plans import TypeRef
from holdall_codegen.config.model import GroupConfig, PropertyFacts
from holdall_codegen.model import NOWHERE, Group
from holdall_codegen.plan.matching import Matched
from holdall_codegen.propose.candidates import Candidate, Scores, candidates
from holdall_codegen.propose.choosing import Places, choose
from holdall_codegen.propose.ends import Edge, End, free_ends
from holdall_codegen.propose.fixes import fixes, renamed_values, value_proposals
from holdall_codegen.propose.model import Proposal, declared
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.units import UNKNOWN, Measure
from holdall_codegen.propose.words import path_words, words

_ROUNDS: Final = 12
_MANY: Final = 3
_Key = tuple[tuple[str, str], str, tuple[str, ...]]
Unit = tuple[Proposal, ...]
"""Proposals that are made together or not at all."""


def propose(
    group: Group, config: GroupConfig, ask: Callable[[Unit], bool] = lambda _: True
) -> tuple[Proposal, ...]:
    """Return what could be declared about a group, in the order in which it would be declared.

    Each proposal is valid once those before it are declared. `ask` chooses: what it refuses is left
    out, with all that would follow from it. A declaration in Python leaves nothing to guess.
    """
    if config.declared is not None:
        return ()
    search = _Search(group, config, ask)
    search.run()
    return tuple(search.found)


class _Search:
    def __init__(self, group: Group, config: GroupConfig, ask: Callable[[Unit], bool]) -> None:
        self._group = group
        self._config = config
        self._trial = Trial(group, config)
        self._ask = ask
        self._scores: dict[tuple[str, str], Scores] = {}
        self._tried: set[_Key] = set()
        self._units: list[Unit] = []

    @property
    def found(self) -> list[Proposal]:
        return [item for unit in self._units for item in unit]

    def run(self) -> None:
        refused = partial(self._of_edges, fixes)
        while self._take(refused):
            pass
        self._gather()
        steps = (refused, self._crossed, self._guesses, partial(self._of_edges, value_proposals))
        for _ in range(_ROUNDS):
            taken = [self._take(step) for step in steps]
            if not any(taken):
                break
        self._units += [(item,) for item in self._by_code()]

    # --- what each round looks for ---

    def _of_edges(self, find: Callable[[Trial, Edge], Iterator[Proposal]]) -> Iterator[Unit]:
        for edge in self._trial.matched:
            for item in find(self._trial, edge):
                yield (item,)

    def _gather(self) -> None:
        """Replace equal proposals for many properties of two versions by one for all properties."""
        for versions in dict.fromkeys(unit[0].edge for unit in self._units):
            wraps = [
                unit for unit in self._units if unit[0].edge == versions and unit[0].facts.wrap
            ]
            if len(wraps) < _MANY:
                continue
            ends = (TypeRef(versions[0], "*"),), (TypeRef(versions[1], "*"),)
            why = f"{len(wraps)} properties are one value here and a list there"
            every = Proposal("fix", PropertyFacts(("*",), NOWHERE, wrap=True), *ends, why)
            units = [(every,), *(unit for unit in self._units if unit not in wraps)]
            items = [item for unit in units for item in unit]
            trial = Trial(self._group, declared(self._config, items))
            if not trial.is_worse(self._trial) and self._ask((every,)):
                self._trial, self._units = trial, units

    def _crossed(self) -> Iterator[Unit]:
        for edge in self._trial.matched:
            for item in crossings(self._trial, edge, self._scores_of(edge)):
                why = "a property of the same name means something else"
                yield (
                    _guess(item.older, item.down, 1.0, why),
                    _guess(item.up, item.newer, 1.0, why),
                )

    def _guesses(self) -> Iterator[Unit]:
        taken: dict[tuple[object, str], bool] = {}
        chosen = [
            (edge, one)
            for edge, one in self._chosen()
            if not one.by_code and _key_of(edge, one) not in self._tried
        ]
        places = {
            edge: Places(one for there, one in chosen if there == edge)
            for edge in dict.fromkeys(edge for edge, _ in chosen)
        }
        for edge, one in sorted(chosen, key=lambda item: -item[1].score):
            if places[edge].touch(one):
                continue
            if any(key in taken for end in (one.older, one.newer) for key in end.above):
                continue  # in the next round, when its objects are paired
            inner = [(end.key, len(end.path) == 1) for end in (one.older, one.newer)]
            # A nested property is either renamed there, or moved from outside, by any path.
            if any(key in taken and (own or taken[key]) for key, own in inner):
                continue
            taken.update(inner)
            yield (_guess(one.older, one.newer, one.score, "", one.measure),)

    def _by_code(self) -> Iterator[Proposal]:
        for _, one in self._chosen():
            if one.by_code:
                why = f"{one.obstacle}: this needs a hook"
                yield replace(_guess(one.older, one.newer, one.score, why), about="code")

    # --- trials ---

    def _take(self, step: Callable[[], Iterator[Unit]]) -> bool:
        """Take what a step finds, a trial plan allows and the user wants."""
        fresh = []
        for unit in step():
            keys: set[_Key] = {(item.edge, item.type, item.facts.path) for item in unit}
            if not keys & self._tried:
                self._tried |= keys
                fresh.append(unit)
        before, count = self._trial, len(self._units)
        self._accept(fresh)
        allowed = self._units[count:]
        wanted = [unit for unit in allowed if self._ask(unit)]
        if len(wanted) < len(allowed):
            self._trial, self._units = before, self._units[:count]
            self._accept(wanted)
        for item in (item for unit in self._units[count:] for item in unit):
            path, target = item.facts.path[-1], item.target[-1]
            if path != target:
                self._scores_of((item.holders[0], item.target_holders[0])).learn(path, target)
        return len(self._units) > count

    def _accept(self, units: list[Unit]) -> None:
        """Declare what a trial plan allows; find what it does not by bisection."""
        if not units:
            return
        items = [item for unit in units for item in unit]
        trial = Trial(self._group, declared(self._trial.config, items))
        if not trial.is_worse(self._trial, fixing=items[0].about == "fix"):
            self._trial = trial
            self._units += units
        elif len(units) > 1:
            half = len(units) // 2
            self._accept(units[:half])
            self._accept(units[half:])

    # --- edges ---

    def _scores_of(self, edge: Edge) -> Scores:
        versions = edge[0].version, edge[1].version
        if versions not in self._scores:
            self._scores[versions] = Scores(self._trial, *versions)
        return self._scores[versions]

    def _chosen(self) -> Iterator[tuple[Edge, Candidate]]:
        for edge in self._trial.matched:
            for one in choose(candidates(self._trial, edge, self._scores_of(edge))):
                yield edge, one


def _key_of(edge: Edge, one: Candidate) -> _Key:
    return (edge[0].version, edge[1].version), edge[0].name, one.older.path


def _guess(older: End, newer: End, score: float, why: str, unit: Measure = UNKNOWN) -> Proposal:
    """Return the proposal that two properties are one."""
    values = renamed_values(older.member.type, newer.member.type)
    facts = PropertyFacts(
        older.path, NOWHERE, values=values, duration=unit.duration, unit=unit.unit
    )
    if len(older.path) == len(newer.path) == 1:
        facts = replace(facts, rename=newer.path[0])
        return Proposal("rename", facts, older.holders, newer.holders, why, score)
    facts = replace(facts, move=newer.path)
    return Proposal("move", facts, older.holders, newer.holders, why, score)


# --- properties that crossed ----------------------------------------------------------------------


_EQUAL = 0.95


@dataclass(frozen=True, slots=True)
class Crossing:
    """A same-named pair, with where the older value went and where the newer one came from.

    `conditions` of v1 is `old/conditions` of v2, and `next/conditions` of v1 is `conditions` of v2.
    The names alone would join different things; types show it, or objects named after the versions.
    """

    older: End
    newer: End
    down: End
    up: End


def crossings(trial: Trial, edge: Edge, scores: Scores) -> list[Crossing]:
    """Return the pairs of an edge that crossed, each with the objects that show it."""
    found = list(_possible(trial, edge))
    sure = {_objects(item) for item in found if _by_type(item, scores) or _by_version(item, edge)}
    return [item for item in found if _objects(item) in sure]


def _possible(trial: Trial, edge: Edge) -> Iterator[Crossing]:
    matched = trial.matched[edge]
    inside_new = _inside(free_ends(trial, edge, "newer"))
    inside_old = _inside(free_ends(trial, edge, "older"))
    before = {item.name: item for item in trial.properties(edge[0])}
    after = {item.name: item for item in trial.properties(edge[1])}
    for name in _same_named(matched):
        downs, ups = inside_new.get(name, []), inside_old.get(name, [])
        if len(downs) != 1 or len(ups) != 1:
            continue
        older = End((name,), before[name], (edge[0],))
        newer = End((name,), after[name], (edge[1],))
        down, up = downs[0], ups[0]
        if trial.fits(edge, older.member.type, down.member.type) and trial.fits(
            edge, up.member.type, newer.member.type
        ):
            yield Crossing(older, newer, down, up)


def _same_named(matched: Matched) -> list[str]:
    """Return the names that paired two properties without a declaration."""
    return [
        pair.older
        for pair in matched.pairs
        if pair.older == pair.newer and pair.reason == "same wire name"
    ]


def _inside(ends: list[End]) -> dict[str, list[End]]:
    """Return the members of objects without a partner, by name."""
    found: dict[str, list[End]] = {}
    for end in ends:
        if len(end.path) > 1 and not end.through:
            found.setdefault(end.path[-1], []).append(end)
    return found


def _objects(item: Crossing) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return item.down.path[:-1], item.up.path[:-1]


def _by_type(item: Crossing, scores: Scores) -> bool:
    shape = scores.shapes.likeness
    same = shape(item.older.member.type, item.newer.member.type)
    crossed = min(
        shape(item.older.member.type, item.down.member.type),
        shape(item.up.member.type, item.newer.member.type),
    )
    return crossed >= _EQUAL > same


def _by_version(item: Crossing, edge: Edge) -> bool:
    older, newer = edge[0].version, edge[1].version
    return _names(item.down.path[:-1], older) and _names(item.up.path[:-1], newer)


def _names(path: tuple[str, ...], version: str) -> bool:
    said, wanted = "".join(path_words(path)), "".join(words(version))
    return wanted in said
