"""What the sources say, as small immutable data: groups, versions, types, properties.

No Python names, no text of generated code and no decisions: those belong to the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdall.types import JsonValue

ScalarKind = Literal["string", "integer", "number", "boolean"]


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """Where something stands in a source: path as written in the configuration, 1-based line."""

    file: str
    line: int
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


NOWHERE = Location("", 0)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of one JSON scalar kind. `enum` and `format` are validation, not identity."""

    kind: ScalarKind
    format: str = ""
    enum: tuple[JsonValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Union:
    """A value of one of several scalar kinds (int-or-string, bool-or-string)."""

    members: tuple[ScalarKind, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """Any JSON value; the schema says nothing more, or says it with unions of objects or lists.

    `why` is empty for values that are opaque by declaration, else the construct that made it so.
    """

    why: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """An object of the type `type_name` of the same version."""

    type_name: str


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. `map_keys` are the members that identify an element (list type map)."""

    item: Type
    item_nullable: bool = False
    list_type: Literal["atomic", "set", "map"] = "atomic"
    map_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with free keys and values of one type."""

    value: Type
    value_nullable: bool = False


Type: TypeAlias = Scalar | Union | Opaque | Ref | ListOf | MapOf


@dataclass(frozen=True, slots=True)
class Property:
    """One declared member of an object type, by its wire name."""

    name: str
    type: Type
    required: bool = False
    nullable: bool = False
    default: JsonValue = None
    has_default: bool = False
    doc: str = ""
    deprecated: str = ""
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A named object type of one version, properties in source order.

    `name` is unique within its version. `paths` are the places where it stands, as
    `Kind/spec/pools/*` (`*` for list elements and map values), sorted.
    """

    name: str
    properties: tuple[Property, ...]
    doc: str = ""
    preserve_unknown: bool = False
    paths: tuple[str, ...] = ()
    location: Location = NOWHERE

    def property(self, name: str) -> Property | None:
        return next((item for item in self.properties if item.name == name), None)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of one version: its root type has the properties `metadata`, `spec`, … but neither
    `apiVersion` nor `kind`."""

    name: str
    type_name: str
    plural: str = ""
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a group. `types` holds every reachable object type, sorted by name."""

    name: str
    kinds: tuple[Kind, ...]
    types: Mapping[str, ObjectType]
    internal: bool = False
    deprecated: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The versions of one group, oldest first, in the explicit order of the configuration.

    `api_group` is what stands before the slash of apiVersion, empty for plain documents.
    `crds` keeps each CRD document the group was read from, by kind.
    """

    name: str
    api_group: str
    versions: tuple[Version, ...]
    crds: Mapping[str, JsonValue] = field(default_factory=dict)

    def version(self, name: str) -> Version:
        return next(version for version in self.versions if version.name == name)
