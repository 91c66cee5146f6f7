"""Whether elements keep their data when a client reorders a list that a hook converts.

For other laws, what a hook hides in the bag of the list's holder does not belong to an element.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdall.objects.bag import BAG_MEMBER
from holdall.plan.plans import ListOf, Ref, TypeRef
from holdall.testing.laws.differences import MISSING, Tokens
from holdall.testing.laws.edits import Edit
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.shown import shown
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, get

_Ways = list[tuple[Tokens, Tokens]]


class Moved:
    """Reverses lists of one kind at the version `end`, and checks them at `start`."""

    def __init__(
        self, subject: Subject, relations: Relations, kind: str, start: str, end: str
    ) -> None:
        self._subject = subject
        self._kind, self._start, self._end = kind, start, end
        here, there = (self._subject.root(kind, version) for version in (end, start))
        self._ways: _Ways = [*_claimed_lists(subject, relations, here, there)]

    def broken(self, document: JsonObject, home: JsonValue) -> Iterator[tuple[Edit, list[str]]]:
        """Yield reorderings of an object at `end` after which elements at `start` have data of
        another one. `home` is the object at the start."""
        for here, there in self._ways:
            items, before = get(document, *here), get(home, *there)
            if not isinstance(items, list) or not isinstance(before, list):
                continue
            seen = {_json.canonical(shown(item)) for item in items}
            if not len(items) == len(before) == len(seen) > 1:
                continue  # equal elements cannot be told apart
            edit = Edit(here, items[::-1])
            edited = edit.apply(document)
            after = get(self._converted(edited), *there)
            poorer = Edit((*here[:-1], BAG_MEMBER), MISSING).apply(edited)
            without = get(self._converted(poorer), *there)
            if isinstance(after, list) and isinstance(without, list):
                found = [*_foreign(after, before[::-1], without)]
                if found and len(after) == len(before) == len(without):
                    yield edit, found

    def _converted(self, document: JsonObject) -> JsonValue:
        twin = self._subject.read(self._kind, self._end, document)
        return shown(self._subject.walk(self._kind, self._end, self._start, twin).to_dict())


def _foreign(
    after: list[JsonValue], own: list[JsonValue], without: list[JsonValue]
) -> Iterator[str]:
    """Yield the members of elements that are neither their own nor what they are without a bag."""
    for index, triple in enumerate(zip(after, own, without, strict=False)):
        if all(isinstance(item, dict) for item in triple):
            for name, value in triple[0].items():  # type: ignore[union-attr]
                known = [get(item, name) for item in triple[1:]]
                if not any(_json.same(value, other) for other in known):
                    yield f"element {index}: {name} is {_json.encode(value).decode()}"


def _claimed_lists(
    subject: Subject,
    relations: Relations,
    here: TypeRef,
    there: TypeRef,
    path: Tokens = (),
    peer_path: Tokens = (),
) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the lists of objects that hooks claim, with their path at both ends of a walk."""
    plan, claimed = subject.plan, subject.documents.is_claimed
    for name, type_ in plan.types[here].items():
        related = relations.related(here, name, there)
        if len(related) != 1:
            continue
        (peer,) = related
        other = plan.types[there].get(peer)
        paths = (*path, name), (*peer_path, peer)
        match type_, other:
            case Ref(type=one), Ref(type=two) if len(path) < 3:
                if plan.form(one) == plan.form(two) == "object":
                    yield from _claimed_lists(subject, relations, one, two, *paths)
            case ListOf(item=Ref()), ListOf(item=Ref()):
                if claimed(here, name) or claimed(there, peer):
                    yield paths
