"""Checks of conversion maps: what each item comes from, and by which means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from holdall_codegen.declared.model import Container, ContainerEdge, ItemPair, Lone
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    FunctionRef,
    ListOf,
    Named,
    OptionalOf,
    parts,
)
from tests.acceptance.declared.cases import Node, items, node, refuse_unknown
from tests.acceptance.declared.conversion_probes import Probe
from tests.acceptance.declared.generated import generated
from tests.acceptance.declared.subject import Checks, Subject, compare

CHECKS: Final = Checks()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a conversion map: all names of the means are one by meaning."""

    to: str
    source: str | None
    via: frozenset[str]


@CHECKS.add("expect.conversions")
def check_conversions(subject: Subject, expected: object) -> Iterable[str]:
    """One map per neighbouring pair and direction, but for edges that are skipped."""
    if subject.declaration is None:
        return
    rows = node(expected, "expect.conversions")
    found = {item.name: item for item in subject.declaration.containers}
    visible = set(found) - set(subject.rendering.payloads)
    # A class without any conversion may be left out.
    silent = {name for name in visible - set(rows) if not _converted(found[name])}
    yield from compare("conversions", sorted(rows), sorted(visible - silent))
    for name, listed in rows.items():
        if name in found:
            entries = [node(entry, name) for entry in items(listed, f"conversions.{name}")]
            yield from _check_container(subject, found[name], entries)


def _check_container(subject: Subject, container: Container, entries: list[Node]) -> Iterable[str]:
    where = f"conversions.{container.name}"
    wanted: dict[tuple[str, str, str], Node] = {}
    for entry in entries:
        refuse_unknown(entry, ("from", "to", "direction", "map", "dropped"), where)
        key = (str(entry.get("from")), str(entry.get("to")), str(entry.get("direction")))
        if key in wanted:
            yield f"{where}: {key} is listed twice"
        wanted[key] = entry
    found = {
        key: edge
        for edge in _converted(container)
        for key in (
            (edge.older, edge.newer, "upgrade"),
            (edge.newer, edge.older, "downgrade"),
        )
    }
    yield from compare(where, sorted(wanted), sorted(found))
    for key, edge in found.items():
        if key in wanted:
            place = f"{where}.{key[0]}->{key[1]}"
            yield from _check_map(subject, container, edge, key[2], wanted[key], place)


def _converted(container: Container) -> list[ContainerEdge]:
    return [edge for edge in container.edges.values() if "from" not in edge.skip]


def _check_map(
    subject: Subject,
    container: Container,
    edge: ContainerEdge,
    direction: str,
    entry: Node,
    where: str,
) -> Iterable[str]:
    is_upgrade = direction == "upgrade"
    made, dropped = (edge.appears, edge.vanishes) if is_upgrade else (edge.vanishes, edge.appears)
    listed = sorted(items(entry.get("dropped"), where))
    # A variant without a way back is dropped or, in a match, not named at all.
    if listed or container.form == "object":
        yield from compare(f"{where}.dropped", listed, sorted(item.name for item in dropped))
    found = list(_rows(subject, container, edge, direction))
    rows = [node(row, where) for row in items(entry.get("map"), where)]
    if container.form == "union":
        # Nothing is made of nothing in a union: rows for new variants may be listed or not.
        new = {item.name for item in made}
        rows = [r for r in rows if not (r.get("from") is None and r.get("to") in new)]
        found = [row for row in found if row.source is not None]
    yield from compare(
        where,
        [(row.get("to"), row.get("from")) for row in rows],
        [(row.to, row.source) for row in found],
    )
    for row, actual in zip(rows, found, strict=False):
        refuse_unknown(row, ("to", "from", "via"), where)
        if "via" in row and row["via"] not in actual.via:
            place = f"{where}.{actual.to}.via"
            yield f"{place}: expected {row['via']!r}, found {' or '.join(sorted(actual.via))}"
        elif "via" not in row and container.form == "object":
            yield f"{where}.{actual.to}: the row has no via"
    known = {item.name for item in container.shapes[str(entry["from"])]}
    probed = [row for row, actual in zip(rows, found, strict=False) if row.get("to") == actual.to]
    probe = Probe(
        subject, generated(subject), container, str(entry["from"]), str(entry["to"]), where
    )
    yield from probe.differences(probed, [str(name) for name in listed if name in known])


def _rows(
    subject: Subject, container: Container, edge: ContainerEdge, direction: str
) -> Iterator[Row]:
    """Yield the rows of one direction in declaration order."""
    is_upgrade = direction == "upgrade"
    version = edge.newer if is_upgrade else edge.older
    pairs = {(pair.newer if is_upgrade else pair.older): pair for pair in edge.pairs}
    made = {item.name: item for item in (edge.appears if is_upgrade else edge.vanishes)}
    for item in container.shapes[version]:
        if item.name in pairs:
            pair = pairs[item.name]
            source = pair.older if is_upgrade else pair.newer
            yield Row(item.name, source, _via(subject, pair, is_upgrade, item.type))
        else:
            yield Row(item.name, None, _made(subject, made[item.name]))


def _made(subject: Subject, item: Lone) -> frozenset[str]:
    function = item.default or item.default_from
    if function is None or subject.neutral_name(function) == "default":
        return frozenset({"default"})
    return frozenset({f"default_fn:{subject.neutral_name(function)}"})


def _via(subject: Subject, pair: ItemPair, is_upgrade: bool, type_: Any) -> frozenset[str]:
    function: FunctionRef | None = pair.upgrade if is_upgrade else pair.downgrade
    if function is not None and subject.neutral_name(function) != "into":
        return frozenset({f"fn:{subject.neutral_name(function)}"})
    wrappers = {OptionalOf: "option", ListOf: "list", DictOf: "map"}
    found = {"into"}
    wrapper = next((word for kind, word in wrappers.items() if isinstance(type_, kind)), "")
    if wrapper:
        found.add(f"{wrapper}_into")
    declaration = subject.declaration
    if declaration is not None and declaration.options.tracking is not None:
        held: list[DeclType] = list(type_) if isinstance(type_, tuple) else [type_] if type_ else []
        if any(isinstance(part, Named) for inner in held for part in parts(inner)):
            found.add(f"{wrapper}_track" if wrapper else "track")
    return frozenset(found)
