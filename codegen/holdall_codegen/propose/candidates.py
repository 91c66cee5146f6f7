"""Which free properties of an edge may be the same: scored pairs.

Scores come from names, types and descriptions; nothing is specific to any API.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from holdall.plan.plans import TypeRef
from holdall_codegen.model import ListOf, MapOf, Property, Ref, Scalar, Type, Union
from holdall_codegen.propose.ends import Edge, End, free_ends
from holdall_codegen.propose.related import Related
from holdall_codegen.propose.shapes import Shapes, folded, texts_of
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.units import UNKNOWN, Measure, is_another_unit, measure
from holdall_codegen.propose.words import Names, Texts

LEAST: Final = 0.57
_NAME_OF_CODE: Final = 0.85
_LEAST_OF_CODE: Final = 0.65
_BALANCED: Final = 0.06
_ONLY: Final = 0.1
_ROUNDING: Final = 1e-6
_FAR: Final = 0.04
_DEEP: Final = 0.02
_ENUM: Final = 0.1
_LEARNED: Final = 0.12
_ALIKE_OBJECTS: Final = 0.6
_PARTS: Final = frozenset(("metadata", "spec", "status"))
_NAME, _TYPE, _TEXT = 0.58, 0.24, 0.18


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two free properties that may be the same.

    `is_retyped` says that a string became a number, `measure` in which unit.
    """

    older: End
    newer: End
    score: float
    is_retyped: bool = False
    measure: Measure = UNKNOWN

    @property
    def by_code(self) -> bool:
        """Tell whether no declaration converts them."""
        return bool(self.obstacle)

    @property
    def obstacle(self) -> str:
        """Why no declaration converts them; "" if one does."""
        if is_another_unit(self.older.member, self.newer.member):
            return "its unit has changed"
        if self.is_retyped and not self.measure.is_known:
            return "a string became a number"
        if self.older.in_moved or self.newer.in_moved:
            return "it leaves or enters an object that moves, too"
        return ""

    @property
    def is_move(self) -> bool:
        return len(self.older.path) != 1 or len(self.newer.path) != 1


_Asked = tuple[list[End], list[End], set[tuple[str, str]]]
"""The free properties of both sides, and what was learned about their names."""


class Scores:
    """Scores pairs of properties of one pair of versions."""

    def __init__(self, trial: Trial, older: str, newer: str) -> None:
        group = trial.group
        versions = group.version(older), group.version(newer)
        self.names = Names(version.name for version in group.versions)
        self._texts = Texts(
            item.doc
            for version in versions
            for type_ in version.types.values()
            for item in type_.properties
        )
        self._learned: set[tuple[str, str]] = set()
        self._values: dict[tuple[TypeRef, str], frozenset[str]] = {}
        self._alike: dict[tuple[str, str], bool] = {}
        self.known: dict[Edge, tuple[_Asked, list[Candidate]]] = {}
        self.shapes = Shapes(versions[0].types, versions[1].types, self.names)

    def learn(self, older: str, newer: str) -> None:
        """Note that a name changed between these versions: it may have changed elsewhere, too."""
        self._learned.add((older, newer))

    def learned(self, older: Iterable[End], newer: Iterable[End]) -> set[tuple[str, str]]:
        """Return what was learned about the names of these properties."""
        gone, new = {end.path[-1] for end in older}, {end.path[-1] for end in newer}
        return {pair for pair in self._learned if pair[0] in gone and pair[1] in new}

    def are_alike(self, older: str, newer: str) -> bool:
        """Tell whether two objects have similar names; cached, for all pairs of their members."""
        if (older, newer) not in self._alike:
            found = self.names.likeness((older,), (newer,)) >= _ALIKE_OBJECTS
            self._alike[older, newer] = found
        return self._alike[older, newer]

    def values(self, end: End) -> frozenset[str]:
        """Return the values of an enum, normalized; cached, for all pairs of a property."""
        if end.key not in self._values:
            self._values[end.key] = frozenset(map(folded, texts_of(end.member.type)))
        return self._values[end.key]

    def score(self, older: End, newer: End, name: float) -> float:
        """Return how probable it is that two properties are the same, from 0 to about 1.

        `name` is the likeness of their names.
        """
        types = older.member.type, newer.member.type
        before, after = self.values(older), self.values(newer)
        more = _ENUM if before == after and len(before) > 1 else 0.0
        if (not name and not more) or (before and after and not before & after):
            return 0.0
        if (older.path[-1], newer.path[-1]) in self._learned:
            more += _LEARNED
        shape = self.shapes.likeness(*types)
        text = self._texts.likeness(older.member.doc, newer.member.doc)
        if text is None:
            return more + (_NAME * name + _TYPE * shape) / (_NAME + _TYPE)
        return more + _NAME * name + _TYPE * shape + _TEXT * text


def candidates(trial: Trial, edge: Edge, scores: Scores) -> list[Candidate]:
    """Return an edge's candidates, the most probable first.

    An edge that a round did not change keeps its own: types convert alike in all trials.
    """
    before, after = free_ends(trial, edge, "older"), free_ends(trial, edge, "newer")
    asked = before, after, scores.learned(before, after)
    known = scores.known.get(edge)
    if known is None or known[0] != asked:
        known = scores.known[edge] = asked, _compared(trial, edge, scores, before, after)
    return known[1]


def _compared(
    trial: Trial, edge: Edge, scores: Scores, before: list[End], after: list[End]
) -> list[Candidate]:
    gone, new = (Counter(_sort(end.member.type) for end in ends) for ends in (before, after))
    found = []
    for older, newer in _probable(before, after, scores):
        if not meet(older, newer, scores.names) or not _is_near(older, newer, scores):
            continue
        is_retyped = _is_text_and_number(older.member, newer.member)
        if not is_retyped and not trial.fits(edge, older.member.type, newer.member.type):
            continue
        name = scores.names.likeness(older.path, newer.path)
        score = scores.score(older, newer, name)
        if is_retyped:
            if name < _NAME_OF_CODE:
                continue
        else:
            score += _bonus(older, newer, gone, new)
        score -= _FAR * (len(older.through) + len(newer.through))
        score -= _DEEP * (len(older.lost[1:]) + len(newer.lost[1:]))
        if score >= (_LEAST_OF_CODE if is_retyped else LEAST):
            unit = measure(older.member, newer.member)
            found.append(Candidate(older, newer, score, is_retyped, unit))
    return sorted(found, key=_order)


def _probable(before: list[End], after: list[End], scores: Scores) -> Iterator[tuple[End, End]]:
    """Yield the pairs that may be candidates if nothing but their words and types counts."""
    related = Related(after, scores.names, scores.values)
    for older in before:
        for newer, most in related.to(older):
            if scores.score(older, newer, most) + _ONLY + _ROUNDING >= LEAST:
                yield older, newer


def meet(older: End, newer: End, names: Names) -> bool:
    """Tell whether the objects of two ends share a distinctive word.

    A word of one object is in the other path, or one of the name in the other's objects. This is
    not required of top-level properties.
    """
    above, there = older.path[:-1], newer.path[:-1]
    return (
        not above
        or not there
        or names.share_word(above, there)
        or names.share_word(above, newer.path[-1:])
        or names.share_word(older.path[-1:], there)
    )


def _order(one: Candidate) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
    depth = len(one.older.path) + len(one.newer.path)
    return -one.score, depth, one.older.path, one.newer.path


def _is_near(older: End, newer: End, scores: Scores) -> bool:
    """Tell whether the places of two properties whose objects meet allow that they are the same."""
    if older.through and newer.through:
        if older.through[0] == newer.through[0]:
            return False  # the nested edge's own
        if {older.path[0], newer.path[0]} <= _PARTS or older.path[-2:] != newer.path[-2:]:
            return False
    ends = older.member.type, newer.member.type
    if max(len(older.path), len(newer.path)) > 1 and all(isinstance(end, Ref) for end in ends):
        is_named = older.key[1] == newer.key[1] and not (older.lost and newer.through)
        if not is_named and not scores.shapes.likeness(*ends):
            return False  # on one level the name alone may be enough
    if older.lost and newer.lost:
        return scores.are_alike(older.lost[0], newer.lost[0])
    return True


def _is_text_and_number(older: Property, newer: Property) -> bool:
    kinds = {_scalar(older.type), _scalar(newer.type)}
    return "string" in kinds and bool(kinds & {"integer", "number"}) and len(kinds) == 2


def _scalar(type_: Type) -> str:
    return type_.kind if isinstance(type_, Scalar) else ""


def _sort(type_: Type) -> str:
    match type_:
        case Scalar():
            return type_.kind
        case Union():
            return "/".join(sorted(type_.members))
        case ListOf():
            return f"list of {_sort(type_.item)}"
        case MapOf():
            return f"map of {_sort(type_.value)}"
        case Ref():
            return "object"
        case _:
            return "any"


def _bonus(older: End, newer: End, gone: Counter[str], new: Counter[str]) -> float:
    """Return the bonus if as many properties of a sort are gone as are new."""
    sort = _sort(older.member.type)
    if sort != _sort(newer.member.type) or gone[sort] != new[sort]:
        return 0.0
    return _ONLY if gone[sort] == 1 else _BALANCED
