"""The status of kinds whose tracked values are in it: an API type beside the user's own.

Twins do not have it: tracked values are taken out of a document before a twin is read.
Source: declared versions, section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from holdall.plan.plans import TypeRef
from holdall.plan.tracking import CHANGED_VALUES
from holdall_codegen.model import Kind, ObjectType, Opaque, Property, Ref
from holdall_codegen.plan.model import Member, PlannedType
from holdall_codegen.plan.python_names import free_name

_STATUS: Final = "status"
_ABOUT: Final = (
    "`changed_values` is what other versions can say and this one cannot. Conversions write it and "
    "take it back; hand it on as it is. It is JSON of any shape, as even what nobody can read must "
    "not keep an object from being read. It may stand alone: all other members are optional here."
)


def api_types(
    kinds: tuple[Kind, ...], types: Mapping[str, PlannedType]
) -> Mapping[str, PlannedType]:
    """Return the types of a version as API modules show them, sorted by name.

    `types` are those of its twins; only kinds with tracked values in their status differ.
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
    declared = root.member(_STATUS).property.type if root.has(_STATUS) else None
    user = types[declared.type_name] if isinstance(declared, Ref) else None
    # Names of enum values are those of the user's type.
    members = [
        replace(item, property=replace(item.property, required=False), constants="")
        for item in (user.members if user is not None else ())
    ]
    changed = Property(CHANGED_VALUES, Opaque(), location=kind.location)
    attribute = free_name("changed_values", (item.attribute for item in members))
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
        root.member(_STATUS)
        if root.has(_STATUS)
        else Member(_STATUS, Property(_STATUS, Opaque(), location=root.type.location), _STATUS)
    )
    member = replace(found, property=replace(found.property, type=Ref(status)))
    members = [member, *(item for item in root.members if item.name != _STATUS)]
    members.sort(key=lambda item: item.name)
    properties = tuple(item.property for item in members)
    return replace(root, type=replace(root.type, properties=properties), members=tuple(members))
