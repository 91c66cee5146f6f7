"""The rules of structural schemas, for every node of the schema of one version.

Source: the API server's validation of CustomResourceDefinitions; messages quote the server's own in
backticks. What Kubernetes' conventions forbid but a server accepts is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdall.kubernetes.conform.validity import flaws, prune
from holdall.kubernetes.crds.access import EMBEDDED, INT_OR_STRING, MAP_TYPE, PRESERVE, RULES
from holdall.kubernetes.crds.findings import (
    BAD_DEFAULT,
    BAD_EXTENSION,
    BAD_ROOT,
    NOT_STRUCTURAL,
    Findings,
)
from holdall.kubernetes.crds.list_types import check_list_type
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, json_kind, members
from holdall.words import with_article

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_LOGIC: Final = ("allOf", "anyOf", "oneOf")
_FORBIDDEN: Final = {
    "$ref": "write the schema out in its place",
    "$schema": "remove it",
    "additionalItems": "describe all elements in `items`",
    "definitions": "write each definition out where it is used",
    "dependencies": "state it as a rule for validation, or leave it to admission",
    "id": "remove it",
    "patternProperties": "use `additionalProperties`, or preserve unknown fields",
}
_ONLY_OUTSIDE: Final = (
    "type",
    "default",
    "title",
    "description",
    "nullable",
    "additionalProperties",
)
_ROOT_WITH_STATUS: Final = (
    "default",
    "enum",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "minProperties",
    "maxProperties",
)
_EITHER_FORMS: Final = [{"type": "integer"}, {"type": "string"}]


def check_schema(
    schema: JsonObject, pointer: str, findings: Findings, *, has_status: bool = False
) -> None:
    """Record every rule that a version's schema at `pointer` breaks.

    `has_status` says that the status subresource is on, which restricts the keywords of the root.
    """
    _check_root(schema, pointer, findings, has_status=has_status)
    _check_node(schema, pointer, findings, is_meta_place=True)


def walk(schema: JsonValue, pointer: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield every node of a schema that describes a value, with its pointer, outermost first.

    Parts of allOf, anyOf, oneOf and not do not count.
    """
    if not is_json_object(schema):
        return
    yield pointer, schema
    for path, child in children(schema):
        yield from walk(child, join(pointer, *path))


def children(schema: JsonObject) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """Yield the schemas of properties, elements and map values below a node, with their paths."""
    for name, child in members(schema, "properties").items():
        yield ("properties", name), child
    if is_json_object(schema.get("items")):
        yield ("items",), schema["items"]
    if is_json_object(schema.get("additionalProperties")):
        yield ("additionalProperties",), schema["additionalProperties"]


def _check_root(schema: JsonObject, pointer: str, findings: Findings, *, has_status: bool) -> None:
    if schema.get("type") != "object":
        text = "the root of a schema must be of type object (`must be object at the root`)"
        findings.add(BAD_ROOT, join(pointer, "type"), text, "write `type: object`")
    if schema.get("nullable") is True:
        text = "the root of a schema must not be nullable (`nullable cannot be true at the root`)"
        findings.add(BAD_ROOT, join(pointer, "nullable"), text, "remove nullable")
    if "additionalProperties" in schema:
        text = "the root of a schema must have no additionalProperties"
        fix = f"declare the properties, or write `{PRESERVE}: true`"
        findings.add(BAD_ROOT, join(pointer, "additionalProperties"), text, fix)
    if has_status:
        for keyword in (name for name in _ROOT_WITH_STATUS if name in schema):
            text = (
                f"with the status subresource, the root of a schema must not have {keyword} "
                "(`only properties, required and the like may be used at the root`)"
            )
            fix = "move it to the properties that it describes"
            findings.add(BAD_ROOT, join(pointer, keyword), text, fix)


def _check_node(
    schema: JsonValue, pointer: str, findings: Findings, *, is_meta_place: bool = False
) -> None:
    """Check a node that describes a value.

    `is_meta_place` says that its member `metadata` is an ObjectMeta, as at the root and in
    embedded resources.
    """
    if not is_json_object(schema):
        text = f"a schema must be an object, not {json_kind(schema)}"
        findings.add(NOT_STRUCTURAL, pointer, text, "write a schema with a type")
        return
    _check_type(schema, pointer, findings)
    _check_keywords(schema, pointer, findings)
    _check_extensions(schema, pointer, findings)
    check_list_type(schema, pointer, findings)
    is_object_meta_place = is_meta_place or schema.get(EMBEDDED) is True
    for path, child in children(schema):
        place = join(pointer, *path)
        if is_object_meta_place and path == ("properties", "metadata"):
            _check_metadata(child, place, findings)
        else:
            is_head = path in (("properties", "apiVersion"), ("properties", "kind"))
            type_ = members(child).get("type")
            if is_object_meta_place and is_head and type_ not in (None, "string"):
                text = "apiVersion and kind must be strings"
                findings.add(BAD_ROOT, join(place, "type"), text, "write `type: string`")
            _check_node(child, place, findings)
    if "items" in schema and not is_json_object(schema["items"]):
        text = "items must be one schema; a list of schemas describes a tuple, which CRDs lack"
        findings.add(NOT_STRUCTURAL, join(pointer, "items"), text, "write one schema for all")
    skipped = _int_or_string_forms(schema)
    for way, part in _logic(schema):
        if way not in skipped:
            _check_part(part, join(pointer, *way), schema, findings)
    if "default" in schema:
        for text in _default_faults(schema, schema["default"]):
            fix = "write a default that the schema allows, or extend the schema"
            findings.add(BAD_DEFAULT, join(pointer, "default"), text, fix)


def _default_faults(schema: JsonObject, default: JsonValue) -> Iterator[str]:
    if default is None and schema.get("nullable") is not True:
        return  # servers read null as no default
    for flaw in flaws(default, schema):
        if flaw.is_judged:
            at = f" at {flaw.pointer}" if flaw.pointer else ""
            yield f"the default does not fit its schema{at}: {flaw.what}"
    if not json.same(prune(default, schema), default):
        yield "the default has members that the schema does not declare, which would be pruned"


def _check_type(schema: JsonObject, pointer: str, findings: Findings) -> None:
    type_ = schema.get("type")
    if type_ is None:
        if schema.get(INT_OR_STRING) is not True and schema.get(PRESERVE) is not True:
            text = "a value has no type (`must not be empty`)"
            fix = f"add a type, or `{PRESERVE}: true`"
            findings.add(NOT_STRUCTURAL, pointer, text, fix)
    elif not isinstance(type_, str) or type_ not in TYPES:
        shown = f'"{type_}"' if isinstance(type_, str) else with_article(json_kind(type_))
        fix = "use `nullable: true` for null" if type_ == "null" else f"use {', '.join(TYPES)}"
        findings.add(NOT_STRUCTURAL, join(pointer, "type"), f"a type cannot be {shown}", fix)
    elif schema.get(INT_OR_STRING) is True:
        text = f"a value with {INT_OR_STRING} must have no type (`must be empty`)"
        findings.add(BAD_EXTENSION, join(pointer, "type"), text, "remove the type", "warning")
    if type_ == "array" and "items" not in schema:
        text = "an array does not describe its elements (`items: must be specified`)"
        findings.add(NOT_STRUCTURAL, pointer, text, "add `items`")


def _check_keywords(schema: JsonObject, pointer: str, findings: Findings) -> None:
    for keyword, fix in _FORBIDDEN.items():
        if keyword in schema:
            text = f"{keyword} is not supported in CRDs"
            findings.add(NOT_STRUCTURAL, join(pointer, keyword), text, fix)
    if schema.get("uniqueItems") is True:
        text = "uniqueItems must not be true"
        fix = "write `x-kubernetes-list-type: set`"
        findings.add(NOT_STRUCTURAL, join(pointer, "uniqueItems"), text, fix)
    if members(schema, "properties") and "additionalProperties" in schema:
        text = "properties and additionalProperties are mutually exclusive"
        fix = f"keep one of them, or write `{PRESERVE}: true` beside properties"
        findings.add(NOT_STRUCTURAL, join(pointer, "additionalProperties"), text, fix)


def _check_extensions(schema: JsonObject, pointer: str, findings: Findings) -> None:
    for name in (PRESERVE, EMBEDDED, INT_OR_STRING):
        if name in schema and schema[name] is not True:
            if name == PRESERVE:
                text = f"{name} must be true or absent"
                findings.add(BAD_EXTENSION, join(pointer, name), text, "remove it")
            elif not isinstance(schema[name], bool):
                text = f"{name} must be true or false"
                findings.add(BAD_EXTENSION, join(pointer, name), text, "write true, or remove it")
    map_type = schema.get(MAP_TYPE)
    if map_type is not None:
        place = join(pointer, MAP_TYPE)
        if map_type not in ("atomic", "granular"):
            text = "x-kubernetes-map-type must be atomic or granular"
            findings.add(BAD_EXTENSION, place, text, "write one of them")
        elif schema.get("type") != "object":
            text = "x-kubernetes-map-type is for values of type object"
            findings.add(BAD_EXTENSION, place, text, "add `type: object`, or remove it")
    if schema.get(EMBEDDED) is True:
        if schema.get("type") != "object":
            text = f"{EMBEDDED} is for values of type object (`must be object if it is set`)"
            findings.add(BAD_EXTENSION, join(pointer, EMBEDDED), text, "add `type: object`")
        if schema.get(PRESERVE) is not True and not members(schema, "properties"):
            text = f"an embedded resource has neither properties nor {PRESERVE}"
            findings.add(BAD_EXTENSION, pointer, text, f"add `{PRESERVE}: true`")


def _check_metadata(schema: JsonValue, pointer: str, findings: Findings) -> None:
    """At the root and in embedded resources, metadata may only restrict name and generateName."""
    if not is_json_object(schema):
        _check_node(schema, pointer, findings)
        return
    extra = [name for name in schema if name not in ("type", "properties", "description")]
    for name in members(schema, "properties"):
        if name not in ("name", "generateName"):
            extra.append(f"properties/{name}")
    for name in extra:
        text = (
            f"the schema of metadata has {name} (`must not specify anything other than name and "
            "generateName, but metadata is implicitly specified`)"
        )
        place = join(pointer, *name.split("/", 1))
        code = BAD_DEFAULT if name == "default" else BAD_ROOT
        findings.add(code, place, text, "remove it")
    if schema.get("type") != "object":
        text = "metadata must be of type object"
        findings.add(BAD_ROOT, join(pointer, "type"), text, "write `type: object`")
    for name, child in members(schema, "properties").items():
        place = join(pointer, "properties", name)
        if get(child, "default") is not None:
            text = "a default under metadata is not allowed"
            findings.add(BAD_DEFAULT, join(place, "default"), text, "remove it")
        else:
            _check_node(child, place, findings)


def _logic(schema: JsonObject) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    for keyword in _LOGIC:
        for index, part in enumerate(items(schema, keyword)):
            yield (keyword, index), part
    if "not" in schema:
        yield ("not",), schema["not"]


def _int_or_string_forms(schema: JsonObject) -> set[tuple[str | int, ...]]:
    """Return the parts that spell int-or-string, the only allowed use of `type` in anyOf."""
    if schema.get(INT_OR_STRING) is not True:
        return set()
    if schema.get("anyOf") == _EITHER_FORMS:
        return {("anyOf", 0), ("anyOf", 1)}
    all_of = items(schema, "allOf")
    if all_of and is_json_object(all_of[0]) and all_of[0].get("anyOf") == _EITHER_FORMS:
        return {("allOf", 0)} if len(all_of[0]) == 1 else set()
    return set()


def _check_part(part: JsonValue, pointer: str, outside: JsonValue, findings: Findings) -> None:
    """Check a part of allOf, anyOf, oneOf or not; `outside` is the schema of the same value."""
    if not is_json_object(part):
        text = f"a schema must be an object, not {json_kind(part)}"
        findings.add(NOT_STRUCTURAL, pointer, text, "write a schema")
        return
    for name in part:
        if name in _ONLY_OUTSIDE or (name.startswith("x-kubernetes-") and name != RULES):
            if part[name] is False and name == "nullable":
                continue
            text = f"{name} is inside allOf, anyOf, oneOf or not (`must be empty to be structural`)"
            findings.add(NOT_STRUCTURAL, join(pointer, name), text, "move it outside")
    _check_keywords(part, pointer, findings)
    for name, child in members(part, "properties").items():
        place = join(pointer, "properties", name)
        declared = get(outside, "properties", name)
        if declared is None:
            text = f'the property "{name}" is used here but not declared outside'
            fix = "declare it in `properties` outside, too"
            findings.add(NOT_STRUCTURAL, place, text, fix, "warning")
        _check_part(child, place, declared, findings)
    if "items" in part:
        place = join(pointer, "items")
        declared = get(outside, "items")
        if declared is None:
            text = "elements are described here but not declared outside"
            findings.add(NOT_STRUCTURAL, place, text, "declare `items` outside, too", "warning")
        _check_part(part["items"], place, declared, findings)
    for way, inner in _logic(part):
        _check_part(inner, join(pointer, *way), outside, findings)
