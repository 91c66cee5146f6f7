"""What may be refused, as people and programs read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from holdall.types import JsonValue
from holdall_codegen.refusals.model import Refusal, Subject, Way

_LONGEST: Final = 120
"""Rules in CEL may be as long as a page; JSON has them in full."""


_MANY: Final = 3
"""Findings below one property that are told one by one; any JSON that got a type has hundreds."""


def condensed(found: Sequence[Refusal]) -> tuple[Refusal, ...]:
    """Return what is told to people: of many findings below one property, the first."""
    groups: dict[Subject, list[Refusal]] = {}
    for item in found:
        own = replace(item.subject, name=item.subject.first)
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


def refusal_lines(found: Sequence[Refusal]) -> Iterator[str]:
    """Yield one line for each finding, those of one way together, then the lines that help."""
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
        rest = "the others" if lines else "these"
        yield f"\nA hook can help with {rest}; `holdall check` names the place of each."


def refusals_value(found: Mapping[str, Sequence[Refusal]]) -> dict[str, JsonValue]:
    """Return what may be refused as a JSON value, by package."""
    return {package: [item.value() for item in items] for package, items in found.items()}
