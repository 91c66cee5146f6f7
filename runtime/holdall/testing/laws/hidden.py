"""What an API document hides in its carrier: as a client sends it, with every bag in sight."""

from __future__ import annotations

from dataclasses import dataclass

from holdall import json as _json
from holdall.carriers import (
    Dropped,
    Envelope,
    hide_extras,
    lift,
    mark_shown_extras,
    pruned_places,
    restore,
    unload,
)
from holdall.objects import Lifted, StorageRoot
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject


@dataclass(frozen=True, slots=True)
class Opened:
    """An API document whose bags stand where they belong, and what found no place.

    `stored` is its stored form; what an API server would have pruned is in the bags.
    """

    twin: StorageRoot
    stored: JsonObject
    dropped: tuple[Dropped, ...]


def envelope_of(subject: Subject, kind: str) -> Envelope | None:
    """Return how the bags of a kind travel; None if they do not travel in an envelope."""
    planned = next(item for item in subject.scheme.kinds if item.name == kind)
    carrier, group = planned.carrier, subject.scheme.group_of(planned)
    if carrier == "annotation" or carrier == "field":
        return Envelope(carrier=carrier, group=group, kind=kind, limits=planned.limits)
    return None


def opened(subject: Subject, kind: str, version: str, document: JsonObject) -> Opened:
    """Take the bags out of an API document and attach them to its objects."""
    envelope = envelope_of(subject, kind)
    members = _json.copy(document)
    del members["apiVersion"], members["kind"]
    load = None if envelope is None else unload(envelope, members)
    twin = subject.scheme.twin(kind, version).read_members(members, False)
    pruned = pruned_places(type(twin)) if envelope is not None and envelope.group else None
    if pruned is not None:
        mark_shown_extras(pruned, version, twin)
    dropped = [] if load is None else restore(load, version, twin)
    if pruned is not None:
        hide_extras(pruned, version, twin)
    return Opened(twin, _json.copy(twin.to_dict()), tuple(dropped))


def closed(subject: Subject, kind: str, version: str, made: Opened) -> JsonObject | None:
    """Return the API document of what was opened; None if its carrier has no room for all."""
    envelope = envelope_of(subject, kind)
    lifted: Lifted = []
    members = made.twin.write_members(lifted)
    head = {name: made.stored[name] for name in ("apiVersion", "kind")}
    document: JsonObject = {**head, **members}
    if envelope is None or lift(envelope, version, made.twin, lifted, document):
        return None
    return document
