"""The differences to an older state of the project, as the page shows them."""

from __future__ import annotations

from pathlib import Path

from holdall.errors import ProblemsError
from holdall.types import JsonObject, JsonValue
from holdall_codegen.breaking.gate import schema_differences
from holdall_codegen.breaking.reading import project_api, read_project_api
from holdall_codegen.output.compare import Difference, diff_project
from holdall_codegen.project import Project
from holdall_codegen.views.stored_report import lines


def changes_value(project: Project, older: Path, revision: str) -> JsonObject:
    """Return the differences between a revision, whose project is in a folder, and the project.

    What differs in one property says `of` which: version, type and name. Raises SourceError if
    there is nothing to compare with.
    """
    found = diff_project(project, against=older / project.output, shown=revision)
    try:
        before = read_project_api(older)
    except ProblemsError as error:
        schemas = [f"the schemas cannot be compared with: {error.problems[0]}"]
    else:
        schemas = [str(item) for item in schema_differences(before, project_api(project))]
    groups: dict[str, JsonValue] = {
        package: [_difference(item) for item in items] for package, items in found.groups.items()
    }
    return {
        "revision": revision,
        "groups": groups,
        "schemas": [*schemas],
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
