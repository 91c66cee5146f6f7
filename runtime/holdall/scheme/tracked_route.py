"""The routes of a group that tracks changed values, by their carriers.

Source: docs/declared.md, "Tracking".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from typing_extensions import override

from holdall.carriers.boundary import unload
from holdall.carriers.carrying import lift, take_bags
from holdall.carriers.reports import Report
from holdall.carriers.tracking.documents import (
    holds_sections,
    put_sections,
    take_empty_status,
    with_status,
)
from holdall.carriers.tracking.entries import Sections
from holdall.carriers.tracking.unusable import Refused, cross_without_unusable, settle
from holdall.objects.views import StorageRoot
from holdall.scheme.entry_route import CrossedAll, Made, ReadingEntries
from holdall.scheme.routes import Crossed
from holdall.scheme.steps import Steps, returned
from holdall.types import JsonObject, Members


class TrackedRoute(ReadingEntries):
    """A route whose documents carry `changedValues`."""

    is_tracked = True

    @override
    def _unload(self, document: JsonObject, is_plain: bool, report: Report) -> Any:
        empty = take_empty_status(self._tracking, document)
        return *self._take_out(document), empty

    @override
    def opened(self, document: JsonObject) -> tuple[StorageRoot, Report]:
        """Return the object of a document as `Route.opened` does, with bags for the entries."""
        members, _, found = self._in_bags(document)
        return self.twins[0].view_(members), found

    @override
    def _cross(
        self,
        document: Members,
        metadata: Any,
        carried: Any,
        is_plain: bool,
        pauses: bool = False,
        **how: Any,
    ) -> Steps[Crossed]:
        sections, load, *_ = carried
        at_hand = document, metadata, load, is_plain, sections
        crossed = yield from self._cross_all(*at_hand, pauses=pauses)
        return self._settled(metadata, carried, *crossed)

    @override
    def _cross_tolerantly(
        self, document: Members, metadata: Any, carried: Any, is_plain: bool
    ) -> Crossed:
        sections, load, *_ = carried

        def cross(own: Sections, refused: Refused) -> CrossedAll:
            at_hand = document, metadata, load, is_plain, own
            return returned(self._cross_all(*at_hand, refused=refused))

        crossed = cross_without_unusable(cross, sections, self.versions[1:])
        return self._settled(metadata, carried, *crossed)

    def _settled(
        self, metadata: Any, carried: Any, made: Made, sections: Sections, found: Report
    ) -> Crossed:
        """Return a converted document, with the entries that are left in their carrier."""
        (members, taken), (_, _, warnings, empty) = made, carried
        settle(sections, self._rank, self.versions[-1])
        result = self._headed(metadata, with_status(members, empty))
        if self._tracking.carrier == "annotation":
            self._unseal(result)
        warnings += found
        warnings += put_sections(self._tracking, self._group, result, sections)
        return result, taken, warnings


class BaggedRoute(ReadingEntries):
    """A route whose documents carry bags: what another carrier holds becomes bags first."""

    @override
    def _unload(self, document: JsonObject, is_plain: bool, report: Report) -> Any:
        if not holds_sections(self._group, document):
            return super()._unload(document, is_plain, report)
        if self._earlier is not None:
            self._earlier.take(document)  # outdated
        members, sections, warnings = self._in_bags(document)
        taken = take_bags(self.twins[0], members, [])
        report += [*warnings, *put_sections(self._tracking, self._group, members, sections)]
        document.update(members)
        for name in document.keys() - members.keys():
            del document[name]
        if not taken:
            return None
        # During a conversion a value needs no room in the carrier.
        roomy, version = replace(self.envelope, carrier="field"), self.versions[0]
        lift(roomy, version, taken, members, self._evolution)
        load = unload(roomy, version, members)
        return load.returned(version) if load is not None and load.has_unused() else load
