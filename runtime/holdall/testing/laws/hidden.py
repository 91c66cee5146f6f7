"""What an API document hides in its carrier: as a client sends it, with every bag in sight."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.carriers import (
    Dropped,
    Envelope,
    Evolution,
    hide_in_bags,
    lift,
    mark_shown_extras,
    pruned_places,
    restore,
    unload,
)
from holdall.objects.stored_forms import Lifted
from holdall.objects.views import StorageRoot
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject


@dataclass(frozen=True, slots=True)
class Opened:
    """An API document whose bags stand where they belong, and what found no place.

    `stored` is its stored form; what an API server would have pruned is in the bags.
    """

    twin: StorageRoot
    stored: JsonObject
    dropped: tuple[Dropped, ...]


def boundary_of(subject: Subject, kind: str) -> tuple[Envelope, Evolution | None] | None:
    """Return how the bags of a kind travel, and what reads those of earlier plans; None if they
    do not travel in an envelope."""
    planned = next(item for item in subject.scheme.kinds if item.name == kind)
    if planned.carrier not in ("annotation", "field"):
        return None
    start, end, *_ = subject.versions(kind)
    api_version = subject.scheme.api_version(start, planned)
    route = subject.scheme.route(api_version, planned.name_in(start), end)
    return route._envelope, route._evolution


def opened(subject: Subject, kind: str, version: str, document: JsonObject) -> Opened:
    """Take the bags out of an API document and attach them to its objects."""
    boundary = boundary_of(subject, kind)
    members = _json.copy(document)
    del members["apiVersion"], members["kind"]
    load = None if boundary is None else unload(boundary[0], members)
    twin = subject.scheme.twin(kind, version).read_members(members, False)
    has_server = boundary is not None and boundary[0].group
    pruned = pruned_places(type(twin)) if has_server else None
    if pruned is not None:
        mark_shown_extras(pruned, version, twin)
    dropped: list[Dropped] = []
    if boundary is not None and load is not None:
        envelope, evolution = boundary
        found = restore(load, version, twin, envelope.limits.strict, evolution)
        dropped = [item for item in found if isinstance(item, Dropped)]
    if pruned is not None:
        hide_in_bags(pruned, version, twin)
    return Opened(twin, _json.copy(twin.to_dict()), tuple(dropped))


def closed(subject: Subject, kind: str, version: str, made: Opened) -> JsonObject | None:
    """Return the API document of what was opened; None if its carrier has no room for all."""
    boundary = boundary_of(subject, kind)
    lifted: Lifted = []
    members = made.twin.write_members(lifted)
    head = {name: made.stored[name] for name in ("apiVersion", "kind")}
    document: JsonObject = {**head, **members}
    if boundary is None:
        return None
    envelope, evolution = boundary
    if lift(envelope, version, made.twin, lifted, document, evolution):
        return None
    return document
