"""All differences of schemas between two states, harmless ones included: what `holdall diff` lists.

They are those that the gate judges, by the same comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdall.types import JsonValue
from holdall_codegen.breaking.judging import judge, places_of
from holdall_codegen.breaking.schema_changes import Aspect, compare_schemas
from holdall_codegen.breaking.views import Api
from holdall_codegen.plan.graph import is_stable


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference, with the rules of the gate that it breaks."""

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
