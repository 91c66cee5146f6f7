"""Spots: every property of a kind at each place of one version."""

from __future__ import annotations

from typing import Final, TypeAlias

from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.model import Ref, innermost
from holdall_codegen.plan.model import GroupPlan, PlannedKind

Path: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str, Path]
"""A version, and wire names below the kind; `*` stands for list elements and map values."""

WILDCARD: Final = "*"


def spots_of(plan: GroupPlan, kind: PlannedKind, version: str) -> dict[Path, LinkEnd]:
    """Return every property of a kind in a version, with its holder, parents before their members.

    A type that holds itself is followed once.
    """
    found: dict[Path, LinkEnd] = {}

    def walk(ref: TypeRef, path: Path, above: frozenset[str]) -> None:
        for member in plan.type(ref).members:
            place = (*path, member.name)
            found[place] = LinkEnd(ref, member.name)
            inner, depth = innermost(member.property.type)
            if isinstance(inner, Ref) and inner.type_name not in above:
                below = (*place, *(WILDCARD,) * depth)
                walk(TypeRef(version, inner.type_name), below, above | {inner.type_name})

    root = kind.types[version]
    walk(TypeRef(version, root), (), frozenset({root}))
    return found


def holder_of(path: Path) -> Path:
    """Return the property that holds another one, empty at the top."""
    path = path[:-1]
    while path and path[-1] == WILDCARD:
        path = path[:-1]
    return path
