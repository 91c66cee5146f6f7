"""`holdall diff`: show what `generate` would change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

from holdall.cli.common import FINDINGS, Context, end, fail, json_option, pass_run
from holdall.errors import PlanError
from holdall_codegen.output.compare import ProjectDiff, diff_project, diff_texts, no_older_plan
from holdall_codegen.project import Project, load_project
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
    """Show what `generate` would change in types, fates and hooks, before anything is written, and
    what that means for stored objects.

    The comparison is with the generated files, with those of a git REVISION, or with DIR.

    Exit codes: 0 no difference, 1 differences or refused properties, 2 what cannot be read.
    """
    if revision is not None and against is not None:
        fail("REVISION and --against exclude each other")
    try:
        project = load_project(run.root)
    except PlanError as error:
        fail(error, FINDINGS)
    if revision is None:
        found = diff_project(project, against=against)
    else:
        found = diff_texts(project, plans_at(project, revision))
    if as_json:
        run.echo_json(
            {
                "groups": {
                    package: [item.value() for item in items]
                    for package, items in found.groups.items()
                },
                "stored": stored_value(found.stored),
                "hooks": [note.value() for note in found.notes],
                "files": list(found.files),
            }
        )
    else:
        _print(run, found)
    end(findings=not found.is_empty)


def plans_at(project: Project, revision: str) -> dict[str, bytes]:
    """Return the texts of plan.json at a git revision, by package.

    Raises SourceError if git does not know the revision or it holds no plan.
    """
    texts: dict[str, bytes] = {}
    reason = ""
    for package in project.plans:
        # `./` is the project's root, wherever it lies in its repository.
        name = f"{revision}:./{project.plan_file(package)}"
        try:
            shown = subprocess.run(
                ["git", "show", "--end-of-options", name],
                cwd=project.root,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise no_older_plan(revision, f"git cannot be run: {error.strerror}") from error
        if shown.returncode == 0:
            texts[package] = shown.stdout
        else:
            reason = shown.stderr.decode(errors="replace").strip()
    if not texts:
        raise no_older_plan(revision, f"it has no plan of the project: {reason}")
    return texts


def _print(run: Context, found: ProjectDiff) -> None:
    for package, items in found.groups.items():
        if items:
            run.echo(run.style(package, bold=True))
            for item in items:
                run.echo(f"  {item}")
    if found.stored:
        run.echo(run.style("stored objects", bold=True))
        for line in lines(found.stored):
            run.echo(f"  {line}")
    if found.notes:
        run.echo(run.style("hooks", bold=True))
        for note in found.notes:
            run.echo(f"  {note}")
    if found.files:
        run.echo(run.style("files", bold=True))
        for path in found.files:
            run.echo(f"  {path}")
    if found.is_empty:
        run.note("no differences")
