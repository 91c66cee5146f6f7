"""The routes of a group that tracks changed values, by what carries them.

Source: declared versions, section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typing_extensions import override

from holdall.carriers.boundary import Lost
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
from holdall.engine.member_ways import by_itself
from holdall.scheme.entry_route import CrossedAll, Made, ReadingEntries, State
from holdall.scheme.routes import Crossed
from holdall.scheme.steps import Steps, returned
from holdall.text import json as _json
from holdall.types import JsonObject, Members


class TrackedRoute(ReadingEntries):
    """A route whose documents carry `changedValues`."""

    is_tracked = True

    @override
    def _unload(self, document: JsonObject, is_plain: bool) -> Any:
        empty = take_empty_status(self._tracking, document)
        return *self._take_out(document), empty

    @override
    def _cross(
        self, document: Members, metadata: Any, carried: Any, is_plain: bool, pauses: bool
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
        if lost := put_sections(self._tracking, self._group, result, sections):
            warnings.extend(Lost("", "", "", text) for text in lost)
        return result, taken, warnings


class BaggedRoute(ReadingEntries):
    """A route whose documents carry bags: what another carrier holds becomes bags first."""

    @override
    def steps(
        self, document: JsonObject, report: Report | None = None, **how: bool
    ) -> Iterator[JsonObject]:
        """Convert a document as `Route.steps` does."""
        if self._crossings and holds_sections(self._group, document):
            document, how["is_plain"] = self._with_bags(document, report), False
        yield from super().steps(document, report, **how)

    def _with_bags(self, document: JsonObject, report: Report | None) -> JsonObject:
        """Return a document with bags for the entries that it carries."""
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
        warnings.extend(exchange.report)
        root, version = self.twins[0], self.versions[0]
        taken = take_bags(root, state.members, [])
        result: JsonObject = {**self.source_head, **state.members}
        lost = put_sections(self._tracking, self._group, result, sections)
        warnings.extend(Lost("", "", "", text) for text in lost)
        warnings.extend(lift(self._envelope, version, taken, result, self._evolution))
        if report is not None:
            report.extend(warnings)
        return result
