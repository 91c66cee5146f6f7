"""Running hooks of two-way steps on members."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from holdall.engine.edges import Crossing
from holdall.engine.failures import hook_failure
from holdall.engine.member_ways import Way
from holdall.engine.remembered import Remembered
from holdall.engine.two_way_steps import TwoWayStep
from holdall.engine.uncertain import notes_unused
from holdall.objects.bag import BAG_MEMBER, MARKS, PropertyBag
from holdall.objects.tolerance import is_tolerated
from holdall.objects.view_type import EVERYWHERE
from holdall.objects.views import SOURCE
from holdall.types import Members

Residues = dict[str, Any]
"""Residues to keep, by the key of their step."""


class Steps:
    """The steps of a hook in one direction, run together.

    No two of them write the same members, and all read the source. So their results for equal
    values and residues are cached together.
    """

    def __init__(self, crossing: Crossing, steps: Sequence[TwoWayStep]) -> None:
        self._crossing, self._steps = crossing, tuple(steps)
        keys = self._keys = frozenset(step.key for step in steps)
        reads = frozenset[str]().union(*(step.reads for step in steps))
        self._order = tuple(sorted(reads))
        self._writes = frozenset[str]().union(*(step.writes for step in steps))
        # Entries of the source and of the destination that are outdated after the hook. What an
        # earlier way back kept and did not use does not concern the next one.
        self._outdated = reads | keys | _moved(crossing, reads)
        entered = _moved(crossing.opposite, self._writes)
        self._used = (self._writes & crossing.destination_members) | keys | entered
        self._concerns = self._outdated | self._used | self._writes | MARKS
        self._follows_from_members = all(step.follows_from_members for step in steps)
        self._results = Remembered()

    def __call__(self, old: Members, new: Members, way: Way) -> None:
        """Convert the members of one object into another, with residue, and keep new residue."""
        is_plain = True
        live = {}
        for name in self._order:
            if name in old:
                live[name] = old[name]
        kept = self._kept(new[BAG_MEMBER]) if BAG_MEMBER in new else None
        given = (live, kept) if kept else live
        may_repeat = self._follows_from_members and not (kept and notes_unused())
        text = self._results.text_of(given) if may_repeat else b""
        known = self._results.get(text)
        made: Members
        residues: Residues
        if known is None:
            made, residues, is_plain = self._made(live, kept or {}, old, new)
            if is_plain:
                self._results.note(text, (made, residues))
        else:
            made, residues = known
        if not self._writes.isdisjoint(new):
            for name in self._writes.intersection(new):
                del new[name]
        new.update(made)
        if kept is not None:
            self._drop_stale(new)
        if residues:
            bag = new.setdefault(BAG_MEMBER, {})
            bag.setdefault(self._crossing.source, {}).update(residues)
        if not is_plain:  # written values may contain objects with bags
            way.bags |= EVERYWHERE

    def _kept(self, bag: Any) -> Residues | None:
        """Return the residues kept when the other side's version was left.

        None if the bag has nothing for the hook, of either version.
        """
        live, waiting = bag.get(self._crossing.source), bag.get(self._crossing.destination)
        if waiting is None or self._concerns.isdisjoint(waiting):
            return None if live is None or self._concerns.isdisjoint(live) else {}
        return {key: waiting[key] for key in self._keys.intersection(waiting)}

    def _drop_stale(self, new: Members) -> None:
        bag = new[BAG_MEMBER]
        for origin, stale in (
            (self._crossing.source, self._outdated),
            (self._crossing.destination, self._used),
        ):
            entries = bag.get(origin)
            if entries is None:
                continue
            if stale.issuperset(entries):
                del bag[origin]
            else:
                bag = bag_of(new)
                bag.drop_all(origin, stale)
        if not bag:
            del new[BAG_MEMBER]

    def _made(
        self, live: Members, kept: Residues, old: Members, new: Members
    ) -> tuple[Members, Residues, bool]:
        """Return the results of the steps, residues to keep, and whether they may be cached."""
        members: Members = {}
        residues: Residues = {}
        is_plain = True
        for step in self._steps:
            try:
                if step.key not in kept:
                    crossed = step.on_members(live)
                else:
                    aside = partial(self._sets_aside, step.key, old, new)
                    there = self._crossing.destination
                    crossed = step.with_kept(old, kept[step.key], there, aside)
            except (Exception, SystemExit) as error:
                source = source_of(self._crossing, old)
                raise hook_failure(error, self._crossing.hook_class, source) from error
            members.update(crossed[0])
            if crossed[1]:
                residues[step.key] = crossed[1]
            is_plain = is_plain and crossed[2]
        return members, residues, is_plain

    def _sets_aside(self, key: str, old: Members, new: Members, why: str) -> bool:
        """Set aside residue that a step cannot use, if that is tolerated; return whether it is."""
        source, destination = self._crossing.source, self._crossing.destination
        if not is_tolerated(source_of(self._crossing, old), destination, key, why):
            return False
        bag_of(new).set_aside(source, destination, key)
        return True


def _moved(crossing: Crossing, claimed: frozenset[str]) -> set[str]:
    """Return the keys of values that move out of claimed objects of the source."""
    return {"/".join(path) for path in crossing.hops if len(path) > 1 and path[0] in claimed}


def bag_of(new: Members) -> PropertyBag:
    """Return the bag of members that have one, as a PropertyBag."""
    bag = new[BAG_MEMBER]
    if type(bag) is not PropertyBag:
        bag = new[BAG_MEMBER] = PropertyBag(bag)
    return bag


def source_of(crossing: Crossing, old: Members) -> Any:
    """Return the object for an error, which locates it."""
    cls: Any = crossing.source_type
    return cls.view_(old, SOURCE)
