"""A raw declaration without mistakes to the resolved one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from holdall_codegen.config.crd import ColumnConfig, ColumnType
from holdall_codegen.declared.calls import Bound
from holdall_codegen.declared.check_containers import kind_name
from holdall_codegen.declared.check_shapes import fallback_state
from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import (
    Container,
    ContainerEdge,
    Declaration,
    DeclaredVersion,
    Item,
    ItemPair,
    Lone,
    Resource,
)
from holdall_codegen.declared.names import plural_of
from holdall_codegen.declared.raw import RawAction, RawContainer, RawFunction, RawItem
from holdall_codegen.declared.read_versions import read_skip, version_of
from holdall_codegen.declared.shapes import Shape, Shapes
from holdall_codegen.declared.source import Source
from holdall_codegen.declared.types import FunctionRef
from holdall_codegen.model import Location


def resolve(shapes: Shapes, source: Source) -> Declaration:
    """Return the resolved declaration. Nothing is checked here, and nothing may be wrong."""
    raw = shapes.declaration
    declared = {item.name: version_of(item) for item in raw.versions if item.name is not None}
    ordered = tuple(declared[name] for name in raw.ascending)
    containers = tuple(
        _container(shape, shapes, {item.name: item for item in ordered})
        for shape in shapes.by_name.values()
    )
    return Declaration(
        source.module, source.file, ordered, containers, raw.options, source.findings.warnings()
    )


def _container(shape: Shape, shapes: Shapes, declared: Mapping[str, DeclaredVersion]) -> Container:
    raw = shape.container
    own_skip = read_skip(raw.bound)
    skip = own_skip | shapes.declaration.options.skip
    edges: dict[tuple[str, str], ContainerEdge] = {}
    for older, newer in shapes.edges(raw):
        flags = (skip | declared[str(older)].skip) & {"from", "object_from"}
        edges[str(older), str(newer)] = _edge(shape, shapes, older, newer, frozenset(flags))
    marked = [item.name for item, _ in shape.items if item.is_default_variant]
    return Container(
        raw.name,
        raw.form,
        raw.location,
        {
            str(version): tuple(item for _, item in shape.present(version))
            for version in shape.versions
        },
        edges,
        resource=_resource(raw) if raw.word == "resource" else None,
        skip=skip,
        skips_itself="from" in own_skip,
        doc=raw.doc,
        parameters=raw.parameters,
        default_variant=marked[0] if marked else None,
    )


def _edge(
    shape: Shape,
    shapes: Shapes,
    older: VersionName,
    newer: VersionName,
    skip: frozenset[Literal["from", "object_from", "merged_crd", "try_convert"]],
) -> ContainerEdge:
    appears: list[Lone] = []
    vanishes: list[Lone] = []
    pairs: list[ItemPair] = []
    for item, states in shape.items:
        before, after = states.get(older), states.get(newer)
        if before is None and after is not None:
            appears.append(_lone(item, item.added, after, shape, older))
        elif before is not None and after is None:
            vanishes.append(_lone(item, item.removed, before, shape, newer))
        elif before is not None and after is not None:
            pairs.append(_pair(item, before, after, shapes, older, newer))
    return ContainerEdge(
        str(older), str(newer), tuple(appears), tuple(vanishes), tuple(pairs), skip
    )


def _lone(
    item: RawItem, action: RawAction | None, state: Item, shape: Shape, without: VersionName
) -> Lone:
    functions = action.functions if action else {}
    fallback = action.bound.value("fallback") if action else None
    target = fallback_state(shape, fallback, without) if isinstance(fallback, str) else None
    way = "downgrade_with" if action is item.added else "upgrade_with"
    return Lone(
        state.name,
        action.location if action else item.location,
        default=_ref(functions.get("default")),
        default_from=_ref(functions.get("default_from")),
        fallback=target.name if target else None,
        replace_with=_ref(functions.get(way)) if shape.container.form == "union" else None,
    )


def _pair(
    item: RawItem,
    before: Item,
    after: Item,
    shapes: Shapes,
    older: VersionName,
    newer: VersionName,
) -> ItemPair:
    change = next((change for change in item.changes if change.since == newer), None)
    functions = change.functions if change else {}
    return ItemPair(
        before.name,
        after.name,
        change.location if change else item.location,
        retyped=change is not None and change.has_from_type,
        upgrade=_ref(functions.get("upgrade_with")),
        downgrade=_ref(functions.get("downgrade_with")),
        implicit_upgrade=shapes.converts(before.type, after.type),
        implicit_downgrade=shapes.converts(after.type, before.type),
        older_has_default=shapes.has_default(before.type, older),
        newer_has_default=shapes.has_default(after.type, newer),
    )


def _resource(raw: RawContainer) -> Resource:
    bound = raw.bound
    kind = kind_name(raw)
    singular = bound.text("singular") or kind.lower()
    return Resource(
        bound.text("group") or "",
        kind,
        singular,
        bound.text("plural") or plural_of(singular),
        bound.flag("namespaced"),
        raw.location,
        status=raw.status,
        scale=_scale(raw.scale) if raw.scale else {},
        shortnames=bound.texts("shortnames"),
        doc=bound.text("doc") or raw.doc,
        categories=bound.texts("categories"),
        columns=tuple(_column(column, raw.location) for column in raw.columns),
        selectable_fields=bound.texts("selectable_fields"),
        labels=bound.text_map("labels"),
        annotations=bound.text_map("annotations"),
    )


def _scale(bound: Bound) -> dict[str, str]:
    return {
        "spec": bound.text("spec_replicas_path") or "",
        "status": bound.text("status_replicas_path") or "",
        "selector": bound.text("label_selector_path") or "",
    }


def _column(bound: Bound, location: Location) -> ColumnConfig:
    priority = bound.value("priority")
    return ColumnConfig(
        bound.text("name") or "",
        bound.text("json_path") or "",
        cast(ColumnType, bound.text("type") or "string"),
        location,
        bound.text("format") or "",
        bound.text("description") or "",
        priority if isinstance(priority, int) else 0,
    )


def _ref(function: RawFunction | None) -> FunctionRef | None:
    return None if function is None else function.ref
