"""Schema nodes: JSON values with their places; documents, and the roots that they declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdall.text.documents import Document, Scalars
from holdall.text.pointer import join
from holdall.types import JsonValue, get, is_json_object
from holdall_codegen.model import Location

_EMPTY: Final[Mapping[str, JsonValue]] = {}

SHAPE: Final = frozenset(
    """
    $dynamicRef $recursiveRef $ref additionalProperties allOf anyOf const enum items oneOf
    patternProperties prefixItems properties x-kubernetes-embedded-resource
    x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields
    """.split()  # noqa: SIM905 - a list of keywords
)
"""Keywords besides `type` that describe a value's shape; all others annotate or validate."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """One document of one file. `file` is relative to the project's root, in posix form."""

    file: str
    number: int
    document: Document
    yaml: Scalars

    def location(self, pointer: str) -> Location:
        """Return the location of the node at a JSON Pointer."""
        return Location(self.file, self.document.position(pointer)[0], pointer)

    def where(self, pointer: str) -> str:
        """Return `file:line:column` of the node at a JSON Pointer."""
        return self.document.where(pointer)


@dataclass(slots=True, eq=False)
class Node:
    """One node of a schema document, `pointer` being its JSON Pointer from the document's root.

    `members` are those of an object; any other value has none. Nodes are never changed, but not
    frozen: a project has hundreds of thousands, and frozen ones take twice as long to make.
    """

    source: SourceFile
    pointer: str
    value: JsonValue
    members: Mapping[str, JsonValue] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.members = self.value if is_json_object(self.value) else _EMPTY

    @property
    def id(self) -> str:
        """An id that is unique in the project."""
        number = f"@{self.source.number}" if self.source.number else ""
        return f"{self.source.file}{number}#{self.pointer}"

    @property
    def location(self) -> Location:
        return self.source.location(self.pointer)

    @property
    def where(self) -> str:
        return self.source.where(self.pointer)

    def get(self, keyword: str) -> JsonValue:
        """Return the value of a keyword, None if it is absent."""
        return self.members.get(keyword)

    def child(self, *path: str) -> Node:
        """Return the node at a path of members, each of which must exist."""
        value = self.value
        for name in path:
            value = value[int(name)] if isinstance(value, list) else _member(value, name)
        return Node(self.source, join(self.pointer, *path), value)

    def children(self, keyword: str) -> list[Node]:
        """Return the elements of the list under a keyword, none if it is not a list."""
        value = self.get(keyword)
        if not isinstance(value, list):
            return []
        return [
            Node(self.source, join(self.pointer, keyword, index), item)
            for index, item in enumerate(value)
        ]

    def says_shape(self) -> bool:
        """Tell whether the node says more about a value's shape than its JSON kind."""
        return not SHAPE.isdisjoint(self.members)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value[name] if is_json_object(value) else None


# --- roots ----------------------------------------------------------------------------------------


_V1BETA1: Final = "apiextensions.k8s.io/v1beta1"


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """The root schema of one kind in one version, and what its source says about it.

    `api_group` is None where the source does not name one; `crd` is the whole CRD document.
    """

    kind: str
    version: str
    node: Node
    api_group: str | None = None
    plural: str = ""
    deprecated: str = ""
    crd: JsonValue = None

    @property
    def is_pruned(self) -> bool:
        """Whether an API server removes what the schema does not declare."""
        if not is_json_object(self.crd):
            return False
        keeps = get(self.crd, "spec", "preserveUnknownFields")
        # The default of v1beta1 was to keep everything.
        return keeps is False if self.crd.get("apiVersion") == _V1BETA1 else keeps is not True
