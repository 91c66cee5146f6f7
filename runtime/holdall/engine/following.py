"""How values beyond an edge follow from an object's, and what was only filled in there.

Source: docs/conversions.md, "Versions farther away".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from holdall.engine.always import UNKNOWN, given
from holdall.engine.filled_in import before_filling, with_note, without_note
from holdall.engine.hops import ABSENT, ALONE, Hop, How, Path, value_at
from holdall.engine.member_ways import crossed
from holdall.engine.two_way_steps import TwoWayStep
from holdall.engine.uncertain import counting_lost, note_lost, note_unused, notes_unused
from holdall.errors import DecodeError, HoldallError
from holdall.objects.bag import PropertyBag
from holdall.objects.bag_forms import over_container
from holdall.objects.implied import before_defaults, has_defaults, is_filled_in
from holdall.objects.shapes import ValueShape, shape_of
from holdall.objects.views import StorageObject
from holdall.text import json as _json
from holdall.types import Members


class Filler(NamedTuple):
    """What may have been filled in at a path of the source or the destination, without an edit.

    A server's default stays. What is filled in `by_hook` is removed from the source on the hook's
    edge, or added to the destination at the end.
    """

    of_source: bool
    path: Path
    value: Any
    shape: ValueShape
    by_hook: bool = False

    @property
    def comes(self) -> bool:
        """Whether it is not there yet."""
        return self.by_hook and not self.of_source

    def fills(self, source: StorageObject, destination: StorageObject) -> bool:
        """Return whether that has been or will be filled in."""
        value = given(self.value)
        if value is UNKNOWN:
            return False
        live = value_at((source if self.of_source else destination).members_, self.path)
        if self.comes:
            return live is None or live is ABSENT
        return is_filled_in(value, live, self.shape)


class Copied(NamedTuple):
    """The way to a partner with the same value, or with its objects converted."""

    here: ValueShape
    there: ValueShape
    keeps: bool = False

    def settle(self, live: Any, bag: PropertyBag, how: How = ALONE) -> Any:
        """Return the value there; it keeps nothing in the bag."""
        return live if live is ABSENT else self._across(self.here, self.there, live)

    def _across(self, here: ValueShape, there: ValueShape, value: Any) -> Any:
        if value is None:
            return None
        if here.type is not None:
            return crossed(here.type, there.type, value)
        item, other = here.item, there.item
        if item is None or other is None:
            return value
        container = list if here.container == "list" else dict
        return over_container(container, value, lambda one: self._across(item, other, one))


class Hooked(NamedTuple):
    """The way of a property that one two-way hook converts to one of the other version."""

    origin: str
    step: TwoWayStep
    name: str
    partner: str
    keeps: bool = False

    def settle(self, live: Any, bag: PropertyBag, how: How = ALONE) -> Any:
        """Return the value there. A `Residue` judges what the hook keeps.

        Raises HoldallError if the hook fails.
        """
        members = {} if live is ABSENT else {self.name: live}
        kept = bag.get(self.origin, {}).get(self.step.key)
        try:
            made = self.step.cross(members, kept, is_kept=kept is not None)[0]
        except (Exception, SystemExit) as error:
            raise DecodeError(f"the hook raised {type(error).__name__}") from error
        return made.get(self.partner, ABSENT)


Onward: TypeAlias = Hop | Copied | Hooked
"""How a property crosses an edge."""


class Lane(NamedTuple):
    """How a member that a two-way hook reads is made from a more distant object."""

    name: str
    path: Path
    hops: Sequence[Onward]


class Residue(NamedTuple):
    """What a two-way hook keeps of members of the source, or the destination, beyond the edge.

    Nothing is known about absent `pulled` members, because what moves into an object comes last.
    """

    of_source: bool
    pulled: frozenset[str]
    origin: str
    there: TwoWayStep
    back: TwoWayStep
    lanes: Sequence[Lane]

    def settle(self, source: StorageObject, destination: StorageObject, bag: PropertyBag) -> None:
        """Leave in the bag what a round trip would leave.

        Values that were only filled in change nothing, and are noted, because the hook's edge
        cannot recognise them.
        """
        twin = source if self.of_source else destination
        key = self.there.key
        try:
            if any(value_at(twin.members_, (name,)) is ABSENT for name in self.pulled):
                return
            live = self._followed(twin.members_, PropertyBag.own(bag))
            kept, note = without_note(bag[self.origin][key])
            bare = None
            if note is not None:
                bare = before_filling(note, live, self.there.reads)
                kept = self.there.without_deleted(kept, note, live)
            settle = partial(self._settled, live if bare is None else bare, kept)
            (_, rest), lost = counting_lost(settle)
            if bare is None and not _json.same(rest, kept):
                bare = self._before_filling(source, type(destination), live, kept, bag)
                rest = rest if bare is None else kept
        except (Exception, SystemExit):  # noqa: BLE001 - the edge of the hook says what is wrong
            return
        if rest is None:
            return
        if notes_unused() and len(rest) < len(kept):
            note_unused(source.members_, self.origin, key)
        if not _json.same(rest, kept):
            note_lost(source.members_, self.origin, key, lost)
        bag.drop(self.origin, key)
        if rest:
            rest = rest if bare is None else with_note(rest, bare, live)
            bag.put(self.origin, key, _json.copy(rest))

    def _settled(self, live: Members, kept: Any) -> tuple[Members | None, Any]:
        try:
            return self.there.settled(self.back, self.there.members_of(live), kept)
        except (Exception, SystemExit):  # noqa: BLE001 - the edge of the hook says what is wrong
            return None, None

    def _before_filling(
        self,
        source: StorageObject,
        goal: type[StorageObject],
        live: Members,
        kept: Any,
        bag: PropertyBag,
    ) -> Members | None:
        """Return what may have been shown before a server filled in defaults, if it agrees."""
        cls = type(source)
        # Hooks on views run once per object.
        if not has_defaults(cls) or (not self.of_source and cls.crossings_[goal].runs_views):
            return None
        for members in before_defaults(source.members_, shape_of(cls).members):
            try:
                before = members if self.of_source else crossed(cls, goal, members, is_judged=False)
                bare = self._followed(before, PropertyBag.own(bag))
            except HoldallError:
                continue
            if _json.same(bare, live):
                continue  # what was filled in does not concern it
            shown, rest = self._settled(bare, kept)
            if shown is not None and _json.same(shown, bare) and _json.same(rest, kept):
                return bare
        return None

    def _followed(self, members: Members, bag: PropertyBag) -> Members:
        """Return the members next to the hook, as those of an object farther away say."""
        found: Members = {}
        for lane in self.lanes:
            value = value_at(members, lane.path)
            for hop in lane.hops:
                value = hop.settle(value, bag)
            if value is not ABSENT:
                found[lane.name] = value
        return found
