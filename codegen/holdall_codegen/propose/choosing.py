"""Which candidates of an edge are proposed: those that are clearly the best for both ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from holdall_codegen.propose.candidates import Candidate

_CLEAR: Final = 0.04
_Path = tuple[str, ...]
_Place = tuple[Literal["older", "newer"], _Path]


def choose(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that are clearly the best for both of their ends, of sorted ones.

    Objects come before their members, which follow once the objects are paired.
    """
    every = Places(found)
    inner = [one for one in found if every.hold(one)]
    contests = _Contests(found)
    chosen, open_ = _clear([one for one in found if not every.hold(one)], contests)
    taken, undecided = Places(chosen), Places(open_)
    ends = {end for one in chosen for end in _ends(one)}
    rest = [
        one
        for one in inner
        if ends.isdisjoint(_ends(one)) and not undecided.hold(one) and not taken.touch(one)
    ]
    return chosen + _clear(rest, contests)[0]


class Places:
    """The ends of some candidates."""

    def __init__(self, some: Iterable[Candidate]) -> None:
        self._pairs = {(one.older.path, one.newer.path) for one in some}
        self._olders = {older for older, _ in self._pairs}
        self._newers = {newer for _, newer in self._pairs}

    def hold(self, one: Candidate) -> bool:
        """Tell whether both ends of a candidate are inside those of one of these."""
        newers = _above(one.newer.path)
        return any(
            (older, newer) in self._pairs for older in _above(one.older.path) for newer in newers
        )

    def touch(self, one: Candidate) -> bool:
        """Tell whether an end of a candidate is inside that of one of these."""
        return not (
            self._olders.isdisjoint(_above(one.older.path))
            and self._newers.isdisjoint(_above(one.newer.path))
        )


class _Contests:
    """Finds the objects whose members come from elsewhere: then members move, not objects."""

    def __init__(self, found: Iterable[Candidate]) -> None:
        self._below: dict[_Path, list[Candidate]] = defaultdict(list)
        self._to: dict[_Path, list[Candidate]] = defaultdict(list)
        for one in found:
            self._to[one.newer.path].append(one)
            for path in _above(one.newer.path):
                self._below[path].append(one)

    def are_about(self, one: Candidate) -> bool:
        """Tell whether a member of a candidate's newer end is at least as probably another's."""
        return any(
            not other.older.is_below(one.older)
            and other.older.path != one.older.path
            and not any(
                third.older.is_below(one.older) and third.score >= other.score
                for third in self._to[other.newer.path]
            )
            for other in self._below.get(one.newer.path, ())
        )


def _clear(
    wanted: Sequence[Candidate], contests: _Contests
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the clearly best candidates, and those with equally good rivals."""
    chosen: list[Candidate] = []
    open_: list[Candidate] = []
    taken: set[_Place] = set()
    rivals: dict[_Place, list[Candidate]] = defaultdict(list)
    for one in wanted:
        for end in _ends(one):
            rivals[end].append(one)
    for one in wanted:
        ends = _ends(one)
        if not taken.isdisjoint(ends):
            continue
        if any(
            other is not one and other.score > one.score - _CLEAR and taken.isdisjoint(_ends(other))
            for end in ends
            for other in rivals[end]
        ):
            open_.append(one)
        elif one.is_move and contests.are_about(one):
            for end in ends:
                rivals[end].remove(one)
        else:
            taken.update(ends)
            chosen.append(one)
    return chosen, open_


def _above(path: _Path) -> list[_Path]:
    """Return the paths of the objects along a path."""
    return [path[:size] for size in range(1, len(path))]


def _ends(one: Candidate) -> tuple[_Place, _Place]:
    return ("older", one.older.path), ("newer", one.newer.path)
