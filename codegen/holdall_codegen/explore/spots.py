"""Spots: every property of a kind at each place of one version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from holdall.plan.plans import LinkEnd, TypeRef
from holdall_codegen.model import Ref, innermost
from holdall_codegen.plan.levels import deepest
from holdall_codegen.plan.model import GroupPlan, PlannedKind

Path: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str, Path]
"""A version, and wire names below the kind; `*` stands for list elements and map values."""

WILDCARD: Final = "*"
MOST: Final = 20_000
"""Properties of a version of a kind that are drawn."""


class Spots(NamedTuple):
    """Every property of a kind by version, with its holder, parents before their members.

    With a `depth`, only those that are at most this deep: there are too many to draw all.
    """

    versions: Mapping[str, Mapping[Path, LinkEnd]]
    depth: int | None


def spots_of(plan: GroupPlan, kind: PlannedKind) -> Spots:
    """Return where the properties of a kind are; a type that holds itself is followed once."""
    depths = [deepest(plan.version(name), root, MOST) for name, root in kind.types.items()]
    depth = min((one for one in depths if one is not None), default=None)
    roots = {version: TypeRef(version, root) for version, root in kind.types.items()}
    return Spots({version: _walked(plan, root, depth) for version, root in roots.items()}, depth)


def _walked(plan: GroupPlan, root: TypeRef, most: int | None) -> dict[Path, LinkEnd]:
    found: dict[Path, LinkEnd] = {}

    def walk(ref: TypeRef, path: Path, above: frozenset[str]) -> None:
        for member in plan.type(ref).members:
            place = (*path, member.name)
            found[place] = LinkEnd(ref, member.name)
            inner, depth = innermost(member.property.type)
            if len(above) != most and isinstance(inner, Ref) and inner.type_name not in above:
                below = (*place, *(WILDCARD,) * depth)
                walk(TypeRef(ref.version, inner.type_name), below, above | {inner.type_name})

    walk(root, (), frozenset({root.name}))
    return found


def holder_of(path: Path) -> Path:
    """Return the property that holds another one, empty at the top."""
    path = path[:-1]
    while path and path[-1] == WILDCARD:
        path = path[:-1]
    return path
