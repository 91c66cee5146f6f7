"""Schemas in a short notation, for tests: `{name!: string, tags: [string], labels: {"*": string}}`.

The notation is YAML. A word is a type, `any` JSON, an `open` object, or a `port` (int-or-string);
`a|b` are the values of an enum, `a|` is the only one, `$Part` refers to the definition `Part`, and
`~` behind a word allows null. A list has the schema of its elements, and a mapping those of its
members, which are required where `!` is behind their names; `"*"` stands for names that are not
declared. `$minimum` in a mapping is a keyword as it is: of `$`, if that is there, or of the object.
"""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

Schema = dict[str, Any]
_TYPES: Final = ("string", "integer", "number", "boolean", "object")
_OTHERS: Final[dict[str, Schema]] = {
    "any": {"x-kubernetes-preserve-unknown-fields": True},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "port": {"x-kubernetes-int-or-string": True},
    "anything": {},
}


def schema_of(text: str) -> Schema:
    """Return the schema that a text stands for."""
    return expanded(yaml.safe_load(text))


def schema_text(text: str) -> str:
    """Return it as the text of a file."""
    return json.dumps(schema_of(text))


def expanded(node: Any) -> Schema:
    """Return the schema that a node of the notation stands for."""
    if isinstance(node, str):
        word = node.removesuffix("~")
        return {**_word(word), **({"nullable": True} if word != node else {})}
    if isinstance(node, list):
        (item,) = node
        return {"type": "array", "items": expanded(item)}
    keywords = {name[1:]: value for name, value in node.items() if name[0] == "$" != name}
    members = {name: value for name, value in node.items() if name[0] != "$"}
    if "$" in node:
        return {**expanded(node["$"]), **keywords}
    return {**(_object(members) if members or not keywords else {}), **keywords}


def _word(word: str) -> Schema:
    if word in _TYPES:
        return {"type": word}
    if word.startswith("$"):
        return {"$ref": f"#/definitions/{word[1:]}"}
    if "|" in word:
        return {"type": "string", "enum": word.removesuffix("|").split("|")}
    return dict(_OTHERS[word])


def _object(members: dict[str, Any]) -> Schema:
    made: Schema = {"type": "object"}
    named = {name: value for name, value in members.items() if name != "*"}
    if named or not members:
        made["properties"] = {name.removesuffix("!"): expanded(it) for name, it in named.items()}
    if required := [name[:-1] for name in named if name.endswith("!")]:
        made["required"] = required
    if "*" in members:
        others = members["*"]
        made["additionalProperties"] = others if isinstance(others, bool) else expanded(others)
    return made
