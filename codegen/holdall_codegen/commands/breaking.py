"""`holdall breaking`: whether a change breaks users of the API, or objects that are stored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path

import click

from holdall.cli.common import Context, end, pass_run
from holdall.cli.older import older_state
from holdall.errors import ProblemsError, SourceError, problem_value
from holdall.words import counted
from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.ignoring import Sifted
from holdall_codegen.breaking.reading import Api, project_api, read_api, read_project_api
from holdall_codegen.breaking.rules import LEVELS, Level
from holdall_codegen.commands.common import format_option, refusals_are_findings, workflow_commands


@click.command("breaking")
@click.argument("crds", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--against",
    required=True,
    metavar="REF|DIR|FILE",
    help="What users have now: a git revision, a project's folder, or CRDs in a folder or file.",
)
@click.option(
    "--level",
    "levels",
    type=click.Choice(LEVELS),
    multiple=True,
    help="Only findings of this level; repeatable.",
)
@format_option
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@pass_run
def command(
    run: Context,
    crds: Path | None,
    against: str,
    levels: tuple[Level, ...],
    form: str,
    as_json: bool,
) -> None:
    """Find changes since an older state that break users of the API or stored objects.

    Judges CRDS, a file or folder, or without CRDS the project. Writes nothing; runs the
    declarations of the older state, and imports its hooks without calling them.

    Exit codes: 0 nothing breaks, 1 findings or expired entries of `breaking`, 2 unreadable input.
    """
    with refusals_are_findings():
        after = read_api(crds) if crds is not None else read_project_api(run.root)
    with _older(run.root, crds, against) as before:
        if after.project is not None and before.project is None:
            # A cluster has the CRDs of `holdall crd`, which say more than the sources.
            after = project_api(after.project, as_crds=True)
        found = find_breaking(
            before, after, today=datetime.now(UTC).date(), levels=levels or LEVELS
        )
    if as_json or form == "json":
        _print_json(run, against, found)
    elif form == "github":
        root = run.root if crds is None else Path()
        problems = [*(item.problem() for item in found.findings), *found.expired]
        for line in (
            *workflow_commands(problems, root),
            *workflow_commands(found.unused, root, level="warning"),
        ):
            run.echo(line)
    else:
        _print(run, against, found)
    end(findings=bool(found.findings or found.expired))


@contextmanager
def _older(root: Path, crds: Path | None, against: str) -> Iterator[Api]:
    """Yield the older state. Raises SourceError if it cannot be read or planned."""
    beside = crds is not None and relpath(crds).startswith(os.pardir)
    with older_state(root if crds is None else Path(), against, beside=beside) as found:
        try:
            if Path(against).exists():
                api = read_api(found)
            elif crds is None:
                api = read_project_api(found)
            else:
                api = read_api(found / relpath(crds))
        except ProblemsError as error:
            title = f"cannot compare with the older state {against}:"
            raise SourceError(error.problems, title=title) from error
        yield api


def _print_json(run: Context, against: str, found: Sifted) -> None:
    run.echo_json(
        {
            "against": against,
            "findings": [item.value() for item in found.findings],
            "ignored": [
                {**item.value(), "ignored": entry.value()} for item, entry in found.ignored
            ],
            "expired": [problem_value(problem) for problem in found.expired],
            "unused": [problem_value(problem) for problem in found.unused],
        }
    )


def _print(run: Context, against: str, found: Sifted) -> None:
    for item in found.findings:
        run.echo(f"{run.style(f'{item.rule.level}:', fg='red', bold=True)} {item.problem()}")
    for problem in found.expired:
        run.echo(str(problem))
    for problem in found.unused:
        run.warn(str(problem))
    counts = Counter(item.rule.level for item in found.findings)
    shown = ", ".join(f"{counts[level]} {level}" for level in LEVELS if counts[level])
    ignored = f"; {len(found.ignored)} ignored" if found.ignored else ""
    total = counted(len(found.findings), "breaking change")
    run.note(f"{total} since {against}{f': {shown}' if shown else ''}{ignored}")
