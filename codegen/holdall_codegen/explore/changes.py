"""The differences to an older state of the project, as the page shows them."""

from __future__ import annotations

from holdall.types import JsonObject, JsonValue
from holdall_codegen.output.compare import Difference, ProjectDiff
from holdall_codegen.views.stored_report import lines


def changes_value(found: ProjectDiff, revision: str) -> JsonObject:
    """Return the differences between a revision and the project, by group.

    What differs in one property says `of` which: version, type and name.
    """
    groups: dict[str, JsonValue] = {
        package: [_difference(item) for item in items] for package, items in found.groups.items()
    }
    return {
        "revision": revision,
        "groups": groups,
        "hooks": [str(note) for note in found.notes],
        "stored": [*lines(found.stored)],
    }


def _difference(item: Difference) -> JsonObject:
    value = item.value()
    if item.subject in ("property", "fate"):
        holder, _, name = item.where.partition(" ")
        version, _, type_ = holder.rpartition(".")
        value["of"] = [version, type_, name.rpartition(" (to ")[0] or name]
    return value
