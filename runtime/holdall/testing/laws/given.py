"""Objects that exist, in both the forms that laws look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdall.carriers import restore, unload
from holdall.errors import UnknownKindError
from holdall.testing.laws.cases import Case, given_case
from holdall.testing.laws.hidden import boundary_of
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject


def case_of(subject: Subject, document: JsonObject) -> Case:
    """Return the case of an API object; the bags in its carrier are put where they belong.

    Raises UnknownKindError for an apiVersion or kind that the group does not have, DecodeError
    for an object that its schema forbids.
    """
    kind, version = find(subject, document)
    stored = stored_form(subject, kind, version, document)
    return given_case(kind, version, stored, _json.copy(document))


def find(subject: Subject, document: Mapping[str, Any]) -> tuple[str, str]:
    """Return kind and version of an API object. Raises UnknownKindError or ConversionError."""
    scheme = subject.scheme
    names = scheme.names_of(document)
    route = scheme.route(*names, names.api_version)
    if route.kind not in subject.kinds():
        raise UnknownKindError([])
    return route.kind, route.versions[0]


def stored_form(subject: Subject, kind: str, version: str, document: JsonObject) -> JsonObject:
    """Return an API object as a stored one: with its bags in sight, and no carrier."""
    boundary = boundary_of(subject, kind)
    members = _json.copy(document)
    twin_type = subject.scheme.twin(kind, version)
    for name in twin_type.HEAD:
        del members[name]
    load = None if boundary is None else unload(boundary[0], members)
    twin = twin_type.read_members(members, False)
    if boundary is not None and load is not None:
        envelope, evolution = boundary
        restore(load, version, twin, envelope.limits.strict, evolution)
    return twin.to_dict()
