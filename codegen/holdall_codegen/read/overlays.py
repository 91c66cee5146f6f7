"""Overlays: partial schemas in the configuration that are laid over those of the sources.

An overlay becomes one more conjunct of a kind's root schema. It is wrapped in the schemas on the
way to its path, so every reader of conjuncts reads it, too, and each of its properties keeps its
own place. Where its type differs from that of the sources, it replaces them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from holdall.suggest import nearest
from holdall.text.pointer import join
from holdall.types import JsonValue, members
from holdall_codegen.config.model import GroupConfig
from holdall_codegen.config.overlays import OverlayConfig
from holdall_codegen.model import Location
from holdall_codegen.read.files import Files
from holdall_codegen.read.nodes import Node, Root, SourceFile
from holdall_codegen.read.problems import (
    MALFORMED_SCHEMA,
    NO_SUCH_FILE,
    OVERLAY_WITHOUT_EFFECT,
    OVERLAYS_CLASH,
    UNKNOWN_OVERLAY_PATH,
    UNKNOWN_OVERLAY_TARGET,
)
from holdall_codegen.read.shape import Shape, ShapeReader, enum_values

_ARRAY: Final = frozenset({"array"})
_OBJECT: Final = frozenset({"object"})
_CONTAINERS: Final = (_ARRAY, _OBJECT)


@dataclass(frozen=True, slots=True, eq=False)
class Layer(SourceFile):
    """The source of one overlay on one kind of one version.

    The wrapped schema begins at the pointer `root`, which no other node of the project has. What
    lies below `prefix` is below `base` in the document.
    """

    overlay: OverlayConfig
    target: Root
    root: str
    prefix: str
    base: str

    def location(self, pointer: str) -> Location:
        real = self.real(pointer)
        return Location(self.file, self.document.position(real)[0], real)

    def where(self, pointer: str) -> str:
        return self.document.where(self.real(pointer))

    def real(self, pointer: str) -> str:
        """Return the pointer in the document."""
        if pointer.startswith(self.prefix):
            return self.base + pointer.removeprefix(self.prefix)
        return self.base if pointer.startswith(self.root) else pointer


class Overlays:
    """The overlays of one group: where they apply, what results, and what had no effect."""

    def __init__(self, config: GroupConfig, files: Files) -> None:
        self._config = config
        self._findings = files.findings
        self._shapes = ShapeReader(files)
        self._schemas = [
            (overlay, schema)
            for overlay in config.overlays
            if (schema := _load(overlay, files)) is not None
        ]
        self._layers: list[Layer] = []
        self._lost: dict[Location, list[tuple[Root, str]]] = defaultdict(list)
        self._changed: dict[Layer, set[str]] = defaultdict(set)
        self._same: dict[tuple[Location, str], Location] = {}

    def above(self, root: Root) -> list[Node]:
        """Return the schemas to be laid over the root of a kind."""
        found: list[Node] = []
        for overlay, schema in self._schemas:
            if overlay.kinds and root.kind not in overlay.kinds:
                continue
            if overlay.versions and root.version not in overlay.versions:
                continue
            wrap = self._walk(root, overlay.steps)
            if isinstance(wrap, str):
                self._lost[overlay.location].append((root, wrap))
                continue
            value = schema.value
            for keyword, *name in reversed(wrap):
                value = {keyword: {name[0]: value} if name else value}
            source = schema.source
            start = f"overlay {len(self._layers)} of {root.kind} {root.version}:"
            prefix = join(start, *(word for step in wrap for word in step))
            layer = Layer(
                source.file, source.number, source.document, source.yaml,
                overlay, root, start, prefix, schema.pointer,
            )  # fmt: skip
            self._layers.append(layer)
            found.append(Node(layer, start, value))
        return found

    def choose(self, nodes: list[Node]) -> list[Node]:
        """Return the conjuncts of a value that count, where overlays are among them.

        Lists and objects are combined with those of the sources; any other value of an overlay
        replaces theirs.
        """
        layers = {node.source for node in nodes if isinstance(node.source, Layer)}
        if not layers:
            return nodes
        over = [node for node in nodes if node.source in layers]
        base = [node for node in nodes if node.source not in layers]
        said = self._say(over)
        if len(layers) > 1 and any(
            self._say([node]).kinds != said.kinds or said.kinds not in _CONTAINERS for node in over
        ):
            text = f"this property is declared by two overlays, the first at {over[0].location}"
            self._findings.add(OVERLAYS_CLASH, over[-1].where, text, "remove it from one of them")
            self._mark(over)
            return over[:1]
        if not base:
            self._mark(over)
            return over
        known = self._say(base)
        if said.kinds == known.kinds and said.kinds in _CONTAINERS:
            self._mark(
                node
                for node in over
                if not node.members.keys().isdisjoint(("$ref", "allOf"))
                or (said.nullable and not known.nullable)
                or ("x-kubernetes-list-type" in node.members and not known.list_type)
            )
            return nodes
        if said == known:
            for node in over:
                if isinstance(node.source, Layer):
                    at = node.source.overlay.location, node.source.real(node.pointer)
                    self._same.setdefault(at, base[0].location)
            return base
        self._mark(over)
        return over

    def place(self, nodes: Sequence[Node]) -> Location:
        """Return where the innermost type of a value is declared: in an overlay, if one does."""
        return next((n for n in nodes if isinstance(n.source, Layer)), nodes[0]).location

    def check(self, roots: Sequence[Root]) -> None:
        """Report overlays, and their names and properties, without any effect."""
        for overlay, schema in self._schemas:
            if not self._check_names(overlay, roots):
                continue
            layers = [layer for layer in self._layers if layer.overlay is overlay]
            if not layers:
                self._report_lost(overlay, self._lost[overlay.location])
                continue
            idle = [
                leaf
                for leaf in _leaves(schema)
                if not any(_reaches(self._changed[layer], leaf.pointer) for layer in layers)
            ]
            for leaf in idle:
                same = self._same.get((overlay.location, leaf.pointer))
                text = f"the overlay declares {_spell(overlay, schema, leaf)}, " + (
                    f"but {same} declares the same" if same else "but this changes nothing"
                )
                fix = "remove it from the overlay"
                self._findings.add(OVERLAY_WITHOUT_EFFECT, leaf.where, text, fix)
            if not idle:
                self._check_targets(overlay, layers)

    def _check_names(self, overlay: OverlayConfig, roots: Sequence[Root]) -> bool:
        """Tell whether all kinds and versions that an overlay names have schemas."""
        problems: list[tuple[str, str]] = []
        for kind in overlay.kinds or ():
            versions = {root.version for root in roots if root.kind == kind}
            if not versions:
                hint = nearest(kind, {root.kind for root in roots})
                problems.append(
                    (
                        f'the overlay names the unknown kind "{kind}"{hint}',
                        "name a kind with schemas",
                    )
                )
            elif overlay.versions and versions.isdisjoint(overlay.versions):
                known = [item.name for item in self._config.versions if item.name in versions]
                message = f"no version that the overlay names has {kind}"
                problems.append((message, f"use one of {', '.join(known)}"))
        for version in overlay.versions or ():
            like = next(item.like for item in self._config.versions if item.name == version)
            if like is not None:
                message = f"{version} has no schemas of its own: it takes its shape from {like}"
                problems.append((message, f"name {like}"))
            elif not any(
                root.version == version and (not overlay.kinds or root.kind in overlay.kinds)
                for root in roots
            ):
                message = f"{version} has no kind that the overlay names"
                problems.append((message, f"remove {version}"))
        for message, fix in problems:
            self._findings.add(UNKNOWN_OVERLAY_TARGET, overlay.location, message, fix)
        return not problems

    def _check_targets(self, overlay: OverlayConfig, layers: Sequence[Layer]) -> None:
        """Report each kind and version that the overlay names but does not change."""
        changed = [layer.target for layer in layers if self._changed[layer]]
        for names, attribute in ((overlay.kinds, "kind"), (overlay.versions, "version")):
            for name in names or ():
                if any(getattr(root, attribute) == name for root in changed):
                    continue
                lost = self._lost[overlay.location]
                lost = [item for item in lost if getattr(item[0], attribute) == name]
                if lost:
                    self._report_lost(overlay, lost)
                else:
                    text = f"the overlay changes nothing in {name}, whose schemas declare all of it"
                    fix = f"remove {name} from the overlay, or split the overlay"
                    self._findings.add(OVERLAY_WITHOUT_EFFECT, overlay.location, text, fix)

    def _report_lost(self, overlay: OverlayConfig, lost: Sequence[tuple[Root, str]]) -> None:
        root, why = lost[0]
        self._findings.add(
            UNKNOWN_OVERLAY_PATH,
            overlay.location,
            f'the path "{"/".join(overlay.steps)}" of the overlay leads nowhere in '
            f"{root.kind} {root.version}: {why}",
            "correct the path; add new objects in `properties`",
        )

    def _walk(self, root: Root, path: Sequence[str]) -> list[tuple[str, ...]] | str:
        """Return the keywords from a root to the object at a path, or why there is none."""
        nodes, steps, walked = [root.node], list[tuple[str, ...]](), root.kind
        for name in path:
            shape = self._shapes.gather(nodes)
            kinds = self._shapes.kinds(shape)
            step: tuple[str, ...] = ("properties", name)
            if name == "*":
                step = ("items",) if kinds == _ARRAY else ("additionalProperties",)
            nodes = [node.child(*step) for node in shape.nodes if _leads(node, step)]
            if not nodes:
                names = {key for node in shape.nodes for key in members(node.value, "properties")}
                what = "no elements or values" if name == "*" else f'no property "{name}"'
                return f"{walked} has {what}{nearest(name, names)}"
            steps.append(step)
            walked = f"{walked}/{name}"
        kinds = self._shapes.kinds(self._shapes.gather(nodes))
        return steps if kinds == _OBJECT else f"{walked} is not an object"

    def _say(self, nodes: Sequence[Node]) -> _Said:
        shape = self._shapes.gather(nodes)
        kinds = self._shapes.kinds(shape)
        return _Said(
            kinds,
            shape.nullable,
            shape.any_true("x-kubernetes-int-or-string"),
            repr(shape.first("format")),
            tuple(map(repr, enum_values(shape))),
            repr(_members(shape)),
            bool(shape.first("x-kubernetes-list-type")),
        )

    def _mark(self, nodes: Iterator[Node] | Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node.source, Layer):
                self._changed[node.source].add(node.source.real(node.pointer))


@dataclass(frozen=True, slots=True)
class _Said:
    """The type of a value that is neither a list nor an object."""

    kinds: frozenset[str] | None
    nullable: bool
    is_int_or_string: bool
    format: str
    enum: tuple[str, ...]
    members: str
    list_type: bool


def _members(shape: Shape) -> list[JsonValue]:
    """Return the members of unions that hold lists or objects."""
    return [member.value for union in shape.unions for member in union.members]


def _load(overlay: OverlayConfig, files: Files) -> Node | None:
    """Return the partial schema of an overlay; None after adding a finding."""
    name, findings = overlay.file or overlay.location.file, files.findings
    if not files.exists(name):
        fix = "correct the path, which is relative to the project's root"
        text = f'there is no file "{name}"{files.similar(name)}'
        findings.add(NO_SUCH_FILE, overlay.location, text, fix)
        return None
    documents = files.load(name, "strict")
    if not documents:
        return None
    source = documents[0]
    if overlay.file is None:
        node, _ = files.walk(source, overlay.location.pointer)
        properties = node.get("properties") if node is not None else None
        return Node(source, overlay.location.pointer, {"properties": properties})
    node = Node(source, "", source.document.value)
    if len(documents) == 1 and members(node.value, "properties"):
        return node
    text = "an overlay's file must be one schema of an object, with `properties`"
    findings.add(MALFORMED_SCHEMA, node.where, text, "add the properties that the overlay declares")
    return None


def _leaves(node: Node) -> Iterator[Node]:
    """Yield the innermost schemas of an overlay."""
    inner = [node.child("properties", name) for name in members(node.value, "properties")]
    inner += [
        node.child(word)
        for word in ("items", "additionalProperties")
        if isinstance(node.get(word), dict)
    ]
    for child in inner:
        yield from _leaves(child)
    if not inner:
        yield node


def _reaches(changed: set[str], pointer: str) -> bool:
    """Tell whether a pointer or a pointer above it was changed."""
    return any(pointer == other or pointer.startswith(f"{other}/") for other in changed)


def _spell(overlay: OverlayConfig, schema: Node, leaf: Node) -> str:
    """Return the path of a leaf from the kind."""
    words = leaf.pointer.removeprefix(schema.pointer).split("/")[1:]
    steps: list[str] = []
    while words:
        word = words.pop(0)
        steps.append(words.pop(0) if word == "properties" else "*")
    return "/".join([*overlay.steps, *steps])


def _leads(node: Node, step: Sequence[str]) -> bool:
    """Tell whether a schema has the subschema that a step names."""
    value = node.get(step[0])
    return isinstance(value, dict) and (len(step) == 1 or step[1] in value)
