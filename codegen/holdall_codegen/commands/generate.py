"""`holdall generate`: write types, converters and protocols."""

from __future__ import annotations

from collections.abc import Sequence

import click

from holdall.cli.common import (
    FINDINGS,
    USAGE,
    Context,
    end,
    fail,
    json_option,
    pass_run,
    problems_in_json,
)
from holdall.errors import problem_value
from holdall_codegen.commands.common import PROPOSED, refusals_are_findings
from holdall_codegen.output.generation import GenerateResult, generate
from holdall_codegen.output.manifest import OutputError
from holdall_codegen.views.renamed_types import RENAMED
from holdall_codegen.views.stored_report import classes, stored_value

_MOST = 5
"""How many lines to print about stored objects, and about renamed types."""


@click.command("generate")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if files differ.")
@click.option(
    "--force", is_flag=True, help="Overwrite files edited by hand; each is kept as FILE.edited."
)
@json_option
@pass_run
def command(run: Context, check: bool, force: bool, as_json: bool) -> None:
    """Write types, converters and hook protocols as holdall.yaml says.

    Exit codes: 0 fine, 1 refused properties, files edited by hand, mistakes in hooks, or with
    --check a difference; 2 unreadable input or unwritable output.
    """
    try:
        with refusals_are_findings(), problems_in_json(run, as_json=as_json):
            result = generate(run.root, check=check, force=force)
    except OutputError as error:
        fail(error, USAGE if error.is_unwritable else FINDINGS)
    if as_json:
        run.echo_json(
            {
                "written": list(result.written),
                "removed": list(result.removed),
                "edited": list(result.edited),
                "unchanged": result.unchanged,
                "stored": stored_value(result.stored),
                "renamed": [item.value() for item in result.renamed],
                "hooks": [note.value() for note in result.notes],
                "problems": [problem_value(problem) for problem in result.problems],
                "warnings": list(result.warnings),
                "suggestions": list(result.suggestions),
                **({"diff": result.diff} if check else {}),
            }
        )
    elif check:
        if result.diff:
            run.write(result.diff)
        run.note(_count(result, "would be written", "would be removed"))
    else:
        _summarize(run, result)
    end(findings=bool(result.problems) or (check and not result.is_current))


def _summarize(run: Context, result: GenerateResult) -> None:
    for path in result.written:
        run.echo(f"wrote    {path}")
    for path in result.removed:
        run.echo(f"removed  {path}")
    for path in result.edited:
        run.echo(f"kept     {path}.edited")
    run.echo(_count(result, "written", "removed"))
    touched = list(classes(result.stored))
    if touched:
        more = f"{len(touched) - _MOST} more; " if len(touched) > _MOST else ""
        touched[_MOST:] = [f"{more}`holdall diff REVISION` lists all, and the commands to run"]
    renamed: list[object] = [*result.renamed]
    if len(renamed) > _MOST:
        renamed[_MOST:] = [f"{len(renamed) - _MOST} more; `holdall diff REVISION` lists all"]
    sections: dict[str, Sequence[object]] = {
        "Stored objects:": touched,
        f"{RENAMED}:": renamed,
        "Hooks:": result.notes,
        "Warnings:": result.warnings,
        PROPOSED: result.suggestions,
    }
    for title, items in sections.items():
        if items:
            run.echo(f"\n{title}")
            for item in items:
                run.echo(f"  {item}")
    for problem in result.problems:
        run.error(str(problem))


def _count(result: GenerateResult, written: str, removed: str) -> str:
    return (
        f"{len(result.written)} {written}, {result.unchanged} unchanged, "
        f"{len(result.removed)} {removed}"
    )
