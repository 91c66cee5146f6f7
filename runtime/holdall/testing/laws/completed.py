"""Completing hooks that can be switched off: edges do by themselves what such a hook gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdall.engine.completing import Completing
from holdall.engine.edges import Crossing
from holdall.plan.plans import TypeRef
from holdall.testing.laws.residue_shares import two_way_parts
from holdall.testing.laws.subjects import Subject, ends_of


@dataclass(frozen=True, slots=True)
class Completed:
    """Both directions of the edges with completing hooks, the kinds that hold their objects, and
    the hooks' names. Hooks that generated code needs are not among them."""

    crossings: tuple[Crossing, ...] = ()
    kinds: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, subject: Subject) -> Completed:
        """Return what can be switched off in a group."""
        found = [
            (entry, part)
            for entry, part in two_way_parts(subject)
            if isinstance(part, Completing)
            and not (entry.must_claim_older or entry.must_claim_newer)
        ]
        ways = {id(way): way for entry, _ in found for way in (entry.edge.to, entry.edge.back)}
        held = {ends_of(entry)[0] for entry, _ in found}
        kinds = (kind for kind in subject.kinds() if not held.isdisjoint(_types(subject, kind)))
        names = dict.fromkeys(type(part).__name__ for _, part in found)
        return cls(tuple(ways.values()), frozenset(kinds), tuple(names))


def _types(subject: Subject, kind: str) -> Iterator[TypeRef]:
    """Yield the types of all objects in those of a kind, in any version."""
    for version in subject.versions(kind):
        yield from subject.plan.reachable(subject.root(kind, version))
