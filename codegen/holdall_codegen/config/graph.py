"""The order and the edges of a group's versions, from the configuration alone."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.plan.graph import neighbours, reachable, shortest_path
from holdall.suggest import nearest
from holdall_codegen.config.keys import VersionConfig
from holdall_codegen.config.names import PAIR, VERSION, VERSION_FORM
from holdall_codegen.config.node import (
    LISTED_TWICE,
    MALFORMED_NAME,
    NOT_A_TREE,
    UNLISTED_VERSION,
    WRONG_ORDER,
    WRONG_TYPE,
    Node,
)


@dataclass(frozen=True, slots=True)
class VersionOrder:
    """The versions of one group, oldest first.

    `is_complete` is false if an entry could not be read: then an unlisted name is not a mistake.
    """

    versions: tuple[VersionConfig, ...]
    is_complete: bool = True

    @property
    def names(self) -> list[str]:
        return [version.name for version in self.versions]

    def listed(self, node: Node, name: str, what: str) -> bool:
        """Tell whether `name` is a listed version; report it at `node` if it is not."""
        if name in self.names:
            return True
        if self.is_complete:
            node.report(
                UNLISTED_VERSION,
                f'{what} names the unlisted version "{name}"{nearest(name, self.names)}',
                f"use one of {', '.join(self.names)}, or add it to versions",
            )
        return False

    def in_order(self, first: str, second: str) -> tuple[str, str]:
        """Return two listed versions, older first."""
        names = self.names
        return (first, second) if names.index(first) < names.index(second) else (second, first)


def read_edges(node: Node, order: VersionOrder) -> tuple[tuple[str, str], ...]:
    """Return the listed pairs, each older first, if they are a tree that reaches every version.

    Shape: `[[v1, v2], [v2, v3]]`, each pair in either order.
    """
    pairs: list[tuple[str, str]] = []
    is_whole = order.is_complete
    for item in node.items("edges"):
        pair = _read_pair(item, order)
        if pair is None:
            is_whole = False
        elif pair in pairs:
            item.report(LISTED_TWICE, f"the edge {_spell(pair)} is listed twice", "remove one")
        elif way := shortest_path(neighbours(pairs), *pair):
            text = f"the edge {_spell(pair)} closes a cycle: {' - '.join(way)} are already joined"
            item.report(NOT_A_TREE, text, "remove one edge of the cycle")
        else:
            pairs.append(pair)
    if pairs and is_whole:
        _report_unreached(node, order, pairs)
    return tuple(pairs)


def read_neighbours(key: str, node: Node, order: VersionOrder) -> tuple[str, str] | None:
    """Return the two versions of a key of `between` such as `v1 -> v2`, older first."""
    match = PAIR.fullmatch(key)
    if not match:
        text = f'the key "{key}" of between is not a pair of versions'
        node.report(MALFORMED_NAME, text, "write OLDER -> NEWER")
        return None
    older, newer = match.groups()
    what = f'the key "{key}" of between'
    are_listed = [order.listed(node, name, what) for name in (older, newer)]
    if not all(are_listed):
        return None
    if older == newer:
        node.report(WRONG_ORDER, f"{what} names one version twice", "name two versions")
        return None
    if order.in_order(older, newer) != (older, newer):
        node.report(
            WRONG_ORDER,
            f"{what} is in the wrong order; the older version comes first, and versions lists "
            f"{newer} before {older}",
            f"write {newer} -> {older} and state the facts from the side of {newer}",
        )
        return None
    return older, newer


def _read_pair(node: Node, order: VersionOrder) -> tuple[str, str] | None:
    ends = node.items("an edge")
    names = [
        name
        for end in ends
        if (name := end.matching("a version", VERSION, VERSION_FORM)) is not None
    ]
    if ends and len(ends) != 2:
        node.report(WRONG_TYPE, f"an edge joins two versions, not {len(ends)}", "write [v1, v2]")
    if len(ends) != 2 or len(names) != 2:
        return None
    are_listed = [order.listed(node, name, "an edge") for name in names]
    if not all(are_listed):
        return None
    if names[0] == names[1]:
        node.report(NOT_A_TREE, f"an edge joins {names[0]} to itself", "name two versions")
        return None
    return order.in_order(names[0], names[1])


def _report_unreached(node: Node, order: VersionOrder, pairs: list[tuple[str, str]]) -> None:
    start = pairs[0][0]
    reached = reachable(neighbours(pairs), start)
    unreached = [name for name in order.names if name not in reached]
    if unreached:
        node.report(
            NOT_A_TREE,
            f"the listed edges do not lead from {start} to {', '.join(unreached)}",
            "add edges until every version is reached, or write edges: chain",
        )


def _spell(pair: tuple[str, str]) -> str:
    return f"[{pair[0]}, {pair[1]}]"
