"""The gate: two states in, findings out; and all differences of schemas, harmless ones included."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import combinations
from typing import Final

from holdall.types import JsonValue
from holdall_codegen.breaking.ignoring import Sifted, sift
from holdall_codegen.breaking.judging import judge, places_of
from holdall_codegen.breaking.plans import compare_projects
from holdall_codegen.breaking.reading import Api, KindView, VersionView
from holdall_codegen.breaking.rules import LEVELS, RULES, Finding, Level
from holdall_codegen.breaking.schema_changes import Aspect, compare_schemas
from holdall_codegen.plan.graph import is_stable


def find_breaking(
    before: Api, after: Api, *, today: date, levels: Collection[Level] = LEVELS
) -> Sifted:
    """Return what breaks on the way from one state to another, known findings apart.

    Plans are compared if both states are projects. Findings are in the order of levels, kinds,
    versions and paths.
    """
    found = list(compare_apis(before, after))
    if before.project is not None and after.project is not None:
        found += compare_projects(before.project, after.project)
    wanted = {item: None for item in found if item.rule.level in levels}
    entries = after.project.config.breaking.ignore if after.project is not None else None
    asked = [entry for entry in entries or () if RULES[entry.rule].level in levels]
    return sift(sorted(wanted, key=lambda item: item.order), asked, today)


# --- all differences of schemas -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference, with the rules of the gate that it breaks, by the same comparison."""

    kind: str
    version: str
    places: tuple[str, ...]
    aspect: Aspect
    breaks: tuple[str, ...]

    def __str__(self) -> str:
        verdict = f"breaks {', '.join(self.breaks)}" if self.breaks else "harmless"
        return f"{self.kind} {self.version} {', '.join(self.places)}: {self.aspect} ({verdict})"

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        return {**asdict(self), "places": list(self.places), "breaks": list(self.breaks)}


def schema_differences(before: Api, after: Api) -> Iterator[SchemaDifference]:
    """Yield what differs in versions that both states have."""
    for key, old in before.kinds.items():
        new = after.kinds.get(key)
        versions = new.versions if new is not None else {}
        for name in [name for name in old.versions if name in versions]:
            version, schema = old.versions[name], versions[name].schema
            fills_defaults = schema.prunes != "nothing"
            for change in compare_schemas(version.schema, schema):
                verdicts = judge(change, is_stable=is_stable(name), fills_defaults=fills_defaults)
                rules = tuple(dict.fromkeys(rule for rule, _ in verdicts))
                places = tuple(places_of(change))
                yield SchemaDifference(old.name, name, places, change.aspect, rules)


# --- kinds, their versions and their schemas ------------------------------------------------------


_MAY_GROW: Final = ("shortNames", "categories")
_ASKED: Final = ("plural", "singular", "shortNames")
_OF_STORED: Final = ("property-removed", "type-changed", "members-closed", "default-changed")
"""The rules that matter at a version that is stored, but not served."""


def compare_apis(before: Api, after: Api) -> Iterator[Finding]:
    """Yield what breaks between two states; new kinds and versions break nothing."""
    for key, old in before.kinds.items():
        new = after.kinds.get(key)
        if new is None:
            where = next(iter(after.kinds.values())).where if after.kinds else after.where
            yield Finding("kind-removed", old.name, "", "", f"{key[0]} has no such kind", where)
            continue
        yield from _kind(old, new)
        for name, version in old.versions.items():
            if name in new.versions:
                yield from _version(old, new, version, new.versions[name])
            elif version.is_served:
                yield Finding("version-removed", old.name, name, "", "removed", new.where)
        yield from _between_served(old, new)


def _kind(old: KindView, new: KindView) -> Iterator[Finding]:
    def found(name: str, what: str, version: str = "") -> Finding:
        return Finding(name, old.name, version, "", what, new.where)

    if old.scope and new.scope and old.scope != new.scope:
        yield found("scope-changed", f"{old.scope} -> {new.scope}")
    for what, gone in _lost_names(old, new):
        now = new.names.get(what, frozenset())
        shown = f" -> {', '.join(sorted(now))}" if now and what not in _MAY_GROW else " is gone"
        yield found("name-changed", f"{what} {', '.join(sorted(gone))}{shown}")
    if old.is_converted and not new.is_converted and len(new.versions) > 1:
        yield found("conversion-dropped", "no webhook converts between its versions")
    if not new.names:
        return  # it is not a resource, so what is stored is unknown
    for version in sorted((old.stored | new.stored) - new.versions.keys()):
        yield found("stored-version-dropped", "objects may still be stored at it", version)
    known = old.versions.get(new.storage)
    if old.storage and old.storage != new.storage and not (known and known.is_served):
        what = f"the storage version was {old.storage}"
        yield found("storage-changed", what, new.storage)


def _lost_names(old: KindView, new: KindView) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield names that find nothing now; a singular or short name may become another name."""
    asked = frozenset().union(*(new.names.get(what, frozenset()) for what in _ASKED))
    asked |= {new.name.lower()}  # the default of the singular
    for what, words in old.names.items():
        now = asked if what in _ASKED[1:] else new.names.get(what, frozenset())
        if new.names and not words <= now:
            yield what, words - now


def _version(
    before: KindView, kind: KindView, old: VersionView, new: VersionView
) -> Iterator[Finding]:
    def found(name: str, what: str) -> Finding:
        return Finding(name, kind.name, new.name, "", what, new.where)

    if old.is_served and not new.is_served:
        yield found("version-unserved", "not served")
    if not (old.is_served and new.is_served):
        if new.name in before.stored | kind.stored:
            for item in _schemas(kind, old, new, new.name, is_stable=False):
                if item.name in _OF_STORED:
                    yield item
        return
    for name in sorted(old.subresources - new.subresources):
        yield found("subresource-removed", f"the subresource {name} is gone")
    for path in sorted(old.selectable - new.selectable):
        yield found("selectable-removed", f"{path} cannot be selected")
    yield from _schemas(kind, old, new, new.name, is_stable=is_stable(new.name))


def _schemas(
    kind: KindView, old: VersionView, new: VersionView, label: str, *, is_stable: bool
) -> Iterator[Finding]:
    fills_defaults = new.schema.prunes != "nothing"
    for change in compare_schemas(old.schema, new.schema):
        path, *others = places_of(change)
        for name, what in judge(change, is_stable=is_stable, fills_defaults=fills_defaults):
            yield Finding(name, kind.name, label, path, what, change.where, tuple(others))


def _between_served(old: KindView, new: KindView) -> Iterator[Finding]:
    """Compare served versions that nothing converts; report what the older state did not have."""
    if new.is_converted:
        return

    def at_places(item: Finding) -> dict[str, Finding]:
        return {place: replace(item.at([place]), where="") for place in item.places}

    known = {found for item in _pairs(old) for found in at_places(item).values()}
    for item in _pairs(new):
        places = [place for place, found in at_places(item).items() if found not in known]
        if places:
            yield item.at(places)


def _pairs(kind: KindView) -> Iterator[Finding]:
    served = [version for version in kind.versions.values() if version.is_served]
    for one, other in combinations(served, 2):
        yield from _schemas(kind, one, other, f"{one.name} -> {other.name}", is_stable=False)
        for item in _schemas(kind, other, one, f"{other.name} -> {one.name}", is_stable=False):
            if item.name == "property-removed":
                yield item
