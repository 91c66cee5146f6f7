"""Properties that crossed: the old one went into a new object, another came out of an old object.

`conditions` of v1 is `old/conditions` of v2, and `next/conditions` of v1 is `conditions` of v2. The
names alone would join what has another meaning; types tell, or objects named after the versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdall_codegen.plan.matching import Matched
from holdall_codegen.propose.candidates import Scores
from holdall_codegen.propose.ends import Edge, End, free_ends
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.words import path_words, words

_EQUAL = 0.95


@dataclass(frozen=True, slots=True)
class Crossing:
    """A same-named pair, with where the older value went and where the newer one came from."""

    older: End
    newer: End
    down: End
    up: End


def crossings(trial: Trial, edge: Edge, scores: Scores) -> list[Crossing]:
    """Return the pairs of an edge that crossed, each with the objects that say so."""
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
        if trial.converts(edge, older.member.type, down.member.type) and trial.converts(
            edge, up.member.type, newer.member.type
        ):
            yield Crossing(older, newer, down, up)


def _same_named(matched: Matched) -> list[str]:
    """Return the names that paired two properties, where nothing was declared."""
    return [
        pair.older
        for pair in matched.pairs
        if pair.older == pair.newer and pair.reason == "same wire name"
    ]


def _inside(ends: list[End]) -> dict[str, list[End]]:
    """Return the members of objects without partner, by their names."""
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
