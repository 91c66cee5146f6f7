"""Declarations for pairs that are refused, and for enums whose values have other names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdall.plan.plans import TypeRef
from holdall_codegen.config.model import PropertyFacts
from holdall_codegen.model import (
    NOWHERE,
    ListOf,
    MapOf,
    Property,
    Ref,
    Type,
    is_text,
    referenced_type,
)
from holdall_codegen.plan.facts import NO_FACTS
from holdall_codegen.propose.ends import Edge
from holdall_codegen.propose.model import Proposal
from holdall_codegen.propose.shapes import folded, texts_of
from holdall_codegen.propose.trial import Trial
from holdall_codegen.propose.units import measure
from holdall_codegen.propose.words import has_more_words

_KEYS = ("name", "key", "id")
_VALUES = ("value", "values")
_REFERRED = ("name", "id", "ref", "value", "key")
_HELD = ("value", "size", "amount", "count", "quantity")
_LISTED = ("items", "values", "list")


def fixes(trial: Trial, edge: Edge) -> Iterator[Proposal]:
    """Yield, for each refused pair of an edge, the declaration that converts most of it."""
    for older, newer in trial.matched[edge].refused.items():
        if trial.is_declared(edge, older):
            continue
        before, after = trial.property(edge[0], older), trial.property(edge[1], newer)
        held = next(_held(trial, edge, before, after), None)
        is_list = isinstance(before.type, ListOf) or isinstance(after.type, ListOf)
        for facts, why in _ways(trial, edge, before, after):
            plain = facts.strategy is not None
            if held is not None and (plain or is_list):
                yield held
                break
            if plain or trial.fits(edge, before.type, after.type, facts):
                yield Proposal("fix", facts, (edge[0],), (edge[1],), why)
                break


def _held(trial: Trial, edge: Edge, before: Property, after: Property) -> Iterator[Proposal]:
    """Yield the move of a value into an object of its name, or out: `size`, `size/value`."""
    for value, holder, upward in ((before, after, True), (after, before, False)):
        if not isinstance(holder.type, Ref):
            continue
        own, other = edge if upward else edge[::-1]
        inner = TypeRef(other.version, holder.type.type_name)
        what = "list" if isinstance(value.type, ListOf) else "value"
        for member in _holding(trial, own.version, value, inner):
            whole, part = (value.name,), (holder.name, member)
            path, move = (whole, part) if upward else (part, whole)
            facts = PropertyFacts(path, NOWHERE, move=move)
            holders = (edge[0],) if upward else (edge[0], inner)
            targets = (edge[1], inner) if upward else (edge[1],)
            yield Proposal("fix", facts, holders, targets, f"a {what} and an object that holds it")


def _holding(trial: Trial, version: str, value: Property, holder: TypeRef) -> list[str]:
    """Return the members of an object that may hold the former value of a property."""
    members = {item.name: item.type for item in trial.properties(holder)}
    match value.type:
        case Ref() | MapOf():
            return []
        case ListOf(item=Ref(type_name=name)):
            element = _names(trial, TypeRef(version, name))
            unlike = len(element & members.keys())
            found = [
                member
                for member, type_ in members.items()
                if isinstance(type_, ListOf)
                and isinstance(type_.item, Ref)
                and len(element & _names(trial, TypeRef(holder.version, type_.item.type_name)))
                > unlike
            ]
        case ListOf():
            found = [member for member, type_ in members.items() if type_ == value.type]
        case _:
            return [member for member in _HELD if members.get(member) == value.type]
    usual = [member for member in (*_LISTED, value.name) if member in found]
    return usual or (found if len(found) == 1 else [])


def _names(trial: Trial, ref: TypeRef) -> set[str]:
    return {item.name for item in trial.properties(ref)}


def _ways(
    trial: Trial, edge: Edge, before: Property, after: Property
) -> Iterator[tuple[PropertyFacts, str]]:
    facts = PropertyFacts((before.name,), NOWHERE)
    yield replace(facts, wrap=True), "one value and a list"
    for member in _members(trial, edge, before.type, after.type):
        yield replace(facts, reference=member), "a string and an object that holds it"
    for names in _keys(trial, edge, before.type, after.type):
        yield replace(facts, keyed=names), "a map and a list of objects with its keys"
    found = measure(before, after)
    if found.is_known:
        what = "a duration" if found.duration else "a quantity"
        yield (
            replace(facts, duration=found.duration, unit=found.unit),
            f"{what} as string and number",
        )
    yield replace(facts, strategy="stash"), "kept apart until a hook converts it"


def _keys(trial: Trial, edge: Edge, older: Type, newer: Type) -> Iterator[tuple[str, str]]:
    """Yield the members of a list's objects that may be a map's keys and values."""
    match older, newer:
        case MapOf(value=value), ListOf(item=Ref(type_name=name)):
            element = TypeRef(edge[1].version, name)
        case ListOf(item=Ref(type_name=name)), MapOf(value=value):
            element = TypeRef(edge[0].version, name)
        case _:
            return
    members = {item.name: item.type for item in trial.properties(element)}
    for key in (name for name in _KEYS if name in members):
        rest = [name for name in members if name != key]
        values = [name for name in _VALUES if name in rest] or (rest if len(rest) == 1 else [])
        is_object = isinstance(value, Ref)
        alike = [name for name in values if isinstance(members[name], Ref) == is_object]
        yield from ((key, name) for name in alike)
        if is_object:
            yield key, ""


def _members(trial: Trial, edge: Edge, older: Type, newer: Type) -> list[str]:
    """Return the members that may hold a string, the most usual first."""
    ends = (edge[1].version, referenced_type(newer)), (edge[0].version, referenced_type(older))
    ref = next((TypeRef(*end) for end in ends if end[1]), None)
    if ref is None:
        return []
    texts = [item.name for item in trial.properties(ref) if is_text(item.type)]
    usual = [name for name in _REFERRED if name in texts]
    return usual or (texts if len(texts) == 1 else [])


def renamed_values(older: Type, newer: Type) -> dict[str, str]:
    """Return the values of an enum that are spelled differently in the newer version: case, dashes.

    So is a single value that is left on each side, if one is the other with more words.
    """
    before, after = texts_of(older), texts_of(newer)
    by_form = {folded(value): value for value in after}
    if len(by_form) != len(after):
        return {}
    found = {
        value: by_form[folded(value)]
        for value in before
        if value not in after and folded(value) in by_form and by_form[folded(value)] not in before
    }
    gone = [value for value in before if value not in {*after, *found}]
    new = [value for value in after if value not in {*before, *found.values()}]
    if len(gone) == len(new) == 1 and has_more_words(gone[0], new[0]):
        found[gone[0]] = new[0]
    return found


def value_proposals(trial: Trial, edge: Edge) -> Iterator[Proposal]:
    """Yield renamed values for same-named properties of an edge without declarations."""
    for pair in trial.matched[edge].pairs:
        if pair.reason != "same wire name" or trial.is_declared(edge, pair.older):
            continue
        before, after = trial.property(edge[0], pair.older), trial.property(edge[1], pair.newer)
        values = renamed_values(before.type, after.type)
        facts = replace(NO_FACTS, path=(pair.older,), values=values)
        if values and trial.fits(edge, before.type, after.type, facts):
            yield Proposal("values", facts, (edge[0],), (edge[1],), "values were renamed")
