"""What all trials of a group share, and the completing hooks that can be switched off."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.engine.completing import Completing
from holdall.engine.edges import Crossing
from holdall.testing.laws.following import Followed
from holdall.testing.laws.kinds import Kinds
from holdall.testing.laws.moving import Moved
from holdall.testing.laws.once import asked_once
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.residue_shares import two_way_parts
from holdall.testing.laws.returning import Names, linked_names
from holdall.testing.laws.subjects import (
    Claimed,
    Node,
    Subject,
    claimed_members,
    ends_of,
    made_members,
)


@dataclass(frozen=True, slots=True)
class Completed:
    """Both directions of the edges with completing hooks, the kinds that hold their objects, and
    the hooks' names. Hooks that generated code needs are not among them."""

    crossings: tuple[Crossing, ...] = ()
    kinds: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, subject: Subject) -> Completed:
        """Return the hooks of a group that can be switched off."""
        found = [
            (entry, part)
            for entry, part in two_way_parts(subject)
            if isinstance(part, Completing)
            and not (entry.must_claim_older or entry.must_claim_newer)
        ]
        ways = {id(way): way for entry, _ in found for way in (entry.edge.to, entry.edge.back)}
        held = {ends_of(entry)[0] for entry, _ in found}
        kinds = (
            kind
            for kind in subject.kinds()
            for version in subject.versions(kind)
            if not held.isdisjoint(subject.plan.reachable(subject.root(kind, version)))
        )
        names = dict.fromkeys(type(part).__name__ for _, part in found)
        return cls(tuple(ways.values()), frozenset(kinds), tuple(names))


@dataclass(frozen=True, eq=False)
class Tools:
    """A group, and facts about its properties from its plan and hooks.

    `uncompleted` are the tools without the hooks in `completed`.
    """

    subject: Subject
    relations: Relations
    followed: Followed
    kinds: Kinds
    linked: Names
    completed: Completed
    uncompleted: Tools | None = None

    @classmethod
    def of(cls, subject: Subject) -> Tools:
        """Return the tools for a group."""
        completed = Completed.of(subject)
        off = completed.crossings
        on = (way for way in subject.crossings() if way[2] not in off)
        bare = cls._made(subject, claimed_members(on), Completed()) if off else None
        return cls._made(subject, subject.claimed, completed, bare)

    @classmethod
    def _made(
        cls, subject: Subject, claimed: Claimed, completed: Completed, bare: Tools | None = None
    ) -> Tools:
        plan, made = subject.plan, made_members(subject.crossings())
        none = frozenset[Node]()
        both = {ends: claimed.get(ends, none) | made.get(ends, none) for ends in {*claimed, *made}}
        return cls(
            subject,
            Relations(plan, claimed, made),
            Followed(plan, both),
            Kinds(plan, claimed),
            linked_names(plan),
            completed,
            bare,
        )

    @asked_once
    def moved(self, kind: str, start: str, end: str) -> Moved:
        """Return the trial that reorders lists of a kind at one version, and checks at another."""
        return Moved(self.subject, self.relations, kind, start, end)
