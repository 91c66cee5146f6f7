"""The JSON Schema of `holdall.yaml` for editors, made from the tables of its keys."""

from __future__ import annotations

import re
import types
from typing import Any, Final, Literal, get_args, get_origin

from holdall.types import JsonObject, JsonValue
from holdall_codegen.config.keys import ProjectKeys
from holdall_codegen.config.tables import (
    Form,
    Key,
    Keys,
    Range,
    Schema,
    Unique,
    choices_of,
    parts_of,
)

_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def config_schema() -> JsonObject:
    """Return the schema."""
    definitions: dict[str, JsonValue] = {}
    root = _of_keys(ProjectKeys, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:holdall:holdall.yaml",
        "title": "holdall.yaml",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def name_of(keys: type[Keys]) -> str:
    """Return the name of a table among the definitions: `crd` for `CrdConfig`."""
    name = keys.__name__.removesuffix("Keys").removesuffix("Config")
    return name[0].lower() + name[1:]


def _of_keys(keys: type[Keys], definitions: dict[str, JsonValue]) -> JsonObject:
    table = keys.table()
    _define(keys.within, definitions)
    found: JsonObject = {
        "description": keys.about(),
        "type": "object",
        "minProperties": 1,
        "properties": {name: _of_key(key, definitions) for name, key in table.items()},
        "additionalProperties": False,
        **keys.more,
    }
    if required := [name for name, key in table.items() if key.required]:
        found["required"] = [*required]
    return found


def _of_key(key: Key, definitions: dict[str, JsonValue]) -> JsonObject:
    found: JsonObject = {"description": _LINK.sub(r"\1", key.meaning)}
    if key.default not in (None, ""):
        found["default"] = key.default
    return {**found, **_of_type(key.type, definitions)}


def _of_type(type_: Any, definitions: dict[str, JsonValue]) -> JsonObject:
    base, marks = parts_of(type_)
    _define(base, definitions)
    if Schema in marks:
        return dict(marks[Schema].value)
    if isinstance(base, type) and issubclass(base, Keys):
        return {"$ref": f"#/$defs/{name_of(base)}"}
    if choices := choices_of(base):
        return _of_choices(choices, definitions)
    origin, arguments = get_origin(base), get_args(base)
    if origin is Literal:
        return {"const": True} if arguments == (True,) else {"enum": [*arguments]}
    if origin is list:
        unique: Unique | None = marks.get(Unique)
        return {
            "type": "array",
            "minItems": 1,
            **({"uniqueItems": True} if unique and unique.strict else {}),
            "items": _of_type(arguments[0], definitions),
        }
    if origin is dict:
        form: Form | None = parts_of(arguments[0])[1].get(Form)
        return {
            "type": "object",
            "minProperties": 1,
            **({"propertyNames": {"pattern": _pattern(form)}} if form else {}),
            "additionalProperties": _of_type(arguments[1], definitions),
        }
    if base is int:
        allowed: Range = marks[Range]
        return {"type": "integer", "minimum": allowed.low, "maximum": allowed.high}
    if base is str:
        form = marks.get(Form)
        return {"type": "string", **({"pattern": _pattern(form)} if form else {})}
    return {"type": "boolean"} if base is bool else {}


def _of_choices(choices: tuple[Any, ...], definitions: dict[str, JsonValue]) -> JsonObject:
    """Tell which of several types is meant, so that editors say what is wrong with that one."""
    first, *others = choices
    if not others:
        return _of_type(first, definitions)
    base = parts_of(first)[0]
    if isinstance(base, type) and issubclass(base, Keys):
        condition: JsonObject = {"required": [next(iter(base.table()))]}
    else:
        condition = {"not": {"type": ["array", "object"]}}
    return {
        "if": condition,
        "then": _of_type(first, definitions),
        "else": _of_choices(tuple(others), definitions),
    }


def _define(type_: Any, definitions: dict[str, JsonValue]) -> None:
    """Define the tables that a type is made of, whatever else its schema says."""
    if isinstance(type_, type) and issubclass(type_, Keys):
        name = name_of(type_)
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _of_keys(type_, definitions)
    for inner in get_args(type_):
        if not isinstance(inner, types.NoneType):
            _define(parts_of(inner)[0], definitions)


def _pattern(form: Form) -> str:
    return form.search or f"^(?:{form.pattern.pattern})$"
