"""The key `breaking` of holdall.yaml: findings that are known, until when, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Final, TypeAlias

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall_codegen.breaking.rules import RULES, Finding
from holdall_codegen.config.names import DATE, TEXT
from holdall_codegen.config.node import MALFORMED_NAME, WRONG_TYPE, Node
from holdall_codegen.config.tables import Form, Keys, Schema, read
from holdall_codegen.model import Location

EXPIRED: Final = "HA181"
UNUSED: Final = "HA182"

_Text: TypeAlias = Annotated[str, Form(TEXT, "a text", r"\S")]
_DAY: Final = "a date as 2030-12-31, in quotes"


@dataclass(frozen=True, slots=True)
class Ignore:
    """One entry: findings of `rule`, narrowed by what else is given, are known up to `until`.

    `path` is a place, and all below it.
    """

    rule: str
    until: date
    reason: str
    location: Location
    kind: str = ""
    version: str = ""
    path: str = ""

    def matches(self, finding: Finding, place: str) -> bool:
        """Tell whether the entry is about a place of a finding."""
        return (
            finding.name == self.rule
            and self.kind in ("", finding.kind)
            and self.version in ("", finding.version)
            and f"{place}/".startswith(f"{self.path}/" if self.path else "")
        )

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        return {"until": self.until.isoformat(), "reason": self.reason, "at": str(self.location)}


@dataclass(frozen=True, slots=True)
class Sifted:
    """Findings that count, those that are ignored with the entry that says so, and what is wrong
    with entries: `expired` ones are findings themselves, `unused` ones a remark."""

    findings: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, Ignore], ...] = ()
    expired: tuple[Problem, ...] = ()
    unused: tuple[Problem, ...] = ()


def sift(findings: Iterable[Finding], entries: Iterable[Ignore], today: date) -> Sifted:
    """Take out the findings that are ignored today, place by place."""
    known = tuple(entries)
    valid = [entry for entry in known if today <= entry.until]
    counted: list[Finding] = []
    ignored: list[tuple[Finding, Ignore]] = []
    for finding in findings:
        of_entry: dict[Ignore | None, list[str]] = {}
        for place in finding.places:
            entry = next((entry for entry in valid if entry.matches(finding, place)), None)
            of_entry.setdefault(entry, []).append(place)
        for entry, places in of_entry.items():
            if entry is None:
                counted.append(finding.at(places))
            else:
                ignored.append((finding.at(places), entry))
    used = {entry for _, entry in ignored}
    return Sifted(
        tuple(counted),
        tuple(ignored),
        tuple(_expired(entry) for entry in known if entry not in valid),
        tuple(_unused(entry) for entry in valid if entry not in used),
    )


def _expired(entry: Ignore) -> Problem:
    message = f"the entry for {entry.rule} is over since {entry.until.isoformat()}: {entry.reason}"
    return Problem(EXPIRED, str(entry.location), message, "remove it, or agree on another date")


def _unused(entry: Ignore) -> Problem:
    message = f"the entry for {entry.rule} matches no finding"
    fix = "correct it; or remove it, once what it is about is released"
    return Problem(UNUSED, str(entry.location), message, fix)


# --- reading ---------------------------------------------------------------------------------


class IgnoreKeys(Keys, kw_only=True):
    """Findings of one rule that are known, narrowed by kind, version and path.

    rule (required): The rule, by its [name](breaking.md#rules).
    kind (all): The kind, or the type of an edge, as the finding names it.
    version (all): The version, or the pair as the finding names it: `v1 -> v2`.
    path (all): The place, as `spec/pools/*/size`, and all below it.
    until (required): The last day of the entry, in quotes: `"2030-12-31"`. After it the entry is an
        error.
    reason (required): Why no one is hurt.
    """

    rule: Annotated[_Text, Schema({"enum": [*RULES]})] | None
    kind: _Text = ""
    version: _Text = ""
    path: _Text = ""
    until: Annotated[str, Form(DATE, _DAY)] | None
    reason: _Text | None


class BreakingKeys(Keys):
    """What `holdall breaking` need not report.

    ignore (none): Findings that are known, each until a day and for a reason.
    """

    ignore: list[IgnoreKeys] | None = None


@dataclass(frozen=True, slots=True)
class BreakingConfig:
    """What holdall.yaml says about breaking changes."""

    ignore: tuple[Ignore, ...] = field(default=())


def read_breaking(node: Node) -> BreakingConfig:
    """Read the key `breaking`; what is malformed is reported."""
    _, at = read(BreakingKeys, node, "breaking")
    entries = at["ignore"].items("ignore") if "ignore" in at else []
    return BreakingConfig(tuple(found for item in entries if (found := _read_entry(item))))


def _read_entry(node: Node) -> Ignore | None:
    entry, at = read(IgnoreKeys, node, "an entry of ignore")
    if entry.rule and entry.rule not in RULES:
        message = f'there is no rule "{entry.rule}"{nearest(entry.rule, RULES)}'
        at["rule"].report(WRONG_TYPE, message, "docs/breaking.md lists the rules")
    until = _day(entry.until, at["until"]) if entry.until else None
    if until is None or entry.rule is None or entry.reason is None:
        return None
    location = node.location
    return Ignore(entry.rule, until, entry.reason, location, entry.kind, entry.version, entry.path)


def _day(text: str, node: Node) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        message = f'until "{text}" is not a day of the calendar'
        node.report(MALFORMED_NAME, message, f"write {_DAY}")
        return None
