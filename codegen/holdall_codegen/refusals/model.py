"""What a schema may refuse of a converted object: as data, as JSON, and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from holdall.errors import Problem
from holdall.plan.plans import TypeRef
from holdall.text.pointer import escape, join, unescape
from holdall.types import JsonValue
from holdall_codegen.breaking.ignoring import Accepted

REFUSED_BY_TARGET = "HA220"
UNUSED_ACCEPTANCE = "HA221"

Way = tuple[str, str]
"""The versions of a conversion: that of the source, and that of the target."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A property of the target's type, and the type that it comes from.

    `name` is the path from the target's type, with `*` for elements and values, and `~1` for a
    slash in a name; it is empty for the object itself.
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
        return unescape(self.name.partition("/")[0])

    def below(self, *steps: str) -> Subject:
        """Return a place below."""
        return Subject(self.source, self.target, join(self.name, *steps).removeprefix("/"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a schema demands and a valid object of the other version may violate.

    `rule` is the rule of the gate for the same difference between two states. `places` are the
    paths of the target's object, from its kind on; `where` is the line of the schema. `fix` is what
    helps: a line that was tried, or how to start a hook.
    """

    subject: Subject
    rule: str
    what: str
    where: str
    places: tuple[str, ...]
    fix: str = ""

    @property
    def is_declared(self) -> bool:
        """Tell whether a line alone helps; a pair that is left to a hook needs the hook, too."""
        return self.fix.startswith("between: ") and "strategy: hook" not in self.fix

    def is_covered(self, accepted: Accepted) -> bool:
        """Tell whether an entry of holdall.yaml accepts it."""
        subject = self.subject
        return accepted.covers(self.rule, subject.way, subject.target.name, subject.name)

    def __str__(self) -> str:
        target = self.subject.target
        return f"{target.name} {self.subject.name or '/'}: {self.rule}: {self.what}"

    def problem(self) -> Problem:
        """Return it as a warning of `holdall check`."""
        text = f"{' -> '.join(self.subject.way)}: {self}"
        return Problem(REFUSED_BY_TARGET, self.where, text, self.fix)

    def warning(self) -> str:
        """Return it as text, with its fix if that is a line; ANSWERS is for all others."""
        return str(self.problem()) if self.is_declared else self.problem().finding

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


# --- as people and programs read it ---------------------------------------------------------------


_LONGEST: Final = 120
"""Rules in CEL may be as long as a page; JSON has them in full."""


_MANY: Final = 3
"""How many findings below one property are listed: open JSON that got a type has hundreds."""


def condensed(found: Sequence[Refusal]) -> tuple[Refusal, ...]:
    """Return the findings to print: of many below one property, only the first."""
    groups: dict[Subject, list[Refusal]] = {}
    for item in found:
        own = replace(item.subject, name=escape(item.subject.first))
        groups.setdefault(own, []).append(item)
    told: list[Refusal] = []
    for property_, items in groups.items():
        below = [item for item in items if item.subject.name != property_.name]
        if len(below) > _MANY:
            first, *rest = below
            what = f"{first.what}; {len(rest)} more below {property_.name}"
            told += [item for item in items if item.subject.name == property_.name]
            told.append(replace(first, what=what))
        else:
            told += items
    return tuple(told)


ANSWERS: Final = (
    "if it does no harm, accept it under `accept_refusals` of its group, with a reason;\n"
    "else write a hook that makes a valid value: `--json` says how to start it."
)
"""What helps if no line by itself does."""


def refusal_lines(found: Sequence[Refusal]) -> Iterator[str]:
    """Yield a line for each finding, grouped by way, then the lines that help."""
    ways: dict[Way, list[Refusal]] = {}
    for item in condensed(found):
        ways.setdefault(item.subject.way, []).append(item)
    for (source, target), items in ways.items():
        yield f"\n{target} may refuse what is valid at {source}:"
        for item in items:
            text = str(item)
            if len(text) > _LONGEST:
                text = f"{text[: _LONGEST - 1]}…"
            yield f"  {text} ({item.where})"
    if not found:
        return
    lines = dict.fromkeys(item.fix for item in found if item.is_declared)
    if lines:
        yield "\nLines for holdall.yaml that help; each was tried:"
        yield from (f"  {line}" for line in lines)
    if any(not item.is_declared for item in found):
        yield f"\nFor each of {'the others' if lines else 'these'}: {ANSWERS}"


def refusals_value(found: Mapping[str, Sequence[Refusal]]) -> dict[str, JsonValue]:
    """Return the findings as a JSON value, by package."""
    return {package: [item.value() for item in items] for package, items in found.items()}
