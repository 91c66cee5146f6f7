"""How deep the properties of a type can be written out, each at its place."""

from __future__ import annotations

from holdall_codegen.model import Ref, innermost
from holdall_codegen.plan.model import PlannedVersion


def deepest(version: PlannedVersion, root: str, most: int) -> int | None:
    """Return the level down to which a type has at most `most` properties; None if all fit.

    A type that holds itself is followed once. Types that hold each other twice double their places
    with each level.
    """
    count = depth = 0
    level = [(root, frozenset({root}))]
    while level:
        below: list[tuple[str, frozenset[str]]] = []
        for name, above in level:
            members = version.types[name].members
            count += len(members)
            if count > most:
                return max(depth, 1)
            types = (innermost(member.property.type)[0] for member in members)
            held = (type_.type_name for type_ in types if isinstance(type_, Ref))
            below += [(inner, above | {inner}) for inner in held if inner not in above]
        level, depth = below, depth + 1
    return None
