"""A route that reads `changedValues`, whatever carries its own entries.

Source: docs/declared.md, "Tracking".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.carriers.boundary import Load, restore, unload
from holdall.carriers.bundles import Taken
from holdall.carriers.carrying import take_bags
from holdall.carriers.quarantine_note import refuse_quarantined
from holdall.carriers.reports import Dropped, Report
from holdall.carriers.tracking.collecting import Collector, held_status
from holdall.carriers.tracking.documents import (
    annotation_key,
    take_sections,
)
from holdall.carriers.tracking.entries import SECTIONS, Entry, Section, Sections, read_entries
from holdall.carriers.tracking.exchange import Exchange
from holdall.carriers.tracking.nearer import Nearer
from holdall.carriers.tracking.placing import Placed, place_entries
from holdall.carriers.tracking.spots import Aliases, Spots
from holdall.carriers.tracking.unusable import Refused, Refusing, keep_unused, wrong_value
from holdall.engine.edges import Crossing, EdgeEntry
from holdall.engine.member_ways import Way, by_itself
from holdall.errors import BagError, DecodeError, TrackedValueError
from holdall.objects.bag import ABOUT_ENTRIES, BAG_MEMBER, USER_KEYS, WHOLE_KEY, PropertyBag
from holdall.objects.base import explain
from holdall.objects.shapes import objects_within
from holdall.objects.stored_forms import bag_origins, closed, taken_in
from holdall.objects.view_type import EVERYWHERE, NOWHERE, UNNOTED
from holdall.objects.views import StorageRoot
from holdall.plan.declared import declared_types
from holdall.plan.tracking import TrackedWhat, Tracking
from holdall.scheme.routes import Route
from holdall.scheme.steps import Steps
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, Members

_MARKS: Final = frozenset({*ABOUT_ENTRIES, WHOLE_KEY})
_ANYWHERE = EVERYWHERE | {UNNOTED}
_NO_WAY: Final = Way(NOWHERE)


Made: TypeAlias = tuple[Members, Taken | None]
"""A converted object and the bags that were taken from it, None for none."""
CrossedAll: TypeAlias = tuple[Made, Sections, Report]
"""The same, with the entries that the object leaves, and warnings."""


class _Step(NamedTuple):
    """A step to a neighbouring version: how objects cross, the sections of the entries for it and
    of those that it leaves, and what vanishing members count as.
    """

    crossing: Crossing
    waiting: Section
    left: Section
    lone: TrackedWhat


class State:
    """Where one object is on its way: its members, how many steps it has made, and the last one.

    `has_bags` says that there may be bags that this route did not make, `is_open` that unions and
    tuples may be open.
    """

    __slots__ = ("done", "has_bags", "is_open", "members", "way")

    def __init__(self, members: Members, *, has_bags: bool) -> None:
        self.members = members
        self.done = -1
        self.has_bags = self.is_open = has_bags
        self.way = _NO_WAY


class ReadingEntries(Route):
    """A route that reads `changedValues`: it puts entries back before each step, and what the step
    leaves in the bags are the entries after it.

    `twin_of` are the twins of all versions, oldest first; `package` is that of the group.
    """

    def __init__(
        self,
        *,
        tracking: Tracking,
        edges: Iterable[EdgeEntry],
        twin_of: Mapping[str, type[StorageRoot]],
        package: str,
        **route: Any,
    ) -> None:
        super().__init__(**route)
        # Former bags are read from there; a route that tracks values writes none.
        self.envelope = replace(self.envelope, carrier="annotation")
        self._tracking = tracking
        self._group = self.envelope.group
        self._key = annotation_key(self._group).encode()
        declared = declared_types(package)
        self._spots = Spots(Aliases(edges), lambda cls: declared.order(cls.VERSION, cls.__name__))
        self._twin_of: Mapping[str, Any] = twin_of
        self._nearer = Nearer(twin_of, self._spots, tracking.track)
        self._steps: dict[tuple[str, str], _Step] = {}
        self._rank = {name: index for index, name in enumerate(twin_of)}

    def _take_out(self, document: JsonObject) -> tuple[Sections, Load | None, Report]:
        """Remove from a document what is not a member of it: the head and all carriers."""
        metadata: Any = document.get("metadata")
        if not self._metadata_travels_apart and metadata is not None:
            document["metadata"] = _json.unseal(metadata)
        elif _json.is_sealed(metadata) and self._key in _json.encode(metadata):
            document["metadata"] = _json.unseal_for_annotations(metadata)
        sections, wrong = take_sections(self._group, document)
        warnings: Report = []
        if wrong:
            warnings.extend(Dropped(text, "", "", "it is dropped") for text in wrong)
        if not _json.is_sealed(metadata):
            refuse_quarantined(document)
        self._drop_stale(sections)
        self._nearer.bring(sections, self.versions[0], document)
        load = None
        if type(document.get("metadata")) is dict or self._may_be_loaded:
            load = unload(self.envelope, self.versions[0], document)
        for name in self.source_head:
            del document[name]
        return sections, load, warnings

    def _in_bags(self, document: JsonObject) -> tuple[Members, Sections, Report]:
        """Return the object of a document with bags for the entries that it carries, the entries
        that fit no bag, and warnings."""
        if "metadata" in document:
            document["metadata"] = _json.unseal(document["metadata"])
        sections, load, warnings = self._take_out(document)
        state = State(document, has_bags=True)
        try:
            self._open(state, load, warnings)
            exchange = self._exchange(sections)
            state.members = by_itself(exchange.to_bags, state.members, self.versions[0])
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, document.get("metadata"), state.members, state.done, state.way)
        return state.members, sections, [*warnings, *exchange.report]

    def _exchange(self, sections: Sections) -> Exchange:
        def step(members: Members, left: str, entered: str, *rest: Any) -> Members:
            state = State(members, has_bags=True)
            self._step(state, left, entered, *rest)
            return state.members

        return Exchange(tuple(self._twin_of), step, partial(bag_origins, self.twins[0]), sections)

    def _cross_all(
        self,
        document: JsonObject,
        metadata: Any,
        load: Load | None,
        is_plain: bool,
        sections: Sections,
        *,
        refused: Refused | None = None,
        pauses: bool = False,
    ) -> Steps[CrossedAll]:
        """Return the converted object, the entries that it leaves, and warnings.

        `refused` gets entries that cannot be used; without it they are errors, and neither the
        document nor its entries are changed.
        """
        warnings: Report = []
        state = State(document, has_bags=load is not None or not is_plain)
        if refused is not None:
            state.members = _json.copy(document)
            sections = Sections(_json.copy(sections.lists), sections.rest, sections.paths)
        try:
            self._open(state, load, warnings)
            if load is not None:
                exchange = self._exchange(sections)
                state.members = exchange.to_entries(state.members, self.versions[0])
                warnings.extend(exchange.report)
            for position, left in enumerate(self.versions[:-1]):
                if pauses:
                    yield document
                state.done = position
                entered = self.versions[position + 1]
                self._step(state, left, entered, sections, warnings, True, refused)
            members = state.members
            taken = None
            if state.is_open or state.has_bags:
                taken = take_bags(self.twins[-1], members, [])
            return (members, taken), sections, warnings
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, state.members, state.done, state.way)

    def _open(self, state: State, load: Load | None, warnings: Report) -> None:
        """Turn the members of a document into those of an object, with its bags."""
        root, version, members = self.twins[0], self.versions[0], state.members
        if not self._check(members):
            raise explain(root, members, DecodeError("it does not fit its type"))
        if state.has_bags:
            state.members = members = taken_in(root, members)
        state.done = 0
        if load is not None:
            strict = self.envelope.limits.strict
            is_bare, holder = not state.has_bags, root.view_(members)
            warnings.extend(
                restore(load, version, holder, strict, self._evolution, is_bare=is_bare)
            )
            state.members = closed(root, members)

    def _drop_stale(self, sections: Sections) -> None:
        """Drop the entries for the object's own version, which it has reached."""
        here = self._rank[self.versions[0]]
        for section, lists in sections.lists.items():
            for version in [*lists]:
                rank = self._rank.get(version)
                if rank is not None and (rank <= here if section == "upgrades" else rank >= here):
                    del lists[version]

    def _step(
        self,
        state: State,
        left: str,
        entered: str,
        sections: Sections,
        warnings: Report,
        collects: bool,
        refused: Refused | None = None,
    ) -> None:
        """Convert an object to a neighbouring version, with the entries for it.

        What it leaves becomes entries if the step `collects`, and stays in its bags otherwise.
        With `refused`, entries that cannot be used are kept under another key.
        """
        step = self._steps.get((left, entered)) or self._find_step(left, entered)
        members, waiting = state.members, sections.take(step.waiting, entered)
        placed = None
        if waiting:
            may_refuse = self._tracking.tolerant or refused is not None
            placed = Placed(may_refuse=may_refuse)
            entries = read_entries(waiting, step.waiting, entered, warnings, sections.paths)
            self._place(step, members, entered, entries, placed, warnings)
        is_thorough = state.has_bags
        if placed is not None:
            state.has_bags |= placed.has_bags
            is_thorough = state.has_bags or placed.looks_into_same
        way = state.way = Way(EVERYWHERE if is_thorough else NOWHERE)
        if placed is None:
            state.members = step.crossing.convert(members, way)
        else:
            state.members = self._crossed(state, step.crossing, entered, placed, warnings)
            for text in placed.untaken():
                warnings.append(Dropped(text, entered, "", "it is dropped"))
        if placed is not None and placed.refused:
            if refused is None or self._tracking.tolerant:
                texts = placed.refused.values()
                warnings.extend(Dropped(text, entered, "", "it is dropped") for text in texts)
            else:
                for at, text in sorted(placed.refused.items()):
                    keep_unused(sections, step.waiting, entered, waiting[at])
                    refused.append(((step.waiting, entered, at), text))
        state.is_open |= not _ANYWHERE.isdisjoint(way.bags)
        if not collects:
            if placed is not None:
                self._drop_untaken(state, step.crossing.destination_type, entered, warnings)
            return
        found: list[JsonValue] = []
        ends: Any = step.crossing.source_type, step.crossing.destination_type
        if way.bags:
            collector = Collector(left, step.left, self._tracking.track, step.lone, way.bags)
            found = collector.entries(self._spots.object(*ends), state.members)
            if collector.has_rest or state.has_bags:
                self._drop_untaken(state, step.crossing.destination_type, entered, warnings)
        if "status" in state.members:
            found += held_status((ends[0], members), (ends[1], state.members), found)
        if found:
            sections.lists[step.left].setdefault(left, []).extend(found)

    def _find_step(self, left: str, entered: str) -> _Step:
        upward = self._rank[left] < self._rank[entered]
        source, destination = self._twin_of[left], self._twin_of[entered]
        ways = SECTIONS if upward else (SECTIONS[1], SECTIONS[0])
        lone: TrackedWhat = "removed" if upward else "added"
        step = _Step(source.crossings_[destination], *ways, lone)
        self._steps[left, entered] = step
        return step

    def _place(
        self,
        step: _Step,
        members: Members,
        entered: str,
        entries: list[Entry],
        placed: Placed,
        warnings: Report,
    ) -> None:
        """Give the entries for a version to the objects that they belong to."""

        def refuse(entry: Entry, text: str) -> None:
            what = wrong_value(entered, entry, text)
            if not placed.refuses(entry, what):
                raise TrackedValueError(what, step.crossing.source_type.view_(members))

        spot = self._spots.object(step.crossing.destination_type, step.crossing.source_type)
        for text in place_entries(spot, members, entered, entries, placed, refuse):
            warnings.append(Dropped(text, entered, "", "it is dropped"))

    def _crossed(
        self, state: State, crossing: Any, entered: str, placed: Placed, warnings: Report
    ) -> Members:
        while True:
            try:
                with Refusing(placed, entered) as refusing:
                    made: Members = crossing.convert(state.members, state.way)
            except BagError as error:
                culprit: Any = getattr(error.source, "members_", None)
                entry = placed.get(culprit, (error.entry or ("", ""))[1])
                if entry is None:
                    raise
                cause = error.__cause__
                inside = cause.path if isinstance(cause, DecodeError) else ""
                text = error.message.partition(": ")[2]
                what = wrong_value(entered, entry, text, inside)
                if not self._tracking.tolerant or not _dropped(culprit, error.entry):
                    raise TrackedValueError(what, error.source) from error
                warnings.append(Dropped(what, entered, "", "it is dropped"))
            else:
                if not refusing.drop():
                    return made

    def _drop_untaken(self, state: State, cls: Any, entered: str, warnings: Report) -> None:
        """Drop entries for the current version that were not taken."""
        root = cls.view_(state.members)
        state.has_bags = False
        for place, found in objects_within(root):
            obj: Any = found
            bag = obj.property_bag
            if bag is not None and entered in bag:
                rest = PropertyBag.own(bag)
                untaken = [key for key in bag[entered] if key not in USER_KEYS]
                rest.drop(entered, *untaken)
                for key in untaken:
                    if key not in _MARKS:
                        text = f"{place}/{key}: the value was edited, or its place is gone"
                        warnings.append(Dropped(text, entered, "", "it is dropped"))
                obj.property_bag = bag = rest or None
            state.has_bags |= bag is not None
        state.members = closed(cls, root.settled_())


def _dropped(members: Any, entry: tuple[str, str] | None) -> bool:
    """Remove an entry that cannot be used from the bag of members; return whether it was there."""
    bag: Any = members.get(BAG_MEMBER) if members else None
    if bag is None or entry is None or not PropertyBag.has(bag, *entry):
        return False
    PropertyBag.drop(bag, *entry)  # a bag on its way may be a plain dictionary
    return True
