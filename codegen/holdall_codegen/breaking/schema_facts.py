"""What a schema says about one place: the shape of its values and all that validates them.

The generator's reader skips what only validates. Here it counts, so the conjuncts of a place are
read again: a reference, `allOf` and the keywords beside them, together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from holdall.kubernetes.crds.access import (
    INT_OR_STRING,
    LIST_TYPE,
    MAP_KEYS,
    MAP_TYPE,
    PRESERVE,
    RULES,
)
from holdall.text import json
from holdall.types import JsonValue, is_json_object, members
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node
from holdall_codegen.read.open_values import PATTERNS, value_nodes
from holdall_codegen.read.shape import (
    Shape,
    ShapeReader,
    enum_values,
    properties_of,
    required_names,
    union_enum,
)

Undeclared = Literal["kept", "removed", "typed"]
Prunes = Literal["nothing", "undeclared", "all"]
"""What a server removes: nothing, what objects with properties do not declare, or also all members
of objects that declare none."""

Bound = tuple[float, bool]
"""A limit, and whether it is exclusive."""

ARRAY: Final = frozenset({"array"})
UPPER: Final = ("maximum", "maxLength", "maxItems", "maxProperties")
LOWER: Final = ("minimum", "minLength", "minItems", "minProperties")
_OF_COUNTS: Final = LOWER[1:]

_MERGED: Final = {True: "atomic", False: "granular"}
"""The defaults of list type and map type."""
_READ: Final = frozenset(
    """
    $ref additionalProperties allOf anyOf const default enum exclusiveMaximum exclusiveMinimum
    format items nullable oneOf pattern properties required type uniqueItems
    """.split()  # noqa: SIM905 - a list of keywords
).union(UPPER, LOWER, (INT_OR_STRING, LIST_TYPE, MAP_KEYS, MAP_TYPE, PRESERVE, RULES))
_OTHERS: Final = frozenset(
    """
    $dynamicRef $recursiveRef additionalItems contains dependencies dependentRequired
    dependentSchemas else if maxContains minContains multipleOf not patternProperties prefixItems
    propertyNames then unevaluatedItems unevaluatedProperties x-kubernetes-embedded-resource
    """.split()  # noqa: SIM905 - a list of keywords
)
"""Further keywords that validate; all that is not listed annotates, as JSON Schema has it."""
_OF_SCHEMAS: Final = frozenset(
    {"dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_OF_VALUES: Final = frozenset({"const", "default", "dependentRequired", "enum", RULES})


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a schema says about one place; without arguments, nothing.

    `kinds` are JSON kinds, None if any is allowed. `enum` is None where all values are allowed.
    `unions` are the alternatives of each `anyOf` and `oneOf`, and `others` what further keywords
    say, as canonical text. `merged` is the list type or map type, by which server-side apply
    merges; `undeclared` is what happens to members that are not declared.
    """

    where: str = ""
    kinds: frozenset[str] | None = None
    nullable: bool = False
    enum: frozenset[str] | None = None
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    patterns: frozenset[str] = frozenset()
    format: str = ""
    unique: bool = False
    required: frozenset[str] = frozenset()
    default: str | None = None
    merged: str = ""
    map_keys: tuple[str, ...] = ()
    undeclared: Undeclared = "kept"
    rules: frozenset[str] = frozenset()
    unions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    others: Mapping[str, frozenset[str]] = field(default_factory=dict)
    properties: Mapping[str, Sequence[Node]] = field(default_factory=dict, repr=False)
    items: Sequence[Node] = field(default=(), repr=False)
    values: Sequence[Node] = field(default=(), repr=False)

    @property
    def shape(self) -> str:
        """The kind of its values in words, such as `integer or string` or `map`."""
        if self.kinds is None:
            return "any JSON"
        if self.kinds == {"object"} and not self.properties:
            return "map" if self.values else "any object"
        names = {"array": "list"}
        return " or ".join(names.get(kind, kind) for kind in sorted(self.kinds))


class FactsReader:
    """Reads the facts of places. `choose` picks the conjuncts that count under overlays."""

    def __init__(self, files: Files, choose: Callable[[list[Node]], list[Node]] = list) -> None:
        self._shapes = ShapeReader(files)
        self._files = files
        self._choose = choose

    def read(self, nodes: Sequence[Node], prunes: Prunes) -> Facts:
        """Return what nodes say together."""
        shape = self._shapes.gather(self._choose(list(nodes)))
        is_int_or_string = shape.any_true(INT_OR_STRING)
        kinds = frozenset({"integer", "string"}) if is_int_or_string else self._shapes.kinds(shape)
        properties = properties_of(shape)
        values = value_nodes(shape)
        keys = shape.first(MAP_KEYS)
        merged = shape.first(LIST_TYPE if kinds == ARRAY else MAP_TYPE)
        return Facts(
            where=nodes[0].where,
            kinds=kinds,
            nullable=shape.nullable,
            enum=_enum(shape),
            bounds=_bounds(shape),
            patterns=frozenset(map(str, _said(shape, "pattern"))),
            format=str(shape.first("format") or ""),
            unique=shape.any_true("uniqueItems"),
            required=frozenset(required_names(shape)),
            default=next(map(_text, _said(shape, "default")), None),
            merged=merged if isinstance(merged, str) else _MERGED[kinds == ARRAY],
            map_keys=tuple(sorted(map(str, keys))) if isinstance(keys, list) else (),
            undeclared=_undeclared(shape, prunes, has_properties=bool(properties)),
            rules=frozenset(
                _rule(rule)
                for said in _said(shape, RULES)
                if isinstance(said, list)
                for rule in said
            ),
            unions={} if is_int_or_string else self._unions(shape),
            others=self._others(shape, is_map=values is not None),
            properties=properties,
            items=[node.child("items") for node in _with(shape, "items")],
            values=[node for node in values or () if is_json_object(node.value)],
        )

    def _unions(self, shape: Shape) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for union in shape.unions:
            texts = frozenset(_text(self._plain(member)) for member in union.members)
            found[union.keyword] = found.get(union.keyword, frozenset()) | texts
        return found

    def _others(self, shape: Shape, *, is_map: bool) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for node in shape.nodes:
            for keyword in node.members.keys() & _OTHERS:
                said = self._plain(Node(node.source, node.pointer, {keyword: node.get(keyword)}))
                if keyword == PATTERNS and is_map:  # reported for the values
                    said = " ".join(sorted(members(said, keyword)))
                found.setdefault(keyword, set()).add(_text(said))
        return {keyword: frozenset(texts) for keyword, texts in found.items()}

    def _plain(self, node: Node, above: frozenset[str] = frozenset()) -> JsonValue:
        """Return a schema without annotations, with its references resolved."""
        value = node.value
        if isinstance(value, list):
            return [
                self._plain(Node(node.source, f"{node.pointer}/{index}", item), above)
                for index, item in enumerate(value)
            ]
        if not is_json_object(value):
            return value
        plain: dict[str, JsonValue] = {}
        for keyword, said in value.items():
            if keyword in _OF_VALUES:
                plain[keyword] = said
            elif keyword == "$ref":
                target = self._files.resolve(node)
                if target is not None:
                    is_inside = target.id in above
                    plain[keyword] = (
                        target.id.partition("#")[2]
                        if is_inside
                        else self._plain(target, above | {target.id})
                    )
            elif keyword in _OF_SCHEMAS:
                plain[keyword] = {
                    name: self._plain(node.child(keyword, name), above) for name in members(said)
                }
            elif keyword in _READ or keyword in _OTHERS:
                plain[keyword] = self._plain(node.child(keyword), above)
        return plain


def _with(shape: Shape, keyword: str) -> list[Node]:
    """Return the conjuncts that state a schema under a keyword."""
    return [node for node in shape.nodes if is_json_object(node.get(keyword))]


def _said(shape: Shape, keyword: str) -> list[JsonValue]:
    return [node.get(keyword) for node in shape.nodes if keyword in node.members]


def _text(value: JsonValue) -> str:
    return json.canonical(value).decode()


def _rule(rule: JsonValue) -> str:
    """Return what a rule demands, without its message."""
    text = rule.get("rule") if is_json_object(rule) else rule
    return text if isinstance(text, str) else _text(text)


def _enum(shape: Shape) -> frozenset[str] | None:
    if _said(shape, "enum") or _said(shape, "const"):
        return frozenset(map(_text, enum_values(shape)))
    values = union_enum(shape)
    return frozenset(map(_text, values)) if values else None


def _bounds(shape: Shape) -> Mapping[str, Bound]:
    """Return the narrowest limits of all conjuncts, in any dialect."""
    found: dict[str, Bound] = {}

    def add(name: str, value: JsonValue, is_excluded: bool) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if name in _OF_COUNTS and value <= 0:
            return  # nothing is shorter
        bound = value, is_excluded
        sign = 1 if name in LOWER else -1
        found[name] = max(found.get(name, bound), bound, key=lambda b: (sign * b[0], b[1]))

    for node in shape.nodes:
        for name in (*UPPER, *LOWER):
            exclusive = f"exclusive{name.capitalize()}"
            # OpenAPI 3.0 has a flag beside the limit, JSON Schema a limit of its own.
            add(name, node.get(name), node.get(exclusive) is True)
            add(name, node.get(exclusive), is_excluded=True)
    return found


def _undeclared(shape: Shape, prunes: Prunes, *, has_properties: bool) -> Undeclared:
    said = _said(shape, "additionalProperties")
    if shape.any_true(PRESERVE) or True in said:
        return "kept"
    if any(is_json_object(item) for item in said):
        return "typed"
    if False in said or prunes == "all" or (prunes == "undeclared" and has_properties):
        return "removed"
    return "kept"
