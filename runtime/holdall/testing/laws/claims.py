"""What the bound hooks of a group claim, as the members of types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from holdall.engine.edges import Crossing
from holdall.plan.plans import TypeRef

Node: TypeAlias = tuple[TypeRef, str]
"""A member of a type, by its wire name."""

Claimed: TypeAlias = Mapping[frozenset[TypeRef], frozenset[Node]]
"""The members that the hook of an edge claims, by the two types of the edge."""


def claimed_members(
    crossings: Iterable[tuple[TypeRef, TypeRef, Crossing]],
) -> Claimed:
    """Return the members that hooks claim, by the two types of their edge."""
    found: dict[frozenset[TypeRef], frozenset[Node]] = {}
    for source, destination, crossing in crossings:
        names = crossing.hook_names
        if names is None:
            continue
        ends = frozenset((source, destination))
        found[ends] = (
            found.get(ends, frozenset())
            | {(source, name) for name in names.reads}
            | {(destination, name) for name in names.writes}
        )
    return found
