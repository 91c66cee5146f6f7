"""The laws on one case: every conversion is made once, and serves all laws that look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any, Final, TypeVar

from holdall.objects.bag import BAG_MEMBER, ORIGINAL_VERSION_MEMBER
from holdall.objects.shapes import members_of
from holdall.objects.views import StorageRoot
from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.choices import Seeded, pick
from holdall.testing.laws.differences import Difference, Tokens, differences, lines
from holdall.testing.laws.edits import Edit, draw_edit, single_edits
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.judge import Judge
from holdall.testing.laws.returning import entries_of, law_of, without_entry, without_linked
from holdall.testing.laws.sharing import bags_within, containers, shared_places
from holdall.testing.laws.shown import shown, shown_differences
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue

_WORK: Final = 100_000_000
"""Bytes of the objects that the edits of one object make: of more, an even sample is made."""
_Item = TypeVar("_Item")
_MARKS: Final = tuple(_json.encode(name) for name in (BAG_MEMBER, ORIGINAL_VERSION_MEMBER))


class Trial(Judge):
    """One case in its stored form, converted to every version and back."""

    def __init__(self, tools: Tools, case: Case) -> None:
        super().__init__(case)
        self._tools = tools
        self._subject: Subject = tools.subject
        self._kind = case.kind
        self._start = case.start
        self._twins: dict[str, StorageRoot] = {}
        self._seconds: dict[str, StorageRoot] = {}
        self._documents: dict[str, JsonObject] = {}
        self._texts: dict[str, bytes] = {}
        self._shown: dict[str, JsonValue] = {}
        self._is_of_its_type = True

    def run(self) -> list[Violation]:
        """Check all laws; return what does not hold."""
        if self._arrive():
            self._is_of_its_type = not any(self._wrong_kinds(self._start))
            self._depart()
            checks = self._look_back, self._edit, self._reorder, self._remove_entries
            for version, check in product(self._twins, checks):
                if version != self._start:
                    claim = "the object does not convert back"
                    with self._converting(self._start, version, claim):
                        check(version)
            self._compare_sources()
        return self.found

    # --- at the start ---

    def _arrive(self) -> bool:
        """Bring the object to the start; return whether it got there."""
        case = self._case
        try:
            twin = self._subject.read(self._kind, case.drawn, case.stored)
            if case.stale:
                twin = self._settle(twin)
            document = self._subject.walk(self._kind, case.drawn, case.start, twin).to_dict()
            read = self._subject.read
            self._enter(case.start, read(self._kind, case.start, _json.copy(document)))
            # The same object once more, with all its members in another order.
            self._seconds[case.start] = read(self._kind, case.start, _reordered(document))
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            end = case.start if case.start != case.drawn else self._next(case.start)
            self._fail_to_convert(case.drawn, end, "the object does not convert", error)
            return False
        return True

    def _settle(self, twin: StorageRoot) -> StorageRoot:
        """Let an object with a stale entry go through all versions, and see that it stays."""
        case = self._case
        before = twin.to_dict()
        here = case.drawn
        for version in [*self._subject.versions(self._kind), case.drawn]:
            twin = self._subject.walk(self._kind, here, version, twin)
            here = version
        self._require(
            "L4",
            (case.drawn, self._next(case.drawn)),
            "an entry of the bag wins over the live value",
            before,
            twin.to_dict(),
            compared=shown_differences,
        )
        return twin

    def _next(self, version: str) -> str:
        return self._subject.neighbours(self._kind, version)[0]

    def _hides_something(self, version: str) -> bool:
        """Return whether an object may have a bag or a recorded version: its text is searched."""
        return any(mark in self._texts[version] for mark in _MARKS)

    def _enter(self, version: str, twin: StorageRoot) -> None:
        self._twins[version] = twin
        document: JsonObject = twin.to_dict()
        self._documents[version] = document
        self._texts[version] = _json.encode_sorted(document)

    def _shown_at(self, version: str) -> JsonValue:
        found = self._shown.get(version)
        if found is None:
            found = self._documents[version]
            if self._hides_something(version):
                found = shown(found)
            self._shown[version] = found
        return found

    # --- away from the start: every edge once ---

    def _depart(self) -> None:
        queue = [self._start]
        for here in queue:
            for there in self._subject.neighbours(self._kind, here):
                if there not in self._twins and self._cross(here, there):
                    queue.append(there)

    def _cross(self, here: str, there: str) -> bool:
        """Convert over one edge, twice, and look at the result; return whether it was made."""
        source = self._twins[here]
        try:
            made = self._subject.cross(self._kind, here, there, source)
            again = self._subject.cross(self._kind, here, there, self._seconds[here])
            self._enter(there, made)
            self._seconds[there] = again
            text = _json.encode_sorted(again.to_dict())
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            self._fail_to_convert(self._start, there, "the object does not convert", error)
            return False
        pair = self._start, there
        if text != self._texts[there]:
            claim = "two conversions of one object, with members in another order, differ"
            self._require("L6", pair, claim, self._documents[there], again.to_dict())
        mine = containers(made)
        for other, whose in ((source, here), (again, f"a second {there}")):
            if not mine.isdisjoint(containers(other)):
                claim = f"{there} shares a list or an object with {whose}"
                self._fail("L8", *pair, claim, shared_places(made, containers(other)))
        if self._hides_something(there):
            self._check_bags(pair, made)
        if self._is_of_its_type and (wrong := [*self._wrong_kinds(there)]):
            self._fail("L5", *pair, "what it becomes is not of its type", wrong)
        ends = self._subject.root(self._kind, here), self._subject.root(self._kind, there)
        given, result = self._documents[here], self._documents[there]
        broken = self._tools.followed.broken(ends, given, result)
        if texts := lines(broken):
            self._fail("L0", *pair, f"{here} -> {there} is not as planned", texts)
        return True

    def _wrong_kinds(self, version: str) -> Iterator[str]:
        root = self._subject.root(self._kind, version)
        return self._tools.kinds.wrong(root, self._documents[version])

    def _check_bags(self, pair: tuple[str, str], twin: StorageRoot) -> None:
        for holder, bag in bags_within(twin):
            own = members_of(type(holder)) & set(bag.get(pair[1], ()))
            if own or not bag or not all(bag.values()):
                name = type(holder).__name__
                what = f"{name}: {_json.encode(dict(bag)).decode()}"
                self._fail("L9", *pair, "a bag holds what its own version shows", [what])

    # --- back to the start ---

    def _look_back(self, end: str) -> None:
        path = self._subject.path(self._kind, end, self._start)
        twin = self._twins[end]
        for here, there in pairwise(path):
            twin = self._subject.cross(self._kind, here, there, twin)
            if there == self._start:
                break
            self._compare_shown(end, there, twin)
            self._branch(end, there, path, twin)
        final = twin.to_dict()
        if _json.encode_sorted(final) != self._texts[self._start]:
            self._returned_changed(end, final)

    def _compare_shown(self, end: str, there: str, twin: StorageRoot) -> None:
        """See that a version shows the same whether the way there leads over `end` or not."""
        direct = f"{self._start} -> {there}"
        claim = f"{self._start} -> {end} -> {there} shows something else than {direct}"
        expected, found = self._shown_at(there), shown(twin.to_dict())
        self._require("L3", (self._start, end), claim, expected, found)

    def _branch(self, end: str, here: str, path: list[str], twin: StorageRoot) -> None:
        """Go on to the versions that lie off the way back, and compare what they show."""
        for there in self._subject.neighbours(self._kind, here):
            if there in path or there not in self._twins:
                continue
            made = self._subject.cross(self._kind, here, there, twin)
            self._compare_shown(end, there, made)
            self._branch(end, there, [*path, here], made)

    def _returned_changed(self, end: str, final: JsonObject) -> None:
        given = self._documents[self._start]
        linked = self._tools.linked
        if linked:
            one, other = without_linked(given, linked), without_linked(final, linked)
            if _json.same(one, other) and self._means_the_same(final):
                return
        root = self._subject.root(self._kind, self._start)
        usual = "L1" if self._subject.is_older(self._start, end) else "L2"
        by_law: dict[str, list[Difference]] = {}
        for difference in differences(given, final):
            law = law_of(self._subject.plan, root, difference, usual)
            by_law.setdefault(law, []).append(difference)
        for law, found in by_law.items():
            claim = f"{self._start} -> {end} -> {self._start} is not the same object"
            self._fail(law, self._start, end, claim, lines(found))

    def _means_the_same(self, final: JsonObject) -> bool:
        """Return whether an object shows in every version what the one at the start shows there."""
        for version in self._twins:
            twin = self._subject.read(self._kind, self._start, final)
            made = shown(self._subject.walk(self._kind, self._start, version, twin).to_dict())
            if not _json.same(self._shown_at(version), made):
                return False
        return True

    # --- edits ---

    def _edit(self, end: str) -> None:
        case, document = self._case, self._documents[end]
        root = self._subject.root(self._kind, end)
        edits: Iterable[Edit]
        if end in case.edits:
            edits = [case.edits[end]]
        elif case.thorough and not case.edits:
            edits = _some([*single_edits(self._subject.documents, root, document)], case, document)
        else:
            choices = Seeded(f"{case.seed}/{end}")
            edits = [draw_edit(choices, self._subject.documents, root, document)]
        for edit in edits:
            self._check_edit(end, edit)

    def _check_edit(self, end: str, edit: Edit) -> None:
        pair = self._start, end
        edited = edit.apply(self._documents[end])
        try:
            twin = self._subject.read(self._kind, end, edited)
            home = self._subject.walk(self._kind, end, self._start, twin)
            again = self._subject.walk(self._kind, self._start, end, home)
        except Exception as error:  # noqa: BLE001 - an error of a conversion is a finding
            self._fail_to_convert(*pair, "an edited object does not convert", error, edit=edit)
            return
        require = partial(self._require, "L4", pair, compared=shown_differences, edit=edit)
        claim = f"what was edited at {end} is not so after {end} -> {self._start} -> {end}"
        require(claim, edited, again.to_dict())
        # Bags stay until then: an empty parent that a move made counts as none.
        there, here = (self._subject.root(self._kind, version) for version in (end, self._start))
        rest = partial(self._tools.relations.unrelated, there, edit.path, here)
        claim = f"an edit at {end} moves something else at {self._start}"
        require(claim, rest(self._documents[self._start]), rest(home.to_dict()))

    def _reorder(self, end: str) -> None:
        moved = self._tools.moved(self._kind, self._start, end)
        claim = f"an element has what was another one's, after {end} -> {self._start}"
        home = self._shown_at(self._start)
        for edit, texts in moved.broken(self._documents[end], home):
            self._fail("L4", self._start, end, claim, texts, edit=edit)

    # --- bags ---

    def _remove_entries(self, end: str) -> None:
        """See that entries are needed: without one, its own version is something else."""
        document = self._documents[end]
        if not self._hides_something(end):
            return
        entries: Sequence[tuple[Tokens, str, str]] = [
            entry
            for entry in entries_of(document, self._tools.linked)
            if entry[1] in self._twins and entry[1] != end
        ]
        if not entries:
            return
        if self._case.thorough:
            entries = _some(entries, self._case, document)
        else:
            entries = [pick(Seeded(f"{self._case.seed}/{end}/entry"), entries)]
        for path, origin, key in entries:
            poorer = without_entry(document, path, origin, key)
            with_it = self._subject.walk(self._kind, end, origin, self._twins[end])
            twin = self._subject.read(self._kind, end, poorer)
            without_it = self._subject.walk(self._kind, end, origin, twin)
            if _json.same(with_it.to_dict(), without_it.to_dict()):
                where = "".join(f"/{token}" for token in path) or "/"
                what = f"{where}: {origin}/{key} changes nothing at {origin}"
                self._fail("L9", self._start, end, "a bag holds what nobody needs", [what])

    # --- at the end ---

    def _compare_sources(self) -> None:
        for version, twin in self._twins.items():
            if _json.encode_sorted(twin.to_dict()) != self._texts[version]:
                end = self._next(version) if version == self._start else version
                before = _json.decode(self._texts[version])
                claim = f"a conversion from {version} changed its source"
                self._require("L7", (self._start, end), claim, before, twin.to_dict())


def _some(items: Sequence[_Item], case: Case, document: JsonObject) -> Sequence[_Item]:
    """Return the items in the share of a case; of a large document as many as there is time for."""
    if case.share is not None:
        items = case.share.of(items)
    most = max(1, _WORK // len(_json.encode(document)))
    return items[:: -(-len(items) // most) or 1]


def _reordered(value: Any) -> Any:
    """Return a copy of a value with the members of all objects in reverse order."""
    if type(value) is dict:
        return {key: _reordered(item) for key, item in reversed(value.items())}
    return [_reordered(item) for item in value] if type(value) is list else value
