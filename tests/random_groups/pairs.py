"""Pairs of faces: a property in two versions, and how a configuration names it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.random_groups.model import Group, Property, Type, types_below


@dataclass(frozen=True)
class Pair:
    """A property in two versions that convert into each other, as a configuration names it.

    `above` is the property that holds its object, with the type of that one and its name.
    """

    older: str
    newer: str
    type: Type
    item: Property
    name: str  # of its type in the older version
    path: str
    above: tuple[Property, Type, str] | None
    is_link: bool
    is_far: bool  # whether there is a version between

    @property
    def is_hooked(self) -> bool:
        """Tell whether a hook makes one face of the other."""
        before, after = (self.item.faces[version] for version in (self.older, self.newer))
        differs = before.name != after.name or before.bent != after.bent
        return bool(self.item.hooked) and differs and before.inside == after.inside

    @property
    def is_above(self) -> bool:
        """Tell whether the hook completes what is above: what that loses is kept as a whole."""
        if self.item.hooked != "above" or self.above is None or self.is_far:
            return False
        holder = self.above[0]
        if holder.table is not None:  # which has no name where its table is a map
            return False
        held = Type([holder])
        return not holder.kind.bent and all(
            self.shows_all(type) for type, _, _ in [(held, None, held), *types_below(held)]
        )

    def shows_all(self, type: Type) -> bool:
        """Tell whether both versions show all of an object, in forms that say the same."""
        ends = self.older, self.newer
        keeps = [version in type.keeping for version in ends]
        return keeps[0] == keeps[1] and all(
            all(version in item.faces and not item.faces[version].inside for version in ends)
            and (
                item.kind.bend() is None
                or item.kind.name == "enum"
                or item.faces[ends[0]].bent == item.faces[ends[1]].bent
            )
            for item in type.properties
        )


def pairs(group: Group) -> Iterator[Pair]:
    """Yield all pairs of faces that may differ."""
    for kind, root in group.kinds.items():
        held: list[tuple[Type, Property | None, Type | None]] = [(root, None, None)]
        held += types_below(root)
        for type, holder, outer in held:
            for item in type.properties:
                chain = [version for version in group.versions if version in item.faces]
                ends = list(pairwise(chain))
                if group.edges == "star":
                    at = chain.index(group.hub) if group.hub in chain else -1
                    ends = [(one, group.hub) for one in chain[: max(at, 0)]]
                    ends += [(group.hub, one) for one in chain[at + 1 :] if at >= 0]
                for older, newer in ends:
                    if type.single and type.is_single(older) != type.is_single(newer):
                        continue  # of a map's value there is no type
                    name, path = named(kind, root, holder, older), path_of(type, item, older)
                    if item.faces[older].inside == item.faces[newer].inside != 0:
                        inside = type.by_id(item.faces[older].inside)
                        name, path = type_name(inside, older), item.faces[older].name
                    above = None
                    if holder is not None and outer is not None and outer is not root:
                        over = next((one for t, one, _ in held if t is outer), None)
                        above = holder, outer, named(kind, root, over, older)
                    low, high = map(group.versions.index, (older, newer))
                    known = group.versions if holder is None else holder.faces
                    passed = group.versions[low + 1 : high] if group.edges == "chain" else []
                    is_link = any(version in known for version in passed)
                    what = older, newer, type, item, name, path, above
                    yield Pair(*what, is_link=is_link, is_far=bool(passed))


def named(kind: str, root: Type, holder: Property | None, version: str) -> str:
    """Return the name of the type of what a property holds, or of a kind."""
    if holder is None:
        return kind
    name = type_name(holder, version)
    return kind + name if holder in root.properties else name


def type_name(holder: Property, version: str) -> str:
    if holder.table is not None and holder.table.faces[version].bent:
        holder = holder.table
    name = holder.faces[version].name
    return name[0].upper() + name[1:]


def path_of(type: Type, item: Property, version: str) -> str:
    face = item.faces[version]
    if not face.inside:
        return face.name
    return f"{type.by_id(face.inside).faces[version].name}/{face.name}"
