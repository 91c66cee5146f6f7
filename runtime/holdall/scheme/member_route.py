"""Walking the members of one object along the edges between two versions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from typing_extensions import override

from holdall.carriers import Entry, Load, hide_extras, mark_shown_extras, unload
from holdall.carriers.carrying import Taken, attach, lift, take_bags
from holdall.carriers.reports import Report
from holdall.engine.edges import Crossing
from holdall.engine.member_ways import Way, place_of
from holdall.errors import (
    ConversionError,
    DecodeError,
    FunctionFailure,
    HoldallError,
    MisfitError,
    ValueProblem,
)
from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER, PropertyBag
from holdall.objects.base import StorageRoot, explain
from holdall.objects.container_kinds import checker
from holdall.objects.stored_forms import closed, over_objects, taken_in
from holdall.objects.tolerance import Search, Tolerance, Unused
from holdall.scheme.route import MISSING, Route, reason, subject_of
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject

Members = dict[str, Any]


class _Crossed(NamedTuple):
    """A converted object, the bags that were taken off it, and what is to be reported."""

    members: Members
    taken: Taken
    found: Report


class MemberRoute(Route):
    """A route whose converters work on members."""

    def __init__(self, **route: Any) -> None:
        super().__init__(**route)
        self._roots: tuple[Any, ...] = self.twins
        roots: Any = self.twins
        self._crossings: list[Crossing] = [
            source.crossings_[destination] for source, destination in pairwise(roots)
        ]
        self._converters = [crossing.convert for crossing in self._crossings]
        self._check = checker(self.twins[0])
        limits = self._envelope.limits
        self._may_be_loaded = self._envelope.carrier == "field" or bool(limits.status_slots)
        self._is_simple = self.pruned_source is None and self.pruned is None
        self._head = {"apiVersion": self.target, "kind": self.target_kind}

    @override
    def convert(
        self,
        document: JsonObject,
        report: Report | None = None,
        *,
        sealed: bool = False,
        tolerant: bool = False,
        is_plain: bool = False,
    ) -> JsonObject:
        """Return the document in the target version, as `Route.convert` does."""
        if not self._crossings:
            return document
        metadata = document.get("metadata", MISSING)
        if not self._metadata_travels_apart and metadata is not MISSING:
            metadata = document["metadata"] = _json.unseal(metadata)
        del document["apiVersion"], document["kind"]
        load = None
        if type(metadata) is dict or self._may_be_loaded:
            load = unload(self._envelope, document)
            metadata = document.get("metadata", MISSING)
        if self._metadata_travels_apart and metadata is not MISSING:
            del document["metadata"]
        if not is_plain:
            is_plain = not _json.may_hold_dollars(_json.encode(document))
        if is_plain and load is None and self._is_simple and not tolerant:
            return self._convert_plain(document, metadata, report)
        if load is not None and load.has_unused():
            load = load.returned(self.versions[0])
        if tolerant:
            crossed = self._tolerantly(document, metadata, load, not is_plain)
        else:
            crossed = self._walk_members(document, metadata, load, not is_plain, None)
        return self._document(crossed, metadata, report)

    def _convert_plain(self, document: Members, metadata: Any, report: Report | None) -> JsonObject:
        """Return a document that has no bags and no names of holdall's own."""
        if not self._check(document):
            self._fail_at(
                DecodeError("it is none of its type"), metadata, document, -1, Way(thorough=False)
            )
        way = Way(thorough=False)
        self._record_version(document)
        members, done = document, 0
        try:
            for convert in self._converters:
                members = convert(members, way)
                done += 1
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, members, done, way)
        self._forget_version(members)
        if way.bags:
            taken = take_bags(self._roots[-1], members, [], everywhere=way.everywhere)
            return self._document(_Crossed(members, taken, []), metadata, report)
        return self._headed(metadata, members)

    def _document(self, crossed: _Crossed, metadata: Any, report: Report | None) -> JsonObject:
        """Return the document of a converted object; its bags travel in their carrier."""
        result = self._headed(metadata, crossed.members)
        found = crossed.found
        if crossed.taken:
            self._unseal(result)
            version = self.versions[-1]
            found.extend(lift(self._envelope, version, crossed.taken, result, self._evolution))
        if report is not None:
            report.extend(found)
        return result

    def _record_version(self, members: Members) -> None:
        holder = members if self._roots[0].RECORDS_VERSION else members.get("spec")
        if type(holder) is dict:
            holder[ORIGINAL_VERSION_MEMBER] = self.versions[0]

    def _forget_version(self, members: Members) -> None:
        holder = members if self._roots[-1].RECORDS_VERSION else members.get("spec")
        if type(holder) is dict:
            holder.pop(ORIGINAL_VERSION_MEMBER, None)

    def _walk_members(
        self,
        document: Members,
        metadata: Any,
        load: Load | None,
        may_be_reserved: bool,
        tolerance: Tolerance | None,
    ) -> _Crossed:
        """Return the object that a document and its bags describe, converted step by step."""
        found: Report = []
        way = Way(thorough=load is not None or may_be_reserved)
        members, position = document, -1
        try:
            if not self._check(members):
                raise explain(self.twins[0], members, DecodeError("it is none of its type"))
            members = self._opened(members, load, may_be_reserved, found)
            is_returning = load is not None and load.has_unused()
            for position, crossing in enumerate(self._crossings):
                if tolerance is not None:
                    tolerance.look_at(members, way.copies)
                converted = crossing.convert(members, way)
                if is_returning:
                    converted = self._put_back(converted, position + 1, damaged_marks=False)
                members = converted
            position = len(self._crossings) - 1
            return self._closed(members, way, found, is_returning=is_returning)
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, members, position, way)

    def _opened(
        self, document: Members, load: Load | None, may_be_reserved: bool, found: Report
    ) -> Members:
        """Return the members of a document with its bags."""
        root, version = self._roots[0], self.versions[0]
        members = taken_in(root, document) if may_be_reserved else document
        if self.pruned_source is not None and self.pruned_source.hold_extras(members):
            mark_shown_extras(self.pruned_source, version, root.view(members))
        if load is not None:
            strict = self._envelope.limits.strict
            found.extend(attach(root, members, load, version, strict, self._evolution))
            members = closed(root, members)
        self._record_version(members)
        return members

    def _closed(self, members: Members, way: Way, found: Report, *, is_returning: bool) -> _Crossed:
        """Return the converted object as a document has it, with its bags apart."""
        root, version = self._roots[-1], self.versions[-1]
        self._forget_version(members)
        hidden: Any = []
        if self.pruned is not None and self.pruned.hold_extras(members):
            way.bags = True
            view = root.view(members)
            hidden = hide_extras(self.pruned, version, view)
        if is_returning:
            members = self._put_back(members, len(self._crossings), damaged_marks=True)
        if not way.bags:
            return _Crossed(members, [], found)
        taken = take_bags(root, members, hidden, everywhere=way.everywhere or bool(hidden))
        return _Crossed(members, taken, found)

    def _put_back(self, members: Members, position: int, *, damaged_marks: bool) -> Members:
        """Put entries back that could not be used when their object was of that version."""

        def change(_: Any, inner: Members) -> Members:
            if BAG_MEMBER not in inner:
                return inner
            bag = PropertyBag({key: {**item} for key, item in inner[BAG_MEMBER].items()})
            bag.put_back(self.versions[position], damaged_marks=damaged_marks)
            return {**inner, BAG_MEMBER: bag}

        return over_objects(self._roots[position], members, change)

    def _tolerantly(
        self, document: Members, metadata: Any, load: Load | None, may_be_reserved: bool
    ) -> _Crossed:
        """Do the same without entries that cannot be used."""

        def cross(given: Load | None) -> _Crossed:
            own = document if load is None else _json.copy(document)
            with Tolerance() as tolerance:
                crossed = self._walk_members(own, metadata, given, may_be_reserved, tolerance)
            crossed.found.extend(tolerance.found)
            return crossed

        if load is None:
            return cross(None)
        entries = load.entries()
        accepted_by = load

        def cross_with(accepted: Sequence[Entry]) -> _Crossed:
            return cross(accepted_by.without({*entries} - {*accepted}, self.versions[0]))

        try:
            return cross(load)
        except Exception as error:  # noqa: BLE001 - raised again if no entry is at fault
            # An entry of the right shape may be what a hook or a function fails on.
            search = Search(entries, cross_with)
            crossed = search.run(error)
        crossed.found.extend(Unused(*entry, reason(cause)) for entry, cause in search.refused)
        return crossed

    @override
    def convert_twin(self, twin: StorageRoot) -> StorageRoot:
        """Return a root twin in the target version; a copy if it is of that version already."""
        source: Any = twin
        members = _json.copy(source.settled())
        way, done, metadata = Way(thorough=True), 0, members.get("metadata")
        try:
            for convert in self._converters:
                members = convert(members, way)
                done += 1
        except Exception as error:  # noqa: BLE001 - located below, or raised again as it is
            self._fail_at(error, metadata, members, done, way)
        found: StorageRoot = self._roots[-1].view(members)
        return found

    def _fail_at(
        self, error: Exception, metadata: Any, members: Members, position: int, way: Way
    ) -> NoReturn:
        subject = subject_of(self.source_kind, metadata)
        if position < 0:
            if not isinstance(error, (DecodeError, TypeError, ValueError)):
                raise error
            wrong = explain(self.twins[0], members, error)
            raise ConversionError(wrong.message, path=wrong.path, subject=subject) from error
        if not isinstance(error, (HoldallError, RecursionError)):
            raise error
        rule = (
            "the object is nested too deeply" if isinstance(error, RecursionError) else str(error)
        )
        raise ConversionError(
            rule,
            edge=(self.versions[position], self.versions[position + 1]),
            direction="to" if self.upward[position] else "from",
            path=_path(members, error, way),
            subject=subject,
        ) from error


def _path(members: Members, error: Exception, way: Way) -> str:
    """Return where in the source the failing object stands."""
    if isinstance(error, ValueProblem):
        name = (error.name,) if isinstance(error, (MisfitError, FunctionFailure)) else ()
        place = place_of(getattr(error.source, "members_", None), members, way)
        if place is not None:
            return join(place, *name)
    return error.path if isinstance(error, DecodeError) else ""
