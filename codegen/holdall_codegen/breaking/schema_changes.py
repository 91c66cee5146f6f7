"""The differences of two schemas of one kind, place by place, before anything is judged.

A difference is what a schema said and what it says now. The rules decide whether that breaks
someone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from holdall.plan.graph import closure
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

    `skipped` are members of the root that are not properties of the kind.
    """

    reader: FactsReader
    nodes: Sequence[Node]
    prunes: Prunes = "nothing"
    skipped: frozenset[str] = frozenset()
    _known: dict[frozenset[str], Facts] = field(default_factory=dict, repr=False, compare=False)

    def facts(self, nodes: Sequence[Node]) -> Facts:
        """Return what nodes say together; they are read once."""
        key = frozenset(node.id for node in nodes)
        if key not in self._known:
            self._known[key] = self.reader.read(nodes, self.prunes)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference, with all places that share its schema: `paths`, the first one first.

    `name` is the keyword or member that it is about. For a default, `was_required` says that its
    member was required before. `member_values` are those to which members were limited.
    """

    aspect: Aspect
    where: str
    before: Facts
    after: Facts
    name: str = ""
    paths: tuple[Path, ...] = ()
    was_required: bool = False
    member_values: Mapping[str, frozenset[str]] = field(default_factory=dict)


MORE: Final[Path] = ("…",)
"""Replaces all further places of a schema with more of them than anyone would read."""
_MANY: Final = 200

Pair: TypeAlias = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Compared:
    """What two schemas say at all their places, with the pairs of their members."""

    old: Facts
    new: Facts
    changes: Sequence[SchemaChange]
    below: Mapping[str, Pair]


def compare_schemas(before: SchemaSide, after: SchemaSide) -> Iterator[SchemaChange]:
    """Yield all differences, a parent's before those of its members.

    Schemas behind references are compared once, and reported with all their places.
    """
    compared, root = _compare_pairs(before, after)
    for pair, places in _places(compared, root).items():
        found = compared[pair]
        for change in found.changes:
            for was_required in (False, True):
                paths = tuple(
                    path
                    for path, given in places
                    if given is was_required or (change.aspect != "default" and not was_required)
                )
                if paths:
                    yield replace(change, paths=paths, was_required=was_required)


def _compare_pairs(before: SchemaSide, after: SchemaSide) -> tuple[dict[Pair, _Compared], Pair]:
    """Return what each pair of schemas says, and the pair of the roots."""
    compared: dict[Pair, _Compared] = {}
    root = _pair(before.nodes, after.nodes)
    work: list[tuple[Sequence[Node], Sequence[Node]]] = [(before.nodes, after.nodes)]
    while work:
        old_nodes, new_nodes = work.pop()
        pair = _pair(old_nodes, new_nodes)
        if pair in compared:
            continue
        old, new = before.facts(old_nodes), after.facts(new_nodes)
        skipped = after.skipped if pair == root else frozenset()
        below = {
            name: (old.properties[name], new.properties[name])
            for name in old.properties
            if name in new.properties and name not in skipped
        }
        for inner in ((old.items, new.items), (old.values, new.values)):
            if all(inner):
                below["*"] = inner
        changes = [
            replace(change, member_values=_member_values(before, below))
            if change.aspect == "rules"
            else change
            for change in compare_places(old, new, skipped)
        ]
        compared[pair] = _Compared(
            old, new, changes, {name: _pair(*nodes) for name, nodes in below.items()}
        )
        work += below.values()
    return compared, root


def _pair(old: Sequence[Node], new: Sequence[Node]) -> Pair:
    return frozenset(node.id for node in old), frozenset(node.id for node in new)


def _member_values(
    before: SchemaSide, members: Mapping[str, tuple[Sequence[Node], Sequence[Node]]]
) -> Mapping[str, frozenset[str]]:
    """Return the values to which members were limited."""
    enums = {name: before.facts(nodes).enum for name, (nodes, _) in members.items()}
    return {name: enum for name, enum in enums.items() if enum is not None}


def _places(
    compared: Mapping[Pair, _Compared], root: Pair
) -> Mapping[Pair, Sequence[tuple[Path, bool]]]:
    """Return the places of all pairs that differ, and whether they were required before."""
    differing = _differing(compared)
    found: dict[Pair, list[tuple[Path, bool]]] = {}
    work: list[tuple[Pair, Path, bool, tuple[Pair, ...]]] = [(root, (), False, ())]
    while work:
        pair, path, was_required, above = work.pop()
        places = found.setdefault(pair, [])
        if len(places) > _MANY:
            continue
        if len(places) == _MANY:
            places.append((MORE, False))
            continue
        places.append((path, was_required))
        here = compared[pair]
        work += reversed(
            [
                (inner, (*path, name), name in here.old.required, (*above, pair))
                for name, inner in here.below.items()
                if inner in differing and inner not in (*above, pair)
            ]
        )
    return found


def _differing(compared: Mapping[Pair, _Compared]) -> set[Pair]:
    """Return the pairs that differ themselves or in their members, at any depth."""
    above: dict[Pair, list[Pair]] = {}
    for pair, here in compared.items():
        for inner in here.below.values():
            above.setdefault(inner, []).append(pair)
    changed = [pair for pair, here in compared.items() if here.changes]
    return {*closure(changed, lambda pair: above.get(pair, ()))}


def compare_places(
    old: Facts, new: Facts, skipped: frozenset[str] = frozenset()
) -> Iterator[SchemaChange]:
    """Yield the differences of one place, without those of its members and elements."""

    def change(aspect: Aspect, name: str = "", where: str = "") -> SchemaChange:
        return SchemaChange(aspect, where or new.where, old, new, name)

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
    """Tell whether a limit allows less than before."""
    if new is None or old is None:
        return new is not None
    sign = 1 if name in LOWER else -1
    return (sign * new[0], new[1]) > (sign * old[0], old[1])
