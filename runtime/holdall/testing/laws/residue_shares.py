"""How often two-way hooks need residue, because a value does not come back by itself.

A hook that needs residue for nearly all objects loses nothing, even if it shows wrong values: then
swapped and invented values are not noticed by laws about round trips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from holdall.engine.edges import EdgeEntry
from holdall.engine.hooks import EXTRA_PREFIX
from holdall.engine.two_way import TwoWay
from holdall.objects.bag import BAG_MEMBER
from holdall.objects.shapes import objects_within
from holdall.objects.views import StorageObject
from holdall.plan.plans import TypeRef
from holdall.testing.laws.choices import Seeded
from holdall.testing.laws.duties import crossed
from holdall.testing.laws.hidden import find, stored_form
from holdall.testing.laws.subjects import Subject, ends_of
from holdall.testing.laws.values import plain_json
from holdall.text import json as _json
from holdall.types import JsonObject

_NEARLY_ALL: Final = 0.9
_FEW: Final = 5


@dataclass(slots=True)
class Share:
    """How many objects there were, and how many needed residue."""

    objects: int = 0
    kept: int = 0

    @property
    def is_nearly_all(self) -> bool:
        """Return whether hardly any object comes back by itself."""
        return self.objects >= _FEW and self.kept >= _NEARLY_ALL * self.objects

    def __str__(self) -> str:
        return f"{self.kept * 100 // self.objects} %" if self.objects else "-"


@dataclass(slots=True)
class Residue:
    """A two-way hook on one edge, and the shares of both its directions."""

    older: str
    newer: str
    hook: str
    members: str
    to: Share = field(default_factory=Share)
    back: Share = field(default_factory=Share)

    @property
    def is_suspicious(self) -> bool:
        """Return whether hardly any object comes back by itself, whichever side it is from.

        One side alone may well have more values than the other one.
        """
        return self.to.is_nearly_all and self.back.is_nearly_all


def residue_shares(
    subject: Subject,
    examples: int,
    seed: int,
    given: Iterable[tuple[str, JsonObject]] = (),
) -> list[Residue]:
    """Return every two-way hook of a group with its shares, in the order of the edges.

    If any `given` API objects have the members of a hook, they count instead of drawn ones.
    """
    objects = _objects_of(subject, given)
    found = []
    for entry, part in two_way_parts(subject):
        older, newer = ends_of(entry)
        members = ", ".join(dict.fromkeys((*part.older, *part.newer)))
        residue = Residue(str(older), str(newer), type(part).__name__, members)
        sides = (
            (older, part.older, entry.edge.to, residue.to),
            (newer, part.newer, entry.edge.back, residue.back),
        )
        for ref, names, crossing, share in sides:
            plain = [name.removeprefix(EXTRA_PREFIX) for name in names]
            every = objects.get(crossing.source_type, ())
            own = [one for one in every if any(one.get(name) is not None for name in plain)]
            # Duplicates count once: some frequent values come back by accident.
            drawn = own or _drawn(subject, ref, names, plain, examples, seed)
            for document in {_json.encode_sorted(one): one for one in drawn}.values():
                source = crossing.source_type.read_members(document)
                made = crossed(crossing, crossing is entry.edge.to, source)
                if made is not None:
                    share.objects += 1
                    bag = made.property_bag
                    share.kept += bag is not None and bag.has(crossing.source, part._key)
        found.append(residue)
    return found


def two_way_parts(subject: Subject) -> Iterator[tuple[EdgeEntry, TwoWay]]:
    """Yield the two-way hooks of all edges, those within composed hooks, too."""
    instances = {
        (hook.point.module, hook.point.protocol): hook.instance
        for hook in subject.scheme.bound_hooks()
    }
    for entry in subject.scheme._edges:
        instance: Any = instances.get((entry.protocol.__module__, entry.protocol.__name__))
        for part in getattr(instance, "parts", (instance,)):
            if isinstance(part, TwoWay):
                yield entry, part


def _drawn(
    subject: Subject,
    ref: TypeRef,
    names: Sequence[str],
    plain: Sequence[str],
    examples: int,
    seed: int,
) -> Iterator[JsonObject]:
    types = subject.plan.types[ref]
    documents = subject.documents
    for number in range(examples):
        choices = Seeded(f"{ref}/{names}/{seed + number}")
        yield {
            name: documents.value(choices, types[name]) if name in types else plain_json(choices, 2)
            for name in plain
        }


def _objects_of(
    subject: Subject, given: Iterable[tuple[str, JsonObject]]
) -> dict[type[StorageObject], list[JsonObject]]:
    """Return all objects in API objects, in all versions, without their bags."""
    found: dict[type[StorageObject], list[JsonObject]] = {}
    for _, document in given:
        kind, start = find(subject, document)
        twin = subject.read(kind, start, stored_form(subject, kind, start, document))
        for version in subject.versions(kind):
            made = subject.walk(kind, start, version, twin)
            for _, held in objects_within(made):
                if isinstance(held, StorageObject):
                    members = held.write_members()
                    members.pop(BAG_MEMBER, None)
                    found.setdefault(type(held), []).append(members)
    return found
