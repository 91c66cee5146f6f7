"""What all trials of a group share, made once."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdall.testing.laws.claims import Claimed, claimed_members
from holdall.testing.laws.completed import Completed
from holdall.testing.laws.following import Followed
from holdall.testing.laws.kinds import Kinds
from holdall.testing.laws.moving import Moved
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.returning import Names, linked_names
from holdall.testing.laws.subjects import Subject


@dataclass(frozen=True, slots=True)
class Tools:
    """A group, and what its plan and hooks tell of its properties.

    `uncompleted` are the tools without the hooks that are switched off with the `completed`.
    """

    subject: Subject
    relations: Relations
    followed: Followed
    kinds: Kinds
    linked: Names
    completed: Completed
    uncompleted: Tools | None = None
    _moved: dict[tuple[str, str, str], Moved] = field(default_factory=dict)

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
        plan = subject.plan
        return cls(
            subject,
            Relations(plan, claimed),
            Followed(plan, claimed),
            Kinds(plan, claimed),
            linked_names(plan),
            completed,
            bare,
        )

    def moved(self, kind: str, start: str, end: str) -> Moved:
        """Return what reorders the lists of a kind at one version, and looks at another one."""
        key = kind, start, end
        found = self._moved.get(key)
        if found is None:
            found = self._moved[key] = Moved(self.subject, self.relations, *key)
        return found
