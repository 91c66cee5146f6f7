"""Edits of an API object by a client between two conversions, and what must hold afterwards.

Hidden data stays with its own element, or is reported as dropped, and is never with another one;
what the client wrote is kept; and a converter finds hidden data where the carrier says it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.carriers.reports import Report
from holdall.objects.bag import BAG_MEMBER, UNUSED_KEY, WITH_ENTRIES
from holdall.objects.shapes import ValueShape
from holdall.plan.plans import ListOf, MapOf, Ref, Type, TypeRef
from holdall.testing.laws.belonging import Belonging, Pair
from holdall.testing.laws.cases import Case, Violation
from holdall.testing.laws.choices import Choices, Seeded, pick
from holdall.testing.laws.differences import (
    MISSING,
    Found,
    Tokens,
    differences,
    lines,
)
from holdall.testing.laws.edits import Edit, draw_edit
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.hidden import (
    Opened,
    closed,
    hides,
    is_tracked,
    opened,
    with_entries_of,
    without_empty_status,
)
from holdall.testing.laws.judge import Judge
from holdall.testing.laws.list_edits import all_list_edits, draw_list_edit
from holdall.testing.laws.sharing import bags_within
from holdall.testing.laws.shown import api_shown, shown, shown_differences
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, get, is_json_object, members
from holdall.words import counted

_EDITS: Final = 2
_OF_EACH: Final = 4
_List = tuple[Tokens, ListOf]


class ClientTrial(Judge):
    """One API object at the version `end`, edited there and converted back (L4).

    With `is_served` an API server stores it before and after each conversion and edit (L12).
    """

    def __init__(
        self,
        tools: Tools,
        case: Case,
        end: str,
        document: JsonObject,
        *,
        is_served: bool = False,
    ) -> None:
        super().__init__(case)
        self._law = "L12" if is_served else "L4"
        self._subject, self._scheme = tools.subject, tools.subject.scheme
        self._documents, self._relations = tools.subject.documents, tools.relations
        self._end, self._document = end, document
        self._is_served = is_served
        self._is_tracked = is_tracked(self._subject, case.kind)
        self._belonging = Belonging(end, by_place=self._is_tracked)

    def run(self) -> list[Violation]:
        """Check all edits; return what does not hold."""
        case = self._case
        if not hides(self._subject, case.kind):
            return []
        before = opened(self._subject, case.kind, self._end, self._document)
        choices = Seeded(f"{case.seed}/{self._end}/client")
        is_chosen = case.thorough or bool(case.edits)
        if not is_chosen and not self._total(before) and choices.below(4):
            return []  # nothing is hidden, and other trials check live values
        shown = self._stored(self._end, self._document)
        if self._is_served and not case.edits:
            self._check(before, shown, None)
        for edit in self._edits(choices, before, shown):
            edited = with_entries_of(shown, edit.apply(shown))
            self._check(before, self._stored(self._end, edited), edit)
        if not self._is_served and not case.edits and (case.thorough or choices.rarely(4)):
            self._copy_annotations(choices, before)
        return self.found

    def _stored(self, version: str, document: JsonObject) -> JsonObject:
        """Return an object as an API server stores it, if one is there."""
        if not self._is_served:
            return document
        return self._subject.server(self._case.kind, version).stored(document)

    def _edits(self, choices: Choices, before: Opened, document: JsonObject) -> Iterator[Edit]:
        case, documents = self._case, self._documents
        if self._end in case.edits:
            yield case.edits[self._end]
            return
        if case.edits:
            return
        root = self._subject.root(case.kind, self._end)
        lists = [
            found
            for found in _lists(documents.plan.types, Ref(root), document, ())
            if self._belonging.count(get(before.stored, *found[0]))
        ]
        if case.thorough:
            edits = [
                Edit(path, edited)
                for path, type_ in _few_of_each(lists)
                if isinstance(items := get(document, *path), list)
                for edited in all_list_edits(documents, type_, items)
            ]
            yield from case.share.of(edits) if case.share else edits
        elif lists:
            for _ in range(1 if self._is_served else _EDITS):
                path, type_ = pick(choices, lists)
                items = get(document, *path)
                if isinstance(items, list):
                    yield Edit(path, draw_list_edit(choices, documents, type_, items))
        else:
            yield draw_edit(choices, documents, root, document)

    def _check(self, before: Opened, edited: JsonObject, edit: Edit | None) -> None:
        case, end = self._case, self._end
        after = opened(self._subject, case.kind, end, edited)
        shape = ValueShape("object", type(before.twin))
        old, new = Pair(before.stored, self._document), Pair(after.stored, edited)
        claims = {
            "hidden data is with another element": self._belonging.misplaced(shape, [old], new, ""),
            "hidden data has left its element": self._belonging.missing(shape, old, new, ""),
            "hidden data is gone, and nobody says so": self._unaccounted(before, after),
        }
        for claim, texts in claims.items():
            self._report(
                f"{claim} after {'an edit' if edit else 'the server'} at {end}", texts, edit
            )
        report: Report = []
        home = self._scheme.convert(_json.copy(edited), to=case.start, report=report)
        # Tracked values stay until their own version is reached.
        origin = self._subject.path(case.kind, end, case.start)[1] if self._is_tracked else ""
        due = {str(it) for it in after.dropped if not origin or it.origin == origin}
        unsaid = due - {str(item) for item in report}
        self._report(f"{end} -> {case.start} does not report what is dropped", sorted(unsaid), edit)
        hidden = any(True for _ in bags_within(after.twin))
        apart = closed(self._subject, case.kind, end, after) if hidden else None
        if apart is not None:
            expected = api_shown(self._scheme.convert(apart, to=case.start))
            claim = f"{end} -> {case.start} takes hidden data for that of another element"
            self._report(claim, _lines(expected, api_shown(home)), edit)
        claim = f"what a client wrote at {end} has changed after {end} -> {case.start} -> {end}"
        self._report(claim, self._changed(after, edited, home), edit)

    def _changed(self, before: Opened, edited: JsonObject, home: JsonObject) -> tuple[str, ...]:
        """Compare what is shown before and after the round trip.

        An empty parent that a move made counts as what it becomes again: absent or null. A default
        that a server fills in at the start, or would fill in, counts as an edit there: it removes
        nothing, and nothing unrelated changes.
        """
        end, kind, start = self._end, self._case.kind, self._case.start
        stored = self._stored(start, home)
        again = self._stored(end, self._scheme.convert(stored, to=end))
        if self._is_served and not self._is_tracked:
            ours, theirs = api_shown(edited), api_shown(again)
        else:
            after = opened(self._subject, kind, end, again)
            ours, theirs = ({**it.stored} for it in (before, after))
            for it in (ours, theirs):
                it.pop("metadata", None)
        if self._is_tracked:
            ours, theirs = without_empty_status(ours), without_empty_status(theirs)
        filled: list[Tokens] = []
        if self._is_served:
            bare = self._subject.server(kind, start).unfilled(home)
            nothing = (MISSING, None)
            filled = [
                it.path
                for it in differences(bare, stored)
                if it.expected in nothing and it.found not in nothing
            ]
            ours, theirs = map(self._subject.server(kind, end).unfilled, (ours, theirs))
        changed = [*shown_differences(ours, theirs, self._seen)]
        if not filled:
            return lines(changed)
        gone = [it for it in changed if not _is_empty(it.expected)]
        ends = [self._subject.root(kind, version) for version in (start, end)]
        for path in filled:
            ours, theirs = (
                self._relations.unrelated(ends[0], path, ends[1], it) for it in (ours, theirs)
            )
        return (*lines(gone), *_lines(self._seen(ours), self._seen(theirs)))

    def _seen(self, stored: JsonValue) -> JsonValue:
        """Return what an object shows; with a server, without empty objects."""
        return _without_empty(shown(stored)) if self._is_served else shown(stored)

    def _unaccounted(self, before: Opened, after: Opened) -> list[str]:
        """Return a finding if an entry is neither present nor reported, or present twice."""
        dropped = [
            item for item in after.dropped if self._belonging.is_hidden(item.origin, item.key)
        ]
        had, has = self._total(before), self._total(after)
        if had == has + len(dropped):
            return []
        reported = counted(len(dropped), "is reported", "are reported")
        return [f"{counted(had, 'entry', 'entries')} before; now {has}, and {reported} as dropped"]

    def _total(self, made: Opened) -> int:
        """Count hidden entries; a mark about an entry counts with it."""
        total = 0
        for _, bag in bags_within(made.twin):
            for origin, key, value in bag.entries():
                if key == UNUSED_KEY:
                    total += sum(len(members(aside)) for aside in members(value).values())
                elif key not in WITH_ENTRIES:
                    total += self._belonging.is_hidden(origin, key)
        return total

    def _copy_annotations(self, choices: Choices, before: Opened) -> None:
        """Give another object the carrier of this one, as copying a manifest does."""
        case, end = self._case, self._end
        other = self._documents.root(choices, case.kind, end)
        copied = _with_carrier(other, self._document)
        if copied is None:
            return
        after = opened(self._subject, case.kind, end, copied)
        shape = ValueShape("object", type(before.twin))
        old, new = Pair(before.stored, self._document), Pair(after.stored, copied)
        where = f"on another object, {_json.encode(other).decode()}"
        found = self._belonging.misplaced(shape, [old], new, "")
        self._report(f"hidden data is with another element, {where}", found)
        self._report(f"hidden data is gone, {where}", self._unaccounted(before, after))
        home = self._scheme.convert(_json.copy(copied), to=case.start)
        self._report(f"a carrier wins over live data, {where}", self._changed(after, copied, home))

    def _report(self, claim: str, texts: Iterable[str], edit: Edit | None = None) -> None:
        if found := tuple(texts):
            self._fail(self._law, self._case.start, self._end, claim, found, edit=edit)


def _is_empty(value: Found) -> bool:
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return value in (MISSING, None, "")


def _without_empty(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    members = {name: _without_empty(item) for name, item in value.items()}
    return {name: item for name, item in members.items() if item != {}}


def _lines(expected: JsonValue, found: JsonValue) -> tuple[str, ...]:
    return () if _json.same(expected, found) else lines(differences(expected, found))


def _lists(
    types: Mapping[TypeRef, Mapping[str, Type]], type_: Type, value: JsonValue, path: Tokens
) -> Iterator[_List]:
    """Yield the lists of objects in a value, with the path and the type of each."""
    match type_, value:
        case Ref(type=ref), dict():
            for name, member in types[ref].items():
                yield from _lists(types, member, value.get(name), (*path, name))
        case ListOf(item=inner), list():
            if isinstance(inner, Ref) and value:
                yield path, type_
            for index, item in enumerate(value):
                yield from _lists(types, inner, item, (*path, index))
        case MapOf(value=inner), dict():
            for key, item in value.items():
                yield from _lists(types, inner, item, (*path, key))


def _few_of_each(lists: Iterable[_List]) -> Iterator[_List]:
    """Yield a few lists of each member that elements of other lists may also have."""
    seen: Counter[int] = Counter()
    for path, type_ in lists:
        seen[id(type_)] += 1
        if seen[id(type_)] <= _OF_EACH:
            yield path, type_


def _with_carrier(other: JsonObject, document: JsonObject) -> JsonObject | None:
    """Return an object with the carrier of another one; None if that has none."""
    if BAG_MEMBER in document:
        return {**other, BAG_MEMBER: document[BAG_MEMBER]}
    annotations, mine = members(document, "metadata", "annotations"), other.get("metadata", {})
    carried = {k: v for k, v in annotations.items() if k in (SPEC_ANNOTATION, STATUS_ANNOTATION)}
    if not carried or not is_json_object(mine):
        return None
    kept = members(mine, "annotations")
    return {**other, "metadata": {**mine, "annotations": {**kept, **carried}}}
