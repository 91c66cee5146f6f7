"""The laws on one case as users see it: an API object whose bags travel in a carrier."""

from __future__ import annotations

from typing import Any

from holdall.carriers.reports import Report
from holdall.errors import ConversionError, HoldallError, TrackedValueError
from holdall.objects.implied import has_defaults
from holdall.plan.tracking import CHANGED_VALUES
from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.choices import Seeded, pick
from holdall.testing.laws.client_trial import ClientTrial
from holdall.testing.laws.differences import differences, lines
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.hidden import has_server, is_tracked, without_empty_status
from holdall.testing.laws.judge import Judge, describe, is_refusal
from holdall.testing.laws.sharing import containers, shared_places
from holdall.testing.laws.shown import api_shown, without_carrier
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object, members


class ApiTrial(Judge):
    """One case in its API form, converted with `SCHEME.convert` and `SCHEME.convert_bytes`."""

    def __init__(self, tools: Tools, case: Case) -> None:
        super().__init__(case)
        self._tools = tools
        self._subject = tools.subject
        self._scheme = tools.subject.scheme
        self._linked = tools.linked
        self._is_tracked = is_tracked(tools.subject, case.kind)

    def run(self) -> list[Violation]:
        """Check all laws; return what does not hold."""
        case = self._case
        served = self._subject.served(case.kind)
        if case.start not in served or case.drawn not in served:
            return []
        ends = [version for version in served if version != case.start]
        if not ends:
            return []
        try:
            start: JsonObject = case.api
            if case.drawn != case.start:
                start = self._scheme.convert(case.api, to=case.start)
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            self._fail_to_convert(case.drawn, case.start, "it does not convert", error)
            return self.found
        for end in ends:
            claim = "the API object does not convert there and back"
            with self._converting(case.start, end, claim):
                self._convert(end, start)
        if self.found:
            return self.found  # what follows is about objects that convert
        for end in ends if case.thorough else [pick(Seeded(f"{case.seed}/client"), ends)]:
            self._guarded(end, start)
        if case.damage is not None:
            for end in ends if case.thorough else [pick(Seeded(f"{case.seed}/damage"), ends)]:
                self._damage(end, case.damage)
        return self.found

    def _guarded(self, end: str, start: JsonObject) -> None:
        """Check edits of the object by a client at another version."""
        case = self._case
        if case.edits and end not in case.edits:
            return
        claim = "an object that a client edited does not convert"
        with self._converting(case.start, end, claim):
            document = self._scheme.convert(_json.copy(start), to=end)
            self.found += ClientTrial(self._tools, case, end, document).run()
            self._prune(end)
            here, there = (self._scheme.twin(case.kind, version) for version in (case.start, end))
            if self._is_tracked or has_defaults(here) or has_defaults(there):
                stored = self._subject.server(case.kind, case.start).stored(start)
                document = self._scheme.convert(_json.copy(stored), to=end)
                trial = ClientTrial(self._tools, case, end, document, is_served=True)
                self.found += trial.run()

    def _prune(self, end: str) -> None:
        """Check pruning of the object by an API server at all versions, without other changes; and
        numbers that the one at the `end` writes in another way."""
        case = self._case
        if not has_server(self._subject, case.kind) or case.edits:
            return
        drawn, here, there = (
            self._subject.server(case.kind, version) for version in (case.drawn, case.start, end)
        )
        stored = drawn.pruned(without_carrier(case.api))
        if case.drawn != case.start:
            stored = here.pruned(self._scheme.convert(stored, to=case.start))
        document = self._scheme.convert(_json.copy(stored), to=end)
        self._rewrite(end, stored, document)
        pruned = there.pruned(document)
        if _json.same(document, pruned):
            return
        back = self._scheme.convert(pruned, to=case.start)
        stored, back = self._settled(stored), self._settled(back)
        if not _json.same(stored, back) and not self._means_the_same(stored, back):
            claim = f"what an API server prunes at {end} is gone at {case.start}"
            self._fail("L12", case.start, end, claim, lines(differences(stored, back)))

    def _rewrite(self, end: str, stored: JsonObject, document: JsonObject) -> None:
        """Check that numbers in another form change nothing at the start but that form."""
        rewritten = _json.without_fractions(document)
        if _json.same(document, rewritten):
            return
        start = self._case.start
        back = self._scheme.convert(rewritten, to=start)
        claim = f"an API server writes numbers of {end} in another form, which changes {start}"
        self._require("L12", (start, end), claim, *map(self._rewritten, (stored, back)))

    def _rewritten(self, document: JsonObject) -> JsonObject:
        """Return what an object shows, as an API server writes numbers."""
        found: JsonObject = _json.without_fractions(api_shown(document))
        if self._is_tracked and CHANGED_VALUES in (status := members(found, "status")):
            found["status"] = {key: it for key, it in status.items() if key != CHANGED_VALUES}
        return self._settled(found)

    def _convert(self, end: str, given: JsonObject) -> None:
        start = self._case.start
        before = _json.encode_sorted(given)
        data = _json.encode(given)
        there = self._scheme.convert_bytes(data, to=end)
        back = _json.decode(self._scheme.convert_bytes(there, to=start))
        expected = self._settled(given)
        if not _json.same(expected, self._settled(back)) and not self._means_the_same(given, back):
            law = "L1" if self._subject.is_older(start, end) else "L2"
            claim = f"{start} -> {end} -> {start} is not the same API object"
            self._fail(law, start, end, claim, lines(differences(expected, self._settled(back))))
        if self._scheme.convert_bytes(data, to=end) != there:
            self._fail("L6", start, end, "two conversions give different bytes", [])
        made = self._scheme.convert(given, to=end)
        decoded = _json.decode(there)
        claim = "a dict and its bytes are converted differently"
        self._require("L6", (start, end), claim, decoded, made)
        claim = "SCHEME.convert changed its input"
        self._require("L7", (start, end), claim, _json.decode(before), given)
        mine = containers(given)
        if not mine.isdisjoint(containers(made)):
            claim = "SCHEME.convert shares with its input"
            self._fail("L8", start, end, claim, shared_places(made, mine))
        self._compose(end, given, made)

    def _settled(self, document: Any) -> JsonObject:
        """Return a document without an empty status, if that equals an absent one."""
        found: JsonObject = without_empty_status(document) if self._is_tracked else document
        return found

    def _means_the_same(self, given: JsonObject, back: JsonValue) -> bool:
        """Return whether two objects differ only in entries that skip links join, of which one may
        stand for another. Then all versions show the same."""
        if not self._linked or not is_json_object(back):
            return False
        if not _json.same(without_carrier(given), without_carrier(back)):
            return False
        for version in self._subject.served(self._case.kind):
            one, other = (self._scheme.convert(item, to=version) for item in (given, back))
            if not _json.same(api_shown(one), api_shown(other)):
                return False
        return True

    def _compose(self, end: str, given: JsonObject, direct: JsonObject) -> None:
        """Check that converting hop by hop, through carriers, gives the same as directly."""
        start = self._case.start
        served = self._subject.served(self._case.kind)
        path = [v for v in self._subject.path(self._case.kind, start, end) if v in served]
        if len(path) < 3:
            return
        current = given
        for version in path[1:]:
            current = self._scheme.convert(current, to=version)
        claim = f"{' -> '.join(path)} shows something else than {start} -> {end}"
        self._require("L3", (start, end), claim, api_shown(direct), api_shown(current))

    def _damage(self, end: str, damage: Edit) -> None:
        """Check that an invalid object converts and comes back, or that the error says where."""
        case = self._case
        given = damage.apply(case.api)
        before: Any = _json.copy(given)
        report: Report = []
        try:
            there = self._scheme.convert(given, to=end, report=report)
        except HoldallError as error:
            if not str(error) or "Traceback" in str(error):
                self._fail(
                    "L5", case.drawn, end, "an error without a message or place", [], damaged=True
                )
        except Exception as error:  # noqa: BLE001 - any other error is a finding
            claim = "a damaged object gives a traceback"
            self._fail("L5", case.drawn, end, claim, [describe(error)], damaged=True)
        else:
            self._return_damaged(end, before, there, report)
        claim = "a conversion of a damaged object changed its input"
        self._require("L7", (case.drawn, end), claim, before, given, damaged=True)

    def _return_damaged(
        self, end: str, given: JsonValue, there: JsonObject, report: Report
    ) -> None:
        case = self._case
        try:
            back = self._scheme.convert(there, to=case.drawn)
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            if is_refusal(error) or (
                isinstance(error, ConversionError)
                and isinstance(error.__cause__, TrackedValueError)
            ):
                return  # the error says where
            claim = f"a damaged object converts to {end}, but not back"
            self._fail("L5", case.drawn, end, claim, [describe(error)], damaged=True)
            return
        # Metadata that is not an object has no carrier: then the report says what is lost.
        if not report:
            expected, found = self._settled(given), self._settled(back)
            claim = f"a damaged object is not the same after {end}"
            self._require("L5", (case.drawn, end), claim, expected, found, damaged=True)
