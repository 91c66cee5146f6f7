"""The key `breaking` of holdall.yaml: findings that are known, until when, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from holdall.errors import Problem
from holdall.suggest import nearest
from holdall.types import JsonValue
from holdall_codegen.breaking.findings import Finding
from holdall_codegen.breaking.rules import RULES
from holdall_codegen.config.names import DATE, TEXT
from holdall_codegen.config.node import MALFORMED_NAME, WRONG_TYPE, Node
from holdall_codegen.model import Location

EXPIRED: Final = "HA181"
UNUSED: Final = "HA182"

BREAKING_KEYS: Final = ("ignore",)
IGNORE_KEYS: Final = ("rule", "kind", "version", "path", "until", "reason")
_REQUIRED: Final = ("rule", "until", "reason")


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

    def matches(self, finding: Finding) -> bool:
        """Tell whether a finding is one that the entry is about."""
        return (
            finding.name == self.rule
            and self.kind in ("", finding.kind)
            and self.version in ("", finding.version)
            and f"{finding.path}/".startswith(f"{self.path}/" if self.path else "")
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
    """Take out the findings that are ignored today."""
    known = tuple(entries)
    valid = [entry for entry in known if today <= entry.until]
    counted: list[Finding] = []
    ignored: list[tuple[Finding, Ignore]] = []
    for finding in findings:
        entry = next((entry for entry in valid if entry.matches(finding)), None)
        if entry is None:
            counted.append(finding)
        else:
            ignored.append((finding, entry))
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


@dataclass(frozen=True, slots=True)
class BreakingConfig:
    """What holdall.yaml says of breaking changes."""

    ignore: tuple[Ignore, ...] = field(default=())


def read_breaking(node: Node) -> BreakingConfig:
    """Read the key `breaking`; what is malformed is reported."""
    members = node.known_members("breaking", BREAKING_KEYS)
    entries = members["ignore"].items("ignore") if "ignore" in members else []
    return BreakingConfig(tuple(found for item in entries if (found := _read_entry(item))))


def _read_entry(node: Node) -> Ignore | None:
    members = node.known_members("an entry of ignore", IGNORE_KEYS)
    for key in _REQUIRED:
        if members and key not in members:
            node.report_missing("an entry of ignore", key)
    texts = {
        key: child.matching(key, TEXT, "a text") or ""
        for key, child in members.items()
        if key != "until"
    }
    if (rule := texts.get("rule")) and rule not in RULES:
        message = f'there is no rule "{rule}"{nearest(rule, RULES)}'
        members["rule"].report(WRONG_TYPE, message, "docs/breaking.md lists the rules")
    until = _read_date(members["until"]) if "until" in members else None
    if until is None or not all(texts.get(key) for key in ("rule", "reason")):
        return None
    return Ignore(until=until, location=node.location, **texts)


def _read_date(node: Node) -> date | None:
    form = "a date as 2030-12-31, in quotes"
    text = node.matching("until", DATE, form)
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        node.report(MALFORMED_NAME, f'until "{text}" is no day of the calendar', f"write {form}")
        return None
