"""Schemas of values by a pattern of names, by position in a list, or by alternatives.

If all of them are the same, the type is a map or a list; else the values are open JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from holdall.text import json as _json
from holdall.types import members
from holdall.words import counted
from holdall_codegen.read.nodes import Node
from holdall_codegen.read.shape import Shape, ShapeReader

PATTERNS: Final = "patternProperties"
_ANY_NAME: Final = frozenset(
    {"", "^", ".", "^.", ".{1,}", ".*", "^.*", ".*$", "^.*$", ".+", "^.+", ".+$", "^.+$"}
)

_OF_INSIDE: Final = (
    *("additionalProperties", "anyOf", "items", "oneOf"),
    *("patternProperties", "prefixItems", "properties"),
)

BY_NAME: Final = "members beside the declared ones"
BY_PATTERN: Final = "members by the pattern of their names"
BY_POSITION: Final = "elements by their position"
BY_CHOICE: Final = "values that may be one of several objects or lists"
BY_UNION: Final = "members of a union of objects as root"


class LeftOpen:
    """Where schemas of objects and lists are read as open JSON, and why."""

    def __init__(self, shapes: ShapeReader) -> None:
        self._shapes = shapes
        self._places: dict[str, str] = {}

    def note(self, nodes: Sequence[Node], why: str, at: Node | None = None) -> None:
        """Note the schemas that describe the contents of objects or lists, each at its own place
        or all `at` one.
        """
        for node in nodes:
            shape = self._shapes.gather([node])
            kinds = self._shapes.kinds(shape) or frozenset()
            if kinds & {"object", "array"} and any(map(_says_inside, shape.nodes)):
                self._places[(at or node).where] = why

    def warnings(self, version: str) -> Iterator[str]:
        """Yield a warning for each reason, by the first of its places in a version."""
        for why in dict.fromkeys(self._places.values()):
            first, *more = (where for where, said in self._places.items() if said == why)
            others = f", and {counted(len(more), 'other place')} of {version}" if more else ""
            text = f"{first}{others}: {why} are open JSON: they stay as they are,"
            yield f"{text} and nothing inside is converted"


def _says_inside(node: Node) -> bool:
    return any(node.get(word) not in (None, True, False, {}, []) for word in _OF_INSIDE)


def positions(shape: Shape) -> list[Node]:
    """Return the schemas of list elements by position, from all conjuncts."""
    return [
        element
        for node in shape.nodes
        for keyword in ("prefixItems", "items")
        for element in node.children(keyword)
    ]


def pattern_nodes(shape: Shape) -> list[Node]:
    """Return the schemas for names of a pattern, from all conjuncts."""
    return [
        node.child(PATTERNS, pattern)
        for node in shape.nodes
        for pattern in members(node.value, PATTERNS)
    ]


def value_nodes(shape: Shape) -> list[Node] | None:
    """Return the schemas that all values satisfy, () if there are none.

    None if they depend on the name: two patterns have different schemas, or names that fit no
    pattern may have any value.
    """
    values = [
        node.child("additionalProperties")
        for node in shape.nodes
        if node.get("additionalProperties") not in (None, False)
    ]
    patterns = pattern_nodes(shape)
    if not patterns:
        return values
    for_all = [node for node in patterns if node.pointer.rsplit("/", 1)[-1] in _ANY_NAME]
    if for_all:
        return for_all + values
    is_closed = any(
        node.get("unevaluatedProperties") is False
        or (PATTERNS in node.members and node.get("additionalProperties") is False)
        for node in shape.nodes
    )
    first, *more = patterns + values
    is_one = all(_json.same(first.value, other.value) for other in more)
    return [first] if is_one and (values or is_closed) else None
