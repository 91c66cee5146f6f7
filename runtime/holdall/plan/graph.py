"""Graphs of versions and types: neighbours, shortest paths, reachability."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)
T = TypeVar("T", bound=Hashable)


def neighbours(edges: Iterable[tuple[N, N]]) -> dict[N, list[N]]:
    """Return the neighbours of every node, in the order of the edges."""
    graph: dict[N, list[N]] = {}
    for one, other in edges:
        graph.setdefault(one, []).append(other)
        graph.setdefault(other, []).append(one)
    return graph


def first_steps(
    graph: Mapping[N, Sequence[N]], ways: Iterable[tuple[N, T, N]]
) -> dict[tuple[N, N], set[T]]:
    """Return what ways of several edges bear, by the edge with which each begins."""
    found: dict[tuple[N, N], set[T]] = {}
    for start, borne, end in ways:
        path = shortest_path(graph, start, end)
        if len(path) > 2:
            found.setdefault((start, path[1]), set()).add(borne)
    return found


def shortest_path(graph: Mapping[N, Sequence[N]], start: N, end: N) -> list[N]:
    """Return the nodes from `start` to `end`, both included; none if there is no path."""
    before: dict[N, N] = {}
    queue, seen = deque([start]), {start}
    while queue:
        node = queue.popleft()
        if node == end:
            path = [node]
            while node in before:
                node = before[node]
                path.append(node)
            return path[::-1]
        for neighbour in graph.get(node, ()):
            if neighbour not in seen:
                seen.add(neighbour)
                before[neighbour] = node
                queue.append(neighbour)
    return []


def closure(start: Iterable[N], further: Callable[[N], Iterable[N]]) -> list[N]:
    """Return nodes and all that `further` reaches from them, each once, the nearest first."""
    queue = list(dict.fromkeys(start))
    seen = set(queue)
    for node in queue:
        for neighbour in further(node):
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append(neighbour)
    return queue


def reachable(graph: Mapping[N, Sequence[N]], start: N) -> list[N]:
    """Return a node and all nodes that paths connect with it, the nearest first."""
    return closure([start], lambda node: graph.get(node, ()))


def on_both_sides(graph: Mapping[N, Sequence[N]], one: N, other: N) -> set[N]:
    """Return the nodes that paths lead to from each of two nodes, without the other one."""

    def beyond(start: N, left_out: N) -> set[N]:
        return {*closure([start], lambda node: [n for n in graph[node] if n != left_out])}

    return beyond(one, other) & beyond(other, one)


def unreachable(nodes: Sequence[N], edges: Iterable[tuple[N, N]]) -> list[N]:
    """Return the nodes that no path connects with the first one."""
    found = reachable(neighbours(edges), nodes[0])
    return [node for node in nodes[1:] if node not in found]
