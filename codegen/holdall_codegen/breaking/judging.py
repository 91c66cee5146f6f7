"""Which schema differences break clients or stored objects: the levels wire and validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonValue
from holdall_codegen.breaking.given import limited, matching, old_objects
from holdall_codegen.breaking.schema_changes import MORE, SchemaChange, is_narrower
from holdall_codegen.breaking.schema_facts import ARRAY, Bound

Verdict = tuple[str, str]
"""The name of a rule, and what happened."""

_ONLY_REFUSING: Final = ("contains", "dependentRequired", "multipleOf", "not", "propertyNames")
"""Other keywords whose removal only allows more."""

_NUMBERS: Final = ("minimum", "maximum")


def judge(change: SchemaChange, *, is_stable: bool, fills_defaults: bool) -> Iterator[Verdict]:
    """Yield the rules that a difference breaks; none if it is harmless.

    `is_stable`: readers of this version rely on what it answers. `fills_defaults`: a server fills
    in defaults before it validates.
    """
    if change.aspect == "required":
        yield from _required(change, is_stable=is_stable, fills_defaults=fills_defaults)
        return
    for name, what in _verdicts(change):
        if name != "not-additive" or is_stable:
            yield name, what


def places_of(change: SchemaChange) -> list[str]:
    """Return the paths that a difference is about: the member's own if it was added or removed."""
    own = change.aspect in ("added", "removed", "required") or change.name == "*"
    return [
        join("", *path, *([change.name] if own and path != MORE else ()))[1:]
        for path in change.paths
    ]


def _required(change: SchemaChange, *, is_stable: bool, fills_defaults: bool) -> Iterator[Verdict]:
    name = change.name
    nodes = change.after.properties.get(name, ())
    if fills_defaults and any("default" in node.members for node in nodes):
        return  # it is never missing
    if name in change.before.required:
        if is_stable and name in change.after.properties:
            yield "not-additive", "it may be missing"
        return
    new = "" if name in change.before.properties else "a new member that "
    yield "required-added", f"{new}is required"


def _verdicts(change: SchemaChange) -> Iterator[Verdict]:
    """Yield the rules that a difference breaks for clients that rely on what they read."""
    before, after, name = change.before, change.after, change.name
    match change.aspect:
        case "removed":
            yield "property-removed", "removed"
        case "type" if name:
            typed, free = "typed elements or values", "any JSON"
            old, new = (free, typed) if after.items or after.values else (typed, free)
            yield "type-changed", f"{old} -> {new}"
        case "type":
            yield "type-changed", f"{before.shape} -> {after.shape}"
        case "nullable" if before.nullable:
            yield "nullable-removed", "null is refused"
        case "nullable":
            yield "not-additive", "it may be null"
        case "enum":
            yield from _enum(before.enum, after.enum)
        case "bound":
            yield from _bound(change)
        case "unique" if after.unique:
            yield "length-narrowed", "equal elements are refused"
        case "pattern":
            patterns = after.patterns - before.patterns
            if patterns and not all(_fit(change, matching(pattern)) for pattern in patterns):
                gone = before.patterns - after.patterns
                yield "pattern-changed", f"{_some(gone) or 'none'} -> {_some(patterns)}"
        case "format" if after.format:
            yield "format-changed", f"{before.format or 'none'} -> {after.format}"
        # Objects always had the member, so its default changes nothing.
        case "default" if before.default is not None or not change.was_required:
            yield "default-changed", f"{before.default or 'none'} -> {after.default or 'none'}"
        case "merged":
            what = "list" if after.kinds == ARRAY else "map"
            yield "list-type-changed", f"{what} type {before.merged} -> {after.merged}"
        case "map keys" if before.merged == after.merged:
            old, new = (", ".join(side.map_keys) or "none" for side in (before, after))
            yield "list-keys-changed", f"{old} -> {new}"
        case "undeclared" if after.undeclared == "removed":
            yield "members-closed", "undeclared members are now removed or refused"
        case "rules":
            given = old_objects(change)
            rules = {rule for rule in after.rules - before.rules if not given.obey(rule)}
            if rules:
                yield "rule-added", _some(frozenset(rules))
        case "unions":
            was, is_ = before.unions.get(name), after.unions.get(name)
            only_wider = is_ is None or (was is not None and name == "anyOf" and was <= is_)
            if not only_wider:
                yield "schema-changed", f"{name} has other alternatives"
        case "others" if name in after.others:
            yield "schema-changed", f"{name} has changed"
        case "others" if name not in _ONLY_REFUSING:
            yield "schema-changed", f"{name} is gone"


def _enum(old: frozenset[str] | None, new: frozenset[str] | None) -> Iterator[Verdict]:
    if new is None:
        if old is not None:
            yield "not-additive", "any value is allowed"
        return
    if old is None:
        yield "enum-narrowed", f"only {_some(new)} is allowed"
        return
    if gone := old - new:
        yield "enum-narrowed", f"without {_some(gone)}"
    if more := new - old:
        yield "not-additive", f"it may be {_some(more)}"


def _bound(change: SchemaChange) -> Iterator[Verdict]:
    name = change.name
    old, new = change.before.bounds.get(name), change.after.bounds.get(name)
    if new is not None and is_narrower(name, old, new) and not _fit(change, limited(name, new)):
        rule = "range-narrowed" if name in _NUMBERS else "length-narrowed"
        yield rule, f"{name} {_limit(old)} -> {_limit(new)}"


def _fit(change: SchemaChange, is_allowed: Callable[[JsonValue], bool]) -> bool:
    """Tell whether all values that an enum allowed before are still allowed."""
    values = change.before.enum
    return values is not None and all(is_allowed(json.decode(text)) for text in values)


def _limit(bound: Bound | None) -> str:
    if bound is None:
        return "none"
    return f"{bound[0]}{' (excluded)' if bound[1] else ''}"


def _some(texts: frozenset[str]) -> str:
    shown = sorted(texts)[:4]
    more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
    return ", ".join(shown) + more
