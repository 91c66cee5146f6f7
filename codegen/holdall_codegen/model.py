"""The contents of sources, as small immutable data: groups, versions, types, properties.

Python names, generated text and decisions belong to the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdall.objects.heads import MemberHead
from holdall.plan.plans import ScalarKind, TypeRef
from holdall.types import JsonValue


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a source: the path as in the configuration, and the 1-based line.

    `column` is 1-based, too, and 0 if it is unknown.
    """

    file: str
    line: int
    pointer: str = ""
    column: int = 0

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{self.file}:{self.line}{column}"


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
    """Any JSON value; the schema says no more, or has unions of objects or lists.

    `why` is "" for values that are declared opaque, else the construct that makes them so.
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
    """An object with arbitrary keys, and values of one type."""

    value: Type
    value_nullable: bool = False


Type: TypeAlias = Scalar | Union | Opaque | Ref | ListOf | MapOf


def is_text(type_: Type | None) -> bool:
    """Tell whether a type is that of strings."""
    return isinstance(type_, Scalar) and type_.kind == "string"


def list_keys(type_: Type) -> tuple[str, ...]:
    """Return the keys of a list of objects, which may be inside other lists and maps."""
    match type_:
        case ListOf(item=Ref()):
            return type_.map_keys
        case ListOf(item=inner) | MapOf(value=inner):
            return list_keys(inner)
        case _:
            return ()


def innermost(type_: Type) -> tuple[Type, int]:
    """Return the innermost type inside lists and maps, and how many they are."""
    depth = 0
    while isinstance(type_, ListOf | MapOf):
        type_ = type_.item if isinstance(type_, ListOf) else type_.value
        depth += 1
    return type_, depth


def referenced_type(type_: Type) -> str:
    """Return the object type inside lists and maps, "" if there is none."""
    inner, _ = innermost(type_)
    return inner.type_name if isinstance(inner, Ref) else ""


def inside(type_: Type, name: str, types: Mapping[str, ObjectType]) -> Type | None:
    """Return the type of a member; the name `*` is for list elements and map values."""
    match type_:
        case Ref(type_name=holder):
            found = types[holder].property(name)
            return None if found is None else found.type
        case ListOf(item=inner) | MapOf(value=inner) if name == "*":
            return inner
        case _:
            return None


def enum_values(type_: Type) -> tuple[JsonValue, ...]:
    """Return the values of an enum, also inside lists and maps."""
    inner, _ = innermost(type_)
    return inner.enum if isinstance(inner, Scalar) else ()


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """An import that an expression needs: `name` of `module` as `alias`; "" is the module."""

    module: str
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """An expression after the type in `Annotated`, with its imports."""

    text: str
    imports: tuple[Import, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """One declared member of an object type, by its wire name.

    `defaults` are all that an API server may fill in: a type may have different ones at different
    places. `default` is the one that is the same at all places. `metadata` is copied to API types,
    and has no meaning for the generator.
    """

    name: str
    type: Type
    required: bool = False
    nullable: bool = False
    default: JsonValue = None
    has_default: bool = False
    defaults: tuple[JsonValue, ...] = ()
    doc: str = ""
    deprecated: str = ""
    location: Location = NOWHERE
    metadata: tuple[Metadata, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A named object type of one version, properties in source order.

    `name` is unique within its version. `form` is the form on the wire: a union is an object with
    one member or, for its property `$unit`, a plain string; a tuple is a list with the properties
    `0`, `1` and so on. `paths` are its places, such as `Kind/spec/pools/*` (`*` for list elements
    and map values), sorted. `has_slot` says that the schema declares a place for bags.
    """

    name: str
    properties: tuple[Property, ...]
    doc: str = ""
    preserve_unknown: bool = False
    paths: tuple[str, ...] = ()
    location: Location = NOWHERE
    form: Literal["object", "union", "tuple"] = "object"
    has_slot: bool = False
    _by_name: Mapping[str, Property] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {item.name: item for item in reversed(self.properties)}
        object.__setattr__(self, "_by_name", by_name)

    def property(self, name: str) -> Property | None:
        return self._by_name.get(name)

    def held(self) -> list[str]:
        """Return the object types that its properties hold, in their order."""
        return [name for item in self.properties if (name := referenced_type(item.type))]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of one version: its root type has the properties `metadata`, `spec`, … but neither
    `apiVersion` nor `kind`.

    `tracked_status` is the name of its API type for a status that holds tracked values too; empty
    if its status holds none.
    """

    name: str
    type_name: str
    plural: str = ""
    location: Location = NOWHERE
    tracked_status: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a group. `types` holds every reachable object type, sorted by name."""

    name: str
    kinds: tuple[Kind, ...]
    types: Mapping[str, ObjectType]
    internal: bool = False
    deprecated: str = ""
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Group:
    """The versions of one group, oldest first, in the explicit order of the configuration.

    `api_group` is the part of apiVersion before the slash, "" for plain documents. `crds` has the
    CRD documents from which the group was read, by kind. `head` is how documents say their version
    and kind, if not in `apiVersion` and `kind`. `roots` are types that have edges by their names,
    whether a kind leads to them or not. `warnings` say what of the sources is not in the model.
    """

    name: str
    api_group: str
    versions: tuple[Version, ...]
    crds: Mapping[str, JsonValue] = field(default_factory=dict)
    head: MemberHead | None = None
    roots: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def version(self, name: str) -> Version:
        return next(version for version in self.versions if version.name == name)

    def type(self, ref: TypeRef) -> ObjectType:
        return self.version(ref.version).types[ref.name]

    def held(self, ref: TypeRef) -> list[TypeRef]:
        """Return the types that the properties of a type hold."""
        return [TypeRef(ref.version, name) for name in self.type(ref).held()]
