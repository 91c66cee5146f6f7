"""Emitting the merged CRD of a kind whose versions were not read from one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdall import yaml
from holdall_codegen.model import ListOf, MapOf, Opaque, Property, Ref, Scalar, Type, Union
from holdall_codegen.plan.model import GroupPlan, PlannedKind, PlannedVersion

_OPAQUE = {"x-kubernetes-preserve-unknown-fields": True}


def emit_crds(group: GroupPlan) -> Mapping[str, str]:
    """Return the manifests of a group by file name, for kinds that come from other sources.

    A kind needs an API group with a dot and metadata: others are no Kubernetes resources. Types
    that structural schemas cannot state (unions, recursion) preserve unknown members instead.
    """
    return {
        f"{_plural(kind)}.yaml": yaml.dump(_manifest(group, kind))
        for kind in group.kinds
        if kind.name not in group.crds and "." in group.api_group and _is_resource(group, kind)
    }


def _is_resource(group: GroupPlan, kind: PlannedKind) -> bool:
    return all(
        group.version(version).types[name].has("metadata") for version, name in kind.types.items()
    )


def _plural(kind: PlannedKind) -> str:
    """Return the plural as declared, else by the usual rules of English."""
    name = kind.name.lower()
    if kind.plural:
        return kind.plural
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}s"


def _manifest(group: GroupPlan, kind: PlannedKind) -> dict[str, Any]:
    served = [
        version for version in group.versions if version.name in kind.types and not version.internal
    ]
    names = [version.name for version in served]
    storage = group.hub if group.hub in names else names[-1]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{_plural(kind)}.{group.api_group}"},
        "spec": {
            "group": group.api_group,
            "names": {
                "kind": kind.name,
                "listKind": f"{kind.name}List",
                "plural": _plural(kind),
                "singular": kind.name.lower(),
            },
            "scope": "Namespaced",
            "versions": [
                _version(version, kind.types[version.name], storage == version.name)
                for version in served
            ],
        },
    }


def _version(version: PlannedVersion, root: str, is_storage: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": version.name, "served": True, "storage": is_storage}
    if version.deprecated:
        entry["deprecated"] = True
        entry["deprecationWarning"] = version.deprecated
    schema = _object(version, root, ())
    schema["properties"] = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        **schema.get("properties", {}),
        "metadata": {"type": "object"},
    }
    entry["schema"] = {"openAPIV3Schema": schema}
    if "status" in schema["properties"]:
        entry["subresources"] = {"status": {}}
    return entry


def _object(version: PlannedVersion, name: str, above: tuple[str, ...]) -> dict[str, Any]:
    planned = version.types[name]
    schema: dict[str, Any] = {"type": "object"}
    if planned.type.doc:
        schema["description"] = planned.type.doc
    items = [member.property for member in planned.members]
    if items:
        schema["properties"] = {
            item.name: _property(version, item, (*above, name)) for item in items
        }
    required = [item.name for item in items if item.required]
    if required:
        schema["required"] = required
    if planned.type.preserve_unknown or not items:
        schema.update(_OPAQUE)
    return schema


def _property(version: PlannedVersion, item: Property, above: tuple[str, ...]) -> dict[str, Any]:
    schema = _value(version, item.type, above)
    if item.doc:
        schema["description"] = item.doc
    if item.nullable:
        schema["nullable"] = True
    if item.has_default:
        schema["default"] = item.default
    return schema


def _value(version: PlannedVersion, type_: Type, above: tuple[str, ...]) -> dict[str, Any]:
    match type_:
        case Scalar():
            schema: dict[str, Any] = {"type": type_.kind}
            if type_.format:
                schema["format"] = type_.format
            if type_.enum:
                schema["enum"] = list(type_.enum)
            return schema
        case Union(members=("integer", "string")):
            return {"x-kubernetes-int-or-string": True}
        case Union() | Opaque():
            return {**_OPAQUE}
        case Ref(type_name=name):
            return {"type": "object", **_OPAQUE} if name in above else _object(version, name, above)
        case MapOf():
            value = _value(version, type_.value, above)
            if type_.value_nullable:
                value["nullable"] = True
            return {"type": "object", "additionalProperties": value}
        case ListOf():
            return _list(version, type_, above)


def _list(version: PlannedVersion, type_: ListOf, above: tuple[str, ...]) -> dict[str, Any]:
    items = _value(version, type_.item, above)
    if type_.item_nullable:
        items["nullable"] = True
    schema: dict[str, Any] = {"type": "array", "items": items}
    if type_.list_type != "atomic":
        schema["x-kubernetes-list-type"] = type_.list_type
    if type_.map_keys:
        schema["x-kubernetes-list-map-keys"] = list(type_.map_keys)
    return schema
