"""What a declaration says about the CRDs of its kinds, as configuration states it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from holdall_codegen.config.crd import ColumnConfig, CrdConfig, KindCrdConfig, SelectableConfig
from holdall_codegen.declared.model import Container, Declaration, Resource
from holdall_codegen.declared.paths import path_in


def lower_crds(declaration: Declaration, configured: CrdConfig) -> CrdConfig:
    """Return a configuration with all that is declared of each kind; what it states itself wins."""
    kinds = {
        resource.kind: _kind(declaration, container, resource)
        for container, resource in declaration.resources()
    }
    for name, stated in configured.kinds.items():
        kinds[name] = _joined(kinds.get(name, KindCrdConfig()), stated)
    return replace(configured, kinds=kinds)


def _joined(declared: KindCrdConfig, stated: KindCrdConfig) -> KindCrdConfig:
    default = KindCrdConfig()
    changes: dict[str, Any] = {
        item.name: getattr(stated, item.name)
        for item in fields(stated)
        if getattr(stated, item.name) != getattr(default, item.name)
    }
    if stated.scale:
        changes["scales"] = None
    return replace(declared, **changes)


def _kind(declaration: Declaration, container: Container, resource: Resource) -> KindCrdConfig:
    versions = [item for item in declaration.versions if item.name in container.shapes]
    names = tuple(item.name for item in versions)
    scales = {name: _scale(declaration, container, resource, name) for name in names}
    return KindCrdConfig(
        location=resource.location,
        plural=resource.plural,
        singular=resource.singular,
        scope="Namespaced" if resource.namespaced else "Cluster",
        short_names=resource.shortnames or None,
        categories=resource.categories or None,
        unserved=tuple(item.name for item in versions if not item.served),
        warnings={item.name: " ".join(item.note.split()) for item in versions if item.note},
        columns=tuple(_columns(declaration, container, resource, names)) or None,
        selectable=tuple(
            SelectableConfig(path, resource.location, where)
            for declared in resource.selectable_fields
            for path, where in _by_version(declaration, container, declared, names)
        ),
        scales={name: scale for name, scale in scales.items() if scale},
        scale_location=resource.location,
        labels=resource.labels,
        annotations=resource.annotations,
    )


def _columns(
    declaration: Declaration, container: Container, resource: Resource, names: tuple[str, ...]
) -> Iterator[ColumnConfig]:
    for column in resource.columns:
        for path, where in _by_version(declaration, container, column.path, names):
            yield replace(column, path=path, versions=where)


def _scale(
    declaration: Declaration, container: Container, resource: Resource, version: str
) -> Mapping[str, str]:
    """Return the scale paths of a version, none if it lacks a number of replicas."""
    found = {
        key: there
        for key, path in resource.scale.items()
        if path and (there := path_in(declaration, container, path, version)) is not None
    }
    return found if {"spec", "status"} <= found.keys() else {}


def _by_version(
    declaration: Declaration, container: Container, path: str, names: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a path as it reads in each version that has it, and those versions; none for all."""
    found: dict[str, list[str]] = {}
    for name in names:
        there = path_in(declaration, container, path, name)
        if there is not None:
            found.setdefault(there, []).append(name)
    for there, where in found.items():
        yield there, () if len(where) == len(names) else tuple(where)
