"""A resolved declaration: versions, and each container's shapes and edges, as plain data.

Everything that follows from the declaration alone is decided; nothing refers to Python objects of
the declaring module. `Location.pointer` is the path in the declaration, such as
`Foo.bar.changed[0].from_name`. Source: docs/declared.md, "Actions".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from holdall.errors import Problem
from holdall.plan.tracking import Tracking
from holdall.types import JsonValue
from holdall_codegen.config.crd import KindConfig
from holdall_codegen.declared.types import DeclType, FunctionRef
from holdall_codegen.model import NOWHERE, Location, Metadata

SkipFlag = Literal["from", "object_from", "merged_crd", "try_convert"]
Form = Literal["object", "union"]


@dataclass(frozen=True, slots=True)
class Reexport:
    """Names that a version module re-exports: `module:name`, or all of `module` (name is `*`).

    An empty name is the module itself. `alias` is the name there, "" for its own name.
    """

    module: str
    name: str
    location: Location = field(default=NOWHERE, compare=False)
    alias: str = ""

    @property
    def exported(self) -> str:
        """The name in the version module."""
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class DeclaredVersion:
    """One version; `name` is without leading zeros.

    `deprecated` is "", or the text of the marker: the note, else `Version v1 is deprecated`. `note`
    is the CRD's deprecationWarning, "" if there is none. `doc` is trimmed. `skip` is for the edges
    to the next version.
    """

    name: str
    location: Location
    deprecated: str = ""
    note: str = ""
    doc: str = ""
    served: bool = True
    skip: frozenset[SkipFlag] = frozenset()
    reexports: tuple[Reexport, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the whole declaration. `imports` maps an override's name to an import path.

    `tracking` says how values are kept that a version cannot hold, if at all; with `keeps_all` also
    those that converting back would reproduce.
    """

    allow_unsorted: bool = False
    preserve_module: bool = False
    tracking: Tracking | None = None
    keeps_all: bool = False
    tracing: bool = False
    unconvertible: Literal["warn", "error"] = "warn"
    imports: Mapping[str, str] = field(default_factory=dict)
    skip: frozenset[SkipFlag] = frozenset()


@dataclass(frozen=True, slots=True)
class Item:
    """A field or a variant, as one version has it.

    `declared` is its name in the latest version, the same in all versions. `type` of a variant is
    its payload: None for a unit, a tuple for tuple variants. `deprecated` is the note, True without
    one, else False; `deprecated_since` its version. `has_default` and `default` are
    the default in the declaring class. `metadata` is the source text of foreign Annotated
    metadata.
    """

    name: str
    json_name: str
    declared: str
    type: DeclType | tuple[DeclType, ...] | None
    location: Location
    doc: str = ""
    deprecated: str | bool = False
    deprecated_since: str = ""
    has_default: bool = False
    default: JsonValue = None
    default_factory: FunctionRef | None = None
    list_keys: tuple[str, ...] = ()
    metadata: tuple[Metadata, ...] = ()


@dataclass(frozen=True, slots=True)
class Lone:
    """An item that only one side of an edge has, and what replaces its value.

    A missing field gets `default()`, else `default_from(parent)`, else the default of the item,
    else that of its type. A missing variant becomes `fallback`, else the result of
    `replace_with(whole value)`; without both it is an error.
    """

    name: str
    location: Location
    default: FunctionRef | None = None
    default_from: FunctionRef | None = None
    fallback: str | None = None
    replace_with: FunctionRef | None = None


@dataclass(frozen=True, slots=True)
class ItemPair:
    """One item on both sides of an edge.

    Functions are those of `changed` at the newer version. `implicit_upgrade` and
    `implicit_downgrade` say whether the types convert without a function. With neither, the pair is
    unmatched in that direction: the other side gets the default of its type, if it has one.
    """

    older: str
    newer: str
    location: Location
    retyped: bool = False
    upgrade: FunctionRef | None = None
    downgrade: FunctionRef | None = None
    implicit_upgrade: bool = True
    implicit_downgrade: bool = True
    older_has_default: bool = True
    newer_has_default: bool = True


@dataclass(frozen=True, slots=True)
class ContainerEdge:
    """What happens to a container between two neighbouring versions, in declaration order.

    `appears` are items of the newer version only, `vanishes` of the older only. `skip` holds
    `from` and `object_from` where the generated converter is left out.
    """

    older: str
    newer: str
    appears: tuple[Lone, ...] = ()
    vanishes: tuple[Lone, ...] = ()
    pairs: tuple[ItemPair, ...] = ()
    skip: frozenset[SkipFlag] = frozenset()


@dataclass(frozen=True, slots=True)
class Resource:
    """What makes an object the spec of a kind; `doc` is the root description.

    `status` is a container, or the name of an external type. `crd` is what the declaration says
    about the CRD: names are resolved, and paths have the names of each version.
    """

    group: str
    kind: str
    crd: KindConfig
    status: DeclType | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """One declared object or union. `shapes` and `edges` hold the versions that have it.

    `doc` is the docstring of the class; `class_doc` puts the doc of a version before it.
    `parameters` are the names of the type parameters of a generic one. `skip` combines that of the
    class and that of the module. One that `is_text` is a plain string instead of a type.
    """

    name: str
    form: Form
    location: Location
    shapes: Mapping[str, tuple[Item, ...]]
    edges: Mapping[tuple[str, str], ContainerEdge]
    resource: Resource | None = None
    skip: frozenset[SkipFlag] = frozenset()
    is_text: bool = False
    doc: str = ""
    parameters: tuple[str, ...] = ()
    default_variant: str | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """A whole module: `versions` ascend, `containers` are in source order."""

    module: str
    file: str
    versions: tuple[DeclaredVersion, ...]
    containers: tuple[Container, ...]
    options: Options = field(default_factory=Options)
    warnings: tuple[Problem, ...] = ()

    def version(self, name: str) -> DeclaredVersion:
        return next(version for version in self.versions if version.name == name)

    def container(self, name: str) -> Container:
        return next(container for container in self.containers if container.name == name)

    def resources(self) -> list[tuple[Container, Resource]]:
        """Return the containers that are specs of kinds."""
        return [(it, it.resource) for it in self.containers if it.resource is not None]

    def class_doc(self, container: Container, version: str) -> str:
        """Return the documentation of a container in one version: the version's, then its own."""
        texts = (self.version(version).doc, container.doc)
        return "\n\n".join(text for text in texts if text)
