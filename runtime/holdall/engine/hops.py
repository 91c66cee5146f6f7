"""Hops: converting a value to the other end of a pair or link, and judging kept entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from holdall.engine.conversions import Conversion
from holdall.engine.merging import Merge
from holdall.engine.misfit import MISFIT
from holdall.engine.open_bag import NO_ENTRY, OpenBag
from holdall.engine.uncertain import note_differing, noting_lost
from holdall.errors import DecodeError, FunctionFailure
from holdall.objects.bag import BAG_MEMBER, CREATED_KEY, PropertyBag
from holdall.objects.container_kinds import read_entry
from holdall.objects.implied import is_filled_in
from holdall.objects.shapes import MemberShape, member_at, members_within
from holdall.objects.stored_forms import bare_value
from holdall.objects.views import StorageObject
from holdall.plan.misfits import misfit
from holdall.text import json as _json
from holdall.types import JsonValue

Path: TypeAlias = tuple[str, ...]
"""The wire names on the way to a property of a nested object."""
Place: TypeAlias = tuple[type[StorageObject], Path]
"""A type, and the path to a property in its objects."""
Convert: TypeAlias = Callable[[Any], Any]
Agreement: TypeAlias = Literal["as it is", "as a server writes it", ""]
"""How a kept value is shown by a live one: with defaults or with numbers in another form where a
server wrote it; empty if it is not."""
ABSENT = object()
NOTHING = object()
"""What a failing function gives where only a comparison is made: it is the same as no value."""
NOTHINGS = (None, ABSENT, NOTHING)


def value_at(members: Mapping[str, Any], path: Path) -> Any:
    """Return the live value at a path in an object: None for null, else `ABSENT`."""
    holder = members
    for name in path[:-1]:
        inner = holder.get(name)
        if type(inner) is not dict:
            return ABSENT
        holder = inner
    return holder.get(path[-1], ABSENT)


class Side:
    """One end of a pair: where its entries are, their form, and their conversion.

    Values at the paths `elsewhere` in its values move by themselves. `holder` is the type with the
    property at its `path`, `far` the version of the other end.
    """

    def __init__(
        self, end: Place, far: str, by: Conversion, *, upward: bool, takes_nulls: bool
    ) -> None:
        self.holder, self.path = end
        self.far = far
        self.origin, self.name = self.holder.VERSION, "/".join(self.path)
        self.elsewhere: list[Path] = []
        self.convert: Convert
        self.surely: Convert = partial(by.surely, upward=upward)
        self.loses = partial(by.surely_loses, upward=upward)
        self.alike = partial(by.alike, upward=upward)
        if upward:
            self.form, self.convert = by.older, by.to
        else:
            self.form, self.convert = by.newer, by.back
        self.takes_null = takes_nulls and (by.null_to if upward else by.null_back)
        self.makes_null = by.makes_null_to if upward else by.makes_null_back
        self.of_variants, self.is_declared = by.of_variants, by.is_declared

    def cross_without(self, path: Path) -> None:
        """Exclude a path from converted values."""
        convert, surely = self.convert, self.surely

        def surely_without(value: Any) -> Any:
            made = surely(value)
            return made if _without(made, path) is made else MISFIT

        self.convert = lambda value: _without(convert(value), path)
        self.surely = surely_without

    def is_filled_in(self, shown: Any, live: Any) -> bool:
        """Return whether an API server makes of what was shown, which is nothing, what is live."""
        if live in NOTHINGS or shown is NOTHING or shown not in NOTHINGS:
            return False
        member = self._member
        if member is None or not member.defaults or (shown is None and member.nullable):
            return False
        return is_filled_in(member.defaults[0], self.form.compared(live), member.value)

    @cached_property
    def _member(self) -> MemberShape | None:
        return member_at(self.holder, self.path)

    def is_in_default(self, source: Mapping[str, Any]) -> bool:
        """Return whether an object around the value is an API server's default."""
        for end in range(1, len(self.path)):
            member = member_at(self.holder, self.path[:end])
            if member is not None and member.defaults:
                return is_filled_in(
                    member.defaults[0], value_at(source, self.path[:end]), member.value
                )
        return False

    def entry(self, bag: OpenBag) -> Any:
        """Return the entry as a value of this side, `ABSENT` without a usable one."""
        if self.origin not in bag or self.name not in bag[self.origin]:
            return ABSENT
        value = bag.checked(self.origin, self.name, self.form)
        return ABSENT if value is NO_ENTRY else value

    def read_or_nothing(self, recorded: JsonValue) -> Any:
        """Return a recorded value of this side; an unreadable one equals nothing."""
        try:
            return None if recorded is None else self.form.read(recorded)
        except DecodeError:
            return NOTHING

    def same(self, one: Any, other: Any) -> bool:
        """Return whether two values of this side are the same JSON, or both absent."""
        if one is NOTHING or other is NOTHING:
            return False
        if one is None or other is None or one is ABSENT or other is ABSENT:
            return one is other
        if type(one) is str and type(other) is str:
            return one == other
        return _json.same(self.form.compared(one), self.form.compared(other))

    def comes_back(self, returned: Any, value: Any) -> bool:
        """Return whether a round trip gave the value, with everything hidden in it."""
        return self.is_shown(returned, value) and (
            not self.hides(value) or self.same(returned, value) or self.alike(returned, value)
        )

    def is_shown(self, returned: Any, value: Any) -> bool:
        """Return whether a round trip gave the value, whatever the origins of bags in it."""
        if self.same(returned, value):
            return True
        is_nothing = returned in NOTHINGS or value in NOTHINGS
        if is_nothing or self.alike(returned, value):
            return not is_nothing
        return self.is_declared and _json.same(self._bare(returned), self._bare(value))

    def is_spelled(self, shown: Any, live: Any) -> bool:
        """Return whether a live value is what was shown, with numbers written in another way."""
        if type(live) is str or shown in NOTHINGS or live in NOTHINGS:
            return False
        compared = self._bare if self.is_declared else self.form.compared
        return _json.equal(compared(shown), compared(live))

    def _bare(self, value: Any) -> Any:
        """Return a value without the bags in it: the maker of the whole makes these too."""
        return bare_value(self.form.shape, self.form.compared(value))

    def hides(self, value: Any) -> bool:
        """Return whether bags of objects in a value have entries that no function restores."""
        known = (self.far, self.origin)
        return self.is_declared and any(
            origin not in known
            for _, members in members_within(value, self.form.shape)
            for origin in members.get(BAG_MEMBER, ())
        )

    def written(self, value: Any) -> Any:
        """Return a value of this side in the form of a bag; absent stays absent."""
        return value if value is None or value is ABSENT else self.form.write(value)

    def fits(self, stored: JsonValue) -> bool:
        """Return whether a kept value has the declared type of this side."""
        return misfit(self.holder, self.origin, self.name, stored) is None

    def cross(self, value: Any) -> Any:
        """Return the value converted to the other side: absent stays absent, null stays null.

        Functions that accept nulls may convert them; otherwise null stays.
        """
        if value is ABSENT or (value is None and not self.takes_null):
            return value
        crossed = self.convert(value)
        if crossed is MISFIT or (crossed is None and value is not None and not self.makes_null):
            return ABSENT
        return crossed

    def retrace(self, value: Any) -> Any:
        """Return what `cross` returns, for a comparison; the result of a failure equals nothing."""
        try:
            return self.cross(value)
        except FunctionFailure:
            return NOTHING


class How(NamedTuple):
    """Facts about a live value that is followed.

    `holder` is the view of the object with the entry, unless it is only compared. A value that
    `is_filled` in counts as absent; it is noted unless it `leaves`. The bag is that of the
    `destination`, a view, or of a nested object.
    """

    holder: Any = None
    is_filled: bool = False
    leaves: bool = False
    destination: Any = None


ALONE: Final = How()


class Hop:
    """One direction of a pair or of a skip link, and the merge of entries that disagree.

    `merges` are those of this side and of the one there. It `keeps` what the other cannot hold. If
    it `calls` users' functions, it notes entries that it does not use because other functions kept
    them.
    """

    def __init__(
        self,
        here: Side,
        there: Side,
        merges: tuple[Merge | None, Merge | None],
        *,
        keeps: bool,
        calls: bool,
    ) -> None:
        self.here, self.there = here, there
        self._merge_here, self._merge = merges
        self.keeps, self.calls = keeps, calls

    def leave_out(self, path: Path) -> None:
        """Exclude a path in the values there, to which another value moves."""
        self.here.cross_without(path)
        self.there.elsewhere.append(path)

    def agrees(self, kept: Any, live: Any, became: Any) -> Agreement:
        """Return how a kept value is shown here; `became` is what it became, if noted.

        If nothing was shown, the schema's default counts as nothing. What a more distant version
        showed of it and gave back is in the bags of the live value.
        """
        here, shown = self.here, self._shown(kept, became)
        if here.is_shown(shown, live):
            return "as it is"
        is_rewritten = here.is_spelled(shown, live) or here.is_filled_in(shown, live)
        return "as a server writes it" if is_rewritten else ""

    def _shown(self, kept: Any, became: Any) -> Any:
        is_noted = became is not NOTHING
        return self.here.read_or_nothing(became) if is_noted else self.there.retrace(kept)

    def gives(self, kept: Any, live: Any) -> bool:
        """Return whether a kept value belongs to a live one, without a note about it."""
        return bool(self.agrees(kept, live, NOTHING)) or self._agrees_merged(kept, live)

    def merged(self, kept: Any, fresh: Any, live: Any, holder: Any = None) -> Any:
        """Return the value there if the kept one disagrees; `fresh` is the converted live one.

        `holder` is the view of the object with the entry, unless it is only compared.
        """
        if kept is ABSENT or kept is None or live is ABSENT or live is None:
            return fresh
        if self._agrees_merged(kept, live):
            return kept
        merge, there = self._merge, self.there
        if fresh is ABSENT or merge is None:
            return fresh
        act = partial(merge, kept, fresh, live)
        if holder is None:
            return act()
        return noting_lost(holder.members_, there.origin, there.name, act)

    def note_differing(self, kept: Any, value: Any, holder: Any) -> None:
        """Note that the value that other functions kept in a view's bag is not the value there."""
        if self.calls:
            there = self.there
            note_differing(holder, there.origin, there.name, lambda: there.same(kept, value))

    def _agrees_merged(self, kept: Any, live: Any) -> bool:
        """Return whether merging an entry into the live value leaves that unchanged.

        This is so if both sides can hold what the other cannot: the entry does not know the tail of
        a live list, and the list does not show what else is in the entry.
        """
        crossed, merge = self.there.retrace(kept), self._merge_here
        if merge is None or crossed in NOTHINGS or live in NOTHINGS:
            return False
        merged, compared = merge(live, crossed, kept), self.here.form.compared
        return merged not in NOTHINGS and _json.equal(compared(merged), compared(live))

    def settle(self, live: Any, bag: PropertyBag, how: How = ALONE) -> Any:
        """Return the value there, and leave in the bag what a round trip would leave.

        Raises HoldallError, with the bag unchanged, if there is no round trip.
        """
        there = self.there
        if self.here.elsewhere:
            for path in self.here.elsewhere:
                live = _without(live, path)
            live = _unmade(live)
        if not bag.has(there.origin, there.name):
            return self.here.cross(live)
        stored = bag[there.origin][there.name]
        kept = None if stored is None else there.form.read(stored)
        became = bag.became(there.origin, there.name, NOTHING)
        here, shown = self.here, self._shown(kept, became)
        if here.is_shown(shown, live) or here.is_spelled(shown, live):
            return kept
        # A default counts only at the object's version: no server saw it on the way.
        if how.is_filled and (here.is_shown(shown, ABSENT) or here.is_filled_in(shown, live)):
            if not how.leaves:
                bag.note_became(there.origin, there.name, here.written(live))
            return kept
        if live is ABSENT and len(there.path) == 1:
            read_entry(there.holder, there.name, stored)  # what has another kind was not shown
        fresh = self.here.cross(live)
        by_itself = there.written(fresh)
        value = self.merged(kept, fresh, live, how.holder)  # which may change what is fresh
        self.note_differing(kept, value, how.holder)
        written = there.written(value)
        was_unfit = bag.is_unfit(there.origin, there.name)
        bag.drop(there.origin, there.name)
        if written is not ABSENT and not (
            by_itself is not ABSENT and _json.same(written, by_itself)
        ):
            bag.put(there.origin, there.name, written)
            if not there.fits(written) and (was_unfit or there.fits(stored)):
                bag.mark_unfit(there.origin, there.name)  # the edited value did not fit its type
        return value


def is_within(path: Path, other: Path) -> bool:
    """Return whether `other` is below a path."""
    return len(other) > len(path) and other[: len(path)] == path


def _without(value: Any, path: Path) -> Any:
    """Return a copy of a value without what is at a path in it."""
    name, *rest = path
    if type(value) is not dict or name not in value:
        return value
    if not rest:
        return {key: item for key, item in value.items() if key != name}
    inner = _without(value[name], tuple(rest))
    return value if inner is value[name] else {**value, name: inner}


def _unmade(value: Any) -> Any:
    """Return what was there before a move made an object, if that has nothing else."""
    if type(value) is dict and value.keys() == {BAG_MEMBER}:
        for entries in value[BAG_MEMBER].values():
            if entries.keys() == {CREATED_KEY} and len(value[BAG_MEMBER]) == 1:
                return None if entries[CREATED_KEY] == "null" else ABSENT
    return value


def hops(
    older: Place,
    newer: Place,
    conversion: Conversion,
    *,
    keeps: bool,
    takes_nulls: bool = False,
) -> tuple[Hop, Hop]:
    """Return both directions: to the newer side, and back.

    With `takes_nulls`, the conversion gets the nulls that it asks for.
    """
    by = conversion
    here = Side(older, newer[0].VERSION, by, upward=True, takes_nulls=takes_nulls)
    there = Side(newer, older[0].VERSION, by, upward=False, takes_nulls=takes_nulls)
    of_older, of_newer = by.merge_older, by.merge_newer
    return (
        Hop(here, there, (of_older, of_newer), keeps=keeps, calls=by.calls),
        Hop(there, here, (of_newer, of_older), keeps=keeps, calls=by.calls),
    )
