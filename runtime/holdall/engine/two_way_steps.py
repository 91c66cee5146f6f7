"""What a two-way hook does on one edge: the functions run, what they lose is kept and used again.

Source: property-conversion contract, sections 5.6 and 5.7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from typing_extensions import override

from holdall.engine.hooks import BagView
from holdall.engine.residues import (
    Difference,
    Path,
    differences,
    equal,
    make,
    places,
    read_differences,
    residue,
)
from holdall.engine.two_way_ends import End
from holdall.errors import DecodeError
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.text.pointer import join

Members: TypeAlias = dict[str, Any]
"""JSON values by wire name: an absent member has no key, a null one is None."""
Function: TypeAlias = Callable[[Members], Members]
_Crossed: TypeAlias = tuple[Members, list[Difference], bool]
"""What the members of one side are on the other, what does not come back by itself, and whether
both sides are of their types, without reserved names."""
_Known: TypeAlias = tuple[Members, tuple[tuple[str, bytes], ...], bytes | None]
"""What members become, lists and objects among them, and what has to be kept; these as texts:
small, and safe from changes."""
_NOTHING: Final = object()
_encode: Final = _json.encode_known
_decode: Final = _json.decode_known
_copy: Final = _json.copy_known
_LONGEST_KNOWN: Final = 512
_MOST_KNOWN: Final = 512
"""Bytes and number of the inputs whose results a step keeps in mind."""


class TwoWayStep:
    """One direction of a two-way hook between two types, on their members."""

    __slots__ = (
        "_act",
        "_entered",
        "_inverse",
        "_known",
        "_left",
        "_of_nothing",
        "_order",
        "covers",
        "key",
        "reads",
        "writes",
    )

    def __init__(self, key: str, left: End, entered: End, act: Function, inverse: Function) -> None:
        self.key, self._left, self._entered = key, left, entered
        self.reads, self.writes = left.names, entered.names
        self.covers = self.reads | self.writes | {key}
        self._order = left.order
        self._act, self._inverse = act, inverse
        self._of_nothing: _Crossed | None = None
        self._known: dict[bytes, _Known] = {}

    def run(self, source: StorageObject, destination: StorageObject, bag: BagView) -> None:
        """Assign the members of one view to another."""
        old, kept, is_kept = source.settled_(), bag.get(self.key), self.key in bag
        try:
            made, residue = self.on_members(old, kept, is_kept=is_kept)
        except Exception as error:
            why = str(error) if isinstance(error, DecodeError) else type(error).__name__
            if not is_kept or not bag.set_aside(self.key, source, why):
                raise
            made, residue = self.on_members(old)
        else:
            bag.drop(self.key)
        destination.replace_(self.writes, made)
        if residue:
            bag.put(self.key, residue)

    def settled(self, back: TwoWayStep, live: Members, kept: Any) -> list[Difference]:
        """Return what would be kept of live members if they crossed over and came `back`.

        `kept` is what is kept of them now. The result must not be changed.
        """
        made, residue, _ = self._crossed(live, kept)
        return back._crossed(made, residue or _NOTHING)[1]

    def members_of(self, members: Members) -> Members:
        """Return those of an object's members that it reads."""
        return {name: members[name] for name in self._order if name in members}

    def on_members(
        self, source: Members, kept: Any = None, *, is_kept: bool = False
    ) -> tuple[Members, Any]:
        """Return the members of the other side, and what has to be kept, None for nothing.

        `kept` is what was kept when the version of the other side was left, if anything was.
        """
        live = {}
        for name in self._order:
            if name in source:
                live[name] = source[name]
        # The functions are pure, and values with equal texts are equal.
        key = _encode((live, kept)) if is_kept else _encode(live) if live else b""
        known = self._known.get(key)
        if known is not None:
            members, containers, residue = known
            made = {**members}
            for name, text in containers:
                made[name] = _decode(text)
            return made, None if residue is None else _decode(residue)
        made, lost, is_plain = self._crossed(live, kept if is_kept else _NOTHING)
        if is_plain and len(key) <= _LONGEST_KNOWN:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = _kept_in_mind(made, lost)
        return made, lost or None

    def _crossed(self, live: Members, kept: Any) -> _Crossed:
        if kept is not _NOTHING:
            return self._with_hints(live, read_differences(kept, self._entered.names))
        if live:
            return self._unaided(live)
        if self._of_nothing is None:
            self._of_nothing = self._unaided(live)
        made, residue, is_plain = self._of_nothing
        return _json.copy(made) if made else {}, residue, is_plain

    def _unaided(self, live: Members) -> _Crossed:
        left, entered = self._left, self._entered
        is_held = left.holds(live)
        if not is_held:
            live = _json.copy(live)  # bags in it become plain JSON
        made = entered.copied(self._act(_json.copy(live) if is_held else left.wire(live)))
        if entered.holds(made):
            seen = self._inverse(_json.copy(made))
            if is_held and equal(seen, live):
                return made, [], True
            return made, residue(left.stored(seen), live), is_held
        made = entered.fitted(made)
        return made, residue(self._shown(made), live), is_held and entered.holds(made)

    def _with_hints(self, live: Members, kept: list[Difference]) -> _Crossed:
        is_held = self._left.holds(live)
        if not is_held:
            live = _json.copy(live)
        wire = self._left.wire(live)
        made = self._entered.stored(self._act(_json.copy(wire)))
        if kept:
            made = self._with_residue(made, kept, wire, self._shown(made))
        return made, residue(self._shown(made), live), is_held and self._entered.holds(made)

    def _shown(self, made: Members) -> Members:
        return self._left.stored(self._inverse(self._entered.wire(made)))

    def _with_residue(
        self, made: Members, kept: list[Difference], live: Members, shown: Members
    ) -> Members:
        """Return `made` with what was kept, as far as no more of the live members is missing."""

        unaided = made

        def agrees(changed: Members) -> bool:
            seen = self._shown(changed)
            if _json.same(seen, live):
                return True
            # What the live members lose anyway may be lost, and they must be able to come back.
            again = self._entered.stored(self._act(self._left.wire(seen)))
            return _includes(differences(shown, live), differences(seen, live)) and _includes(
                differences(again, changed), differences(unaided, changed)
            )

        # Whole members stand or fall together: one may have been put in the place of another.
        found = list(zip(kept, places(made, kept), strict=True))
        whole = [item for item in found if len(item[0]["at"]) == 1]
        units = [whole, *([item] for item in found if len(item[0]["at"]) > 1)]
        everything = made
        for unit in units:
            everything = _changed(everything, unit)
        if agrees(everything):
            return everything
        for unit in units:
            changed = _changed(made, unit)
            made = changed if agrees(changed) else made
        return made


def _kept_in_mind(made: Members, lost: list[Difference]) -> _Known:
    containers = tuple(
        (name, _json.encode(value))
        for name, value in made.items()
        if type(value) is dict or type(value) is list
    )
    # Those have their place among the others: the order of members stays.
    members = {**made, **dict.fromkeys(name for name, _ in containers)}
    return members, containers, _json.canonical(lost) if lost else None


def _includes(all_: list[Difference], some: list[Difference]) -> bool:
    return all(any(_json.same(item, other) for other in all_) for item in some)


def _changed(members: Members, unit: list[tuple[Difference, Path | None]]) -> Members:
    """Return the members with all differences of a unit; as they were if one has no place."""
    changed: Members = _json.copy(members)
    for difference, path in unit:
        if path is None:
            return members
        make(changed, path, difference)
    return changed


class EachStep(TwoWayStep):
    """A step for the values of one member: each is looked at by itself.

    If every value comes back by itself, so does the member. Texts and nulls are kept in mind.
    """

    __slots__ = ("_back", "_depth", "_name", "_place", "_there", "_values")

    def __init__(
        self,
        key: str,
        ends: tuple[End, End],
        functions: tuple[Function, Function],
        values: tuple[Callable[[Any], Any], Callable[[Any], Any]],
        depth: int,
    ) -> None:
        super().__init__(key, *ends, *functions)
        (self._name,) = ends[1].names
        self._place = join("", self._name)
        self._there, self._back = values
        self._depth = depth
        self._values: dict[str | None, tuple[Any, bool]] = {}

    @override
    def _unaided(self, live: Members) -> _Crossed:
        left, lost = self._left, list[Any]()
        made: Members = {}
        for value in live.values():
            made[self._name] = self._each(value, self._depth, lost)
        if not (left.holds(live) and self._entered.holds(made)):
            return super()._unaided(live)
        if not lost:
            return made, [], True
        return made, residue(left.stored(self._inverse(_copy(made))), live), True

    def _each(self, value: Any, depth: int, lost: list[Any]) -> Any:
        """Return a value with `depth` containers around those to convert; note what is lost."""
        if depth == 0:
            return self._one(value, lost)
        if type(value) is dict:
            return {key: self._each(item, depth - 1, lost) for key, item in value.items()}
        if type(value) is list:
            return [self._each(item, depth - 1, lost) for item in value]
        return value

    def _one(self, value: Any, lost: list[Any]) -> Any:
        if value is not None and type(value) is not str:
            made, returns = self._crossed_value(value)
        else:
            known = self._values.get(value)
            if known is None:
                known = self._crossed_value(value)
                if value is None or len(value) <= _LONGEST_KNOWN:
                    if len(self._values) >= _MOST_KNOWN:
                        self._values.clear()
                    self._values[value] = known
            made, returns = _copy(known[0]), known[1]
        if not returns:
            lost.append(value)
        return made

    def _crossed_value(self, value: Any) -> tuple[Any, bool]:
        made = _json.copy_checked(self._there(_copy(value)), self._place)
        return made, equal(self._back(_copy(made)), value)
