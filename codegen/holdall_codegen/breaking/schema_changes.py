"""The differences of two schemas of one kind, place by place, before anything is judged.

A difference says what a schema stated and what it states now. Whether that breaks somebody is the
part of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from holdall_codegen.breaking.schema_facts import LOWER, UPPER, Bound, Facts, FactsReader, Prunes
from holdall_codegen.read.nodes import Node

Aspect = Literal[
    "added",
    "removed",
    "type",
    "nullable",
    "enum",
    "bound",
    "unique",
    "pattern",
    "format",
    "required",
    "default",
    "merged",
    "map keys",
    "undeclared",
    "rules",
    "unions",
    "others",
]
Path: TypeAlias = tuple[str, ...]

OBJECT_META: Final = frozenset({"apiVersion", "kind", "metadata"})


@dataclass(frozen=True, slots=True)
class SchemaSide:
    """One side of a comparison: the schema of one kind in one version, and how to read it.

    `skipped` are members of the root that are no properties of the kind.
    """

    reader: FactsReader
    nodes: Sequence[Node]
    prunes: Prunes = "nothing"
    skipped: frozenset[str] = frozenset()

    def facts(self, nodes: Sequence[Node]) -> Facts:
        return self.reader.read(nodes, self.prunes)


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference at one place. `name` says which keyword or member it is about."""

    aspect: Aspect
    path: Path
    where: str
    before: Facts
    after: Facts
    name: str = ""


def compare_schemas(before: SchemaSide, after: SchemaSide) -> Iterator[SchemaChange]:
    """Yield all differences, a parent's before those of its members.

    What two references have in common is followed below the first pair only.
    """
    seen: set[tuple[frozenset[str], frozenset[str]]] = set()
    work: list[tuple[Path, Sequence[Node], Sequence[Node]]] = [((), before.nodes, after.nodes)]
    while work:
        path, old_nodes, new_nodes = work.pop()
        key = frozenset(n.id for n in old_nodes), frozenset(n.id for n in new_nodes)
        if key in seen:
            continue
        seen.add(key)
        old, new = before.facts(old_nodes), after.facts(new_nodes)
        skipped = after.skipped if not path else frozenset()
        yield from _place(path, old, new, skipped)
        below = [
            ((*path, name), old.properties[name], new.properties[name])
            for name in old.properties
            if name in new.properties and name not in skipped
        ]
        for inner_old, inner_new in ((old.items, new.items), (old.values, new.values)):
            if inner_old and inner_new:
                below.append(((*path, "*"), inner_old, inner_new))
        work += reversed(below)


def _place(path: Path, old: Facts, new: Facts, skipped: frozenset[str]) -> Iterator[SchemaChange]:
    def change(aspect: Aspect, name: str = "", where: str = "") -> SchemaChange:
        return SchemaChange(aspect, path, where or new.where, old, new, name)

    is_other = old.kinds != new.kinds or _is_map(old) != _is_map(new)
    if is_other:
        yield change("type")
    elif (bool(old.items), bool(old.values)) != (bool(new.items), bool(new.values)):
        yield change("type", "*")
    else:
        if old.undeclared != new.undeclared:
            yield change("undeclared")
        for name in sorted(old.properties.keys() - new.properties.keys() - skipped):
            yield change("removed", name)
        for name in sorted(new.properties.keys() - old.properties.keys() - skipped):
            yield change("added", name, new.properties[name][0].where)
    if old.nullable != new.nullable:
        yield change("nullable")
    if old.enum != new.enum:
        yield change("enum")
    for name in (*UPPER, *LOWER):
        if old.bounds.get(name) != new.bounds.get(name):
            yield change("bound", name)
    if old.unique != new.unique:
        yield change("unique")
    if old.patterns != new.patterns:
        yield change("pattern")
    if old.format != new.format and not is_other:
        yield change("format")
    for name in sorted((old.required ^ new.required) - skipped):
        yield change("required", name)
    if old.default != new.default:
        yield change("default")
    if old.merged != new.merged and not is_other:
        yield change("merged")
    if old.map_keys != new.map_keys:
        yield change("map keys")
    if old.rules != new.rules:
        yield change("rules")
    for name in sorted({*old.unions, *new.unions}):
        if old.unions.get(name) != new.unions.get(name) and not is_other:
            yield change("unions", name)
    for name in sorted({*old.others, *new.others}):
        if old.others.get(name) != new.others.get(name):
            yield change("others", name)


def _is_map(facts: Facts) -> bool:
    return bool(facts.values) and not facts.properties


def is_narrower(name: str, old: Bound | None, new: Bound | None) -> bool:
    """Tell whether a limit allows less than it did."""
    if new is None or old is None:
        return new is not None
    sign = 1 if name in LOWER else -1
    return (sign * new[0], new[1]) > (sign * old[0], old[1])
