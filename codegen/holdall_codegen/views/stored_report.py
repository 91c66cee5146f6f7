"""What a change of a project's plans means for stored objects, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from holdall.types import JsonValue
from holdall_codegen.project import Project
from holdall_codegen.views.plan_view import PlanView
from holdall_codegen.views.stored import REMEDIES, Becomes, Touched, find_touched

_NAMED = 4
"""How many names and places a line has; `--json` has all."""

StoredReport: TypeAlias = Mapping[str, tuple[Touched, ...]]
"""What is touched, by package; packages without any are left out."""


def report_stored(
    project: Project, old: Mapping[str, PlanView], new: Mapping[str, PlanView]
) -> StoredReport:
    """Return what the change from the old plans to the new ones means for stored objects."""
    found = {
        package: find_touched(
            before.group, new[package].group, is_served=bool(project.plans[package].api_group)
        )
        for package, before in old.items()
        if before.group != new[package].group
    }
    return {package: items for package, items in found.items() if items}


def stored_value(report: StoredReport) -> JsonValue:
    """Return a report as JSON."""
    return {package: [item.value() for item in items] for package, items in report.items()}


def lines(report: StoredReport) -> Iterator[str]:
    """Yield one line for all that is touched alike, then what the first words of lines mean."""
    yield from classes(report)
    words: list[Becomes] = [item.becomes for items in report.values() for item in items]
    for word in dict.fromkeys(words):
        remedy = REMEDIES[word]
        yield f"({word}) {remedy.meaning}; {remedy.when} the change: {' and '.join(remedy.run)}"


def classes(report: StoredReport) -> Iterator[str]:
    """Yield one line for all that is touched alike in the same versions of a kind."""
    for items in report.values():
        alike: dict[tuple[str, ...], list[Touched]] = {}
        for item in items:
            key = (item.becomes, item.subject, item.kind, item.origin, item.why, *item.stored)
            alike.setdefault(key, []).append(item)
        for found in alike.values():
            first = found[0]
            what = _all_named(found) if first.path else f"all {first.subject}"
            stored = ", ".join(first.stored)
            yield f"{first.becomes}: {first.kind} stored at {stored}: {what}: {first.why}"


def _all_named(items: Iterable[Touched]) -> str:
    """Return what is touched, by place: `/spec v1/tier, v1/note; /spec/lines/* v1/x`."""
    by_path: dict[str, list[str]] = {}
    for item in items:
        names = by_path.setdefault(item.path, [])
        if item.property:
            names.append(f"{item.origin}/{item.property}" if item.origin else item.property)
    places = [f"{path} {_some(names)}".rstrip() for path, names in by_path.items()]
    return _some(places, "; ")


def _some(texts: list[str], separator: str = ", ") -> str:
    rest = len(texts) - _NAMED
    more = [f"{rest} more"] if rest > 0 else []
    return separator.join([*texts[:_NAMED], *more])
