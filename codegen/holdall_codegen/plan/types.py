"""The names of all object types of a group in generated code, and its API types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from holdall.objects.heads import API_HEAD, MemberHead
from holdall.plan.plans import TypeRef
from holdall.plan.tracking import CHANGED_VALUES
from holdall_codegen.model import Group, Kind, ObjectType, Opaque, Property, Ref, Scalar, Version
from holdall_codegen.plan.model import Member, PlannedType, PlannedVersion
from holdall_codegen.plan.python_names import (
    attribute_names,
    enum_members,
    free_name,
    module_names,
    snake_case,
)


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
                location=version.location,
                types=types,
                api_types=api_types(version.kinds, types),
            )
        )
    return tuple(planned)


def _spec_types(version: Version) -> set[str]:
    """Return the types that record the original version of a kind: spec types, or root types."""
    found = set()
    for kind in version.kinds:
        spec = version.types[kind.type_name].property("spec")
        found.add(spec.type.type_name if spec and isinstance(spec.type, Ref) else kind.type_name)
    return found


def _plan_types(
    version: Version, modules: tuple[str, ...], head: MemberHead | None
) -> dict[str, PlannedType]:
    kinds = {kind.type_name: kind.name for kind in version.kinds}
    specs = _spec_types(version)
    class_names = {*version.types, *filter(None, (kind.tracked_status for kind in version.kinds))}
    planned = {}
    for type_name, type_ in sorted(version.types.items()):
        ref, kind = TypeRef(version.name, type_name), kinds.get(type_name, "")
        heads = (head or API_HEAD).members_in(version.name) if kind else ()
        named = attribute_names(heads, modules)
        said = {name: named[name] for name in heads}
        properties = sorted(type_.properties, key=lambda item: item.name)
        attributes = attribute_names((item.name for item in properties), (*modules, *said.values()))
        members = []
        for item in properties:
            constants = ""
            if isinstance(item.type, Scalar) and item.type.kind == "string" and item.type.enum:
                constants = free_name(type_name + pascal_case(item.name), class_names)
                class_names.add(constants)
            members.append(Member(item.name, item, attributes[item.name], constants))
        planned[type_name] = PlannedType(ref, type_, tuple(members), type_name in specs, kind, said)
    return planned


def pascal_case(name: str) -> str:
    """Return a wire name as part of a class name: `hostIP` gives `HostIp`."""
    return "".join(part.capitalize() for part in re.split("_+", snake_case(name)))


# --- the status of kinds whose tracked values are in it -------------------------------------------
#
# Twins do not have it: tracked values are taken out of a document before a twin is read.
# Source: docs/declared.md, "Classes".


STATUS: Final = "status"
_ABOUT: Final = (
    "`changed_values` holds values of other versions that this one cannot express. Conversions "
    "write and read it; pass it on unchanged. It is JSON of any shape, so that an invalid value "
    "does not keep an object from being read. It may be the only member: all others are optional."
)


def api_types(
    kinds: tuple[Kind, ...], types: Mapping[str, PlannedType]
) -> Mapping[str, PlannedType]:
    """Return the types of a version as API modules show them, sorted by name.

    `types` are those of its twins; only a status with tracked values differs.
    """
    shown = dict(types)
    for kind in kinds:
        if kind.tracked_status:
            root = types[kind.type_name]
            shown[kind.tracked_status] = _with_changed_values(kind, root, types)
            shown[kind.type_name] = _with_status(root, kind.tracked_status)
    return dict(sorted(shown.items()))


def _with_changed_values(
    kind: Kind, root: PlannedType, types: Mapping[str, PlannedType]
) -> PlannedType:
    """Return the type with what the user's status declares, if that is an object type."""
    declared = root.member(STATUS).property.type if root.has(STATUS) else None
    user = types[declared.type_name] if isinstance(declared, Ref) else None
    # The names of enum values are those of the user's type.
    members = [
        replace(item, property=replace(item.property, required=False), constants="")
        for item in (user.members if user is not None else ())
    ]
    changed = Property(CHANGED_VALUES, Opaque(), location=kind.location)
    attribute = free_name("changed_values", {item.attribute for item in members})
    members.append(Member(CHANGED_VALUES, changed, attribute))
    members.sort(key=lambda item: item.name)
    doc = user.type.doc if user is not None else ""
    type_ = ObjectType(
        kind.tracked_status,
        tuple(item.property for item in members),
        doc=f"{doc or f'The status of {kind.name}, for tracked values only.'}\n\n{_ABOUT}",
        location=kind.location,
        form=user.type.form if user is not None else "object",
    )
    return PlannedType(TypeRef(root.ref.version, type_.name), type_, tuple(members))


def _with_status(root: PlannedType, status: str) -> PlannedType:
    """Return the root type of a kind with another type of its status."""
    found = (
        root.member(STATUS)
        if root.has(STATUS)
        else Member(STATUS, Property(STATUS, Opaque(), location=root.type.location), STATUS)
    )
    member = replace(found, property=replace(found.property, type=Ref(status)))
    members = [member, *(item for item in root.members if item.name != STATUS)]
    members.sort(key=lambda item: item.name)
    properties = tuple(item.property for item in members)
    return replace(root, type=replace(root.type, properties=properties), members=tuple(members))
