"""The version graph of a group, its kinds over the versions, and the graph of each kind."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from holdall.errors import Problem
from holdall.plan.graph import neighbours
from holdall.suggest import nearest
from holdall_codegen.config.model import GroupConfig, TypeFacts
from holdall_codegen.model import Group, Kind

Pair = tuple[str, str]

_UNSTABLE = re.compile(r"alpha|beta|preview|rc|dev", re.IGNORECASE)


def choose_hub(config: GroupConfig) -> str:
    """Return the hub: as configured, else the newest stable version that is served."""
    if config.hub is not None:
        return config.hub
    served = [version.name for version in config.versions if not version.internal]
    stable = [name for name in served if is_stable(name)]
    return (stable or served)[-1]


def is_stable(version: str) -> bool:
    """Tell whether the name of a version does not mark it as unstable."""
    return not _UNSTABLE.search(version)


def version_edges(config: GroupConfig, hub: str) -> tuple[Pair, ...]:
    """Return the edges of the version graph, each from the older to the newer end, sorted."""
    names = [version.name for version in config.versions]
    if config.edges == "chain":
        pairs: Iterable[Pair] = pairwise(names)
    elif config.edges == "star":
        pairs = ((name, hub) for name in names if name != hub)
    else:
        pairs = config.edges
    return _in_order(pairs, names)


def _in_order(pairs: Iterable[Pair], names: Sequence[str]) -> tuple[Pair, ...]:
    """Return pairs in the order of versions, each once and with its older end first."""
    rank = {name: index for index, name in enumerate(names)}
    ranks = {(min(rank[a], rank[b]), max(rank[a], rank[b])) for a, b in pairs}
    return tuple((names[one], names[other]) for one, other in sorted(ranks))


def kind_edges(
    versions: Sequence[str], edges: Sequence[Pair], holders: Iterable[str]
) -> tuple[Pair, ...]:
    """Return the edges of one kind: the neighbours of a version without it are joined.

    The result is a tree over the versions that have the kind, oldest first.
    """
    present = set(holders)
    graph = neighbours(edges)
    joined = ((one, other) for one in present for other in _reach(graph, one, present))
    return _spanning(_in_order(joined, versions))


def _reach(graph: Mapping[str, list[str]], start: str, present: set[str]) -> Iterable[str]:
    queue, seen = deque([start]), {start}
    while queue:
        for neighbour in graph.get(queue.popleft(), ()):
            if neighbour in seen:
                continue
            seen.add(neighbour)
            if neighbour in present:
                yield neighbour
            else:
                queue.append(neighbour)


def _spanning(edges: Sequence[Pair]) -> tuple[Pair, ...]:
    # A missing version with several neighbours joins each to each; keep the first tree.
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    kept = []
    for older, newer in edges:
        if find(older) != find(newer):
            root[find(older)] = find(newer)
            kept.append((older, newer))
    return tuple(kept)


# --- kinds over versions --------------------------------------------------------------------------


@dataclass(slots=True)
class Family:
    """One kind over its versions; `kinds` is by version, oldest first."""

    kinds: dict[str, Kind] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name in the newest version that has the kind."""
        return list(self.kinds.values())[-1].name


def kind_families(group: Group, config: GroupConfig, problems: list[Problem]) -> list[Family]:
    """Return the kinds of a group, sorted by name; add problems of declared renames."""
    names = {
        (version.name, kind.name): kind.name for version in group.versions for kind in version.kinds
    }
    for edge in config.facts:
        for entry in edge.types:
            if entry.type is not None:
                _rename(group, edge.older, edge.newer, entry, names, problems)
    families: dict[str, Family] = {}
    for version in group.versions:
        for kind in version.kinds:
            family = families.setdefault(names[version.name, kind.name], Family())
            if version.name in family.kinds:
                other = family.kinds[version.name].name
                text = (
                    f"{version.name} has both {other} and {kind.name}, which $type makes one kind"
                )
                problems.append(Problem("HA214", str(config.location), text, "correct the $type"))
            family.kinds[version.name] = kind
    return sorted(families.values(), key=lambda family: family.name)


def _rename(
    group: Group,
    older: str,
    newer: str,
    entry: TypeFacts,
    names: dict[tuple[str, str], str],
    problems: list[Problem],
) -> None:
    before = {kind.type_name: kind for kind in group.version(older).kinds}
    after = {kind.type_name: kind for kind in group.version(newer).kinds}
    wanted = entry.type or ""
    if entry.pattern not in before:
        text = (
            f"$type renames kinds, but {entry.pattern} is not a kind's root type in {older}"
            f"{nearest(entry.pattern, before)}; nested types are paired by their properties"
        )
        problems.append(Problem("HA214", str(entry.location), text, "remove the $type"))
    elif wanted not in after:
        text = f"{newer} has no kind with the root type {wanted!r}{nearest(wanted, after)}"
        problems.append(Problem("HA214", str(entry.location), text, "name a kind's root type"))
    else:
        old, new = names[older, before[entry.pattern].name], names[newer, after[wanted].name]
        for key, name in names.items():
            if name == new:
                names[key] = old
