"""What a drawn group is: properties with an identity over all versions, and a face in some of them.

Nothing here knows how holdall reads, plans or converts. `config.py` writes a group out as files, as
a user would write them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

Json = Any


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __deepcopy__(self, memo: Any) -> _Absent:
        return self


ABSENT: Final[Any] = _Absent()
PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
SCALARS: Final = ("str", "int", "num", "bool", "enum", "either", "span", "amount")
LISTS: Final = ("list", "table")
MEASURES: Final[dict[str, dict[Json, Json]]] = {
    "seconds": {"1m30s": 90, "90s": 90, "1500ms": 1.5, "0s": 0, "1h0m0s": 3600, "-2.5m": -150},
    "Mi": {"512Mi": 512, "1Gi": 1024, "1.5Mi": 1.5, "512Ki": 0.5, "-2Mi": -2, 1048576: 1},
    "m": {"250m": 250, "1": 1000, "0.5": 500, "1.5m": 1.5, "-1": -1000, 5: 5000},
    "": {"3": 3, "1k": 1000, "2e3": 2000, "1500m": 1.5, "1Ki": 1024, 7: 7},
}
"""Durations and quantities of each unit, with the number that they are; a quantity may be one."""
_OPENAPI: Final[dict[str, dict[str, Json]]] = {
    "str": {"type": "string"},
    "enum": {"type": "string"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "bool": {"type": "boolean"},
}


@dataclass
class Kind:
    """What a property holds, in the version that shows most of it.

    `name` is one of SCALARS, obj, list, map or open. A list that is `bent` may be shown as its
    first element, an object that is bent as the string in its first property, an open object as
    one without properties, a number as an integer, an enum by other values, an int-or-string as a
    string, a duration (`span`) or a quantity (`amount`) as a number of a unit, a list of objects
    (`table`) as a map by its elements' first property: that is what the face says.
    """

    name: str
    item: Kind | None = None
    type: Type | None = None
    bent: bool = False
    pool: bool = False
    values: dict[str, str] = field(default_factory=dict)
    unit: str = ""
    exact: bool = False  # whether the number of a measure may have a fraction

    def bend(self) -> Kind | None:
        """Return the part that may be shown in another form, at whatever depth it is."""
        if self.bent:
            return self
        return self.item.bend() if self.item else None


@dataclass
class Face:
    """How one version shows a property; `inside` is the property that it has been moved into."""

    name: str
    bent: bool = False
    default: Json = ABSENT
    nullable: bool = False
    keys: tuple[str, ...] = ()
    distinct: str = ""  # of a list that some version knows by keys: what no two elements share
    inside: int = 0
    folded: bool = False  # of a table's keys: the version shows a map
    strict: bool = False  # of a list: nothing but keys and what they show identifies its elements


def known_by(kind: Kind, version: str, face: Face) -> Face:
    """Return the face of a list: of a table, its keys say how its elements are known."""
    if kind.name != "table":
        return face
    assert kind.item and kind.item.type
    key = kind.item.type.properties[0].faces[version]
    return replace(face, keys=(key.name,) if key.folded else face.keys, distinct=key.distinct)


@dataclass
class Property:
    """A property with its faces; without a face in a version it is hidden there."""

    id: int
    kind: Kind
    faces: dict[str, Face]
    apart: str = ""  # the option that keeps it apart from the next one of the same name
    hooked: str = ""  # by what its forms and names differ: nothing is declared, a hook makes them
    table: Property | None = None  # whose single values it is

    def names(self) -> set[str]:
        """Return all names it has."""
        return {face.name for face in self.faces.values()}


@dataclass
class Type:
    """The properties of an object, and the versions in which it keeps unknown members.

    `single` is for elements of a table of which a map shows one value each: the second property.
    """

    properties: list[Property] = field(default_factory=list)
    keeping: set[str] = field(default_factory=set)
    single: bool = False
    free: set[str] = field(default_factory=set)  # versions in which it is open JSON

    def shows_unknown(self, version: str, crds: bool) -> bool:
        """Tell whether a version shows members that the type does not declare."""
        keeps = version in self.keeping or version in self.free
        return not self.is_single(version) and (not crds or keeps)

    def is_table(self) -> bool:
        """Tell whether some version shows a list of such objects as a map."""
        return any(face.folded for item in self.properties[:1] for face in item.faces.values())

    def is_single(self, version: str) -> bool:
        """Tell whether a version shows nothing but one value of it, in a map."""
        face = self.properties[0].faces.get(version) if self.single else None
        return face is not None and face.folded

    def by_id(self, id: int) -> Property:
        """Return a property."""
        return next(item for item in self.properties if item.id == id)


@dataclass
class Group:
    """A drawn group: one or two kinds, CRDs or plain JSON Schema."""

    versions: list[str]
    hub: str
    crds: bool
    kinds: dict[str, Type]
    edges: str = "chain"
    slot: bool = False

    @property
    def api_group(self) -> str:
        """The API group; none for plain schemas."""
        return "example.com" if self.crds else ""

    def api_version(self, version: str) -> str:
        """Return the apiVersion of a version."""
        return f"{self.api_group}/{version}" if self.crds else version

    def between(self, version: str, goal: str) -> list[str]:
        """Return the versions that a conversion passes on its way."""
        if self.edges == "star":
            return [] if self.hub in (version, goal) else [self.hub]
        low, high = sorted((self.versions.index(version), self.versions.index(goal)))
        return self.versions[low + 1 : high]


def types_below(type: Type) -> Iterator[tuple[Type, Property | None, Type]]:
    """Yield each type below a type, with the property that holds it and the type of that one."""
    for item in type.properties:
        kind: Kind | None = item.kind
        while kind is not None:
            if kind.type is not None:
                yield kind.type, item, type
                yield from types_below(kind.type)
            kind = kind.item


def open_api(kind: Kind, face: Face, version: str, crds: bool) -> dict[str, Json]:
    """Return the schema of a property in one version."""
    schema = _shape(kind, face, version, crds)
    if face.default is not ABSENT:
        schema["default"] = face.default
    if face.nullable:
        if crds:
            schema["nullable"] = True
        else:
            schema["type"] = [schema["type"], "null"]
    if face.keys and schema["type"] == "array":
        schema["x-kubernetes-list-type"] = "map"
        schema["x-kubernetes-list-map-keys"] = list(face.keys)
    return schema


def _shape(kind: Kind, face: Face, version: str, crds: bool) -> dict[str, Json]:
    bent = kind.bent and face.bent
    if kind.name == "table" and bent:
        return {"type": "object", "additionalProperties": _folded(kind, version, crds)}
    if kind.name in LISTS:
        assert kind.item
        if bent:
            return _shape(kind.item, face, version, crds)
        return {"type": "array", "items": _shape(kind.item, face, version, crds)}
    if kind.name == "map":
        assert kind.item
        return {"type": "object", "additionalProperties": _shape(kind.item, face, version, crds)}
    if kind.name == "obj":
        assert kind.type
        return {"type": "string"} if bent else object_schema(kind.type, version, crds, face.keys)
    if kind.name == "open":
        if bent:
            return {"type": "object"} | ({} if crds else {"additionalProperties": False})
        kept = {PRESERVE: True}
        return {"type": "object"} | (kept if crds else {"additionalProperties": True})
    if (kind.name == "either" or (kind.name == "amount" and kind.pool)) and not bent:
        return {"x-kubernetes-int-or-string": True} if crds else {"type": ["integer", "string"]}
    if kind.name == "enum":
        values = kind.values.values() if bent else kind.values
        return {"type": "string", "enum": list(values)}
    if kind.name in ("num", "span", "amount") and bent:
        return {"type": "number" if kind.exact else "integer"}
    return dict(_OPENAPI.get(kind.name, {"type": "string"}))


def _folded(kind: Kind, version: str, crds: bool) -> dict[str, Json]:
    """Return the schema of the values of a table that is shown as a map."""
    assert kind.item and kind.item.type
    type = kind.item.type
    if type.single:
        value = type.properties[1]
        return open_api(value.kind, value.faces[version], version, crds)
    return object_schema(Type(type.properties[1:], type.keeping), version, crds)


def object_schema(
    type: Type, version: str, crds: bool, keys: tuple[str, ...] = ()
) -> dict[str, Json]:
    """Return the schema of an object in one version."""
    if version in type.free:
        return {"type": "object"} | ({PRESERVE: True} if crds else {})
    shown = [(item, item.faces[version]) for item in type.properties if version in item.faces]
    schemas = {
        face.name: open_api(item.kind, face, version, crds)
        for item, face in shown
        if not face.inside
    }
    for item, face in shown:
        if face.inside:
            holder = type.by_id(face.inside).faces[version].name
            schemas[holder].setdefault("properties", {})[face.name] = open_api(
                item.kind, face, version, crds
            )
    schema: dict[str, Json] = {"type": "object", "properties": schemas}
    required = [key for key in keys if "default" not in schemas[key]]
    if required:
        schema["required"] = required
    if version in type.keeping and crds:
        schema[PRESERVE] = True
    return schema


def kind_schema(group: Group, kind: str, version: str) -> dict[str, Json]:
    """Return the schema of a kind in one version."""
    schema = object_schema(group.kinds[kind], version, group.crds)
    status = schema["properties"].get("status")
    if status and group.slot and group.crds:
        status["properties"]["$propertyBag"] = {
            "type": "object",
            PRESERVE: True,
        }
    return schema
