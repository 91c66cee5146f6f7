"""Edits of an object as clients make them, and damage as no client should."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from holdall.objects.bag import BAG_MEMBER
from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import ListOf, Opaque, Ref, Scalar, Type, TypeRef
from holdall.testing.laws.choices import Choices, Everything, pick
from holdall.testing.laws.differences import MISSING, Found, Tokens
from holdall.testing.laws.documents import Documents
from holdall.testing.laws.list_edits import all_list_edits, draw_list_edit
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, get

_WRONG: tuple[JsonValue, ...] = ({}, [], "text", 1, True, {"a": [1]}, [{"a": "b"}], None)


@dataclass(frozen=True, slots=True)
class Edit:
    """A value to set at a path, or MISSING to delete it."""

    path: Tokens
    value: Found

    def apply(self, document: JsonObject) -> JsonObject:
        """Return the edited object; containers along the path are new. Without a parent for the
        path nothing is edited."""
        edited = _set(document, self.path, self.value)
        return edited if isinstance(edited, dict) else document


def _set(value: JsonValue, path: Tokens, new: Found) -> JsonValue:
    token, *rest = path
    if isinstance(value, dict) and isinstance(token, str):
        if rest:
            if token not in value:
                return value
            return {**value, token: _set(value[token], tuple(rest), new)}
        kept = {key: item for key, item in value.items() if key != token}
        return kept if new is MISSING else {**value, token: _value(new)}
    if isinstance(value, list) and isinstance(token, int) and token < len(value):
        head, tail = value[:token], value[token + 1 :]
        if rest:
            return [*head, _set(value[token], tuple(rest), new), *tail]
        return [*head, *tail] if new is MISSING else [*head, _value(new), *tail]
    return value


def _value(value: Found) -> JsonValue:
    if isinstance(value, (dict, list, str, int, float)) or value is None:
        return value
    raise TypeError(value)


def draw_edit(choices: Choices, documents: Documents, ref: TypeRef, document: JsonObject) -> Edit:
    """Return an edit of what a version shows of an object: set, delete, reorder, at any depth."""
    path: list[str | int] = []
    here: JsonObject = document
    while True:
        members = [
            (name, type_)
            for name, type_ in documents.plan.types[ref].items()
            if path or name != "metadata" or type_ != Opaque()
        ]
        if not members:
            # A name that no drawn object has: a hidden value of this name gives way, unreported.
            return Edit((*path, "added"), "edited")
        present = [member for member in members if member[0] in here]
        name, type_ = pick(choices, present if present and choices.below(2) else members)
        old = here.get(name)
        path.append(name)
        turn = choices.below(4)
        if turn < 2 and isinstance(type_, Ref) and isinstance(old, dict):
            if documents.plan.form(type_.type) == "object":
                ref, here = type_.type, old
                continue
            inner = _payload(documents, type_.type, old)
            if inner is not None:
                name, ref, here = inner
                path.append(name)
                continue
        if turn < 2 and isinstance(type_, ListOf) and isinstance(old, list) and old:
            index = choices.below(len(old))
            item = old[index]
            if turn == 0:
                return Edit(tuple(path), draw_list_edit(choices, documents, type_, old))
            if isinstance(type_.item, Ref) and isinstance(item, dict) and choices.below(2):
                ref, here = type_.item.type, item
                path.append(index)
                continue
            return Edit((*path, index), MISSING)
        if turn == 2:
            return Edit(tuple(path), MISSING)
        value = None if choices.rarely(4) else documents.value(choices, type_)
        return Edit(tuple(path), _in_place(documents, type_, old, value))


def _payload(
    documents: Documents, ref: TypeRef, union: JsonObject
) -> tuple[str, TypeRef, JsonObject] | None:
    """Return the payload of a union, with its name and type, if it is an object."""
    for name, type_ in documents.plan.types[ref].items():
        held = union.get(name)
        if (
            isinstance(type_, Ref)
            and isinstance(held, dict)
            and documents.plan.form(type_.type) == "object"
        ):
            return name, type_.type, held
    return None


def _in_place(documents: Documents, type_: Type, old: JsonValue, value: JsonValue) -> JsonValue:
    """Return a new value of a member; a union keeps its bag, as its carrier does."""
    is_union = isinstance(type_, Ref) and documents.plan.form(type_.type) == "union"
    if not is_union or not isinstance(old, dict) or BAG_MEMBER not in old:
        return value
    if isinstance(value, str):
        return {UNIT: value, BAG_MEMBER: old[BAG_MEMBER]}
    return {**value, BAG_MEMBER: old[BAG_MEMBER]} if isinstance(value, dict) else value


def single_edits(
    documents: Documents, ref: TypeRef, document: JsonObject, path: Tokens = ()
) -> Iterator[Edit]:
    """Yield edits of each declared member of an object, nested objects too: null, other values,
    and its deletion."""
    for turn, (name, type_) in enumerate(documents.plan.types[ref].items()):
        if not path and name == "metadata" and type_ == Opaque():
            continue
        here = (*path, name)
        if name in document:
            yield Edit(here, MISSING)
        values = [None, *_values(documents, type_, turn)]
        if documents.is_claimed(ref, name):
            values += _told(documents, type_)
        old = document.get(name)
        yield from (Edit(here, _in_place(documents, type_, old, value)) for value in values)
        yield from _below(documents, type_, old, here)


def _values(documents: Documents, type_: Type, turn: int) -> list[JsonValue]:
    """Return one or more values of a type: both booleans, two texts, all variants of a union."""
    if isinstance(type_, Ref) and documents.plan.form(type_.type) == "union":
        return list(documents.variants(type_.type))
    first, second = (documents.value(Everything(turn + more), type_) for more in range(2))
    return [first] if _json.same(first, second) else [first, second]


def _told(documents: Documents, type_: Type) -> list[JsonValue]:
    """Return the values of a type that the code of hooks mentions."""
    match type_:
        case Scalar(kinds=kinds) if "string" in kinds:
            return list(documents.told.texts)
        case Scalar(kinds=kinds, format="") if "integer" in kinds or "number" in kinds:
            return list(documents.told.numbers)
        case ListOf(item=inner):
            return [[word] for word in _told(documents, inner)]
        case _:
            return []


def _below(documents: Documents, type_: Type, value: JsonValue, path: Tokens) -> Iterator[Edit]:
    if isinstance(type_, Ref) and documents.plan.form(type_.type) != "object":
        yield from _inside(documents, type_.type, value, path)
    elif isinstance(type_, Ref) and isinstance(value, dict):
        yield from single_edits(documents, type_.type, value, path)
    elif isinstance(type_, ListOf) and isinstance(value, list) and value:
        for edited in all_list_edits(documents, type_, value):
            yield Edit(path, edited)
        first = value[0]
        if isinstance(type_.item, Ref) and isinstance(first, dict):
            yield from single_edits(documents, type_.item.type, first, (*path, 0))


def _inside(documents: Documents, ref: TypeRef, value: JsonValue, path: Tokens) -> Iterator[Edit]:
    """Yield edits of the payload of a union, or of the elements of a tuple."""
    for turn, (name, type_) in enumerate(documents.plan.types[ref].items()):
        token = int(name) if isinstance(value, list) else name
        held = get(value, token)
        if held is not None and name != UNIT:
            yield Edit((*path, token), documents.value(Everything(turn), type_))
            yield from _below(documents, type_, held, (*path, token))


def draw_damage(choices: Choices, document: JsonObject, head: Collection[str]) -> Edit | None:
    """Return a change of one value outside the head to another kind; None if there is no value."""
    path: list[str | int] = []
    here: JsonValue = document
    while True:
        if isinstance(here, dict):
            keys: list[str | int] = [k for k in here if path or k not in head]
        elif isinstance(here, list):
            keys = list(range(len(here)))
        else:
            keys = []
        if not keys:
            return Edit(tuple(path), pick(choices, _WRONG)) if path else None
        key = pick(choices, keys)
        path.append(key)
        here = get(here, key)
        if not (isinstance(here, dict | list) and here and choices.below(2)):
            return Edit(tuple(path), pick(choices, _WRONG))
