"""Naming the hook protocols and methods of edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdall.plan.plans import TypeRef
from holdall_codegen.plan.model import PlannedEdge, PlannedVersion
from holdall_codegen.plan.python_names import free_name, snake_case


def name_protocols(
    edges: Sequence[PlannedEdge], versions: Sequence[PlannedVersion], rank: Mapping[str, int]
) -> tuple[PlannedEdge, ...]:
    """Return the edges, sorted, with protocol names and method suffixes.

    A type with one newer peer has `Assignable<Type>`; with several, each edge is
    `Assignable<Type>To<Peer>`, with the version before the peer where peers share a name. A name
    that a type of the module or another protocol has gets an underscore.
    """
    modules = {version.name: version.module for version in versions}
    taken = {version.name: set(version.types) for version in versions}
    suffixes: dict[TypeRef, set[str]] = {}

    def place(edge: PlannedEdge) -> tuple[int, str, int, str]:
        older, newer = edge.older, edge.newer
        return rank[older.version], older.name, rank[newer.version], newer.name

    peers = Counter(edge.older for edge in edges)
    names = Counter((edge.older, edge.newer.name) for edge in edges)
    named = []
    for edge in sorted(edges, key=place):
        protocol, suffix = f"Assignable{edge.older.name}", ""
        if peers[edge.older] > 1:
            peer = edge.newer.name
            if names[edge.older, peer] > 1:
                peer = modules[edge.newer.version].capitalize() + peer
            protocol += f"To{peer}"
            used = suffixes.setdefault(edge.older, set())
            suffix = free_name(f"_{snake_case(peer)}", used)
            used.add(suffix)
        protocol = free_name(protocol, taken[edge.older.version])
        taken[edge.older.version].add(protocol)
        named.append(replace(edge, protocol=protocol, suffix=suffix))
    return tuple(named)
