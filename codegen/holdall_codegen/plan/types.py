"""Giving every object type of a group the names it has in generated code."""

from __future__ import annotations

import re

from holdall.objects.heads import API_HEAD, MemberHead
from holdall.plan.plans import TypeRef
from holdall_codegen.model import Group, ObjectType, Ref, Scalar, Version
from holdall_codegen.plan.model import Member, PlannedType, PlannedVersion
from holdall_codegen.plan.python_names import (
    attribute_names,
    enum_members,
    free_name,
    module_names,
    snake_case,
)
from holdall_codegen.plan.tracked_status import api_types


def plan_versions(group: Group) -> tuple[PlannedVersion, ...]:
    """Return the versions of a group with all names of generated code."""
    modules = module_names(version.name for version in group.versions)
    members = enum_members(modules)
    planned = []
    for version in group.versions:
        types = _plan_types(version, tuple(modules.values()), group.head)
        planned.append(
            PlannedVersion(
                name=version.name,
                module=modules[version.name],
                enum_member=members[version.name],
                internal=version.internal,
                deprecated=version.deprecated,
                types=types,
                api_types=api_types(version.kinds, types),
            )
        )
    return tuple(planned)


def spec_types(version: Version) -> dict[str, str]:
    """Return, by type, the kind whose original version it records: spec types, or root types."""
    found: dict[str, str] = {}
    for kind in version.kinds:
        spec = version.types[kind.type_name].property("spec")
        holder = spec.type.type_name if spec and isinstance(spec.type, Ref) else kind.type_name
        found.setdefault(holder, kind.name)
    return found


def _plan_types(
    version: Version, modules: tuple[str, ...], head: MemberHead | None
) -> dict[str, PlannedType]:
    kinds = {kind.type_name: kind.name for kind in version.kinds}
    specs = spec_types(version)
    constants = {*version.types, *filter(None, (kind.tracked_status for kind in version.kinds))}
    planned = {}
    for name in sorted(version.types):
        planned[name] = _plan_type(
            version.types[name],
            TypeRef(version.name, name),
            modules,
            constants,
            kind=kinds.get(name, ""),
            head=() if name not in kinds else (head or API_HEAD).members_in(version.name),
            records_version=name in specs,
        )
    return planned


def _plan_type(
    type_: ObjectType,
    ref: TypeRef,
    modules: tuple[str, ...],
    class_names: set[str],
    *,
    kind: str,
    head: tuple[str, ...],
    records_version: bool,
) -> PlannedType:
    properties = sorted(type_.properties, key=lambda item: item.name)
    named = attribute_names(head, modules)
    said = {name: named[name] for name in head}
    attributes = attribute_names((item.name for item in properties), (*modules, *said.values()))
    members = []
    for item in properties:
        constants = ""
        if isinstance(item.type, Scalar) and _is_named_set(item.type):
            constants = free_name(ref.name + pascal_case(item.name), class_names)
            class_names.add(constants)
        members.append(Member(item.name, item, attributes[item.name], constants))
    return PlannedType(ref, type_, tuple(members), records_version, kind, said)


def _is_named_set(scalar: Scalar) -> bool:
    return scalar.kind == "string" and bool(scalar.enum)


def pascal_case(name: str) -> str:
    """Return a wire name as part of a class name: `hostIP` gives `HostIp`."""
    return "".join(part.capitalize() for part in re.split("_+", snake_case(name)))
