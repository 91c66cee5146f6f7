"""The keys `breaking` and `accept_refusals`: findings that are known, until when, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final, TypeAlias

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall_codegen.breaking.rules import RULES, Finding
from holdall_codegen.config.names import DATE, PAIR, TEXT
from holdall_codegen.config.node import MALFORMED_NAME, WRONG_TYPE, Node
from holdall_codegen.config.tables import Called, Form, Keys, Schema
from holdall_codegen.model import NOWHERE, Location

EXPIRED: Final = "HA181"
UNUSED: Final = "HA182"

Text: TypeAlias = Annotated[str, Form(TEXT, "a text", r"\S")]
_DAY: Final = "a date such as 2030-12-31, in quotes"


def check_rule(rule: str, at: Mapping[str, Node]) -> None:
    """Report a rule that does not exist."""
    if rule and rule not in RULES:
        message = f'there is no rule "{rule}"{nearest(rule, RULES)}'
        at["rule"].report(WRONG_TYPE, message, "docs/breaking.md lists the rules")


def is_within(place: str, path: str) -> bool:
    """Tell whether a place is at a path, or below it; all places are below an empty one."""
    return f"{place}/".startswith(f"{path}/" if path else "")


class Accepted(Keys, kw_only=True):
    __doc__ = """What a schema may refuse, narrowed by the way of the objects, and by type and
    property.

    rule (required): The rule, by its [name](breaking.md#rules).
    way (all): The direction of the conversion, as the finding says it: `v2 -> v1`.
    type (all): The type that the finding names.
    property (all): The property of that type, such as `pools/*/size`, and everything below it; `~1`
        is a slash in a name.
    reason (required): Why this harms no one.
    """

    rule: Annotated[Text, Schema({"enum": [*RULES]})]
    way: Annotated[str, Form(PAIR, "a pair of versions such as v2 -> v1")] = ""
    type: Text = ""
    property: Text = ""
    reason: Text
    location: Location = NOWHERE

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        check_rule(self.rule, at)

    def covers(self, rule: str, way: tuple[str, str], type_: str, name: str) -> bool:
        """Tell whether it is about a finding."""
        pair = PAIR.fullmatch(self.way)
        return (
            rule == self.rule
            and (pair is None or pair.groups() == way)
            and self.type in ("", type_)
            and is_within(name, self.property)
        )


class Ignore(Keys, kw_only=True):
    __doc__ = """Findings of one rule that are known, narrowed by kind, version and path.

    rule (required): The rule, by its [name](breaking.md#rules).
    kind (all): The kind, or the type of an edge, as the finding names it.
    version (all): The version, or the pair as the finding names it: `v1 -> v2`.
    path (all): The place, such as `spec/pools/*/size`, and everything below it; `~1` is a slash in
        a name.
    until (required): The last day of the entry, in quotes: `"2030-12-31"`. After that day the entry
        is an error.
    reason (required): Why this harms no one.
    """

    rule: Annotated[Text, Schema({"enum": [*RULES]})]
    kind: Text = ""
    version: Text = ""
    path: Text = ""
    until: Annotated[str, Form(DATE, _DAY)]
    reason: Text
    location: Location = NOWHERE

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        check_rule(self.rule, at)
        try:
            date.fromisoformat(self.until or "2030-12-31")
        except ValueError:
            message = f'until "{self.until}" is not a valid date'
            at["until"].report(MALFORMED_NAME, message, f"write {_DAY}")

    def matches(self, finding: Finding, place: str) -> bool:
        """Tell whether the entry is about a place of a finding."""
        return (
            finding.name == self.rule
            and self.kind in ("", finding.kind)
            and self.version in ("", finding.version)
            and is_within(place, self.path)
        )

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        return {"until": self.until, "reason": self.reason, "at": str(self.location)}


class BreakingConfig(Keys):
    __doc__ = """What `holdall breaking` does not report.

    ignore (none): Findings that are known, each until a day and for a reason.
    """

    ignore: list[Annotated[Ignore, Called("an entry of ignore")]] | None = None


@dataclass(frozen=True, slots=True)
class Sifted:
    """The findings that count, the ignored ones with their entries, and problems of entries:
    `expired` ones are findings themselves, `unused` ones are notes."""

    findings: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, Ignore], ...] = ()
    expired: tuple[Problem, ...] = ()
    unused: tuple[Problem, ...] = ()


def sift(findings: Iterable[Finding], entries: Iterable[Ignore], today: date) -> Sifted:
    """Separate the findings that are ignored today, place by place."""
    known = tuple(entries)
    valid = [entry for entry in known if today.isoformat() <= entry.until]
    counted: list[Finding] = []
    ignored: list[tuple[Finding, Ignore]] = []
    for finding in findings:
        of_entry: dict[int, list[str]] = {}
        for place in finding.places:
            matching = (i for i, entry in enumerate(valid) if entry.matches(finding, place))
            of_entry.setdefault(next(matching, -1), []).append(place)
        for index, places in of_entry.items():
            if index < 0:
                counted.append(finding.at(places))
            else:
                ignored.append((finding.at(places), valid[index]))
    used = [entry for _, entry in ignored]
    return Sifted(
        tuple(counted),
        tuple(ignored),
        tuple(_expired(entry) for entry in known if entry not in valid),
        tuple(_unused(entry) for entry in valid if entry not in used),
    )


def _expired(entry: Ignore) -> Problem:
    message = f"the entry for {entry.rule} expired after {entry.until}: {entry.reason}"
    return Problem(EXPIRED, str(entry.location), message, "remove it, or agree on a later date")


def _unused(entry: Ignore) -> Problem:
    message = f"the entry for {entry.rule} matches no finding"
    fix = "correct it, or remove it if its change has been released"
    return Problem(UNUSED, str(entry.location), message, fix)
