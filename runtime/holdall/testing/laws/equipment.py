"""What all trials of a group share, made once."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdall.testing.laws.following import Followed
from holdall.testing.laws.moving import Moved
from holdall.testing.laws.relations import Relations
from holdall.testing.laws.returning import Names, linked_names
from holdall.testing.laws.subjects import Subject


@dataclass(frozen=True, slots=True)
class Tools:
    """A group, and what its plan and hooks tell of its properties."""

    subject: Subject
    relations: Relations
    followed: Followed
    linked: Names
    _moved: dict[tuple[str, str, str], Moved] = field(default_factory=dict)

    @classmethod
    def of(cls, subject: Subject) -> Tools:
        """Return the tools for a group."""
        return cls(
            subject,
            Relations(subject.plan, subject.claimed),
            Followed(subject.plan, subject.claimed),
            linked_names(subject.plan),
        )

    def moved(self, kind: str, start: str, end: str) -> Moved:
        """Return what reorders the lists of a kind at one version, and looks at another one."""
        key = kind, start, end
        found = self._moved.get(key)
        if found is None:
            found = self._moved[key] = Moved(self.subject, self.relations, *key)
        return found
