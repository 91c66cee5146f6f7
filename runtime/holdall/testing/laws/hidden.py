"""What an API document hides in its carrier, with every bag made visible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from holdall.carriers.boundary import restore, unload
from holdall.carriers.carrying import lift, take_bags
from holdall.carriers.envelope import Envelope
from holdall.carriers.evolution import Evolution
from holdall.carriers.pruning import hide_extras, hide_in_bags, mark_shown_extras, pruned_places
from holdall.carriers.reports import Dropped
from holdall.carriers.tracking.documents import take_sections
from holdall.carriers.tracking.entries import SECTIONS, Entry, read_entry
from holdall.carriers.tracking.placing import Path, Placed, place_entries
from holdall.carriers.tracking.spots import ObjectSpot
from holdall.errors import DecodeError, UnknownKindError
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.views import StorageRoot
from holdall.plan.tracking import CHANGED_VALUES
from holdall.scheme.tracked_route import TrackedRoute
from holdall.testing.laws.cases import Case, given_case
from holdall.testing.laws.subjects import Subject
from holdall.text import json as _json
from holdall.types import JsonObject, Members, members


@dataclass(frozen=True, slots=True)
class Opened:
    """An API document with its bags where they belong, and what found no place.

    `stored` is its stored form; what an API server would have pruned is in the bags. Tracked values
    for a neighbouring version are in the bags, too, each with what it became. `members` are those
    of the root, with what would have been pruned still in place.
    """

    twin: StorageRoot
    stored: JsonObject
    dropped: tuple[Dropped, ...]
    members: Members


def boundary_of(subject: Subject, kind: str) -> tuple[Envelope, Evolution | None] | None:
    """Return a kind's envelope, and the reader of earlier plans' bags; None if bags do not travel
    in an envelope."""
    if next(item for item in subject.scheme.kinds if item.name == kind).carrier not in (
        "annotation",
        "field",
    ):
        return None
    route = subject.route(kind, subject.versions(kind)[0])
    return route.envelope, route._evolution


def hides(subject: Subject, kind: str) -> bool:
    """Return whether documents of a kind carry what their version cannot express."""
    return boundary_of(subject, kind) is not None or is_tracked(subject, kind)


def has_server(subject: Subject, kind: str) -> bool:
    """Return whether API servers store objects of a kind that hide something."""
    boundary = boundary_of(subject, kind)
    return is_tracked(subject, kind) if boundary is None else bool(boundary[0].group)


def is_tracked(subject: Subject, kind: str) -> bool:
    """Return whether documents of a kind carry changed values."""
    route = subject.route(kind, subject.versions(kind)[0])
    return isinstance(route, TrackedRoute)


def with_entries_of(document: JsonObject, edited: JsonObject) -> JsonObject:
    """Return an edited object with its status's former tracked values: users who edit a status
    leave them alone."""
    status = members(document, "status")
    if CHANGED_VALUES not in status:
        return edited
    mine = {**members(edited, "status"), CHANGED_VALUES: status[CHANGED_VALUES]}
    return {**edited, "status": mine}


def without_empty_status(document: JsonObject) -> JsonObject:
    """Return an object without an empty or null status, which equals an absent one where the status
    carries entries."""
    if document.get("status"):
        return document
    return {name: value for name, value in document.items() if name != "status"}


def opened(subject: Subject, kind: str, version: str, document: JsonObject) -> Opened:
    """Take the bags out of an API document and attach them to its objects."""
    if is_tracked(subject, kind):
        members = _json.copy(document)
        return _with_entries(subject.route(kind, version), version, members)
    pruned = pruned_places(subject.twin(kind, version)) if has_server(subject, kind) else None
    twin, dropped = _unloaded(subject, kind, version, document, pruned)
    unhidden = _json.copy(twin.settled_())
    if pruned is not None:
        hide_in_bags(pruned, type(twin), twin.settled_())
    return Opened(twin, _json.copy(twin.to_dict()), dropped, unhidden)


def _unloaded(
    subject: Subject, kind: str, version: str, document: JsonObject, pruned: Any
) -> tuple[StorageRoot, tuple[Dropped, ...]]:
    """Return the twin of an API document with its bags attached, and what found no place.

    With `pruned`, values at those places are marked first.
    """
    boundary = boundary_of(subject, kind)
    members = _json.copy(document)
    twin_type = subject.twin(kind, version)
    for name in twin_type.HEAD:
        del members[name]
    load = None if boundary is None else unload(boundary[0], version, members)
    twin = twin_type.read_members(members, False)
    if pruned is not None:
        mark_shown_extras(pruned, twin_type, twin.settled_())
    if boundary is None or load is None:
        return twin, ()
    envelope, evolution = boundary
    found = restore(load, version, twin, envelope.limits.strict, evolution)
    return twin, tuple(item for item in found if isinstance(item, Dropped))


def closed(subject: Subject, kind: str, version: str, made: Opened) -> JsonObject | None:
    """Return the API document of an opened one; None if its carrier has no room for everything."""
    boundary = boundary_of(subject, kind)
    if boundary is None:
        return None
    envelope, evolution = boundary
    members, root = _json.copy(made.members), type(made.twin)
    pruned = pruned_places(root) if has_server(subject, kind) else None
    hidden = [] if pruned is None else hide_extras(pruned, root, members)
    taken = take_bags(root, members, hidden)
    document: JsonObject = {**root.HEAD, **members}
    return None if lift(envelope, version, taken, document, evolution) else document


def _with_entries(route: TrackedRoute, version: str, document: Members) -> Opened:
    """Attach the tracked values for neighbours of a version to their objects."""
    sections, wrong = take_sections(route._group, document)
    dropped = [Dropped(text, "", "", "it is dropped") for text in wrong]
    members = {name: value for name, value in document.items() if name not in route.source_head}
    twin: Any = route.twins[0].read_members(members, False)
    for neighbour, spot in _neighbours(route, version):
        section = SECTIONS[0 if route._rank[version] < route._rank[neighbour] else 1]
        entries = [
            entry
            for value in sections.lists[section].get(neighbour, ())
            if (entry := _read(spot, value, section)) is not None
        ]
        texts = place_entries(spot, twin.members_, neighbour, entries, _InSight(), _refuse)
        dropped += [Dropped(text, neighbour, "", "it is dropped") for text in texts]
    return Opened(twin, _json.copy(twin.to_dict()), tuple(dropped), twin.settled_())


def _neighbours(route: TrackedRoute, version: str) -> Iterator[tuple[str, ObjectSpot]]:
    here = route._rank[version]
    for neighbour, rank in route._rank.items():
        if abs(rank - here) == 1:
            yield neighbour, route._spots.object(route._twin_of[neighbour], route.twins[0])


def _read(spot: ObjectSpot, value: Any, section: Any) -> Entry | None:
    """Return an entry of an object; entries of single values in a list belong to those."""
    try:
        entry = read_entry(value, section, {})
        path = Path(spot, None, entry)  # by types alone
        path.advance()
    except DecodeError:
        return None
    return entry if path.pieces is None else None


def _refuse(_entry: Entry, _why: str) -> None:
    """Only single values in a list are refused."""


class _InSight(Placed):
    """Shows entries in the bags of their objects."""

    @override
    def put(self, spot: ObjectSpot, members: Members, version: str, key: str, entry: Entry) -> None:
        shown = {**entry.write("upgrades"), "jsonPath": key}
        shown.pop("guards", None)
        members.setdefault(BAG_MEMBER, {}).setdefault(version, {})[key] = shown


def case_of(subject: Subject, document: JsonObject) -> Case:
    """Return the case of an API object, with the bags of its carrier where they belong.

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
    """Return an API object as a stored one: with visible bags, and without a carrier."""
    return _unloaded(subject, kind, version, document, None)[0].to_dict()
