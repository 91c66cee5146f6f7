"""Moves into and out of nested objects: no other property may be at the same place.

Objects convert whole. If the types of two of them share a property, and another value moves to its
place in one of them, there would be two values, and one of them would be lost. So would be the text
of a reference, if another value moves to the member that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from holdall.errors import Problem
from holdall.plan.plans import TypeRef
from holdall_codegen.config.names import join_path
from holdall_codegen.plan.facts import Facts
from holdall_codegen.plan.matching import Matched
from holdall_codegen.plan.model import Conversion, Flipped, HidesZero, Recurse, Reference

_Edge: TypeAlias = tuple[TypeRef, TypeRef]
_Path: TypeAlias = tuple[str, ...]
_Link: TypeAlias = tuple[_Path, _Path, Conversion]
"""A path here, its partner there, and what happens between them."""
_AS_WELL = "move {0} as well, or declare it not_same in its own type"
_OTHER_MEMBER = "let the reference of {0} name another member, or declare {0} not_same"
_Found: TypeAlias = tuple[_Path, str]
"""The second partner of a place, and what helps."""


def check_move_ends(edges: Mapping[_Edge, Matched], facts: Facts) -> Iterator[Problem]:
    """Yield a problem for each declared end of a move at which there is a second value."""
    for (older, newer), matched in edges.items():
        locations = {
            (one.path, one.move): one.location
            for one in facts.of_properties(older.version, newer.version, older.name)
        }
        paths = [(move.older, move.newer) for move in matched.moves]
        for ends in paths:
            for upward in (True, False):
                here, there = ends if upward else ends[::-1]
                found = _partner(edges, _links(matched, upward=upward), there, upward=upward)
                if found is None:
                    continue
                second, fix = found
                if any(
                    _leads_to(one[not upward], second) and not _leads_to(one[upward], there)
                    for one in paths
                ):
                    continue
                near, far = (older, newer) if upward else (newer, older)
                yield Problem(
                    "HA213",
                    str(locations[ends]),
                    f"{far} {join_path(there)} has two partners: {near} {join_path(here)}"
                    f" and {join_path(second)}",
                    fix.format(join_path(second)),
                )


def _leads_to(path: _Path, place: _Path) -> bool:
    return place[: len(path)] == path


def _links(matched: Matched, *, upward: bool) -> Iterator[_Link]:
    """Yield what leads to the other version, or back from it, by the path where it arrives."""
    pairs = [((pair.older,), (pair.newer,), pair.conversion) for pair in matched.pairs]
    moves = [(move.older, move.newer, move.conversion) for move in matched.moves]
    for older, newer, conversion in (*pairs, *moves):
        yield (newer, older, conversion) if upward else (older, newer, conversion)


def _partner(
    edges: Mapping[_Edge, Matched], links: Iterator[_Link], place: _Path, *, upward: bool
) -> _Found | None:
    """Return what an object brings to a place inside it, by the path from where it comes."""
    for arrival, origin, conversion in links:
        rest = place[len(arrival) :]
        if rest and _leads_to(arrival, place):
            inner = _inside(edges, conversion, rest, upward=upward)
            if inner is not None:
                return (*origin, *inner[0]), inner[1]
    return None


def _inside(
    edges: Mapping[_Edge, Matched], conversion: Conversion, place: _Path, *, upward: bool
) -> _Found | None:
    """Return from where in its partner an object has what is at a place inside it."""
    match conversion:
        case HidesZero(inner=inner):
            return _inside(edges, inner, place, upward=upward)
        case Reference(member=member) if upward and place == (member,):
            return (), _OTHER_MEMBER
        case Flipped(inner=Reference(member=member)) if not upward and place == (member,):
            return (), _OTHER_MEMBER
        case Recurse(steps=types):
            found: _Found | None = place, _AS_WELL
            steps = [*pairwise(types)]
            for edge in reversed(steps) if upward else steps:
                found = found and _within(edges, edge, found[0], upward=upward)
            return found
        case _:
            return None


def _within(
    edges: Mapping[_Edge, Matched], edge: _Edge, place: _Path, *, upward: bool
) -> _Found | None:
    """Return the partner of a place in an object, None if it has none."""
    for arrival, origin, _ in _links(edges[edge], upward=upward):
        if arrival == place:
            return origin, _AS_WELL
    return _partner(edges, _links(edges[edge], upward=upward), place, upward=upward)
