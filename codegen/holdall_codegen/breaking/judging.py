"""Which differences of schemas break clients or stored objects: levels wire and validation."""

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
"""Further keywords without which more is allowed, and never less."""

_NUMBERS: Final = ("minimum", "maximum")


def judge(change: SchemaChange, *, is_stable: bool, fills_defaults: bool) -> Iterator[Verdict]:
    """Yield the rules that a difference breaks; none if it is harmless.

    `is_stable`: readers of this version rely on what it answers. `fills_defaults`: a server fills
    in defaults before it validates.
    """
    if change.aspect == "required":
        yield from _required(change, is_stable=is_stable, fills_defaults=fills_defaults)
        return
    for name, what in _JUDGES[change.aspect](change):
        if name != "not-additive" or is_stable:
            yield name, what


def places_of(change: SchemaChange) -> list[str]:
    """Return the paths that a difference is about: a member's own if it came or went."""
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


def _removed(change: SchemaChange) -> Iterator[Verdict]:
    yield "property-removed", "removed"


def _nothing(_: SchemaChange) -> Iterator[Verdict]:
    yield from ()


def _type(change: SchemaChange) -> Iterator[Verdict]:
    if change.name:
        typed, free = "typed elements or values", "any JSON"
        old, new = (free, typed) if change.after.items or change.after.values else (typed, free)
        yield "type-changed", f"{old} -> {new}"
    else:
        yield "type-changed", f"{change.before.shape} -> {change.after.shape}"


def _nullable(change: SchemaChange) -> Iterator[Verdict]:
    if change.before.nullable:
        yield "nullable-removed", "null is refused"
    else:
        yield "not-additive", "it may be null"


def _enum(change: SchemaChange) -> Iterator[Verdict]:
    old, new = change.before.enum, change.after.enum
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


def _unique(change: SchemaChange) -> Iterator[Verdict]:
    if change.after.unique:
        yield "length-narrowed", "equal elements are refused"


def _pattern(change: SchemaChange) -> Iterator[Verdict]:
    new = change.after.patterns - change.before.patterns
    if new and not all(_fit(change, matching(pattern)) for pattern in new):
        old = change.before.patterns - change.after.patterns
        yield "pattern-changed", f"{_some(old) or 'none'} -> {_some(new)}"


def _format(change: SchemaChange) -> Iterator[Verdict]:
    if change.after.format:
        yield "format-changed", f"{change.before.format or 'none'} -> {change.after.format}"


def _default(change: SchemaChange) -> Iterator[Verdict]:
    old, new = change.before.default, change.after.default
    if old is None and change.was_given:
        return  # no object was without it
    yield "default-changed", f"{_value(old)} -> {_value(new)}"


def _merged(change: SchemaChange) -> Iterator[Verdict]:
    what = "list" if change.after.kinds == ARRAY else "map"
    text = f"{what} type {change.before.merged} -> {change.after.merged}"
    yield "list-type-changed", text


def _map_keys(change: SchemaChange) -> Iterator[Verdict]:
    if change.before.merged == change.after.merged:
        old, new = (", ".join(side.map_keys) for side in (change.before, change.after))
        yield "list-keys-changed", f"{old or 'none'} -> {new or 'none'}"


def _undeclared(change: SchemaChange) -> Iterator[Verdict]:
    if change.after.undeclared == "removed":
        yield "members-closed", "undeclared members are removed or refused"


def _rules(change: SchemaChange) -> Iterator[Verdict]:
    given = old_objects(change)
    if new := {rule for rule in change.after.rules - change.before.rules if not given.obey(rule)}:
        yield "rule-added", _some(frozenset(new))


def _unions(change: SchemaChange) -> Iterator[Verdict]:
    old, new = change.before.unions.get(change.name), change.after.unions.get(change.name)
    only_wider = new is None or (old is not None and change.name == "anyOf" and old <= new)
    if not only_wider:
        yield "schema-changed", f"{change.name} has other alternatives"


def _others(change: SchemaChange) -> Iterator[Verdict]:
    if change.name in change.after.others:
        yield "schema-changed", f"{change.name} says something else"
    elif change.name not in _ONLY_REFUSING:
        yield "schema-changed", f"{change.name} is gone"


_JUDGES: Final[dict[str, Callable[[SchemaChange], Iterator[Verdict]]]] = {
    "added": _nothing,
    "removed": _removed,
    "type": _type,
    "nullable": _nullable,
    "enum": _enum,
    "bound": _bound,
    "unique": _unique,
    "pattern": _pattern,
    "format": _format,
    "default": _default,
    "merged": _merged,
    "map keys": _map_keys,
    "undeclared": _undeclared,
    "rules": _rules,
    "unions": _unions,
    "others": _others,
}


def _fit(change: SchemaChange, is_allowed: Callable[[JsonValue], bool]) -> bool:
    """Tell whether all values that an enum allowed before are allowed still."""
    values = change.before.enum
    return values is not None and all(is_allowed(json.decode(text)) for text in values)


def _limit(bound: Bound | None) -> str:
    if bound is None:
        return "none"
    return f"{bound[0]}{' (excluded)' if bound[1] else ''}"


def _value(text: str | None) -> str:
    return "none" if text is None else text


def _some(texts: frozenset[str]) -> str:
    shown = sorted(texts)[:4]
    more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
    return ", ".join(shown) + more
