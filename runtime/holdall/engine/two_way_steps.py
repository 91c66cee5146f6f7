"""A two-way hook on one edge: running its functions, and keeping and using residue.

Source: docs/hooks.md, "Two functions instead of a hook".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

from typing_extensions import override

from holdall.engine.filled_in import (
    before_filling,
    filled_again,
    filled_in,
    with_note,
    without_note,
)
from holdall.engine.hooks import BagView
from holdall.engine.kept_lists import Placed, Target, Way, includes, units_of
from holdall.engine.remembered import Remembered
from holdall.engine.residues import (
    Difference,
    Path,
    are_used,
    differences,
    is_spelling,
    make,
    places,
    read_differences,
    residue,
)
from holdall.engine.surroundings import Informed, known_of_object
from holdall.engine.two_way_ends import End, OnTheWay
from holdall.engine.uncertain import count_lost, note_unused, notes_unused, noting_lost
from holdall.errors import DecodeError, RefusedError
from holdall.objects.bag import ORIGINAL_VERSION_MEMBER
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.types import JsonValue, Members, get

Function: TypeAlias = Callable[[Members], Members]
Crossed: TypeAlias = tuple[Members, list[Difference], bool]
"""The converted members, what does not come back by itself, and whether both sides have their
types, without reserved names."""
_NOTHING: Final = object()


class TwoWayStep:
    """One direction of a two-way hook between the members of two types."""

    follows_from_members: ClassVar[bool] = True

    def __init__(self, key: str, left: End, entered: End, act: Function, inverse: Function) -> None:
        self.key, self._left, self._entered = key, left, entered
        self.reads, self.writes = left.names, entered.names
        self._order = left.order
        self._act, self._inverse = act, inverse
        self._nothing: Crossed | None = None
        self._results = Remembered()

    def run(self, source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        """Convert the members of one view into another."""
        old = source.settled_()
        if self.key in bag:
            aside = partial(bag.set_aside, self.key, source)
            made, residue, _ = self.with_kept(old, bag.get(self.key), destination.VERSION, aside)
            bag.drop(self.key)
        else:
            made, residue, _ = self.on_members(old)
        destination.replace_(self.writes, made)
        if residue:
            bag.put(self.key, residue)

    def with_kept(
        self, source: Members, kept: Any, origin: str, sets_aside: Callable[[str], bool]
    ) -> tuple[Members, Any, bool]:
        """Return `on_members` of an object's members with the residue under an origin.

        If that cannot be used and is set aside, without it.
        """
        try:
            cross = partial(self.on_members, source, kept, is_kept=True)
            crossed = noting_lost(source, origin, self.key, cross)
            if kept and notes_unused() and not are_used(kept, crossed[0]):
                note_unused(source, origin, self.key)
        except Exception as error:
            why = str(error) if isinstance(error, DecodeError) else type(error).__name__
            if not sets_aside(why):
                raise
            return *self.on_members(source)[:2], False
        return crossed  # type: ignore[no-any-return]

    def on_the_way(self) -> TwoWayStep:
        """Return the step for an object that only passes the version it leaves."""
        step = copy(self)
        step._left = OnTheWay(self._left.cls, self._left.order)
        return step

    def settled(
        self, back: TwoWayStep, live: Members, kept: Any
    ) -> tuple[Members, list[Difference]]:
        """Return live members after a round trip there and `back`, and the residue then.

        `kept` is the current residue. Do not change the results.
        """
        made, residue, _ = self._crossed(live, kept)
        return back._crossed(made, residue or _NOTHING)[:2]

    def members_of(self, members: Members) -> Members:
        """Return the members of an object that it reads."""
        return self._left.live(members)

    def on_members(
        self, source: Members, kept: Any = None, *, is_kept: bool = False
    ) -> tuple[Members, Any, bool]:
        """Return what `cross` returns; the spec of a type keeps its recorded version."""
        crossed = self.cross(source, kept, is_kept=is_kept)
        if not self._entered.records_version:
            return crossed
        spec, there = source.get("spec"), crossed[0].get("spec")
        if type(spec) is dict and type(there) is dict and ORIGINAL_VERSION_MEMBER in spec:
            there[ORIGINAL_VERSION_MEMBER] = spec[ORIGINAL_VERSION_MEMBER]
        return crossed

    def cross(self, source: Members, kept: Any = None, *, is_kept: bool = False) -> Crossed:
        """Return the members of the other side, the residue, and whether all is plain.

        `kept` is the residue kept when the other side's version was left, if there is any.
        """
        live = self._left.live(source)
        if not live and not is_kept:
            return self._of_nothing()
        text = self._text_of((live, kept) if is_kept else live)
        known = self._results.get(text)
        if known is not None:
            return known[0], known[1], True
        crossed = self._crossed(live, kept if is_kept else _NOTHING)
        if crossed[2]:
            self._results.note(text, crossed)
        return crossed

    def _text_of(self, given: Any) -> bytes:
        """Return a text of all inputs of results; empty if that is unknown."""
        return self._results.text_of(given)

    def _crossed(self, live: Members, kept: Any) -> Crossed:
        if kept is not _NOTHING:
            kept, note = without_note(kept)
            before = None if note is None else before_filling(note, live, self._left.names)
            self._left.expect_convertible(before or {})
            found = read_differences(kept, self._entered.names)
            if note is not None:
                found = self.without_deleted(found, note, live)
            return self._with_hints(live, found, before)
        return self._unaided(live) if live else self._of_nothing()

    def without_deleted(self, kept: Any, note: Any, live: Members) -> Any:
        """Return residue without differences where a filled-in value was deleted."""
        again = filled_again(note, live)
        if again is None:
            return kept
        try:
            made = self._entered.stored(self._act(self._left.wire(again)))
        except RefusedError:
            return kept
        found = zip(kept, places(made, kept), strict=True)
        return [item for item, path in found if path is not None or "filled" in item]

    def _of_nothing(self) -> Crossed:
        """Return the result for no members."""
        if self._nothing is None:
            self._nothing = self._unaided({})
        made, residue, is_plain = self._nothing
        return _json.copy(made), _json.copy(residue), is_plain

    def _unaided(self, live: Members) -> Crossed:
        left, entered = self._left, self._entered
        is_held = left.holds(live)
        if not is_held:
            live = _json.copy(live)  # bags in it become plain JSON
        made = entered.copied(self._act(_json.copy(live) if is_held else left.wire(live)))
        if entered.holds(made):
            seen = self._returned(_json.copy(made))
            if is_held and _json.same(seen, live):
                return made, [], True
            return made, residue(left.stored(seen), live, left.shapes), is_held
        made = entered.fitted(made)
        return made, residue(self._shown(made), live, left.shapes), is_held and entered.holds(made)

    def _with_hints(
        self, live: Members, kept: list[Difference], before: Members | None = None
    ) -> Crossed:
        """Return the result for members with residue; `before` says what was filled in."""
        left, entered = self._left, self._entered
        is_held = left.holds(live)
        if not is_held:
            live = _json.copy(live)
        shown = live if before is None else _json.copy(before)
        wire = shown if left.holds(shown) else left.wire(shown)
        filled = [] if before is None else filled_in(shown, live, left.shapes)
        later = [item for item in kept if "filled" in item]
        kept = [item for item in kept if "filled" not in item] if later else kept
        unaided: Members = {}
        lost = 0
        try:
            unaided = entered.stored(self._act(_json.copy(wire)))
        except RefusedError:
            # What cannot be converted comes back unchanged.
            made, is_held = _changed({}, list(zip(kept, places({}, kept), strict=True))), False
            seen = self._shown(made)
            if not made or not left.is_filled_in(seen, shown):
                raise
        else:
            if kept:
                made, seen, lost = self._with_residue(unaided, kept, shown)
                count_lost(lost)
            else:
                made, seen = unaided, self._shown(unaided)
        # With the residue, only a server's defaults may be missing.
        is_used = not _json.same(made, unaided)
        differing = filled_in if is_used and left.is_filled_in(seen, shown) else residue
        hidden = differing(seen, shown, left.shapes)
        found = [*hidden, *filled]
        if later and hidden:  # otherwise nothing is hidden that a server could not see
            bare, made = made, _changed(made, list(zip(later, places(made, later), strict=True)))
            found = found if made is bare else with_note(found, bare, made)
        if kept or later:
            entered.expect_convertible(made)
        # A cached result would lose it again without a report.
        return made, found, is_held and not lost and entered.holds(made)

    def _shown(self, made: Members) -> Members:
        return self._left.stored(self._returned(self._entered.wire(made)))

    def _returned(self, made: Members) -> Members:
        """Return what would come back; empty if the way back refuses it."""
        try:
            return self._inverse(made)
        except RefusedError:
            return {}

    def _with_residue(
        self, unaided: Members, kept: list[Difference], live: Members
    ) -> tuple[Members, Members, int]:
        """Return `unaided` with the residue that does not lose more of the live members.

        Also return what is shown of that, and how many kept list elements are no longer in it.
        """
        left, entered = self._left, self._entered
        shown: Members | None = None

        def agrees(used: list[Way], changed: Members, seen: Members) -> bool:
            nonlocal shown
            if left.is_filled_in(seen, live):
                return True
            if any(self._is_edited(*one, seen, live) for way in used for one in way.changes):
                return False
            # Only losses without residue are allowed, and members must be able to come back.
            if shown is None:
                shown = self._shown(unaided)
            again = entered.stored(self._act(left.wire(seen)))
            lost, missing = _beside(left, live, (shown, seen))
            returning, wanted = _beside(entered, changed, (again, unaided))
            return includes(lost, missing, left.shapes) and includes(
                returning, wanted, entered.shapes
            )

        shapes, paths = entered.shapes, places(unaided, kept)
        if None in paths:
            if (before := self._before_filling(kept, live)) is not None:
                return *before, 0
            paths = places(unaided, kept, shapes)
        units = units_of(Target(unaided, shapes), list(zip(kept, paths, strict=True)))
        best = [unit.ways[0] for unit in units if unit.ways]
        made = _changed(unaided, [one for way in best for one in way.changes])
        seen = self._shown(made)
        lost = sum(unit.hidden for unit in units if not unit.ways)
        if agrees(best, made, seen):
            return made, seen, lost + sum(way.lost for way in best)
        made, seen = unaided, shown or self._shown(unaided)
        waiting = deque(unit for unit in units if unit.ways)
        while waiting:
            unit = waiting.popleft()
            for way in unit.ways:
                changed = _changed(made, way.changes)
                seen_changed = self._shown(changed)
                if agrees([way], changed, seen_changed):
                    made, seen, lost = changed, seen_changed, lost + way.lost
                    break
            else:
                rest = unit.apart()
                lost += 0 if rest else unit.hidden
                waiting.extendleft(reversed(rest))
        return made, seen, lost

    def _is_edited(self, kept: Difference, path: Path | None, seen: Members, live: Members) -> bool:
        """Return whether the value that a kept one replaces has certainly changed.

        With the kept one at its `path`, the live members are `seen` differently. For containers
        that is uncertain: a hidden part may have been edited at the other side.
        """
        if any(len(one) != 1 for one in (self.reads, self.writes, live, kept["at"])):
            return False
        return _have_no_parts(kept, *live.values())

    def _before_filling(
        self, kept: list[Difference], live: Members
    ) -> tuple[Members, Members] | None:
        """Return the same if the live members are the shown ones with defaults filled in."""
        for bare in self._left.without_filled(live):
            try:
                made = self._entered.stored(self._act(self._left.wire(bare)))
            except RefusedError:
                continue
            found = list(zip(kept, places(made, kept), strict=True))
            if all(path is not None for _, path in found):
                made = _changed(made, found)
                seen = self._shown(made)
                if self._left.is_filled_in(seen, live):
                    return made, seen
        return None


def _beside(end: End, wanted: Members, bases: tuple[Members, ...]) -> list[list[Difference]]:
    """Return what of some members others lack, other than what a server fills in."""
    plain = end.plain(wanted)
    return [
        [one for one in differences(end.plain(base), plain) if not is_spelling(one)]
        for base in bases
    ]


def _changed(members: Members, unit: Placed) -> Members:
    """Return the members with all differences of a unit; unchanged if one has no place."""
    changed: Members = _json.copy(members)
    for difference, path in unit:
        if path is None:
            return members
        make(changed, path, difference)
    return changed


class EachStep(TwoWayStep):
    """A step whose values have the same places on both sides."""

    @override
    def _is_edited(self, kept: Difference, path: Path | None, seen: Members, live: Members) -> bool:
        if path is None:
            return False
        shown, value = (get(members, self._order[0], *path[1:]) for members in (seen, live))
        return _have_no_parts(kept, value) and not _json.equal(shown, value)


def _have_no_parts(kept: Difference, value: Any) -> bool:
    return all(isinstance(one, str | int | float) for one in (value, kept.get("is")))


class InformedStep(TwoWayStep):
    """A step whose results also depend on settings and the metadata of the object.

    Nested hooks on views may read anything, so with them nothing is cached.
    """

    follows_from_members = False

    def inform(self, settings: Mapping[str, JsonValue]) -> list[str]:
        """Give both functions a project's settings; return the names of missing ones."""
        missing: list[str] = []
        self._results = Remembered()
        for function in (self._act, self._inverse):
            if isinstance(function, Informed):
                function.settings = settings
                missing.extend(function.missing(settings))
        return missing

    @override
    def _text_of(self, given: Any) -> bytes:
        crossing = self._left.cls.crossings_[self._entered.cls]
        return b"" if crossing.runs_views else super()._text_of((given, known_of_object()))

    @override
    def _of_nothing(self) -> Crossed:
        return self._unaided({})
