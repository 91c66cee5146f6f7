"""The shape of a value: a schema node with its references, its `allOf` and single unions.

A value must satisfy a node, the target of its `$ref` and all members of its `allOf`. Together they
are its *conjuncts*, and the shape is read from them instead of a merged copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from holdall.suggest import nearest
from holdall.types import JsonValue, json_kind
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node
from holdall_codegen.read.problems import (
    CONTRADICTION,
    MALFORMED_SCHEMA,
    TOO_LARGE,
    UNKNOWN_REF,
)

MAX_CHAIN: Final = 100
"""How many references, `allOf` and unions may follow each other without a property between."""

_KINDS: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
_OF_LISTS: Final = ("items", "prefixItems")
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
"""The keywords that refer to another schema; the dynamic ones mean what they do where no schema
extends theirs."""


@dataclass(slots=True)
class UnionNode:
    """A `oneOf` or `anyOf` with several members besides null."""

    keyword: str
    node: Node
    members: list[Node]


@dataclass(slots=True)
class Shape:
    """The conjuncts of a value in the order of reading, its unions, and whether it may be null."""

    nodes: list[Node] = field(default_factory=list)
    unions: list[UnionNode] = field(default_factory=list)
    nullable: bool = False

    def first(self, keyword: str) -> JsonValue:
        """Return the value of `keyword` in the first conjunct that has it, None if none has."""
        return next((node.get(keyword) for node in self.nodes if keyword in node.members), None)

    def any_true(self, keyword: str) -> bool:
        """Tell whether a conjunct sets a flag."""
        return any(node.get(keyword) is True for node in self.nodes)


class ShapeReader:
    """Gathers conjuncts and infers JSON kinds; what cannot be read is a finding."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._findings = files.findings
        self._unions: dict[str, tuple[frozenset[str] | None, bool]] = {}

    def gather(self, nodes: Sequence[Node]) -> Shape:
        """Return the shape of a value that must satisfy all of `nodes`."""
        shape = Shape()
        seen: set[str] = set()
        for node in nodes:
            self._visit(node, shape, seen, ())
        return shape

    def named_target(self, nodes: Sequence[Node]) -> Node | None:
        """Return the definition that `nodes` merely refer to, through aliases, if they do.

        A reference may stand alone, in an `allOf` of its own, or beside null in a union.
        """
        found: Node | None = None
        for _ in range(MAX_CHAIN):
            shaped = [node for node in nodes if node.says_shape()]
            if len(shaped) != 1:
                return found
            node = shaped[0]
            keywords = [
                word for word in (*REFERENCES, "allOf", "oneOf", "anyOf") if word in node.members
            ]
            silent = {*keywords, *(_OF_LISTS if node.get("type") == "object" else ())}
            others = Node(
                node.source,
                node.pointer,
                {key: item for key, item in node.members.items() if key not in silent},
            )
            if len(keywords) != 1 or others.says_shape():
                return found
            if keywords[0] in REFERENCES:
                target = self._files.resolve(node, keywords[0])
                if target is None:
                    return found
                found = target
                nodes = [target]
            elif keywords == ["allOf"]:
                nodes = node.children("allOf")
            else:
                nodes = [item for item in node.children(keywords[0]) if not _is_null(item)]
                if len(nodes) != 1:
                    return found
        return None

    def kinds(self, shape: Shape) -> frozenset[str] | None:
        """Return the JSON kinds (names of `type`) that a value may have, None if none is named.

        Null is not a kind here; if it is allowed, the shape becomes nullable.
        """
        return self._kinds(shape, frozenset())

    def _kinds(self, shape: Shape, above: frozenset[str]) -> frozenset[str] | None:
        declared: frozenset[str] | None = None
        for node in shape.nodes:
            own = self._declared(node)
            if own is None:
                continue
            if "null" in own:
                shape.nullable = True
                own -= {"null"}
                if not own:
                    continue
            both = own if declared is None else _intersect(declared, own)
            if not both:
                text = f"no value can be {_list(own)} and {_list(declared or own)} at once"
                fix = "correct the `type` here or in the schemas it is combined with"
                self._findings.add(CONTRADICTION, node.where, text, fix)
                return None
            declared = both
        for union in shape.unions:
            declared = self._with_union(declared, union, shape, above)
        return self._implied(shape) if declared is None else declared

    def _with_union(
        self,
        declared: frozenset[str] | None,
        union: UnionNode,
        shape: Shape,
        above: frozenset[str],
    ) -> frozenset[str] | None:
        found, nullable = self._union_kinds(union, above)
        shape.nullable |= nullable
        if found is None:
            return declared
        if declared is None:
            return found or None
        # A union that is wider than the `type` beside it contradicts it. The wider reading loses
        # nothing; some generators write the first member's type outside.
        inside = all(_intersect(declared, frozenset({kind})) for kind in found)
        return _intersect(declared, found) if inside and found else declared | found

    def _union_kinds(
        self, union: UnionNode, above: frozenset[str]
    ) -> tuple[frozenset[str] | None, bool]:
        """Return the kinds of all members, None if one is untyped, and whether one allows null.

        A union that reaches itself without an object or list between is skipped.
        """
        name = f"{union.node.id}/{union.keyword}"
        if name in above or len(above) > MAX_CHAIN:
            return None, False
        known = self._unions.get(name)
        if known is not None:
            return known
        found: frozenset[str] | None = frozenset()
        nullable = False
        for member in union.members:
            inner = self.gather([member])
            kinds = self._kinds(inner, above | {name})
            nullable |= inner.nullable
            found = None if found is None or kinds is None else found | kinds
        self._unions[name] = found, nullable
        return found, nullable

    def _declared(self, node: Node) -> frozenset[str] | None:
        value = node.get("type")
        if value is None and "type" not in node.members:
            return _value_kinds(node)
        names = value if isinstance(value, list) else [value]
        kinds: set[str] = set()
        for name in names:
            if isinstance(name, str) and name in _KINDS:
                kinds.add(name)
                continue
            hint = nearest(name, _KINDS) if isinstance(name, str) else ""
            text = f"{_quote(name)} is not a type of JSON Schema{hint}"
            fix = f"write one of {', '.join(_KINDS)}"
            self._findings.add(MALFORMED_SCHEMA, node.child("type").where, text, fix)
        if "number" in kinds:
            kinds.discard("integer")
        if any(item is None for item in _enumeration(node) or ()) and "null" not in kinds:
            kinds.add("null")
        return frozenset(kinds) or None

    def _implied(self, shape: Shape) -> frozenset[str] | None:
        for node in shape.nodes:
            if (
                "properties" in node.members
                or node.get("additionalProperties") not in (None, True)
                or "patternProperties" in node.members
                or node.get("x-kubernetes-embedded-resource") is True
            ):
                return frozenset({"object"})
            if "items" in node.members or "prefixItems" in node.members:
                return frozenset({"array"})
        return None

    def _visit(self, node: Node, shape: Shape, seen: set[str], trail: tuple[str, ...]) -> None:
        name = node.id
        if name in trail:
            text = "the references form a circle and never reach a schema"
            self._findings.add(
                UNKNOWN_REF, node.where, text, "make one of them refer to a schema with a type"
            )
            return
        if name in seen or isinstance(node.value, bool):
            return
        if len(trail) > MAX_CHAIN:
            text = f"more than {MAX_CHAIN} references or combinations lead to this schema"
            self._findings.add(TOO_LARGE, node.where, text, "shorten the chain of references")
            return
        seen.add(name)
        if not self._is_sound(node):
            return
        shape.nodes.append(node)
        shape.nullable |= node.get("nullable") is True
        trail = (*trail, name)
        for keyword in (word for word in REFERENCES if word in node.members):
            target = self._files.resolve(node, keyword)
            if target is not None:
                self._visit(target, shape, seen, trail)
        for member in node.children("allOf"):
            self._visit(member, shape, seen, trail)
        for keyword in ("oneOf", "anyOf"):
            members = node.children(keyword)
            rest = [member for member in members if not _is_null(member)]
            shape.nullable |= len(rest) < len(members)
            if len(rest) == 1:
                self._visit(rest[0], shape, seen, trail)
            elif rest:
                shape.unions.append(UnionNode(keyword, node, rest))

    def _is_sound(self, node: Node) -> bool:
        """Check the keywords that contain schemas; report what is malformed or unsupported."""
        if not isinstance(node.value, dict):
            self._malformed(node, f"a schema must be an object, found {json_kind(node.value)}")
            return False
        for keyword in ("allOf", "anyOf", "oneOf", "enum", "prefixItems", "required"):
            if keyword in node.members and not isinstance(node.get(keyword), list):
                self._malformed(node.child(keyword), f"`{keyword}` must be a list")
        for keyword in ("properties", "patternProperties"):
            if keyword in node.members and not isinstance(node.get(keyword), dict):
                self._malformed(node.child(keyword), f"`{keyword}` must be an object of schemas")
        return True

    def _malformed(self, node: Node, message: str) -> None:
        self._findings.add(MALFORMED_SCHEMA, node.where, message, "correct the schema")


def _enumeration(node: Node) -> list[JsonValue] | None:
    if "const" in node.members:
        return [node.get("const")]
    values = node.get("enum")
    return values if isinstance(values, list) else None


def required_names(shape: Shape) -> set[str]:
    """Return the properties that a conjunct requires."""
    found: set[str] = set()
    for node in shape.nodes:
        names = node.get("required")
        if isinstance(names, list):
            found.update(name for name in names if isinstance(name, str))
    return found


def enum_values(shape: Shape) -> tuple[JsonValue, ...]:
    """Return the values that all enums of the shape allow, without null; () if there is no enum."""
    found: list[JsonValue] | None = None
    for node in shape.nodes:
        values = _enumeration(node)
        if values is None:
            continue
        keys = {_typed(value) for value in values}
        found = (
            [value for value in values if value is not None]
            if found is None
            else [value for value in found if _typed(value) in keys]
        )
    return tuple(found or ())


def properties_of(shape: Shape) -> dict[str, list[Node]]:
    """Return all declared properties in source order, each with the nodes that describe it."""
    found: dict[str, list[Node]] = {}
    for node in shape.nodes:
        declared = node.get("properties")
        if isinstance(declared, dict):
            for name in declared:
                found.setdefault(name, []).append(node.child("properties", name))
    return found


def union_enum(shape: Shape) -> tuple[JsonValue, ...]:
    """Return the values of a union whose members all have enums."""
    found: list[JsonValue] = []
    for union in shape.unions:
        for member in union.members:
            values = enum_values(Shape([member]))
            if not values:
                return ()
            found.extend(value for value in values if value not in found)
    return tuple(found)


def _typed(value: JsonValue) -> tuple[str, str]:
    return json_kind(value), repr(value)


def _value_kinds(node: Node) -> frozenset[str] | None:
    values = _enumeration(node)
    if not values:
        return None
    names = {"list": "array"}
    kinds = {names.get(json_kind(value), json_kind(value)) for value in values}
    if "number" in kinds:
        kinds.discard("integer")
    return frozenset(kinds)


def _is_null(node: Node) -> bool:
    return (
        node.get("type") in ("null", ["null"])
        or node.get("enum") == [None]
        or ("const" in node.members and node.get("const") is None)
    )


def _intersect(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Intersect two sets of kinds; every integer is a number."""
    both = one & other
    if ("number" in one and "integer" in other) or ("integer" in one and "number" in other):
        both |= {"integer"}
    return both - {"integer"} if "number" in both else both


def _list(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


def _quote(value: JsonValue) -> str:
    return f'"{value}"' if isinstance(value, str) else json_kind(value)
