"""`holdall diff`: show what `generate` would change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from holdall.cli.common import Context, end, fail, json_option, pass_run, problems_in_json
from holdall.cli.older import older_state
from holdall.errors import ProblemsError
from holdall_codegen.breaking.gate import SchemaDifference, schema_differences
from holdall_codegen.breaking.reading import project_api, read_project_api
from holdall_codegen.commands.common import refusals_are_findings
from holdall_codegen.output.compare import ProjectDiff, diff_project
from holdall_codegen.project import Project, load_project
from holdall_codegen.views.renamed_types import RENAMED
from holdall_codegen.views.stored_report import lines, stored_value


@click.command("diff")
@click.argument("revision", required=False)
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="An older generated folder to compare with.",
)
@json_option
@pass_run
def command(run: Context, revision: str | None, against: Path | None, as_json: bool) -> None:
    """Show what `generate` would change in types, fates and hooks, and what that means for stored
    objects; write nothing.

    The comparison is with the generated files, with the project at a git REVISION, or with DIR.

    Exit codes: 0 no difference, which is also what `generate --check` says; 1 differences, harmless
    ones included, or refused properties; 2 unreadable input.
    """
    if revision is not None and against is not None:
        fail("REVISION and --against exclude each other")
    with refusals_are_findings(), problems_in_json(run, as_json=as_json):
        project = load_project(run.root)
        found, schemas = _diff(run, project, revision, against)
    if as_json:
        run.echo_json(
            {
                "groups": {
                    package: [item.value() for item in items]
                    for package, items in found.groups.items()
                },
                "schemas": [item.value() for item in schemas],
                "stored": stored_value(found.stored),
                "renamed": [item.value() for item in found.renamed],
                "hooks": [note.value() for note in found.notes],
                "files": list(found.files),
            }
        )
    else:
        _print(run, found, schemas)
    end(findings=not found.is_empty or bool(schemas))


def _diff(
    run: Context, project: Project, revision: str | None, against: Path | None
) -> tuple[ProjectDiff, list[SchemaDifference]]:
    """Compare with a folder, or with a revision: its generated files and its schemas."""
    if revision is None:
        return diff_project(project, against=against), []
    with older_state(run.root, revision) as older:
        found = diff_project(project, against=older / project.output, shown=revision)
        try:
            before = read_project_api(older)
        except ProblemsError as error:
            run.warn(f"cannot compare with the schemas of {revision}: {error.problems[0]}")
            return found, []
        return found, list(schema_differences(before, project_api(project)))


def _print(run: Context, found: ProjectDiff, schemas: list[SchemaDifference]) -> None:
    sections: list[tuple[str, Sequence[object]]] = [
        *found.groups.items(),
        ("schemas", schemas),
        ("stored objects", [*lines(found.stored)]),
        (RENAMED.lower(), found.renamed),
        ("hooks", found.notes),
        ("files", found.files),
    ]
    for title, items in sections:
        if items:
            run.echo(run.style(title, bold=True))
            for item in items:
                run.echo(f"  {item}")
    if found.is_empty and not schemas:
        run.note("no differences")
