"""Pairs of properties whose conversion may lose something: residue, agreement, skip links.

Source: property-conversion contract, sections 5.4 to 5.8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from holdall import json as _json
from holdall.bag import NO_ENTRY, OpenBag
from holdall.conversions import MISFIT, Conversion
from holdall.errors import DecodeError, FunctionFailure, MisfitError, ValueProblem
from holdall.functions import wrong_result
from holdall.merging import Merge
from holdall.misfits import misfit
from holdall.objects import StorageObject
from holdall.types import JsonValue

if TYPE_CHECKING:
    from holdall.edges import Crossing

ABSENT = object()
_NOTHING = object()
"""What a failing function gives where only a comparison is made: it is the same as no value."""


class Side:
    """One end of a pair: where its entries stand, how they are written, how they cross over."""

    __slots__ = ("convert", "form", "name", "origin", "takes_null")

    def __init__(
        self, origin: str, name: str, form: Any, convert: Any, takes_null: bool = False
    ) -> None:
        self.origin, self.name, self.form, self.convert = origin, name, form, convert
        self.takes_null = takes_null

    def entry(self, bag: OpenBag) -> Any:
        """Return the entry as a value of this side, `ABSENT` if there is none that can be used."""
        if not bag.has(self.origin, self.name):
            return ABSENT
        value = bag.checked(self.origin, self.name, self.form)
        return ABSENT if value is NO_ENTRY else value

    def read_or_nothing(self, recorded: JsonValue) -> Any:
        """Return a recorded value of this side; what is none agrees with nothing."""
        try:
            return None if recorded is None else self.form.read(recorded)
        except DecodeError:
            return _NOTHING

    def same(self, one: Any, other: Any) -> bool:
        """Tell whether two values of this side are the same JSON, presence included."""
        if one is _NOTHING or other is _NOTHING:
            return False
        if one is None or other is None or one is ABSENT or other is ABSENT:
            return one is other
        return _json.same(self.form.write(one), self.form.write(other))

    def cross(self, value: Any) -> Any:
        """Return the value as the other side sees it: absent stays absent, null stays null.

        A function that takes nulls may make a value of one.
        """
        if value is ABSENT or (value is None and not self.takes_null):
            return value
        crossed = self.convert(value)
        return ABSENT if crossed is MISFIT or crossed is None else crossed

    def retrace(self, value: Any) -> Any:
        """Return what `cross` does, for a comparison; a failing function agrees with nothing."""
        try:
            return self.cross(value)
        except FunctionFailure:
            return _NOTHING


def _live(twin: StorageObject, name: str, value: Any) -> Any:
    """Return a property with its absence told apart from its null."""
    return ABSENT if value is None and name not in twin.extra_ else value


class Pair:
    """A matched pair of properties whose conversion may lose something in some direction.

    What does not come back by itself is kept as residue: the value of the side that is left, in
    the bag of the side that is entered. A residue that no longer agrees with the live value is
    merged where the conversion defines how, else dropped. With `always` the newer value is kept
    on the way down in any case. The `edge` is told where a residue can be taken apart by element.
    """

    __slots__ = ("_always", "_newer", "_older", "_strict", "conversion")

    def __init__(
        self,
        older: tuple[str, str],
        newer: tuple[str, str],
        conversion: Conversion,
        *,
        misfit_is_error: bool = False,
        always: bool = False,
        edge: Crossing | None = None,
    ) -> None:
        if edge is not None:
            edge.piecewise[older[1]] = conversion, True
            edge.opposite.piecewise[newer[1]] = conversion, False
        self.conversion = conversion
        self._always = always
        self._older = Side(*older, conversion.older, conversion.to, conversion.null_to)
        self._newer = Side(*newer, conversion.newer, conversion.back, conversion.null_back)
        self._strict = misfit_is_error

    def to(self, value: Any, bag: OpenBag, *, is_null: bool | None = None) -> Any:
        """Return the newer value of the older `value` and leave its residue in the bag.

        `is_null` tells an explicit null from absence where the source's extras cannot.
        """
        merges = self.conversion.merge_older, self.conversion.merge_newer
        return self._cross(self._older, self._newer, merges, value, bag, is_null)

    def back(self, value: Any, bag: OpenBag, *, is_null: bool | None = None) -> Any:
        """Return the older value of the newer `value` and leave its residue in the bag."""
        merges = self.conversion.merge_newer, self.conversion.merge_older
        return self._cross(self._newer, self._older, merges, value, bag, is_null)

    def _cross(
        self,
        here: Side,
        there: Side,
        merges: tuple[Merge | None, Merge | None],
        value: Any,
        bag: OpenBag,
        is_null: bool | None,
    ) -> Any:
        if value is None and not bag and not here.takes_null:
            return None
        if is_null is None:
            live = _live(bag.source, here.name, value)
        else:
            live = ABSENT if value is None and not is_null else value
        kept = there.entry(bag)
        before: Any = _NOTHING
        if kept is not ABSENT:
            became = bag.became(there.origin, there.name, _NOTHING)
            try:
                before = there.retrace(kept) if became is _NOTHING else here.read_or_nothing(became)
            except ValueProblem as error:
                bag.refuse(there.origin, there.name, error)
                kept = ABSENT
        if kept is not ABSENT:
            bag.drop(there.origin, there.name)
            if here.same(before, live):
                if kept is None and value is not None:
                    bag.destination.extra_[there.name] = None
                return kept
        if value is None and (live is ABSENT or not here.takes_null):
            return None
        merge_here, merge = merges
        try:
            result = here.cross(live)
        except FunctionFailure as failure:
            raise failure.at(bag.source, here.name) from failure.__cause__
        self._check_made(here, there, bag, live, result)
        if kept is not ABSENT and kept is not None:
            if _agrees_merged(here, there, merge_here, kept, value):
                result = kept
            elif result is not ABSENT and merge is not None:
                result = merge(kept, result, value)
        pinned = self._always and here is self._newer
        if pinned or not here.same(there.retrace(result), live):
            if result is ABSENT and self._strict:
                raise MisfitError(f"{there.origin} cannot hold this value", bag.source, here.name)
            bag.put(here.origin, here.name, None if value is None else here.form.write(value))
        return None if result is ABSENT else result

    def _check_made(self, here: Side, there: Side, bag: OpenBag, live: Any, result: Any) -> None:
        """Raise FunctionFailure if what a function made is none of its declared type."""
        upward = here is self._older
        if not (self.conversion.calls_to if upward else self.conversion.calls_back):
            return
        is_nothing = result is None or result is ABSENT
        written = None if is_nothing else there.form.write(result)
        for path, function in self.conversion.made(live, upward):
            if is_nothing and path:
                continue
            part: Any = written
            for step in path:
                part = part[step]
            error = misfit(type(bag.destination), there.origin, there.name, part, len(path))
            if error is not None:
                raise wrong_result(function, error).at(bag.source, here.name) from error


def _agrees_merged(here: Side, there: Side, merge: Merge | None, kept: Any, live: Any) -> bool:
    """Tell whether an entry, merged into the live value, leaves that as it is.

    So where both sides can hold what the other cannot: the entry knows nothing of the tail of a
    live list, nor can the list tell what else is in the entry.
    """
    crossed = there.retrace(kept)
    if merge is None or crossed is None or crossed is ABSENT or crossed is _NOTHING:
        return False
    return here.same(merge(live, crossed, kept), live)


End = tuple[str, type[StorageObject], str]


class Link:
    """A property that is missing between two versions and has one meaning on both ends.

    Conversion happens when an entry is pulled, never when it is stashed.
    """

    __slots__ = ("newer", "newer_side", "older", "older_side")

    def __init__(self, older: End, newer: End, conversion: Conversion) -> None:
        self.older, self.newer = older, newer
        self.older_side = Side(older[0], older[2], conversion.older, conversion.to)
        self.newer_side = Side(newer[0], newer[2], conversion.newer, conversion.back)


_Hop = tuple[Side, Side]


class Linked:
    """A property of one version with the skip links that lead away from it.

    `paths` gives, for each direction in which there are links, the hops from this version
    outward; a hop is the near side and the far side of a link.
    """

    __slots__ = ("_find", "_paths", "name", "version")

    def __init__(self, version: str, name: str, find: Callable[[], Sequence[list[_Hop]]]) -> None:
        self.version, self.name = version, name
        self._find = find
        self._paths: Sequence[list[_Hop]] | None = None

    @property
    def paths(self) -> Sequence[list[_Hop]]:
        """The hops of every direction; found when they are first needed."""
        if self._paths is None:
            self._paths = self._find()
        return self._paths

    def pull(self, bag: OpenBag) -> Any:
        """Return the property's own entry, else that of the nearest linked version, converted."""
        if not bag:
            return None
        own = self.paths[0][0][0]
        value = own.entry(bag)
        bag.drop(own.origin, own.name)
        for path in self.paths:
            near, far = path[0]
            entry = far.entry(bag)
            if entry is ABSENT:
                continue
            try:
                pulled = far.cross(entry) if value is ABSENT else value
                is_whole = far.same(near.cross(pulled), entry)
            except ValueProblem as error:
                bag.refuse(far.origin, far.name, error)
                continue
            value = pulled
            if is_whole:
                bag.drop(far.origin, far.name)
        if value is None:
            bag.destination.extra_[self.name] = None
        return None if value is ABSENT else value

    def guard(self, value: Any, bag: OpenBag) -> None:
        """Drop the linked entries that no longer agree with the live value, link by link."""
        if not bag:
            return
        for path in self.paths:
            live = _live(bag.source, self.name, value)
            for near, far in path:
                entry = far.entry(bag)
                if entry is not ABSENT:
                    try:
                        agrees = near.same(far.cross(entry), live)
                    except ValueProblem as error:
                        bag.refuse(far.origin, far.name, error)
                    else:
                        if agrees:
                            live = entry
                            continue
                        bag.drop(far.origin, far.name)
                live = near.cross(live)


def hops_from(start: End, links: Sequence[Link]) -> Sequence[list[_Hop]]:
    """Return the hops that lead away from a property, one list for each direction."""
    paths = []
    for link in links:
        if start in (link.older, link.newer):
            path, here, rest = [], start, list(links)
            step: Link | None = link
            while step is not None:
                rest.remove(step)
                forward = step.older == here
                near, far = step.older_side, step.newer_side
                path.append((near, far) if forward else (far, near))
                here = step.newer if forward else step.older
                step = next((item for item in rest if here in (item.older, item.newer)), None)
            paths.append(path)
    return paths
