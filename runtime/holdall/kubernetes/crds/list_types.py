"""The rules of list types: which lists are sets or maps, and by which keys.

Source: the API server's validation of CustomResourceDefinitions.
"""

from __future__ import annotations

from typing import Final

from holdall.kubernetes.crds.access import INT_OR_STRING, LIST_TYPE, MAP_KEYS, MAP_TYPE
from holdall.kubernetes.crds.findings import BAD_LIST_TYPE, Findings
from holdall.text.pointer import join
from holdall.types import JsonObject, get, items, members

_SCALARS: Final = ("boolean", "integer", "number", "string")


def check_list_type(schema: JsonObject, pointer: str, findings: Findings) -> None:
    """Record what is wrong with the list type of one node of a schema."""
    list_type = schema.get(LIST_TYPE)
    place = join(pointer, LIST_TYPE)
    if list_type is None:
        if MAP_KEYS in schema:
            text = f"{MAP_KEYS} is only for lists of type map"
            findings.add(BAD_LIST_TYPE, join(pointer, MAP_KEYS), text, f"add `{LIST_TYPE}: map`")
        return
    if list_type not in ("atomic", "set", "map"):
        text = f"{LIST_TYPE} must be atomic, set or map"
        findings.add(BAD_LIST_TYPE, place, text, "write one of them")
        return
    if schema.get("type") != "array":
        text = f"{LIST_TYPE} is for values of type array (`must be array if it is set`)"
        findings.add(BAD_LIST_TYPE, place, text, "add `type: array`, or remove it")
        return
    if list_type == "map":
        _check_map(schema, pointer, findings)
        return
    if MAP_KEYS in schema:
        text = f"{MAP_KEYS} is only for lists of type map"
        findings.add(BAD_LIST_TYPE, join(pointer, MAP_KEYS), text, "remove it, or make it a map")
    if list_type == "set":
        _check_set(schema, pointer, findings)


def _check_map(schema: JsonObject, pointer: str, findings: Findings) -> None:
    keys = items(schema, MAP_KEYS)
    place = join(pointer, MAP_KEYS)
    if not keys:
        text = f"a list of type map has no {MAP_KEYS}"
        fix = "name the members that identify its elements"
        findings.add(BAD_LIST_TYPE, pointer, text, fix)
    if get(schema, "items", "type") != "object":
        text = "the elements of a list of type map must be objects"
        findings.add(BAD_LIST_TYPE, join(pointer, "items", "type"), text, "write `type: object`")
    if get(schema, "items", "nullable") is True:
        text = "the elements of a list of type map must not be nullable"
        findings.add(BAD_LIST_TYPE, join(pointer, "items", "nullable"), text, "remove nullable")
    seen: set[str] = set()
    for index, key in enumerate(keys):
        at = join(place, index)
        if not isinstance(key, str):
            findings.add(BAD_LIST_TYPE, at, "a key must be the name of a member", "write its name")
            continue
        if key in seen:
            findings.add(BAD_LIST_TYPE, at, f'the key "{key}" is listed twice', "remove one")
            continue
        seen.add(key)
        declared = get(schema, "items", "properties", key)
        if declared is None:
            text = f'the key "{key}" is not a property of the elements'
            findings.add(BAD_LIST_TYPE, at, text, "declare it, or name another key")
            continue
        is_either = get(declared, INT_OR_STRING) is True
        if get(declared, "type") not in _SCALARS and not is_either:
            text = f'the key "{key}" must be a scalar'
            findings.add(BAD_LIST_TYPE, at, text, "name a key that is a scalar")
        if get(declared, "nullable") is True:
            text = f'the key "{key}" must not be nullable'
            findings.add(BAD_LIST_TYPE, at, text, "remove nullable from the property")
        if key not in items(schema, "items", "required") and "default" not in members(declared):
            text = f'the key "{key}" must be required or have a default'
            findings.add(BAD_LIST_TYPE, at, text, "add it to `required` of the elements")


def _check_set(schema: JsonObject, pointer: str, findings: Findings) -> None:
    element = members(schema, "items")
    if element.get("nullable") is True:
        text = "the elements of a list of type set must not be nullable"
        findings.add(BAD_LIST_TYPE, join(pointer, "items", "nullable"), text, "remove nullable")
    place = join(pointer, "items")
    if element.get("type") == "object" and element.get(MAP_TYPE) != "atomic":
        text = "the elements of a list of type set must be scalars or atomic"
        fix = "add `x-kubernetes-map-type: atomic` to the elements"
        findings.add(BAD_LIST_TYPE, place, text, fix)
    if element.get("type") == "array" and element.get(LIST_TYPE, "atomic") != "atomic":
        text = "the elements of a list of type set must be scalars or atomic"
        findings.add(BAD_LIST_TYPE, place, text, f"write `{LIST_TYPE}: atomic` in the elements")
