"""People and the teams they work in: the latest version, and what happened to each item.

`holdall generate` writes the versions, their types and converters. The functions below are called
with plain JSON, in the shape of the version that the value comes from.
"""

from __future__ import annotations

from typing import Annotated, Any

from holdall.declare import (
    U16,
    U32,
    Tracking,
    Unit,
    Usize,
    Version,
    Versions,
    added,
    changed,
    default_variant,
    deprecated,
    list_key,
    obj,
    print_column,
    removed,
    resource,
    scale,
    union,
)

VERSIONS = Versions(
    Version("v1alpha1", deprecated="use v1"),
    Version("v1beta1", doc="Second draft."),
    Version("v1"),
    tracking=Tracking(),
    rename_all="camelCase",
)


def first_day(year: int) -> str:
    return f"{year:04}-01-01"


def year_of(day: str) -> int:
    return int(day[:4]) if day[:4].isdecimal() else 0


def to_list(text: str) -> list[str]:
    return [skill.strip() for skill in text.split(",") if skill.strip()]


def to_text(skills: list[str]) -> str:
    return ", ".join(skills)


def to_u16(number: int) -> int:
    return min(number, 65535)


def short_name(person: dict[str, Any]) -> str:
    """The parent object has the shape of v1beta1, and may lack any member."""
    return str(person.get("fullName", "")).partition(" ")[0]


def no_fax() -> str:
    return "none"


def one() -> int:
    return 1


@union(rename_all="camelCase")
class PhoneKind:
    """Only names without payload: a plain string on the wire."""

    Desk: Annotated[Unit, default_variant]
    Mobile: Unit
    Video: Annotated[Unit, added("v1beta1", fallback="Desk")]


@obj
class Phone:
    """How to call someone."""

    label: str
    number: str
    kind: PhoneKind
    extension: Annotated[U16 | None, added("v1beta1")]
    """What to dial after the number."""


@obj
class Desk:
    """Where someone works."""

    room: Annotated[str, changed("v1", from_name="place")]
    adjustable: Annotated[bool, added("v1")]


@obj
class Term:
    """A limited time."""

    until: str
    renewable: Annotated[bool, added("v1")]


@union(rename_all="camelCase")
class Contract:
    """Some variants have a payload: a plain string, or an object with one member."""

    Permanent: Unit
    Temporary: Term
    Freelance: Annotated[Unit, added("v1beta1", fallback="Permanent")]
    Lent: Annotated[tuple[str, Term], added("v1", fallback="Freelance")]
    Seasonal: Annotated[Unit, removed("v1", fallback="Permanent")]
    DeprecatedTrainee: Annotated[Unit, deprecated("v1", note="use temporary")]


@resource(
    group="people.example.com",
    namespaced=True,
    plural="people",
    shortnames=("pe",),
    categories=("people",),
    print_columns=(print_column("Name", json_path=".spec.full_name"),),
)
class PersonSpec:
    """Someone who works here."""

    full_name: Annotated[str, changed("v1beta1", from_name="name")]
    """As on the door."""
    display_name: Annotated[str, added("v1", default_from=short_name)]
    email: Annotated[str | None, added("v1beta1")]
    badge: Annotated[U32, changed("v1", from_type=U16, downgrade_with=to_u16)]
    hired_on: Annotated[
        str,
        changed(
            "v1beta1",
            from_name="hired_in",
            from_type=U16,
            from_docs="The year.",
            upgrade_with=first_day,
            downgrade_with=year_of,
        ),
    ]
    """The day."""
    skills: Annotated[
        list[str],
        changed("v1", from_type=str, upgrade_with=to_list, downgrade_with=to_text),
    ]
    contract: Contract
    phones: Annotated[list[Phone], list_key("label")]
    desks: dict[str, Desk]
    fax: Annotated[str, removed("v1", default=no_fax)]
    deprecated_pager: Annotated[str | None, deprecated("v1beta1", note="nobody carries one")]


@obj
class TeamStatus:
    """What is known about a team."""

    present: Annotated[U32, changed("v1", from_name="here")]
    absent: Annotated[U32 | None, added("v1")]


@resource(
    group="people.example.com",
    namespaced=True,
    status=TeamStatus,
    scale=scale(spec_replicas_path=".spec.size", status_replicas_path=".status.present"),
    print_columns=(
        print_column("Lead", json_path=".spec.lead"),
        print_column("Size", json_path=".spec.size", type="integer"),
    ),
    selectable_fields=(".spec.lead",),
)
class TeamSpec:
    """People who work together."""

    lead: Annotated[str, changed("v1", from_name="boss")]
    size: Annotated[Usize, added("v1beta1", default=one)]
    rooms: Annotated[list[Desk], added("v1beta1")]
