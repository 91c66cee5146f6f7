"""Walking the members of one object along the edges between two versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NoReturn, Protocol

from holdall.carriers.bagged import DISPLACED
from holdall.carriers.boundary import Load, restore, unload
from holdall.carriers.bundles import Taken
from holdall.carriers.carrying import lift, take_bags
from holdall.carriers.envelope import Entry, Envelope
from holdall.carriers.evolution import Evolution
from holdall.carriers.pruning import Hidden, hide_extras, mark_shown_extras, pruned_places
from holdall.carriers.reports import Dropped, Report, unused_parts
from holdall.engine.edges import Crossing
from holdall.engine.member_ways import Way, by_itself, converted_noting
from holdall.engine.surroundings import Surroundings
from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER, PropertyBag
from holdall.objects.base import explain
from holdall.objects.container_kinds import checker, clean_checker
from holdall.objects.heads import Names, subject_of
from holdall.objects.shapes import shape_of
from holdall.objects.stored_forms import closed, has_wire_forms, over_objects, taken_in
from holdall.objects.tolerance import Tolerance, Unused, searched
from holdall.objects.view_type import EVERYWHERE, NOWHERE
from holdall.objects.views import StorageRoot
from holdall.scheme.earlier import Earlier
from holdall.scheme.failing import Step, fail_at, reason
from holdall.scheme.metadata import check_metadata
from holdall.scheme.sameness import asks_for_surroundings, has_hooks
from holdall.scheme.steps import Steps, last, returned
from holdall.text import json as _json
from holdall.text.pointer import Pointers
from holdall.types import JsonObject, Members

MISSING = object()


class InnerPlace(Protocol):
    """A place in holders where they hold another document as text, at a path of members."""

    path: tuple[str, ...]

    def convert(self, holder: JsonObject, report: Report) -> None:
        """Convert the text in a holder; nested values are copied, not changed."""


Crossed = tuple[Members, Taken | None, Report]
"""A converted object, the bags that were taken from it, and the report."""


class Route:
    """How objects of one kind get from one version to another: the shortest path of edges.

    `is_tracked` says that documents carry `changedValues`.
    """

    is_tracked = False

    def __init__(
        self,
        *,
        kind: str,
        names: Sequence[Names],
        heads: Sequence[JsonObject],
        versions: tuple[str, ...],
        upward: tuple[bool, ...],
        twins: tuple[type[StorageRoot], ...],
        varies_at: str,
        check_head: Callable[[Members], None] | None = None,
        envelope: Envelope,
        evolution: Evolution | None,
        inner: tuple[InnerPlace, ...] = (),
        earlier: Earlier | None = None,
    ) -> None:
        self.kind = kind
        (self.source, self.source_kind), (self.target, self.target_kind) = names
        self.versions = versions
        self.upward = upward
        self.twins = twins
        (self.source_head, self._head), self._varies_at = heads, varies_at
        self._check_head = check_head
        self.envelope = envelope
        self._evolution = evolution
        self.inner = inner
        self._earlier = earlier
        # Without annotations, a bag can only be in a member with a $.
        self._may_be_loaded = envelope.carrier != "none"
        prunes = envelope.group and self._may_be_loaded
        self.pruned_source = pruned_places(twins[0]) if prunes else None
        self.pruned = pruned_places(twins[-1]) if prunes else None
        # An API group's metadata is the same in every version; only a hook of the root type may
        # read it. Elsewhere it is a property.
        self._crossings: list[Crossing] = [a.crossings_[b] for a, b in pairwise(twins)]
        hooks = [way.hook_class for way in self._crossings if way.bound is not None]
        has_metadata = all("metadata" in shape_of(twin).attributes for twin in twins)
        self._metadata_travels_apart = bool(envelope.group) and not hooks and has_metadata
        self._root_hooks = " or ".join(hooks) if envelope.group else ""
        self._converters = [crossing.convert for crossing in self._crossings]
        self._check = checker(twins[0])
        # Most documents need no search; where nothing is pruned, only kinds need a check.
        self._is_clean = clean_checker(twins[0]) if self.pruned_source else self._check
        self._may_be_open = has_wire_forms(twins[0])
        # Only hooks can ask for the version in which an object was written, or for its name.
        is_asked = any(map(has_hooks, twins))
        self._is_asked = is_asked and asks_for_surroundings(twins[0])
        self._recorded_at, self._forgotten_at = (
            None if not is_asked else "" if root.RECORDS_VERSION else "spec"
            for root in (twins[0], twins[-1])
        )

    def convert(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        tolerant: bool = False,
        is_plain: bool = False,
    ) -> JsonObject:
        """Return the document in the target version.

        Nobody else may own the document: its values are reused. If it already has the target
        version, it is returned unchanged. With `tolerant`, bag entries that cannot be used are kept
        and reported, and the document is converted without them. `is_plain` says that no name in it
        begins with a dollar sign.
        """
        steps = self.steps(document, report, tolerant=tolerant, is_plain=is_plain, pauses=False)
        return by_itself(last, steps)

    def steps(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        tolerant: bool = False,
        is_plain: bool = False,
        pauses: bool = True,
    ) -> Iterator[JsonObject]:
        """Convert a document as `convert` does, in steps: the last yield is the converted one.

        Converting many documents with `together` is faster.
        """
        if not self._crossings:
            yield document
            return
        carried = self._unload(document, is_plain, [] if report is None else report)
        metadata = document.get("metadata", MISSING)
        if self._metadata_travels_apart and metadata is not MISSING:
            del document["metadata"]
        is_plain = is_plain or not _json.may_hold_dollars(_json.encode(document))
        if self._is_asked:
            # What is known about one object must be gone while another one is converted.
            with Surroundings(None if metadata is MISSING else metadata):
                if tolerant:
                    crossed = self._cross_tolerantly(document, metadata, carried, is_plain)
                else:
                    crossed = returned(self._cross(document, metadata, carried, is_plain))
        elif tolerant:
            crossed = self._cross_tolerantly(document, metadata, carried, is_plain)
        else:
            crossed = yield from self._cross(document, metadata, carried, is_plain, pauses)
        result, taken, found = crossed
        for place in self.inner:
            place.convert(result, found)
        if taken:
            if pauses:
                yield document
            # They travel in their carrier.
            self._unseal(result)
            found.extend(lift(self.envelope, self.versions[-1], taken, result, self._evolution))
        if report is not None:
            report.extend(found)
        yield result

    def _unload(self, document: JsonObject, is_plain: bool, report: Report) -> Any:
        """Remove from a document all that is not a member of it; return what its carriers hold."""
        said = () if self._earlier is None else self._earlier.take(document)
        metadata = document.get("metadata", MISSING)
        if not self._metadata_travels_apart and metadata is not MISSING:
            metadata = document["metadata"] = _json.unseal(metadata)
        for name in self.head_in(document) if self._varies_at else self.source_head:
            del document[name]
        load = None
        if type(metadata) is dict or (self._may_be_loaded and not is_plain):
            load = unload(self.envelope, self.versions[0], document)
        if said and load is None and self._earlier is not None:
            load = self._earlier.load(said[0], {**self.source_head, **document})
        return load.returned(self.versions[0]) if load is not None and load.has_unused() else load

    def head_in(self, document: Mapping[str, Any]) -> Iterable[str]:
        """Return the members of a document that are equal in all of its version and kind."""
        return [name for name, said in self.source_head.items() if _json.same(document[name], said)]

    def opened(self, document: JsonObject) -> tuple[StorageRoot, Report]:
        """Return the object that a document and its carriers describe, and what is not used of the
        carriers. The document is consumed."""
        found: Report = []
        load = self._unload(document, False, found)
        members = self._opened(document, load, may_be_reserved=True, found=found, way=Way())
        return self.twins[0].view_(members), found

    def _headed(self, metadata: Any, members: JsonObject) -> JsonObject:
        """Return a converted document, with the members that twins do not have."""
        if self._root_hooks:
            given = None if metadata is MISSING else metadata
            check_metadata(self._root_hooks, given, members.get("metadata"))
        if self._check_head is not None:
            self._check_head(members)
        if metadata is MISSING or not self._metadata_travels_apart:
            return {**self._head, **members}
        return {**self._head, "metadata": metadata, **members}

    def _unseal(self, result: JsonObject) -> None:
        if "metadata" in result:
            result["metadata"] = _json.unseal_for_annotations(result["metadata"])

    def _cross(
        self,
        document: Members,
        metadata: Any,
        carried: Any,
        is_plain: bool,
        pauses: bool = False,
        *,
        tolerance: Tolerance | None = None,
    ) -> Steps[Crossed]:
        """Return the converted document, without its bags."""
        load: Load | None = carried
        found: Report = []
        may_be_reserved = not is_plain
        is_thorough = load is not None or may_be_reserved
        way = Way(EVERYWHERE if may_be_reserved else NOWHERE, not is_thorough)
        is_returning = load is not None and load.has_unused()
        members, position = document, -1
        try:
            if is_thorough or not self._is_clean(members):
                members = self._opened(members, load, may_be_reserved, found, way)
            if self._recorded_at is not None:
                holder = members.get(self._recorded_at) if self._recorded_at else members
                if type(holder) is dict:
                    holder[ORIGINAL_VERSION_MEMBER] = self.versions[0]
            may_be_damaged = tolerance is not None and load is not None and bool(load.entries())
            for convert in self._converters:
                if pauses:
                    yield document
                    way.go_on()
                position += 1
                if tolerance is not None:
                    tolerance.look_at(members, way.copies)
                    tolerance.passed = self.versions[:position] if may_be_damaged else ()
                if load is None:
                    converted = convert(members, way)
                else:
                    converted, lost = converted_noting(convert, members, way, load.other_code)
                    found.extend(unused_parts(lost))
                if is_returning:
                    converted, returned = self._put_back(converted, position + 1, found)
                    if tolerance is not None:
                        tolerance.returned |= returned
                members = converted
            if self._forgotten_at is not None:
                holder = members.get(self._forgotten_at) if self._forgotten_at else members
                if type(holder) is dict:
                    holder.pop(ORIGINAL_VERSION_MEMBER, None)
            if is_returning:
                members, _ = self._put_back(members, position + 1, found, damaged_marks=True)
            if pauses and way.bags:
                yield document
            hidden: Hidden = []
            if self.pruned is not None and self.pruned.may_hold_extras(members):
                hidden = hide_extras(self.pruned, self.twins[-1], members)
            if hidden:
                way.bags |= EVERYWHERE
            taken = take_bags(self.twins[-1], members, hidden, way.bags) if way.bags else None
            return self._headed(metadata, members), taken, found
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, members, position, way)

    def _opened(
        self, document: Members, load: Load | None, may_be_reserved: bool, found: Report, way: Way
    ) -> Members:
        """Return the members of a document with its bags."""
        root: Any = self.twins[0]
        if not self._check(document):
            raise explain(self.twins[0], document, DecodeError("it does not fit its type"))
        members = taken_in(root, document) if may_be_reserved else document
        is_bare, pruned = not may_be_reserved, self.pruned_source
        if (
            pruned is not None
            and pruned.may_hold_extras(members)
            and mark_shown_extras(pruned, root, members)
        ):
            is_bare = False
            way.look_into(EVERYWHERE)
        if load is not None:
            strict, version = self.envelope.limits.strict, self.versions[0]
            bagged = set[int]()
            holder = root.view_(members)
            found.extend(
                restore(load, version, holder, strict, self._evolution, bagged, is_bare=is_bare)
            )
            # Kept values may contain bags, and what was stored earlier may belong elsewhere.
            is_plain = not load.earlier and not load.may_hold_bags()
            way.look_into(way.thorough | (bagged if is_plain else EVERYWHERE))
            if self._may_be_open:
                members = closed(root, members)
        return members

    def _put_back(
        self, members: Members, position: int, found: Report, *, damaged_marks: bool = False
    ) -> tuple[Members, set[tuple[str, str]]]:
        """Put back entries that could not be used when their object had that version.

        Return which ones, by origin and key; `found` gets those that have lost their place.
        """
        version = self.versions[position]
        returned: set[tuple[str, str]] = set()
        displaced: list[tuple[Members, str, str]] = []

        def change(_: Any, inner: Members) -> Members:
            if BAG_MEMBER not in inner:
                return inner
            bag = PropertyBag.own(inner[BAG_MEMBER])
            changed = {**inner, BAG_MEMBER: bag}
            displaced.extend((changed, *entry) for entry in bag.displaced(version))
            returned.update(bag.put_back(version, damaged_marks=damaged_marks))
            return changed

        changed = over_objects(self.twins[position], members, change)
        places = Pointers(changed)
        for holder, origin, key in displaced:
            found.append(Dropped(places.pointer_to(holder) or "", origin, key, DISPLACED))
        return changed, returned

    def _cross_tolerantly(
        self, document: Members, metadata: Any, carried: Any, is_plain: bool
    ) -> Crossed:
        """Convert as `_cross` does, without entries that cannot be used."""
        load: Load | None = carried

        def cross(given: Load | None) -> Crossed:
            own = document if load is None else _json.copy(document)
            with Tolerance() as tolerance:
                crossed = returned(self._cross(own, metadata, given, is_plain, tolerance=tolerance))
            crossed[2].extend(tolerance.found)
            return crossed

        if load is None:
            return cross(None)
        entries, accepted_by = load.entries(), load

        def cross_with(accepted: Sequence[Entry]) -> Crossed:
            return cross(accepted_by.without({*entries} - {*accepted}, self.versions[0]))

        try:
            return cross(load)
        except Exception as error:  # noqa: BLE001 - raised again if no entry is at fault
            # An entry of the right shape may still make a hook or a function fail.
            crossed, refused = searched(entries, cross_with, error)
        crossed[2].extend(Unused(*entry, reason(cause)) for entry, cause in refused)
        return crossed

    def bags_of(self, document: JsonObject) -> Load | None:
        """Return the bags that a document has once it is converted, whatever carries them."""
        aside = copy(self)
        aside.envelope = replace(self.envelope, carrier="field")  # has room for all
        return unload(aside.envelope, self.versions[-1], aside.convert(document))

    def convert_twin(self, twin: StorageRoot) -> StorageRoot:
        """Return a root twin in the target version; a copy if it already has that version."""
        return by_itself(self._crossed_twin, twin)

    def _crossed_twin(self, source: StorageRoot) -> StorageRoot:
        members = _json.copy(source.settled_())
        way, done, metadata = Way(), 0, members.get("metadata")
        try:
            with Surroundings(metadata):
                for convert in self._converters:
                    members = convert(members, way)
                    done += 1
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, members, done, way)
        return self.twins[-1].view_(members)

    def _fail_at(
        self, error: Exception, metadata: Any, members: Members, position: int, way: Way
    ) -> NoReturn:
        step = None
        if position >= 0:
            direction: Literal["to", "from"] = "to" if self.upward[position] else "from"
            step = Step(self.versions[position], self.versions[position + 1], direction)
        subject = subject_of(self.source_kind, metadata)
        fail_at(step, error, subject, self.twins[0], members, way)
