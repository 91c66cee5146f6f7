"""Edits of a list as clients make them: in one write, with whole elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from holdall.plan.plans import ListOf, Ref, Scalar, Type
from holdall.testing.laws.choices import Choices, Everything, pick
from holdall.testing.laws.documents import Documents
from holdall.text import json as _json
from holdall.types import JsonValue

_Items: TypeAlias = list[JsonValue]
_NAMES: Final = ("name", "key", "id")
_NUMBERS: Final = 1_000_000


def draw_list_edit(choices: Choices, documents: Documents, type_: ListOf, items: _Items) -> _Items:
    """Return an edited copy of a list; elements that stay are shared with it."""
    return pick(choices, [*_EDITS.values()])(_Editor(choices, documents, type_), items)


def all_list_edits(documents: Documents, type_: ListOf, items: _Items) -> Iterator[_Items]:
    """Yield copies of a list, each edited in another way."""
    for turn, edit in enumerate(_EDITS.values()):
        yield edit(_Editor(Everything(turn), documents, type_), items)


class _Editor:
    """Makes and changes the elements of one list; new values are unique."""

    def __init__(self, choices: Choices, documents: Documents, type_: ListOf) -> None:
        self.choices = choices
        self._documents = documents
        self._type = type_
        self._made = 0

    def changed(self, items: _Items, change: Callable[[JsonValue], _Items]) -> _Items:
        """Return the elements with a random one replaced by `change`."""
        at = self.place(items)
        changed = [new for item in items[at : at + 1] for new in change(item)]
        return [*items[:at], *changed, *items[at + 1 :]]

    def place(self, items: _Items) -> int:
        return self.choices.below(len(items)) if items else 0

    def new(self) -> JsonValue:
        """Return an element that was not there before."""
        drawn = self._documents.value(self.choices, self._type.item)
        if isinstance(drawn, dict):
            for name in self._texts():
                if name in drawn or name in self._type.keys:
                    drawn[name] = self._once()
        return self._once() if isinstance(drawn, str) else drawn

    def edited(self, item: JsonValue) -> JsonValue:
        """Return an element with another value in one of its members, but not in its keys."""
        members = self._members()
        if not isinstance(item, dict) or not members:
            return self.new()
        free = [name for name in members if name not in (*self._type.keys, *_NAMES)]
        texts = [name for name in free if name in self._texts()]
        if texts:
            return {**item, pick(self.choices, texts): self._once()}
        name = pick(self.choices, free or list(members))
        return {**item, name: self._documents.value(self.choices, members[name])}

    def renamed(self, item: JsonValue) -> JsonValue:
        """Return an element with another key, declared or not."""
        texts = self._texts()
        keys = [name for name in self._type.keys or _NAMES if name in texts]
        if not isinstance(item, dict) or not keys:
            return self.edited(item)
        return {**item, pick(self.choices, keys): self._once()}

    def _members(self) -> dict[str, Type]:
        item, plan = self._type.item, self._documents.plan
        if not isinstance(item, Ref) or plan.form(item.type) != "object":
            return {}
        return dict(plan.types[item.type])

    def _texts(self) -> list[str]:
        return [
            name
            for name, type_ in self._members().items()
            if isinstance(type_, Scalar) and type_.kinds == ("string",) and not type_.enum
        ]

    def _once(self) -> str:
        self._made += 1
        return f"new {self.choices.below(_NUMBERS)}.{self._made}"


def _insert(make: _Editor, items: _Items) -> _Items:
    at = (len(items) + 1) // 2
    return [*items[:at], make.new(), *items[at:]]


def _rotate(make: _Editor, items: _Items) -> _Items:
    at = make.place(items)
    return [*items[at:], *items[:at]]


_EDITS: Final[Mapping[str, Callable[[_Editor, _Items], _Items]]] = {
    "reverse": lambda _, items: items[::-1],
    "delete the first": lambda _, items: items[1:],
    "delete and append": lambda make, items: [*make.changed(items, lambda _: []), make.new()],
    "duplicate": lambda make, items: [*items, *_json.copy(items[make.place(items) :][:1])],
    "edit": lambda make, items: make.changed(items, lambda it: [make.edited(it)]),
    "rename": lambda make, items: make.changed(items, lambda it: [make.renamed(it)]),
    "insert": _insert,
    "edit and append": lambda make, items: [
        *make.changed(items, lambda it: [make.edited(it)]),
        make.new(),
    ],
    "rotate": _rotate,
    "delete any": lambda make, items: make.changed(items, lambda _: []),
    "replace one": lambda make, items: make.changed(items, lambda _: [make.new()]),
    "replace all": lambda make, items: [make.new() for _ in items[: 1 + make.choices.below(3)]],
}
