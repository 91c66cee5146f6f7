"""Object types while they have no name yet: what the reader makes and the naming names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdall.text.pointer import escape
from holdall_codegen.model import Location, Property
from holdall_codegen.read.class_names import class_name, singular

Role: TypeAlias = Literal["kind", "member", "definition", "anonymous"]


@dataclass(slots=True, eq=False)
class Draft:
    """One object type of one version. References between drafts are `Ref`s to their ids.

    A *kind* is a root, a *member* an object property of a root, a *definition* the target of a
    `$ref`; all others are *anonymous*. `id` is a path below the kind or the definition that the
    draft belongs to. `candidate` is the name it gets if nothing is in the way, `spare` a longer
    one. `key` are the conjuncts it was read from.
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
    """A place where an object type may stand: below `parent`, reached by `steps`.

    Without a parent it is a definition, `id` being that of its node.
    """

    id: str
    candidate: str
    spare: str
    parent: Draft | None = None
    is_direct: bool = False

    @staticmethod
    def of_property(parent: Draft, name: str) -> Spot:
        """The spot of a property's own value."""
        plain = class_name(name)
        return Spot(f"{parent.id}/{escape(name)}", plain, plain, parent, True)

    def of_elements(self) -> Spot:
        """The spot of the elements or map values of the value here."""
        return Spot(f"{self.id}/*", singular(self.candidate), self.spare + "Item", self.parent)

    def role(self) -> Role:
        """The role of an object type that stands here."""
        if self.parent is None:
            return "definition"
        return "member" if self.is_direct and self.parent.role == "kind" else "anonymous"
