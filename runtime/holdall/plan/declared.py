"""The declared types in plan.json: their members in order, and the values of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from holdall.plan.per_package import per_package
from holdall.plan.plans import GroupPlan, Type, TypeRef, load, read_plan


@dataclass(frozen=True, slots=True)
class Member:
    """One declared member. `required` and `nullable` are for the API type, `format` for integers.

    `null_depths` says where elements may be null: 1 for elements of the value, 2 for theirs.
    """

    name: str
    type: Type
    required: bool
    nullable: bool
    format: str
    null_depths: frozenset[int]


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A declared type; members are in declaration order."""

    ref: TypeRef
    form: Literal["object", "union", "tuple"]
    members: Mapping[str, Member]


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """All declared types of a group, with its plan."""

    plan: GroupPlan
    types: Mapping[TypeRef, DeclaredType]

    def order(self, version: str, name: str) -> tuple[str, ...]:
        """Return the members of a type in declaration order."""
        found = self.types.get(TypeRef(version, name))
        return () if found is None else tuple(found.members)


@per_package
def declared_types(package: str) -> DeclaredTypes:
    """Return the declared types of a generated package. Raises SchemeError without a plan."""
    plan = load(package)
    return read_plan(package, lambda document: DeclaredTypes(plan, _declared(plan, document)))


def _declared(plan: GroupPlan, document: Mapping[str, Any]) -> dict[TypeRef, DeclaredType]:
    types = {}
    for version, entries in document.get("declared", {}).items():
        for name, entry in entries.items():
            ref = TypeRef(version, name)
            members = {
                item["name"]: Member(
                    item["name"],
                    plan.types[ref][item["name"]],
                    item.get("required", False),
                    item.get("nullable", False),
                    item.get("format", ""),
                    frozenset(item.get("null_depths", ())),
                )
                for item in entry["members"]
            }
            types[ref] = DeclaredType(ref, entry.get("form", "object"), members)
    return types
