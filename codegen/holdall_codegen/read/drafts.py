"""Drafts: object types as the reader makes them, before they have names, and their places."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdall.text.pointer import escape
from holdall.text.pointer import split as split_pointer
from holdall_codegen.model import ListOf, Location, MapOf, Property, Ref, Type, innermost
from holdall_codegen.read.class_names import class_name, singular

Role: TypeAlias = Literal["kind", "member", "definition", "anonymous"]


@dataclass(slots=True, eq=False)
class Draft:
    """One object type of one version. References between drafts are `Ref`s to their ids.

    A *kind* is a root, a *member* an object property of a root, a *definition* the target of a
    `$ref`; all others are *anonymous*. `id` is a path below the kind or the definition that the
    draft belongs to. `candidate` is the name it gets if that is free, `spare` a longer one.
    `key` are the conjuncts it was read from.
    """

    id: str
    role: Role
    candidate: str
    spare: str
    location: Location
    parent: Draft | None = None
    key: frozenset[str] = frozenset()
    doc: str = ""
    preserve_unknown: bool = False
    has_slot: bool = False
    properties: list[Property] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where an object type may be: below `parent`, reached by `steps`.

    Without a parent it is a definition, `id` being that of its node.
    """

    id: str
    candidate: str
    spare: str
    parent: Draft | None = None
    is_direct: bool = False

    @staticmethod
    def of_property(parent: Draft, name: str) -> Spot:
        """Return the spot of a property's value."""
        plain = class_name(name)
        return Spot(f"{parent.id}/{escape(name)}", plain, plain, parent, True)

    def of_elements(self) -> Spot:
        """Return the spot of the elements or map values of this value."""
        return Spot(f"{self.id}/*", singular(self.candidate), self.spare + "Item", self.parent)

    def role(self) -> Role:
        """The role of an object type at this spot."""
        if self.parent is None:
            return "definition"
        return "member" if self.is_direct and self.parent.role == "kind" else "anonymous"


# --- where object types are -----------------------------------------------------------------------


def find_paths(drafts: Mapping[str, Draft], roots: Iterable[Draft]) -> dict[str, list[str]]:
    """Return the sorted paths of each reachable draft, by id.

    What is below a draft is listed once, below the shortest of its paths (the first in
    code-point order among equals), so that recursive and widely used definitions stay finite.
    """
    paths: dict[str, list[str]] = {}
    queue = deque((root.id, escape(root.id)) for root in sorted(roots, key=lambda root: root.id))
    while queue:
        name, path = queue.popleft()
        known = paths.setdefault(name, [])
        known.append(path)
        if len(known) > 1:
            continue
        for item in sorted(drafts[name].properties, key=lambda item: item.name):
            inner, depth = innermost(item.type)
            if isinstance(inner, Ref):
                queue.append((inner.type_name, "/".join((path, escape(item.name), *"*" * depth))))
    return {name: sorted(found) for name, found in paths.items()}


def follow_path(drafts: Mapping[str, Draft], path: str) -> str | None:
    """Return the id of the draft at a path, None if there is no object type."""
    root, *steps = split_pointer("/" + path)
    draft = drafts.get(root)
    if draft is None or draft.role != "kind":
        return None
    value: Type = Ref(draft.id)
    for step in steps:
        if isinstance(value, Ref):
            declared = [item for item in drafts[value.type_name].properties if item.name == step]
            if not declared:
                return None
            value = declared[0].type
        elif isinstance(value, (ListOf, MapOf)) and step == "*":
            value = value.item if isinstance(value, ListOf) else value.value
        else:
            return None
    return value.type_name if isinstance(value, Ref) else None
