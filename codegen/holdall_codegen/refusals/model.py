"""What a schema may refuse of a converted object, as data."""

from __future__ import annotations

from dataclasses import dataclass

from holdall.errors import Problem
from holdall.plan.plans import TypeRef
from holdall.types import JsonValue

REFUSED_BY_TARGET = "HA220"

Way = tuple[str, str]
"""The versions of a conversion: where an object comes from, and where it goes."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A property of the target's type, and the type that it comes from.

    `name` is the path from the target's type, with `*` for elements and values; it is empty for
    the object itself.
    """

    source: TypeRef
    target: TypeRef
    name: str = ""

    @property
    def way(self) -> Way:
        return self.source.version, self.target.version

    @property
    def first(self) -> str:
        """The property of the target's type itself."""
        return self.name.partition("/")[0]

    def below(self, *steps: str) -> Subject:
        """Return a place below."""
        return Subject(self.source, self.target, "/".join([self.name, *steps]).strip("/"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a schema demands and a valid object of the other version may violate.

    `rule` is the one that the gate names for the same difference between two states. `places` are
    the paths of the target's object, from its kind on; `where` is the line of the schema. `fix` is
    what helps: a line that was tried, or how to start a hook.
    """

    subject: Subject
    rule: str
    what: str
    where: str
    places: tuple[str, ...]
    fix: str = ""

    @property
    def is_declared(self) -> bool:
        """Tell whether a line alone helps; a pair that is left to a hook takes one, too."""
        return self.fix.startswith("between: ") and "strategy: hook" not in self.fix

    def __str__(self) -> str:
        target = self.subject.target
        return f"{target.name} {self.subject.name or '/'}: {self.rule}: {self.what}"

    def problem(self) -> Problem:
        """Return it as a warning of `holdall check`."""
        text = f"{' -> '.join(self.subject.way)}: {self}"
        return Problem(REFUSED_BY_TARGET, self.where, text, self.fix)

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        source, target = self.subject.source, self.subject.target
        return {
            "from": source.version,
            "to": target.version,
            "type": target.name,
            "source": source.name,
            "property": self.subject.name,
            "rule": self.rule,
            "what": self.what,
            "where": self.where,
            "places": list(self.places),
            "fix": self.fix,
        }
