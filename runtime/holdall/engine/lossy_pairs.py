"""Lossy pairs of properties: residue, agreement, skip links.

Source: docs/conversions.md, "Residue and agreement".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from holdall.engine.conversions import Conversion
from holdall.engine.functions import wrong_result
from holdall.engine.hops import ABSENT, NOTHING, Agreement, Convert, Hop, Path, Side, hops
from holdall.engine.misfit import MISFIT
from holdall.engine.object_values import through
from holdall.engine.open_bag import OpenBag
from holdall.engine.uncertain import noted_below
from holdall.errors import DecodeError, FunctionFailure, MisfitError, ValueProblem
from holdall.objects.bag import BAG_MEMBER, Bag
from holdall.objects.container_kinds import read_entry
from holdall.objects.shapes import ValueShape, members_of, members_within, shape_of
from holdall.objects.views import StorageObject
from holdall.plan.misfits import misfit

if TYPE_CHECKING:
    from holdall.engine.edges import Crossing


class Pair:
    """A matched pair of properties whose conversion may lose something in some direction.

    What does not come back by itself is kept as residue: the value of the source, in the bag of the
    destination. A residue that no longer agrees with the live value is merged if the conversion
    defines how, else dropped. With `always`, the newer value is always kept on the way down. `edge`
    leads to the newer type; the names are wire names, or paths for moved properties. A `piecewise`
    residue can be split by element.

    `to` gives the newer object of an open bag the value of the older one and leaves its residue in
    the bag, `back` vice versa. `moved_to` and `moved_back` return the value for a given one, with
    None for null and `ABSENT` for absence on both sides; they also get the object as it was before
    anything moved out of it.
    """

    def __init__(
        self,
        edge: Crossing,
        older: str | Path,
        newer: str | Path,
        conversion: Conversion,
        *,
        misfit_is_error: bool = False,
        always: bool = False,
        piecewise: bool = False,
    ) -> None:
        paths = [(name,) if isinstance(name, str) else name for name in (older, newer)]
        keys = ["/".join(path) for path in paths]
        if piecewise:
            edge.piecewise[keys[0]] = conversion, True
            edge.opposite.piecewise[keys[1]] = conversion, False
        self.conversion = conversion
        self._is_checked = conversion.calls_to or conversion.calls_back
        self._always = always
        self._to, self._back = hops(
            (edge.source_type, paths[0]),
            (edge.destination_type, paths[1]),
            conversion,
            keeps=not conversion.is_exact,
            takes_nulls=True,
        )
        self._strict = misfit_is_error
        edge.hops[paths[0]] = self._to, paths[1]
        edge.opposite.hops[paths[1]] = self._back, paths[0]
        self.to = partial(self._assign, self._to, not self._is_checked)
        self.back = partial(self._assign, self._back, not self._is_checked and not always)
        self.moved_to, self.moved_back = (
            partial(self._cross, hop) for hop in (self._to, self._back)
        )

    def _assign(self, hop: Hop, tries: bool, bag: OpenBag) -> None:
        """Without a bag, what surely comes back is simply converted, if the pair `tries` that."""
        live = bag.old.get(hop.here.name, ABSENT)
        is_there = live is not None and live is not ABSENT
        if tries and is_there and not bag:
            result = hop.here.surely(live)
            if result is MISFIT:
                result = self._cross(hop, live, bag, is_tried=True)
        elif is_there or bag or hop.here.takes_null or hop.there.takes_null:
            result = self._cross(hop, live, bag)
        else:
            return
        if result is None:
            if is_there:
                bag.destination.extra_[hop.there.name] = None
        elif result is not ABSENT:
            bag.new[hop.there.name] = result

    def _cross(
        self,
        hop: Hop,
        live: Any,
        bag: OpenBag,
        source: Mapping[str, Any] | None = None,
        *,
        is_tried: bool = False,
    ) -> Any:
        here, there = hop.here, hop.there
        kept = there.entry(bag) if bag else ABSENT
        if kept is not ABSENT:
            became = bag.became(there.origin, there.name, NOTHING)
            is_made = source is not None and here.is_in_default(source)
            agrees: Agreement = ""
            try:
                agrees = hop.agrees(kept, live, became)
                if is_made and not agrees:
                    agrees = hop.agrees(kept, ABSENT, became)
            except ValueProblem as error:
                bag.refuse(there.origin, there.name, error)
                kept = ABSENT
            else:
                bag.drop(there.origin, there.name)
            if agrees:
                may_be_other = (
                    agrees != "as it is"
                    or is_made
                    or became is not NOTHING
                    or here.hides(live)
                    or here.is_filled_in(ABSENT, live)
                )
                if may_be_other and not here.comes_back(there.retrace(kept), live):
                    # It became something that it does not become by itself; so does the live value.
                    self._keep_beside(hop, bag, live, kept)
                return kept
        if live is ABSENT or (live is None and not here.takes_null):
            if live is None and not here.same(there.retrace(None), None):
                bag.put(here.origin, here.name, None)
            if kept is not ABSENT:
                hop.note_differing(kept, live, bag.source)
            return live
        is_kept = self._always and hop is self._back
        try:
            if kept is ABSENT and live is not None and not (is_tried or self._is_checked):
                result = here.surely(live)
                if result is not MISFIT:
                    if is_kept:
                        bag.put(here.origin, here.name, here.written(live))
                    return result
            result = here.cross(live)
        except FunctionFailure as failure:
            raise failure.at(bag.source, here.name) from failure.__cause__
        if self._is_checked:
            self._check_made(hop, bag, live, result)
        if kept is not ABSENT:
            result = hop.merged(kept, result, live, bag.source)
            hop.note_differing(kept, result, bag.source)
        is_kept = is_kept or (kept is ABSENT and live is not None and here.loses(live))
        if is_kept or not here.comes_back(there.retrace(result), live):
            if result is ABSENT and self._strict:
                raise MisfitError(f"{there.origin} cannot hold this value", bag.source, here.name)
            if kept is not ABSENT and result is not ABSENT:  # they may have been merged
                self._keep_beside(hop, bag, live, result)
            else:
                bag.put(here.origin, here.name, here.written(live))
        return result

    def _keep_beside(self, hop: Hop, bag: OpenBag, live: Any, result: Any) -> None:
        """Keep a live value, with what it became unless the way back finds that by itself."""
        here = hop.here
        bag.put(here.origin, here.name, here.written(live))
        back = self._back if hop is self._to else self._to
        if not back.gives(live, result):
            bag.note_became(here.origin, here.name, hop.there.written(result))

    def _check_made(self, hop: Hop, bag: OpenBag, live: Any, result: Any) -> None:
        """Raise FunctionFailure if a function's result does not fit its declared type."""
        upward = hop is self._to
        if not (self.conversion.calls_to if upward else self.conversion.calls_back):
            return
        there, entered = hop.there, bag.crossing.destination_type
        is_nothing = result is None or result is ABSENT
        written = None if is_nothing else there.form.compared(result)
        for path, function in self.conversion.made(live, upward):
            if is_nothing and path:
                continue
            part: Any = written
            for step in path:
                part = part[step]
            error = misfit(entered, there.origin, there.name, part, len(path))
            if error is not None:
                raise wrong_result(function, error).at(bag.source, hop.here.name) from error


End = tuple[str, type[StorageObject], str]
Way = tuple[End, Hop, End]


class Link:
    """A property that is missing between two versions and has the same meaning at both ends.

    Entries are converted when they are pulled, never when they are stashed. `ways` are both
    directions: start, hop, and end. One that `is_hooked` has its own edge, for the hook.
    """

    def __init__(self, older: End, newer: End, conversion: Conversion) -> None:
        ends = (older[1], (older[2],)), (newer[1], (newer[2],))
        to, back = hops(*ends, conversion, keeps=True)
        self.is_hooked = isinstance(conversion, through)
        self.ways = (older, to, newer), (newer, back, older)


_Over: TypeAlias = dict[str, tuple[ValueShape, list[tuple[Hop, Hop]]]]
_Twin: TypeAlias = type[StorageObject]


def peers_of(
    ends: Iterable[tuple[_Twin, _Twin]], links: Iterable[Link]
) -> dict[_Twin, list[_Twin]]:
    """Return the neighbours of types over edges, given both ends of each crossing.

    Edges that exist only for the hook of a link are left out: nothing else crosses them.
    """
    ways = [way for link in links if link.is_hooked for way in link.ways]
    hooked = {(one, other) for (_, one, _), _, (_, other, _) in ways}
    found: dict[_Twin, list[_Twin]] = {}
    for one, other in ends:
        peers = found.setdefault(one, [])
        if (one, other) not in hooked:
            peers.append(other)
    return found


class Linked:
    """A property of one version, with the first skip links from it.

    Entries of other ends agree with what was last shown: see `holdall.engine.distant`.
    """

    def __init__(self, end: End, find: Callable[[], Iterable[Way]]) -> None:
        self.version, _, self.name = self._end = end
        self._find = find

    @cached_property
    def _ways(self) -> tuple[Sequence[Hop], _Over]:
        """The hops that lead away; and by the version of another end, the ways from there over a
        third one, to this."""
        ways = [*self._find()]
        leaving = {there: hop for here, hop, there in ways if here == self._end}
        found: _Over = {}
        for here, hop, there in ways:
            if here in leaving and there in leaving:
                version, cls, name = here
                over = found.setdefault(version, (shape_of(cls).members[name].value, []))
                over[1].append((hop, leaving[there]))
        return [*leaving.values()], found

    def concerns(self, bag: Bag) -> bool:
        """Return whether a bag has an entry of the property, in some version."""
        for hop in self._ways[0]:
            for side in (hop.here, hop.there):
                if side.origin in bag and side.name in bag[side.origin]:
                    return True
        return False

    def pull(self, bag: OpenBag) -> Any:
        """Return the property's own entry, else the converted one of the nearest linked version."""
        if not bag:
            return None
        hops, overs = self._ways
        own = hops[0].here
        value, is_refused = ABSENT, False
        if bag.has(own.origin, own.name):
            try:
                if own.form.is_plain:  # which is read as it is
                    read_entry(own.holder, own.name, bag[own.origin][own.name])
                value = own.entry(bag)
            except DecodeError as error:
                bag.refuse(own.origin, own.name, error)
            is_refused = value is ABSENT
            bag.drop(own.origin, own.name)
        for hop in _in_order(hops, bag):
            near, far = hop.here, hop.there
            entry = far.entry(bag)
            if entry is ABSENT:
                continue
            try:
                way = self._way_over(far, entry, overs)
                pulled: Any = MISFIT
                if value is ABSENT and entry is not None and not way:
                    pulled = _pulled(bag, far, entry, far.surely)
                is_whole = pulled is not MISFIT
                if not is_whole:
                    pulled = value
                    if value is ABSENT:
                        pulled = _pulled(bag, far, entry, *way or [far.cross])
                    is_whole = far.comes_back(near.cross(pulled), entry)
            except ValueProblem as error:
                bag.refuse(far.origin, far.name, error)
                continue
            if is_refused:
                # Up to there the converted value replaces the entry.
                bag.postpone(bag.crossing.source, far.origin, own.origin, own.name)
                is_refused = False
            value = pulled
            if is_whole:
                bag.drop(far.origin, far.name)
            elif value is not ABSENT and far.is_filled_in(near.retrace(value), entry):
                bag.note_became(far.origin, far.name, near.written(value))
        if value is None:
            bag.destination.extra_[self.name] = None
        return None if value is ABSENT else value

    def _way_over(self, far: Side, entry: Any, overs: _Over) -> list[Convert]:
        """Return the way of an entry over a third version for which its objects hide something.

        They were made from that version's objects, so the way restores more than they show.
        """
        if far.origin in overs:
            shape, ways = overs[far.origin]
            origins = {*_residue_origins(entry, shape)}
            found = [way for way in ways if way[1].there.origin in origins]
            if len(found) == 1 and self.version not in origins:
                [(first, last)] = found
                return [first.here.cross, last.there.cross]
        return []


def _residue_origins(value: Any, shape: ValueShape) -> Iterator[str]:
    """Yield the versions for which objects in a value hide something that they show in part."""
    cls: Any
    for cls, members in members_within(value, shape):
        bag = members.get(BAG_MEMBER, {})
        for peer in cls.crossings_:
            if peer.VERSION in bag and cls in peer.crossings_:
                partnered = members_of(peer) - peer.crossings_[cls].stashed
                if not partnered.isdisjoint(bag[peer.VERSION]):
                    yield peer.VERSION


def _pulled(bag: OpenBag, far: Side, entry: Any, *steps: Convert) -> Any:
    """Return a converted entry of the bag; elements that its lists leave out are noted."""
    for convert in steps:
        act = partial(convert, entry)
        entry = noted_below(lambda: bag.source, far.origin, far.name, entry, act)
    return entry


def _in_order(hops: Sequence[Hop], bag: OpenBag) -> Sequence[Hop]:
    """Return hops in the order of precedence of their entries: the nearest first.

    An entry from which all others were made comes before it.
    """
    kept = [hop for hop in hops if bag.has(hop.there.origin, hop.there.name)]
    if len(kept) < 2:
        return kept
    entries = [hop.there.entry(bag) for hop in kept]
    for one, entry in zip(kept, entries, strict=True):
        if entry is not ABSENT:
            made = one.there.retrace(entry)
            if all(
                hop.there.comes_back(hop.here.retrace(made), other)
                for hop, other in zip(kept, entries, strict=True)
            ):
                return [one, *(hop for hop in kept if hop is not one)]
    return kept
