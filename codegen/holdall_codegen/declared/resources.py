"""What a resource class says about the CRD of its kind, as each version has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from holdall_codegen.config.crd import (
    ColumnConfig,
    ColumnType,
    KindConfig,
    ScaleConfig,
    SelectableConfig,
)
from holdall_codegen.declared.calls import Bound
from holdall_codegen.declared.check_containers import kind_name
from holdall_codegen.declared.model import DeclaredVersion, Resource
from holdall_codegen.declared.names import plural_of
from holdall_codegen.declared.paths import follow, spelled_in
from holdall_codegen.declared.shapes import Shape, Shapes

_SCALE = {
    "spec": "spec_replicas_path",
    "status": "status_replicas_path",
    "selector": "label_selector_path",
}


def read_resource(
    shape: Shape, shapes: Shapes, declared: Mapping[str, DeclaredVersion]
) -> Resource:
    """Return what a class without mistakes says; `declared` are all versions by name."""
    raw, bound, location = shape.container, shape.container.bound, shape.container.location
    kind = kind_name(raw)
    singular = bound.text("singular") or kind.lower()
    versions = [declared[str(version)] for version in shape.versions]
    crd = KindConfig(
        location=location,
        plural=bound.text("plural") or plural_of(singular),
        singular=singular,
        scope="Namespaced" if bound.flag("namespaced") else "Cluster",
        short_names=[*bound.texts("shortnames")] or None,
        categories=[*bound.texts("categories")] or None,
        unserved=[version.name for version in versions if not version.served],
        warnings={item.name: " ".join(item.note.split()) for item in versions if item.note},
        columns=[item for column in raw.columns for item in _columns(column, shape, shapes)]
        or None,
        scales=_scales(raw.scale, shape, shapes) if raw.scale else {},
        selectable=tuple(
            SelectableConfig(there, location, where)
            for path in bound.texts("selectable_fields")
            for there, where in _by_version(path, shape, shapes)
        ),
        labels=bound.text_map("labels"),
        annotations=bound.text_map("annotations"),
    )
    return Resource(bound.text("group") or "", kind, crd, raw.status, bound.text("doc") or raw.doc)


def _scales(bound: Bound, shape: Shape, shapes: Shapes) -> dict[str, ScaleConfig]:
    """Return the scale paths of the versions that have the numbers of replicas."""
    given = {key: bound.text(argument) for key, argument in _SCALE.items()}
    steps = {key: follow(path, shape.container, shapes) for key, path in given.items() if path}
    found = {}
    for version in shape.versions:
        there = {key: spelled_in(version, way) for key, way in steps.items()}
        spec, status = there.get("spec"), there.get("status")
        if spec and status:
            location = shape.container.location
            found[str(version)] = ScaleConfig(spec, status, location, there.get("selector"))
    return found


def _columns(bound: Bound, shape: Shape, shapes: Shapes) -> Iterator[ColumnConfig]:
    priority = bound.value("priority")
    for path, where in _by_version(bound.text("json_path") or "", shape, shapes):
        yield ColumnConfig(
            bound.text("name") or "",
            path,
            cast(ColumnType, bound.text("type") or "string"),
            shape.container.location,
            bound.text("format") or "",
            bound.text("description") or "",
            priority if isinstance(priority, int) else 0,
            [*where],
        )


def _by_version(path: str, shape: Shape, shapes: Shapes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each form of a path, and the versions that have it; () for all versions."""
    steps = follow(path, shape.container, shapes)
    found: dict[str, list[str]] = {}
    for version in shape.versions:
        there = spelled_in(version, steps)
        if there is not None:
            found.setdefault(there, []).append(str(version))
    for there, where in found.items():
        yield there, () if len(where) == len(shape.versions) else tuple(where)
