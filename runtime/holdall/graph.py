"""Paths in the version graph of a kind."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

Pair = tuple[str, str]


def shortest_path(edges: Iterable[Pair], start: str, end: str) -> list[str]:
    """Return the versions from `start` to `end`, both included; none if there is no path."""
    graph = _neighbours(edges)
    before: dict[str, str] = {}
    queue, seen = deque([start]), {start}
    while queue:
        node = queue.popleft()
        if node == end:
            path = [node]
            while node != start:
                node = before[node]
                path.append(node)
            return path[::-1]
        for neighbour in graph.get(node, ()):
            if neighbour not in seen:
                seen.add(neighbour)
                before[neighbour] = node
                queue.append(neighbour)
    return []


def unreachable(versions: Sequence[str], edges: Iterable[Pair]) -> list[str]:
    """Return the versions that no path connects with the first one."""
    pairs = list(edges)
    return [name for name in versions[1:] if not shortest_path(pairs, versions[0], name)]


def _neighbours(edges: Iterable[Pair]) -> dict[str, list[str]]:
    graph: dict[str, list[str]] = {}
    for one, other in edges:
        graph.setdefault(one, []).append(other)
        graph.setdefault(other, []).append(one)
    return graph
