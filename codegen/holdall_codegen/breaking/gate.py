"""The gate: two states in, findings out; and all differences of schemas, harmless ones included."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date

from holdall.types import JsonValue
from holdall_codegen.breaking.ignoring import Sifted, sift
from holdall_codegen.breaking.judging import judge, places_of
from holdall_codegen.breaking.kinds import compare_apis
from holdall_codegen.breaking.plans import compare_projects
from holdall_codegen.breaking.reading import Api
from holdall_codegen.breaking.rules import LEVELS, RULES, Level
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
    entries = after.project.config.breaking.ignore if after.project is not None else ()
    asked = [entry for entry in entries if RULES[entry.rule].level in levels]
    return sift(sorted(wanted, key=lambda item: item.order), asked, today)


# --- all differences of schemas -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference, with the rules of the gate that it breaks, by the same comparison."""

    kind: str
    version: str
    places: tuple[str, ...]
    aspect: Aspect
    rules: tuple[str, ...]

    def __str__(self) -> str:
        verdict = f"breaks {', '.join(self.rules)}" if self.rules else "harmless"
        return f"{self.kind} {self.version} {', '.join(self.places)}: {self.aspect} ({verdict})"

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        return {
            "kind": self.kind,
            "version": self.version,
            "places": list(self.places),
            "aspect": self.aspect,
            "breaks": list(self.rules),
        }


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
