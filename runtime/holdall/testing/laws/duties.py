"""Whether every hook is needed (L11): without it, some result is different.

A difference in any output counts, because a hook may concern only what is shown: then every
expected output in a project's tests would fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from holdall.engine.edges import Crossing, EdgeEntry
from holdall.errors import HoldallError
from holdall.objects.views import StorageObject
from holdall.testing.laws.choices import Choices, Everything, Seeded
from holdall.testing.laws.subjects import Subject, across, ends_of, without
from holdall.text import json as _json
from holdall.types import JsonObject

_FULL = 20


@dataclass(frozen=True, slots=True)
class Duty:
    """A hook of an edge, and whether anything depends on it."""

    older: str
    newer: str
    protocol: str
    needed: bool


def check_duties(
    subject: Subject,
    examples: int,
    seed: int,
    given: Iterable[tuple[str, JsonObject]] = (),
) -> list[Duty]:
    """Return every bound hook of a group, in the order of the edges.

    A hook is needed if one of up to `examples` objects of its types, or one of the `given` API
    objects with their kinds, converts to something else without it.
    """
    objects = list(given)
    found = []
    for entry in subject.scheme._edges:
        if entry.edge.to.bound is None and entry.edge.back.bound is None:
            continue
        needed = _matters(subject, entry, examples, seed) or _changes(subject, entry, objects)
        older, newer = ends_of(entry)
        found.append(Duty(str(older), str(newer), entry.protocol.__name__, needed))
    return found


def _matters(subject: Subject, entry: EdgeEntry, examples: int, seed: int) -> bool:
    older, newer = ends_of(entry)
    to, back = entry.edge.to, entry.edge.back
    fullest = (Everything(turn) for turn in range(_FULL))
    drawn = (Seeded(f"{older}/{newer}/{seed + number}") for number in range(examples))
    for choices in chain[Choices](fullest, drawn):
        for ref, there, here in ((older, to, back), (newer, back, to)):
            document = subject.documents.object(choices, ref, depth=3)
            source = there.source_type.read_members(document)
            if _differs(there, there is to, source):
                return True
            # A returning object has in its bag what the other direction kept.
            made = crossed(there, there is to, source)
            if made is not None and _differs(here, here is to, made):
                return True
    return False


def _differs(crossing: Crossing, upward: bool, source: StorageObject) -> bool:
    with_it = crossed(crossing, upward, source)
    with without([crossing]):
        without_it = crossed(crossing, upward, source)
    if with_it is None or without_it is None:
        return with_it is not without_it
    return not _json.same(with_it.write_members(), without_it.write_members())


def crossed(crossing: Crossing, upward: bool, source: StorageObject) -> StorageObject | None:
    """Return an object on the other side of an edge; None if it is refused."""
    try:
        return across(source, crossing.destination_type, upward=upward)
    except HoldallError:
        return None


def _changes(subject: Subject, entry: EdgeEntry, objects: Iterable[tuple[str, JsonObject]]) -> bool:
    crossings = [entry.edge.to, entry.edge.back]
    for kind, document in objects:
        for version in subject.served(kind):
            with_it = _converted(subject, document, version)
            with without(crossings):
                if not _json.same(with_it, _converted(subject, document, version)):
                    return True
    return False


def _converted(subject: Subject, document: JsonObject, version: str) -> JsonObject | None:
    try:
        return subject.scheme.convert(document, to=version)
    except HoldallError:
        return None
