"""CRD schemas from the plan, for kinds of other sources, with the sources of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from holdall.objects.wire_forms import UNIT
from holdall.plan.tracking import CHANGED_VALUES
from holdall.text.pointer import join
from holdall.types import RANGES, JsonObject, JsonValue, items, members
from holdall_codegen.model import (
    ListOf,
    Location,
    MapOf,
    ObjectType,
    Opaque,
    Property,
    Ref,
    Scalar,
    Type,
    Union,
)
from holdall_codegen.plan.levels import deepest
from holdall_codegen.plan.model import PlannedVersion

_OPAQUE: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_RANGES: Final[dict[str, JsonObject]] = {
    **{
        name: {"minimum": RANGES[name][0], "maximum": RANGES[name][1]}
        for name in ("uint8", "uint16", "int8", "int16")
    },
    **{name: {"minimum": 0} for name in ("uint", "uint32", "uint64")},
}
"""The meaning of formats that servers do not know."""

MOST: Final = 20_000
"""Properties that a schema states. Servers take no more, and types that hold others twice may have
more than there is memory."""

STATED: Final = frozenset(
    """
    type format enum description properties required nullable default items additionalProperties
    x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type
    x-kubernetes-preserve-unknown-fields
    """.split()  # noqa: SIM905 - a list of keywords
)
"""The keywords that these schemas own; all others belong to whoever wrote them."""


def root_schema(
    version: PlannedVersion, root: str, places: Places, pointer: str, *, is_closed: bool = False
) -> JsonObject:
    """Return the schema of a kind in one version; add the sources of its parts to `places`.

    Types that structural schemas cannot state (unions, recursion, what is too deep for one with
    `MOST` properties) preserve unknown members, and so do objects without members unless
    `is_closed`.
    """
    depth = deepest(version, root, MOST)
    schema = _Schemas(version, places, depth, is_closed=is_closed).object(root, (), pointer)
    schema["properties"] = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        **members(schema, "properties"),
        "metadata": {"type": "object"},
    }
    return schema


class _Schemas:
    """Writes the schemas of one version."""

    def __init__(
        self, version: PlannedVersion, places: Places, depth: int | None, *, is_closed: bool
    ) -> None:
        self._version = version
        self._depth = depth
        self._places = places
        self._is_closed = is_closed

    def object(self, name: str, above: tuple[str, ...], pointer: str) -> JsonObject:
        planned = self._version.types[name]
        self._places.put(pointer, planned.type.location)
        schema = _form_of(planned.type)
        if planned.type.doc:
            schema["description"] = planned.type.doc
        if schema.get("type") != "object":
            return schema
        items = [member.property for member in planned.members if member.name != UNIT]
        if items:
            schema["properties"] = {
                item.name: self._property(
                    item, (*above, name), join(pointer, "properties", item.name)
                )
                for item in items
            }
        if planned.type.form == "union" and items:
            schema["oneOf"] = [{"required": [item.name]} for item in items]
            return schema
        required: list[JsonValue] = [item.name for item in items if item.required]
        if required:
            schema["required"] = required
        if planned.type.preserve_unknown or not (items or self._is_closed):
            schema.update(_OPAQUE)
        return schema

    def _property(self, item: Property, above: tuple[str, ...], pointer: str) -> JsonObject:
        schema = self._value(item.type, above, pointer)
        self._places.put(pointer, item.location)
        if item.doc:
            schema["description"] = item.doc
        if item.nullable:
            schema["nullable"] = True
        if item.has_default and item.default is not None:
            schema["default"] = item.default
        return schema

    def _value(self, type_: Type, above: tuple[str, ...], pointer: str) -> JsonObject:
        match type_:
            case Scalar():
                schema: JsonObject = {"type": type_.kind}
                if type_.format:
                    schema["format"] = type_.format
                    schema.update(_RANGES.get(type_.format, {}))
                if type_.enum:
                    schema["enum"] = list(type_.enum)
                return schema
            case Union(members=("integer", "string")):
                return {"x-kubernetes-int-or-string": True}
            case Ref(type_name=name):
                if self._ends_at(name, above):
                    recursive = _form_of(self._version.types[name].type)
                    return {**recursive, **_OPAQUE} if "items" not in recursive else recursive
                return self.object(name, above, pointer)
            case MapOf():
                at = join(pointer, "additionalProperties")
                value = self._value(type_.value, above, at)
                if type_.value_nullable:
                    value["nullable"] = True
                return {"type": "object", "additionalProperties": value}
            case ListOf():
                return self._list(type_, above, pointer)
            case Union() | Opaque():
                return {**_OPAQUE}

    def _ends_at(self, name: str, above: tuple[str, ...]) -> bool:
        """Tell whether a type is not written out: it is inside itself, or too deep."""
        return name in above or len(above) == self._depth

    def _list(self, type_: ListOf, above: tuple[str, ...], pointer: str) -> JsonObject:
        items = self._value(type_.item, above, join(pointer, "items"))
        if type_.item_nullable:
            items["nullable"] = True
        schema: JsonObject = {"type": "array", "items": items}
        if type_.list_type != "atomic":
            schema["x-kubernetes-list-type"] = type_.list_type
        if type_.map_keys:
            if isinstance(type_.item, Ref) and self._ends_at(type_.item.type_name, above):
                # Nothing is written out here except the keys.
                items["properties"] = {
                    member.name: self._property(
                        member.property, above, join(pointer, "items", "properties", member.name)
                    )
                    for member in self._version.types[type_.item.type_name].members
                    if member.name in type_.map_keys
                }
            schema["x-kubernetes-list-map-keys"] = list(type_.map_keys)
            _require_keys(items, type_.map_keys)
        return schema


def _form_of(type_: ObjectType) -> JsonObject:
    """Return the schema of a type without its contents.

    Structural schemas cannot express strings-or-objects or tuples, so their contents are left out;
    so are those of a union without payloads.
    """
    if type_.form == "tuple":
        size = len(type_.properties)
        return {"type": "array", "items": {**_OPAQUE}, "minItems": size, "maxItems": size}
    unit = type_.property(UNIT)
    if unit is not None and isinstance(unit.type, Scalar) and unit.type.enum:
        if len(type_.properties) == 1:
            return {"type": "string", "enum": list(unit.type.enum)}
        return {**_OPAQUE}
    return {"type": "object"}


def _require_keys(element: JsonObject, keys: tuple[str, ...]) -> None:
    """Make the keys of a list of type map required: servers refuse the schema otherwise."""
    listed = items(element, "required")
    for key in keys:
        if key not in listed and "default" not in members(element, "properties", key):
            listed.append(key)
    if listed:
        element["required"] = listed


# --- the place of tracked values ------------------------------------------------------------------


_ABOUT: Final = "Values that other versions have and this one cannot hold. Written by conversions."


def add_changed_values(schema: JsonObject) -> None:
    """Add a place for tracked values to the status in a kind's schema, and a missing status.

    Servers would prune them otherwise. Source: docs/declared.md, "Where tracked values travel".

    `schema` is changed; its status is an object, or opaque. Required members of the status are
    required only beside other members than tracked values, which are there before the owner of the
    status writes it.
    """
    properties = members(schema, "properties")
    status: JsonObject = members(properties, "status") or {"type": "object"}
    required = items(status, "required")
    status["type"] = "object"
    status["properties"] = {**members(status, "properties"), CHANGED_VALUES: _changed_values()}
    if required:
        del status["required"]
        status["anyOf"] = [
            {"required": required},
            {"required": [CHANGED_VALUES], "maxProperties": 1},
        ]
    properties["status"] = status


def _changed_values() -> JsonObject:
    return {
        "type": "object",
        "description": _ABOUT,
        "nullable": True,
        "properties": {
            "upgrades": _section("downgradedValue"),
            "downgrades": _section("upgradedValue"),
        },
    }


def _section(became: str) -> JsonValue:
    anything: JsonObject = {**_OPAQUE, "nullable": True}
    entry: JsonObject = {
        "type": "object",
        "properties": {
            "jsonPath": {"type": "string"},
            "fieldName": {"type": "string"},
            "value": anything,
            "absent": {"type": "boolean"},
            became: {**anything},
            "guards": {"type": "array", "items": {"type": "string"}},
            "root": {"type": "string"},
            "unfit": {"type": "boolean"},
        },
    }
    return {
        "type": "object",
        "nullable": True,
        "additionalProperties": {"type": "array", "items": entry},
    }


# --- where parts come from ------------------------------------------------------------------------


class Places:
    """The sources of the parts of one CRD, by JSON Pointer; a part without one has its parent's."""

    def __init__(self, default: str) -> None:
        self._places: dict[str, Callable[[str], str]] = {"": lambda _: default}

    def put(self, pointer: str, location: Location | str) -> None:
        """Set the source of one part and the parts below it; nothing if it is unknown."""
        where = str(location)
        if isinstance(location, str) or location.file:
            self._places[pointer] = lambda _: where

    def graft(self, pointer: str, where: Callable[[str], str]) -> None:
        """Set one document as the source of everything below a part.

        `where` takes the pointer from that part on and returns `file:line:column`.
        """
        self._places[pointer] = where

    def where(self, pointer: str) -> str:
        """Return `file:line[:column]` of a part, or of the nearest part around it."""
        at = pointer
        while at not in self._places:
            at = at.rpartition("/")[0]
        return self._places[at](pointer.removeprefix(at))
