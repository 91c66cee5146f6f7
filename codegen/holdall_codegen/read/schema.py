"""Schema nodes to model types: one reader per version, object types left as drafts.

Sources of the rules: structural schemas of Kubernetes CustomResourceDefinitions, JSON Schema.
What only validates (patterns, ranges, `not`, `if`, branches that add no property) is skipped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from holdall.kubernetes.crds.slots import is_slot
from holdall.objects.bag import BAG_MEMBER, is_taken
from holdall.objects.wire_forms import UNIT
from holdall.plan.plans import ScalarKind
from holdall.suggest import nearest
from holdall_codegen.model import (
    ListOf,
    Location,
    MapOf,
    Opaque,
    Property,
    Ref,
    Scalar,
    Type,
    Union,
)
from holdall_codegen.read.class_names import class_name, definition_names
from holdall_codegen.read.drafts import Draft, Spot
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node, Root, SourceFile
from holdall_codegen.read.open_values import (
    BY_CHOICE,
    BY_NAME,
    BY_PATTERN,
    BY_POSITION,
    BY_UNION,
    LeftOpen,
    pattern_nodes,
    positions,
    value_nodes,
)
from holdall_codegen.read.overlays import Overlays
from holdall_codegen.read.problems import (
    MALFORMED_SCHEMA,
    RESERVED_PROPERTY,
    TOO_LARGE,
)
from holdall_codegen.read.root_heads import RootHead, Said, hear
from holdall_codegen.read.shape import (
    Shape,
    ShapeReader,
    enum_values,
    properties_of,
    required_names,
    union_enum,
)

MAX_TYPES: Final = 20_000
"""The limit of object types per version; definitions that multiply without end stop here."""

MAX_NESTING: Final = 100
"""How many lists and maps may be directly inside each other."""

_LIST_TYPES: Final[tuple[Literal["atomic", "set", "map"], ...]] = ("atomic", "set", "map")
_OBJECT_META: Final = frozenset({"apiVersion", "kind", "metadata"})


@dataclass(frozen=True, slots=True)
class Value:
    """The type of a value, and whether it may be null."""

    type: Type
    nullable: bool = False


class SchemaReader:
    """Reads the schemas of one version into drafts, `$ref` targets once each.

    Add all roots first, then call `finish`: definitions that are roots are then shared with them.
    """

    def __init__(self, files: Files, overlays: Overlays, head: RootHead) -> None:
        self.drafts: dict[str, Draft] = {}
        self.said: list[Said] = []
        self._head = head
        self._findings = files.findings
        self._overlays = overlays
        self._shapes = ShapeReader(files)
        self.left_open = LeftOpen(self._shapes)
        self._definitions: dict[str, Value] = {}
        self._anonymous: dict[frozenset[str], str] = {}
        self._waiting: deque[tuple[Draft, Shape]] = deque()
        self._pruned: set[SourceFile] = set()

    def add_root(self, root: Root, *, has_object_meta: bool) -> Draft:
        """Add the root of a kind with its overlays; what says its version and kind is dropped.

        With `has_object_meta`, `metadata` is opaque, and exists even if the schema does not declare
        it.
        """
        kind, node = root.kind, root.node
        if root.is_pruned:
            self._pruned.add(node.source)
        above = self._overlays.above(root)
        target = self._shapes.named_target([node]) or node
        shape = self._shapes.gather([node, *above])
        draft = Draft(kind, "kind", class_name(kind), class_name(kind), node.location)
        draft.key = frozenset(item.id for item in shape.nodes)
        kinds = self._shapes.kinds(shape)
        if shape.nodes and kinds is not None and kinds != {"object"}:
            text = f"the root of {kind} must be an object, not {' or '.join(sorted(kinds))}"
            self._findings.add(
                MALFORMED_SCHEMA, node.where, text, "point the kind to the schema of an object"
            )
        properties = properties_of(shape)
        if not properties and self._open_unions(shape, properties):
            members = [member for union in shape.unions for member in union.members]
            self.left_open.note(members, BY_UNION)
        dropped = self._head.names | ({"metadata"} if has_object_meta else set())
        if not dropped & properties.keys() and not has_object_meta and not above:
            self._definitions[target.id] = Value(Ref(draft.id), shape.nullable)
        self._describe(draft, shape)
        if has_object_meta:
            nodes = properties.get("metadata", [])
            required = "metadata" in required_names(shape)
            location = nodes[0].location if nodes else node.location
            draft.properties.append(
                Property("metadata", Opaque(), required, doc=_doc(nodes), location=location)
            )
        self.said += hear(self._head, draft, shape, self._shapes)
        self._add(draft, shape, node)
        return draft

    def finish(self, *, has_object_meta: bool) -> None:
        """Read the properties of all drafts, and of the drafts these lead to."""
        while self._waiting:
            draft, shape = self._waiting.popleft()
            skipped = {*self._head.names} if draft.role == "kind" else set()
            if has_object_meta and draft.role == "kind":
                skipped.add("metadata")
            self._fill(draft, shape, skipped)
        for draft in self.drafts.values():
            for item in draft.properties:
                self._check_map_keys(item.type, item.location)

    def _check_map_keys(self, value: Type, location: Location) -> None:
        """Report list-map keys that the list's elements do not declare."""
        while isinstance(value, (ListOf, MapOf)):
            if isinstance(value, ListOf) and value.map_keys:
                found = (
                    self.drafts.get(value.item.type_name) if isinstance(value.item, Ref) else None
                )
                names = [item.name for item in found.properties] if found else []
                for key in value.map_keys:
                    if key not in names:
                        self._findings.add(
                            MALFORMED_SCHEMA,
                            location,
                            f'the list-map key "{key}" is not a property of the list\'s elements'
                            f"{nearest(key, names)}",
                            "correct `x-kubernetes-list-map-keys`, or declare the property",
                        )
            value = value.item if isinstance(value, ListOf) else value.value

    def _add(self, draft: Draft, shape: Shape, node: Node) -> None:
        if len(self.drafts) >= MAX_TYPES:
            if len(self.drafts) == MAX_TYPES:
                text = f"the schemas of one version make more than {MAX_TYPES} object types"
                self._findings.add(
                    TOO_LARGE, node.where, text, "combine fewer definitions, or split the group"
                )
            self._waiting.clear()
            return
        self.drafts[draft.id] = draft
        self._waiting.append((draft, shape))

    def _describe(self, draft: Draft, shape: Shape) -> None:
        draft.doc = _doc(shape.nodes)
        names = properties_of(shape)
        patterns = pattern_nodes(shape)
        self.left_open.note(patterns, BY_PATTERN)
        extra = [n.get("additionalProperties") for n in shape.nodes]
        typed = [n for n in shape.nodes if isinstance(n.get("additionalProperties"), dict)]
        self.left_open.note([n.child("additionalProperties") for n in typed], BY_NAME)
        draft.preserve_unknown = (
            shape.any_true("x-kubernetes-preserve-unknown-fields")
            or any(item is True or isinstance(item, dict) for item in extra)
            or bool(patterns)
            or bool(self._open_unions(shape, names))
        )

    def _fill(self, draft: Draft, shape: Shape, skipped: set[str]) -> None:
        required = required_names(shape)
        is_embedded = shape.any_true("x-kubernetes-embedded-resource")
        for name, nodes in properties_of(shape).items():
            if name in skipped:
                continue
            if name == BAG_MEMBER and is_slot(nodes[0].value):
                draft.has_slot = True
                continue  # declared so that a bag survives pruning; not a property
            if is_taken(name) or name == UNIT:
                text = f'the property "{name}" has a name that holdall needs for itself'
                self._findings.add(
                    RESERVED_PROPERTY, nodes[0].where, text, "rename the property in the schema"
                )
                continue
            nodes = self._overlays.choose(nodes)
            spot = Spot.of_property(draft, name)
            if is_embedded and name == "metadata":
                value = Value(Opaque())
            else:
                value = self._value(nodes, spot)
            draft.properties.append(self._property(name, nodes, value, name in required))

    def _property(self, name: str, nodes: list[Node], value: Value, required: bool) -> Property:
        own = Shape(nodes)
        is_object = isinstance(value.type, Ref)
        shape = own if is_object else self._shapes.gather(nodes)
        defaults = [node.members["default"] for node in shape.nodes if "default" in node.members]
        note = own.first("deprecated")
        return Property(
            name,
            value.type,
            required=required,
            nullable=value.nullable,
            default=defaults[0] if defaults else None,
            has_default=bool(defaults),
            defaults=tuple(defaults[:1]),
            doc=_doc(shape.nodes),
            deprecated=note if isinstance(note, str) else ("deprecated" if note is True else ""),
            location=nodes[0].location if is_object else self._overlays.place(nodes),
        )

    def _value(self, nodes: list[Node], spot: Spot, depth: int = 0) -> Value:
        if depth > MAX_NESTING:
            text = f"more than {MAX_NESTING} lists and maps are inside each other"
            self._findings.add(TOO_LARGE, nodes[0].where, text, "nest less deeply")
            return Value(Opaque())
        nodes = self._overlays.choose(nodes)
        target = self._shapes.named_target(nodes)
        if target is not None:
            value = self._definition(target, depth)
            nullable = value.nullable or self._shapes.gather(nodes).nullable
            return Value(value.type, nullable)
        return self._read(nodes, spot, depth)

    def _definition(self, target: Node, depth: int) -> Value:
        known = self._definitions.get(target.id)
        if known is not None:
            return known
        # Used until the definition is read, so only by one that never reaches an object.
        self._definitions[target.id] = Value(Opaque("a definition that contains itself"))
        last = target.pointer.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
        if not last:
            title = target.get("title")
            stem = target.source.file.rsplit("/", 1)[-1].split(".")[0]
            last = title if isinstance(title, str) and title else stem
        spot = Spot(target.id, *definition_names(last))
        value = self._read([target], spot, depth)
        self._definitions[target.id] = value
        return value

    def _read(self, nodes: Sequence[Node], spot: Spot, depth: int) -> Value:
        shape = self._shapes.gather(nodes)
        if shape.any_true("x-kubernetes-int-or-string"):
            return Value(Union(("integer", "string")), shape.nullable)
        kinds = self._shapes.kinds(shape)
        return Value(self._type(shape, kinds, spot, depth), shape.nullable)

    def _type(self, shape: Shape, kinds: frozenset[str] | None, spot: Spot, depth: int) -> Type:
        if kinds is None:
            return self._choice(shape, "untyped schemas") if shape.unions else Opaque()
        if kinds == {"object"}:
            return self._object(shape, spot, depth)
        if kinds == {"array"}:
            return self._list(shape, spot, depth)
        if kinds & {"object", "array"}:
            names = " and ".join({"array": "list"}.get(kind, kind) for kind in sorted(kinds))
            return self._choice(shape, names)
        members: tuple[ScalarKind, ...] = tuple(kind for kind in _SCALAR_KINDS if kind in kinds)
        kind, *more = members
        if more:
            return Union(members)
        format_ = shape.first("format")
        enum = enum_values(shape) or union_enum(shape)
        return Scalar(kind, format_ if isinstance(format_, str) else "", enum)

    def _choice(self, shape: Shape, of: str) -> Opaque:
        """Return the type of values that may be one of several objects or lists."""
        members = [member for union in shape.unions for member in union.members]
        self.left_open.note(members or shape.nodes, BY_CHOICE, shape.nodes[0])
        return Opaque(f"{_keyword(shape)} of {of}")

    def _list(self, shape: Shape, spot: Spot, depth: int) -> Type:
        if by_position := positions(shape):
            self.left_open.note(by_position, BY_POSITION)
            return ListOf(Opaque(BY_POSITION))
        items = [node.child("items") for node in shape.nodes if node.get("items") not in (None, [])]
        if not items and any(
            "items" in node.members
            for union in shape.unions
            for member in union.members
            for node in self._shapes.gather([member]).nodes
        ):
            return self._choice(shape, "lists")
        item = self._value(items, spot.of_elements(), depth + 1) if items else Value(Opaque())
        list_type = self._list_type(shape)
        keys = shape.first("x-kubernetes-list-map-keys") if list_type == "map" else None
        map_keys = (
            tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()
        )
        if list_type == "map" and not map_keys:
            text = "a list of type map needs `x-kubernetes-list-map-keys`"
            fix = "name the properties that identify an element"
            self._findings.add(MALFORMED_SCHEMA, shape.nodes[0].where, text, fix)
        return ListOf(item.type, item.nullable, list_type, map_keys)

    def _list_type(self, shape: Shape) -> Literal["atomic", "set", "map"]:
        said = shape.first("x-kubernetes-list-type")
        for known in _LIST_TYPES:
            if said in (known, None):
                return known
        hint = nearest(said, _LIST_TYPES) if isinstance(said, str) else ""
        text = f"`x-kubernetes-list-type` is not one of {', '.join(_LIST_TYPES)}{hint}"
        self._findings.add(MALFORMED_SCHEMA, shape.nodes[0].where, text, "correct the list type")
        return "atomic"

    def _object(self, shape: Shape, spot: Spot, depth: int) -> Type:
        properties = properties_of(shape)
        if shape.any_true("x-kubernetes-embedded-resource") and properties.keys() <= _OBJECT_META:
            return Opaque()
        if properties:
            return self._draft(shape, spot)
        if self._open_unions(shape, properties):
            return self._choice(shape, "objects")
        values = value_nodes(shape)
        if values is None:
            self.left_open.note(pattern_nodes(shape), BY_PATTERN)
            return Opaque(BY_PATTERN)
        if not values:
            # A server that prunes leaves no members in an object without properties.
            is_closed = all(node.source in self._pruned for node in shape.nodes)
            is_open = shape.any_true("x-kubernetes-preserve-unknown-fields")
            return self._draft(shape, spot) if is_closed and not is_open else Opaque()
        value = self._value(values, spot.of_elements(), depth + 1)
        return MapOf(value.type, value.nullable)

    def _draft(self, shape: Shape, spot: Spot) -> Type:
        key = frozenset(node.id for node in shape.nodes)
        above = spot.parent
        while above is not None:
            # the same conjuncts below themselves: a recursive combination
            if above.key == key and above.role != "kind":
                return Ref(above.id)
            above = above.parent
        if spot.role() == "anonymous":
            # Several combinations lead here. Otherwise each way would make a type of its own, and
            # schemas that contain each other have no end of ways.
            known = self._anonymous.setdefault(key, spot.id)
            if known != spot.id:
                return Ref(known)
        first = shape.nodes[0]
        draft = Draft(
            spot.id, spot.role(), spot.candidate, spot.spare, first.location, spot.parent, key
        )
        if spot.parent is None:
            # before its properties are read, so that a definition may refer to itself
            self._definitions[spot.id] = Value(Ref(draft.id), shape.nullable)
        self._describe(draft, shape)
        self._add(draft, shape, first)
        return Ref(draft.id)

    def _open_unions(self, shape: Shape, properties: dict[str, list[Node]]) -> bool:
        """Tell whether a union adds properties that the shape does not have."""
        for union in shape.unions:
            for member in union.members:
                inner = self._shapes.gather([member])
                if not properties_of(inner).keys() <= properties.keys() or pattern_nodes(inner):
                    return True
                if any(
                    node.get("additionalProperties") not in (None, False) for node in inner.nodes
                ):
                    return True
        return False


_SCALAR_KINDS: Final[tuple[ScalarKind, ...]] = ("boolean", "integer", "number", "string")


def _doc(nodes: Sequence[Node]) -> str:
    found = (node.get("description") for node in nodes)
    return next((text.strip() for text in found if isinstance(text, str)), "")


def _keyword(shape: Shape) -> str:
    return shape.unions[0].keyword if shape.unions else "type"
