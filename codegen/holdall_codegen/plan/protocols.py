"""Naming the hook protocols and methods of edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdall_codegen.plan.model import PlannedEdge, PlannedVersion
from holdall_codegen.plan.python_names import snake_case


def name_protocols(
    edges: Sequence[PlannedEdge], versions: Sequence[PlannedVersion], rank: Mapping[str, int]
) -> tuple[PlannedEdge, ...]:
    """Return the edges, sorted, with protocol names and method suffixes.

    A type with one newer peer has `Assignable<Type>`; with several, each edge is
    `Assignable<Type>To<Peer>`, with the version before the peer where peers share a name.
    """
    modules = {version.name: version.module for version in versions}
    peers = Counter(edge.older for edge in edges)
    names = Counter((edge.older, edge.newer.name) for edge in edges)
    named = []
    for edge in edges:
        protocol, suffix = f"Assignable{edge.older.name}", ""
        if peers[edge.older] > 1:
            peer = edge.newer.name
            if names[edge.older, peer] > 1:
                peer = modules[edge.newer.version].capitalize() + peer
            protocol += f"To{peer}"
            suffix = f"_{snake_case(peer)}"
        named.append(replace(edge, protocol=protocol, suffix=suffix))
    return tuple(
        sorted(
            named,
            key=lambda edge: (
                rank[edge.older.version],
                edge.older.name,
                rank[edge.newer.version],
                edge.newer.name,
            ),
        )
    )
